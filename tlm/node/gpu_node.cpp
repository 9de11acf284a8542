// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_node.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace t3 {

GpuNode::GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                 const HbmConfig& memory, TrackerKind trackerKind, const GpuContext& context)
    : sc_module(name),
      hbm("hbm", memory, config.tracker.lanes),
      tracker(makeTracker("tracker", trackerKind, config.tracker)),
      driver("driver"),
      gpu("gpu", config.gpu, context),
      notifications_("notifications") {
  notifications_.register_nb_transport_fw(this, &GpuNode::nb_transport_fw);
  std::vector<MemoryPort*> ports = {&gpu.gemm.memory, &gpu.dma.memory};
  for (const RingPath& ring : context.rings) {
    ports.push_back(&gpu.reduceScatter[ring.index]->memory);
    ports.push_back(&gpu.allGather[ring.index]->memory);
    ports.push_back(&gpu.ingress[ring.index]->memory);
  }
  for (MemoryPort* port : ports) port->socket.bind(hbm.target);
  tracker->spill.bind(hbm.target);
  for (std::uint32_t lane = 0; lane < config.tracker.lanes; ++lane) {
    hbm.taps[lane].bind(tracker->lanes[lane]);
  }
  driver.registers.bind(tracker->registers);
  tracker->commands.bind(gpu.dma.trigger);
  tracker->notifications.bind(notifications_);
  for (const RingPath& ring : context.rings) {
    const std::string number = ring.index == 0 ? "" : "_" + std::to_string(ring.index);
    links.push_back(std::make_unique<Link>(("link" + number).c_str(), config.link));
  }
  for (const RingPath& ring : context.rings) {
    for (MemoryPort* port :
         {&gpu.gemm.egress.port(ring.index), &gpu.dma.egress.port(ring.index),
          &gpu.reduceScatter[ring.index]->egress, &gpu.allGather[ring.index]->egress}) {
      port->socket.bind(links[ring.index]->in);
    }
  }
}

std::uint64_t GpuNode::sentBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& link : links) bytes += link->payloadBytes();
  return bytes;
}

bool GpuNode::idle() const {
  return gpu.idle() && hbm.idle() && tracker->idle() &&
         std::ranges::all_of(links, [](const auto& link) { return link->idle(); });
}

tlm::tlm_sync_enum GpuNode::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& /*delay*/) {
  if (phase == tlm::BEGIN_REQ && notified_) {
    TriggerMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    notified_(message);
  }
  return tlm::TLM_COMPLETED;
}

void GpuNode::debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                          std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (gpu.ingress[0]->memory.socket->transport_dbg(payload) != bytes) {
    SC_REPORT_ERROR("t3/node", "debug access outside the memory");
  }
}

}  // namespace t3
