// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_unit.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace t3 {
namespace {

constexpr int kResetCycles = 4;
// A clear takes a cycle for each word of a bank, or for each row slot.
constexpr std::uint64_t kStartPatience = 1 << 20;

std::unique_ptr<RtlUnit> makeUnit(const RtlOptions& options, const char* name) {
  const RtlTracing& tracing = options.tracing;
  const auto context = tracing.context != nullptr ? tracing.context : makeRtlContext();
  const bool traced = tracing.watcher != nullptr;
  if (options.netlist) return makeNetlistUnit(context, name, traced);
  return makeRtlUnit(context, name, traced);
}

}  // namespace

std::unique_ptr<RtlUnit> startUnit(const RtlOptions& options, const char* name) {
  auto unit = makeUnit(options, name);
  const RtlPins& pins = unit->pins;
  const auto clock = [&] {
    if (!unit->cycle(0))
      throw std::runtime_error(unit->failure("the reset of " + std::string(name)));
  };
  pins.resetN = 0;
  for (int i = 0; i < kResetCycles; ++i) clock();
  pins.resetN = 1;
  for (std::uint64_t i = 0; pins.busy != 0 && i < kStartPatience; ++i) clock();
  return unit;
}

}  // namespace t3
