// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/make_tracker.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tlm/tracker/lockstep_tracker.h"
#include "tlm/tracker/model_tracker.h"
#include "tlm/tracker/rtl_tracker.h"
#include "tlm/tracker/rtl_unit.h"

namespace t3 {
namespace {

/// What the size of the unit is.
struct FixedSize {
  const char* key;
  std::uint32_t TrackerConfig::*member;
  std::uint32_t RtlSize::*value;
};
constexpr std::array<FixedSize, 7> kFixedSizes = {{
    {"lanes", &TrackerConfig::lanes, &RtlSize::lanes},
    {"banks", &TrackerConfig::banks, &RtlSize::banks},
    {"windows", &TrackerConfig::windows, &RtlSize::windows},
    {"regions", &TrackerConfig::regions, &RtlSize::regions},
    {"slots", &TrackerConfig::slots, &RtlSize::slots},
    {"rows", &TrackerConfig::rows, &RtlSize::rows},
    {"queue", &TrackerConfig::queue, &RtlSize::queue},
}};

}  // namespace

std::optional<std::string> checkTracker(TrackerKind kind, const TrackerConfig& config) {
  if (kind == TrackerKind::Model) return std::nullopt;
  if (kind == TrackerKind::Netlist && !hasNetlist()) {
    return "kind: no netlist is linked to this program";
  }
  for (const FixedSize& size : kFixedSizes) {
    if (config.*size.member == rtlSize().*size.value) continue;
    return std::string(size.key) + ": the RTL is built with " + rtlLegal(size.key) + ", got " +
           std::to_string(config.*size.member);
  }
  return std::nullopt;
}

std::string rtlLegal(std::string_view key) {
  const auto* size = std::ranges::find(kFixedSizes, key, &FixedSize::key);
  return size == kFixedSizes.end() ? "" : std::to_string(rtlSize().*size->value);
}

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
