// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/make_switch.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "tlm/transport/payload.h"

namespace t3 {

std::unique_ptr<Switch> makeSwitch(const SystemConfig& config, std::uint32_t simulated,
                                   const RtlTracingOf& tracing) {
  if (!config.fabric.switched()) return nullptr;
  std::vector<LinkConfig> leaving;
  for (std::uint32_t g = 0; g < simulated; ++g) {
    leaving.push_back(config.ofGpu(g).link);
    leaving.back().lose_write = 0;  // one fault, on the way to the switch
  }
  std::optional<Switch::Merging> merging;
  if (config.merges()) merging = {config.switched, config.gpus - 1, config.gpus, tracing};
  return std::make_unique<Switch>(
      "switch", leaving,
      [simulated](const Payload& payload) {
        return static_cast<int>(gpuOf(payload.get_address()).value % simulated);
      },
      merging);
}

MergeFigures mergeFigures(const Switch& fabricSwitch) {
  MergeFigures figures;
  for (const auto& unit : fabricSwitch.merges) {
    const MergeTable::Statistics& table = unit->statistics();
    figures.updates += table.taken;
    figures.joined += table.joined;
    figures.complete += table.complete;
    figures.partial += table.partial;
    figures.aged += table.aged;
    figures.passed += table.passed;
    figures.most_entries = std::max<std::uint64_t>(figures.most_entries, table.most);
    figures.update_bytes += unit->bytes().updates;
    figures.sum_bytes += unit->bytes().sums;
    figures.write_bytes += unit->bytes().writes;
  }
  return figures;
}

std::optional<LoadFigures> loadFigures(const Switch& fabricSwitch) {
  LoadFigures figures;
  for (const auto& port : fabricSwitch.loads) {
    figures.answer_bytes += port->statistics().answerBytes;
    figures.sum_bytes += port->statistics().sumBytes;
    figures.most_kept = std::max(figures.most_kept, port->statistics().mostKept);
  }
  return figures.sum_bytes == 0 ? std::nullopt : std::optional(figures);
}

}  // namespace t3
