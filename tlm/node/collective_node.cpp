// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_node.h"

#include <algorithm>
#include <string>

namespace t3 {
namespace {

/// As in Gpu: so many writes of other GPUs may wait for the local memory.
constexpr std::uint32_t kIngressDepth = 32;

PhaseNames phaseNames() {
  PhaseNames names{};
  names[static_cast<std::size_t>(kCollectivePhase)] = "collective";
  return names;
}

std::string numbered(const char* name, std::uint32_t index) {
  return index == 0 ? name : name + ("_" + std::to_string(index));
}

}  // namespace

CollectiveNode::CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                               GpuId gpu, const StepProgram& program, std::uint32_t linkCount,
                               PayloadPool& pool)
    : sc_module(name),
      hbm("hbm", config.hbm, config.tracker.lanes, phaseNames()),
      kernel("kernel", program, config.gpu, config.collective.loop_bytes,
             config.collective.data_type, config.data, gpu, kCollectivePhase, pool),
      host("host", [](const std::function<void()>& step) { step(); }) {
  kernel.memory.socket.bind(hbm.target);
  for (std::uint32_t l = 0; l < linkCount; ++l) {
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", l).c_str(), kIngressDepth,
        [this](const Payload& payload, Picoseconds when) { kernel.arrived(payload, when); }));
    ingress.back()->memory.socket.bind(hbm.target);
    links.push_back(std::make_unique<Link>(numbered("link", l).c_str(),
                                           config.fabric.linkOf(config.link, config.gpus)));
  }
  for (std::uint32_t p = 0; p < program.ports; ++p) {
    kernel.egress.port(p).socket.bind(links[p % linkCount]->in);
  }
}

std::uint64_t CollectiveNode::sentBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& link : links) bytes += link->payloadBytes();
  return bytes;
}

void CollectiveNode::debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                                 std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (kernel.memory.socket->transport_dbg(payload) != bytes) {
    SC_REPORT_ERROR("t3/node", "debug access outside the memory");
  }
}

bool CollectiveNode::idle() const {
  return host.empty() && kernel.idle() && hbm.idle() &&
         std::ranges::all_of(ingress, [](const auto& entry) { return entry->idle(); }) &&
         std::ranges::all_of(links, [](const auto& link) { return link->idle(); });
}

}  // namespace t3
