// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/make_merge_engine.h"

#include <stdexcept>
#include <utility>

#include "tlm/switch/lockstep_merge_engine.h"
#include "tlm/switch/rtl_merge_engine.h"
#include "tlm/switch/twin_merge_engine.h"

namespace t3 {

std::unique_ptr<MergeEngine> makeMergeEngine(const char* port, const SwitchConfig& config,
                                             std::uint32_t expected, const RtlTracing& tracing) {
  if (const auto problem = config.check()) throw std::invalid_argument("switch." + *problem);
  const MergeConfig unit{.sets = config.sets(),
                         .ways = config.ways(),
                         .credits = config.merge_credits,
                         .expected = expected,
                         .age = config.ageCycles()};
  const auto twin = [&] { return std::make_unique<TwinMergeEngine>(unit); };
  const auto rtl = [&] {
    return std::make_unique<RtlMergeEngine>(port, unit, config.mergeClock().period(), tracing);
  };
  switch (config.merge) {
    case SwitchMerge::Off:
      break;
    case SwitchMerge::Model:
      return twin();
    case SwitchMerge::Rtl:
      return rtl();
    case SwitchMerge::Lockstep:
      return std::make_unique<LockstepMergeEngine>(port, rtl(), twin());
  }
  throw std::invalid_argument("switch.merge: off has no merge unit");
}

}  // namespace t3
