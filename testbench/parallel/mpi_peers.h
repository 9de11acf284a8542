// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/node/peers.h"

namespace t3 {

/// The processes that a launcher started, this one among them, for one simulation in all of them;
/// null where nobody launched. MPI is initialised here and ends with the object.
std::unique_ptr<Peers> mpiPeers();

}  // namespace t3
