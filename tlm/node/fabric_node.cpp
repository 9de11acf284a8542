// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/fabric_node.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tlm/tracker/make_tracker.h"
#include "tlm/transport/numbered.h"
#include "tlm/transport/release_message.h"

namespace t3 {

FabricNode::FabricNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                       const PhaseNames& phases, const std::optional<TrackerChoice>& choice)
    : sc_module(name),
      hbm("hbm", config.hbm, config.tracker.lanes, phases),
      ringLag([this](bool behind) { hbm.communicationBehind(behind); }),
      host("host", [](const std::function<void()>& step) { step(); }) {
  if (choice) addTracker(config, *choice);
}

void FabricNode::addTracker(const SystemConfig& config, const TrackerChoice& choice) {
  tracker = choice.own ? choice.own("tracker", config.tracker)
                       : makeTracker("tracker", choice.kind, config.tracker, choice.rtl);
  driver = std::make_unique<TrackerDriver>(
      "driver", fromPicoseconds(picosecondsFromNs(config.tracker.register_access_ns)));
  for (std::uint32_t lane = 0; lane < config.tracker.lanes; ++lane) {
    hbm.taps[lane].bind(tracker->lanes[lane]);
  }
  driver->registers.bind(tracker->registers);
  driver->tell(paper);
  driver->seeInterrupt([this] { return tracker->interrupt(); });
  tracker->onInterrupt([this] { driver->interrupted(); });
  tracker->observe(paper);
  releases_ = std::make_unique<tlm_utils::simple_target_socket<FabricNode>>("releases");
  releases_->register_nb_transport_fw(this, &FabricNode::release);
  tracker->releases.bind(*releases_);
}

void FabricNode::addLinks(const SystemConfig& config, GpuId gpu, std::uint32_t count) {
  for (std::uint32_t l = 0; l < count; ++l) {
    links.push_back(
        std::make_unique<Link>(numbered("link", l).c_str(), config.linkOf(gpu.value, l)));
  }
}

void FabricNode::connectToSwitch(StepKernel& kernel, const SystemConfig& config, GpuId gpu,
                                 PayloadPool& pool) {
  if (!kernel.loadsSums()) return;
  if (!switchLoads) {
    switchLoads =
        std::make_unique<SwitchLoads>("switch_loads", gpu, config.link, config.data, pool);
    switchLoads->memory.socket.bind(hbm.target);
    switchLoads->requests.socket.bind(links.front()->in);
    switchLoads->answers.socket.bind(links.front()->in);
    entry(0).onSumLoad([this](Payload& message) { switchLoads->arrived(message); });
  }
  kernel.useSwitch(*switchLoads);
}

bool FabricNode::idle() const {
  return host.empty() && hbm.idle() && (!tracker || tracker->idle()) &&
         (!switchLoads || switchLoads->idle()) &&
         std::ranges::all_of(links, [](const auto& link) { return link->idle(); });
}

std::uint64_t FabricNode::sentBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& link : links) bytes += link->payloadBytes();
  return bytes;
}

std::uint64_t FabricNode::sentBytes(NodeNumber node) const {
  std::uint64_t bytes = 0;
  for (const auto& link : links) bytes += link->statistics().nodeBytes.of(node);
  return bytes;
}

tlm::tlm_sync_enum FabricNode::release(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ && released_) {
    ReleaseMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    if (message.spoiled) {
      SC_REPORT_ERROR("t3/node", ("a block too many was counted for row slot " +
                                  std::to_string(message.row) + " while it waited")
                                     .c_str());
    }
    if (delay == sc_core::SC_ZERO_TIME) {
      released_(message.row);
    } else {
      host.post(now() + toPicoseconds(delay), [this, row = message.row] { released_(row); });
    }
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return tlm::TLM_COMPLETED;
}

}  // namespace t3
