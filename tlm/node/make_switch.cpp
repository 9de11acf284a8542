// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/make_switch.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tlm/transport/payload.h"

namespace t3 {
namespace {

/// Puts a merge unit in front of a link.
class MergeStage : public SwitchStage {
 public:
  MergeStage(std::uint32_t number, const SystemConfig& config, const LinkConfig& link)
      : port_(("merge" + std::to_string(number)).c_str(), config.switched, config.gpus - 1,
              link.input_buffer_bytes) {}

  void bind(SwitchPort& port) override { port.out.bind(port_.in); }
  void bind(Link& link) override {
    port_.sums.bind(link.in);
    port_.writes.bind(link.in);
  }
  bool idle() const override { return port_.idle(); }
  std::size_t requestsInUse() const override { return port_.requestsInUse(); }
  const MergePort& port() const { return port_; }

 private:
  MergePort port_;
};

}  // namespace

std::unique_ptr<Switch> makeSwitch(const SystemConfig& config, std::uint32_t simulated) {
  if (!config.fabric.switched()) return nullptr;
  std::vector<LinkConfig> leaving;
  for (std::uint32_t g = 0; g < simulated; ++g) {
    leaving.push_back(config.ofGpu(g).link);
    leaving.back().lose_write = 0;  // one fault, on the way to the switch
  }
  Switch::MakeStage makeStage;
  if (config.merges()) {
    makeStage = [&config](std::uint32_t port, const LinkConfig& link) {
      return std::make_unique<MergeStage>(port, config, link);
    };
  }
  return std::make_unique<Switch>(
      "switch", leaving,
      [simulated](const Payload& payload) {
        return static_cast<int>(gpuOf(payload.get_address()).value % simulated);
      },
      makeStage);
}

const MergePort& mergePort(const Switch& fabricSwitch, std::uint32_t port) {
  return static_cast<const MergeStage&>(*fabricSwitch.stages[port]).port();
}

MergeFigures mergeFigures(const Switch& fabricSwitch) {
  MergeFigures figures;
  for (std::uint32_t p = 0; p < fabricSwitch.stages.size(); ++p) {
    const MergePort& port = mergePort(fabricSwitch, p);
    const MergeTable::Statistics& table = port.table().statistics();
    figures.updates += table.taken;
    figures.joined += table.joined;
    figures.complete += table.complete;
    figures.partial += table.partial;
    figures.aged += table.aged;
    figures.passed += table.passed;
    figures.most_entries = std::max<std::uint64_t>(figures.most_entries, table.most);
    figures.update_bytes += port.bytes().updates;
    figures.sum_bytes += port.bytes().sums;
    figures.write_bytes += port.bytes().writes;
  }
  return figures;
}

}  // namespace t3
