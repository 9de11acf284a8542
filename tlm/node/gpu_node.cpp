// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_node.h"

#include <cstring>

namespace t3 {

GpuNode::GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                 const HbmConfig& memory, TrackerKind trackerKind, const GpuContext& context)
    : sc_module(name),
      hbm("hbm", memory, config.tracker.lanes),
      tracker(makeTracker("tracker", trackerKind, config.tracker)),
      driver("driver"),
      gpu("gpu", config.gpu, context),
      link("link", config.link),
      notifications_("notifications") {
  notifications_.register_nb_transport_fw(this, &GpuNode::nb_transport_fw);
  for (MemoryPort* port : {&gpu.gemm.memory, &gpu.dma.memory, &gpu.reduceScatter.memory,
                           &gpu.allGather.memory, &gpu.ingress.memory}) {
    port->socket.bind(hbm.target);
  }
  tracker->spill.bind(hbm.target);
  for (std::uint32_t lane = 0; lane < config.tracker.lanes; ++lane) {
    hbm.taps[lane].bind(tracker->lanes[lane]);
  }
  driver.registers.bind(tracker->registers);
  tracker->commands.bind(gpu.dma.trigger);
  tracker->notifications.bind(notifications_);
  for (MemoryPort* port :
       {&gpu.gemm.egress, &gpu.dma.egress, &gpu.reduceScatter.egress, &gpu.allGather.egress}) {
    port->socket.bind(link.in);
  }
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
  if (gpu.ingress.memory.socket->transport_dbg(payload) != bytes) {
    SC_REPORT_ERROR("t3/node", "debug access outside the memory");
  }
}

}  // namespace t3
