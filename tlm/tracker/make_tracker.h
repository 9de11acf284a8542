// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>

#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/tracker.h"
#include "tlm/tracker/tracker_config.h"

namespace t3 {

/// Checks the rules that an implementation has beyond those of TrackerConfig::check. Returns one
/// line that says which rule is broken, or nothing if the tracker can be built.
std::optional<std::string> checkTracker(TrackerKind kind, const TrackerConfig& config);

/// What the RTL of this program takes for a member of TrackerConfig; "" if its whole range.
std::string rtlLegal(std::string_view key);

/// Throws std::invalid_argument unless `config` passes TrackerConfig::check and checkTracker.
/// Implementations without RTL ignore `options`.
std::unique_ptr<Tracker> makeTracker(const sc_core::sc_module_name& name, TrackerKind kind,
                                     const TrackerConfig& config, const RtlOptions& options = {});

}  // namespace t3
