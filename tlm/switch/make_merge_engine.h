// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tlm/rtl/rtl_tracing.h"
#include "tlm/switch/merge_engine.h"
#include "tlm/switch/switch_config.h"

namespace t3 {

/// The unit of the port `port`, as `config.merge` says. `expected`: contributions of a complete
/// sum. Without RTL there is nothing to trace.
std::unique_ptr<MergeEngine> makeMergeEngine(const char* port, const SwitchConfig& config,
                                             std::uint32_t expected,
                                             const RtlTracing& tracing = {});

}  // namespace t3
