// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/remote_gpu.h"

#include <cstdint>

#include "tlm/transport/numbered.h"

namespace t3 {

RemoteGpu::RemoteGpu(const sc_core::sc_module_name& name, const SystemConfig& config,
                     std::uint32_t gpu, const std::vector<bool>& endHere)
    : sc_module(name), links(endHere.size()) {
  in.register_nb_transport_fw(this, &RemoteGpu::refuse);
  for (std::uint32_t l = 0; l < links.size(); ++l) {
    if (!endHere[l]) continue;
    links[l] = std::make_unique<Link>(numbered("link", l).c_str(), config.linkOf(gpu, l));
    out_.bind(links[l]->in);
  }
}

tlm::tlm_sync_enum RemoteGpu::refuse(int, Payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  SC_REPORT_FATAL("t3/node", "a link that is cut delivers where it begins");
  return tlm::TLM_COMPLETED;
}

}  // namespace t3
