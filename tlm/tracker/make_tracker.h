// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>

#include "tlm/rtl/rtl_block.h"
#include "tlm/tracker/rtl_unit.h"
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

/// How the RTL of a system is simulated, where there is some. What is not given is usual.
struct SystemRtl {
  using MakeTracker =
      std::function<std::unique_ptr<Tracker>(const sc_core::sc_module_name&, const TrackerConfig&)>;

  /// By the name of the unit's model: "gpu3.tracker", or "gpu3.tracker.stack1" of several.
  std::function<RtlOptions(const std::string& model)> trackers = {};
  RtlTracingOf mergeUnits = {};
  RtlTracingOf stackJoins = {};
  MakeTracker ownTracker = {};  ///< makes a unit of one's own, in place of the kind that was named

  RtlOptions tracker(const std::string& model) const {
    return trackers ? trackers(model) : RtlOptions{};
  }
};

}  // namespace t3
