// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/make_tracker.h"

#include <stdexcept>

#include "tlm/tracker/lockstep_tracker.h"
#include "tlm/tracker/model_tracker.h"
#include "tlm/tracker/netlist_unit.h"
#include "tlm/tracker/rtl_tracker.h"

namespace t3 {

std::optional<std::string> checkTracker(TrackerKind kind, const TrackerConfig& config) {
  if (kind == TrackerKind::Model) return std::nullopt;
  if (kind == TrackerKind::Netlist && !hasNetlist()) {
    return "kind: no netlist is linked to this program";
  }
  return RtlTracker::check(config);
}

std::string rtlLegal(std::string_view key) { return RtlTracker::legal(key); }

std::unique_ptr<Tracker> makeTracker(const sc_core::sc_module_name& name, TrackerKind kind,
                                     const TrackerConfig& config, const RtlOptions& options) {
  for (const auto& problem : {config.check(), checkTracker(kind, config)}) {
    if (problem) throw std::invalid_argument("tracker." + *problem);
  }
  switch (kind) {
    case TrackerKind::Rtl:
      return std::make_unique<RtlTracker>(name, config, options);
    case TrackerKind::Model:
      return std::make_unique<ModelTracker>(name, config);
    case TrackerKind::Lockstep:
      return std::make_unique<LockstepTracker>(name, config, options);
    case TrackerKind::Netlist: {
      RtlOptions netlist = options;
      netlist.netlist = true;
      return std::make_unique<RtlTracker>(name, config, netlist);
    }
  }
  throw std::invalid_argument("tracker: unknown kind");
}

}  // namespace t3
