// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "testbench/parallel/post.h"

namespace t3 {

/// Between the processes that a launcher started; null where nobody launched. MPI is initialised
/// here and ends with the object.
std::unique_ptr<Post> mpiPost();

}  // namespace t3
