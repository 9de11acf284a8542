// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/rtl/rtl_tracing.h"
#include "tlm/switch/merge_rtl.h"

namespace t3 {

/// The merge unit of the port `name`, traced if `tracing` has a watcher.
std::unique_ptr<MergeRtl> makeMergeRtl(const RtlTracing& tracing, const char* name);

}  // namespace t3
