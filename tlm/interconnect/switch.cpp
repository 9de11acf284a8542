// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/switch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace t3 {

SwitchPort::SwitchPort(const sc_core::sc_module_name& name, std::function<int(const Payload&)> way)
    : sc_module(name), way_(std::move(way)) {
  in.register_nb_transport_fw(this, &SwitchPort::forward);
  out.register_nb_transport_bw(this, &SwitchPort::backward);
}

tlm::tlm_sync_enum SwitchPort::forward(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  return out[way_(payload)]->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum SwitchPort::backward(int /*link*/, Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  return in->nb_transport_bw(payload, phase, delay);
}

Switch::Switch(const sc_core::sc_module_name& name, const std::vector<LinkConfig>& configs,
               const std::function<int(const Payload&)>& way)
    : sc_module(name) {
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const std::string number = std::to_string(i);
    ports.push_back(std::make_unique<SwitchPort>(("port" + number).c_str(), way));
    links.push_back(std::make_unique<Link>(("link" + number).c_str(), configs[i]));
  }
  for (const auto& port : ports) {
    for (const auto& link : links) port->out.bind(link->in);
  }
}

bool Switch::idle() const {
  return std::ranges::all_of(links, [](const auto& link) { return link->idle(); });
}

}  // namespace t3
