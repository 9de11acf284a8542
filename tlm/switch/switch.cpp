// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/switch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace t3 {

SwitchPort::SwitchPort(const sc_core::sc_module_name& name, std::uint32_t links,
                       std::function<int(const Payload&)> way)
    : sc_module(name), links_(links), way_(std::move(way)) {
  in.register_nb_transport_fw(this, &SwitchPort::forward);
  out.register_nb_transport_bw(this, &SwitchPort::backward);
}

tlm::tlm_sync_enum SwitchPort::forward(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ && traffic(std::as_const(payload)).multicast) {
    return copyToAll(payload, delay);
  }
  return out[outOf(payload)]->nb_transport_fw(payload, phase, delay);
}

int SwitchPort::outOf(const Payload& payload) const {
  const bool ofLoad = traffic(payload).sumLoad != SumLoad::None;
  return way_(payload) + (ofLoad ? static_cast<int>(links_) : 0);
}

/// They come when the original does, and it is taken when all of them are.
tlm::tlm_sync_enum SwitchPort::copyToAll(Payload& payload, sc_core::sc_time& delay) {
  const TrafficExtension& from = traffic(std::as_const(payload));
  original_ = &payload;
  ++copiesLeft_;  // this loop itself
  taken_ = now();
  for (std::uint32_t g = 0; g < links_; ++g) {
    if (GpuId{g} == from.source && !from.toSource) continue;
    Payload& copy = pool_.allocate(tlm::TLM_WRITE_COMMAND,
                                   globalAddress(GpuId{g}, localAddress(payload.get_address())),
                                   payload.get_data_length(), values(payload) != nullptr);
    static_cast<Traffic&>(traffic(copy)) = from;
    if (const unsigned char* data = values(payload); data != nullptr) {
      std::copy_n(data, payload.get_data_length(), copy.get_data_ptr());
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time annotated = delay;
    if (out[outOf(copy)]->nb_transport_fw(copy, phase, annotated) == tlm::TLM_ACCEPTED) {
      ++copiesLeft_;
    } else {
      done(copy, annotated);
    }
  }
  if (--copiesLeft_ != 0) return tlm::TLM_ACCEPTED;
  original_ = nullptr;
  delay = fromPicoseconds(taken_ - now());
  return tlm::TLM_COMPLETED;
}

/// A way that refuses its copy refuses the original.
void SwitchPort::done(Payload& copy, const sc_core::sc_time& delay) {
  taken_ = std::max(taken_, now() + toPicoseconds(delay));
  if (hasFailed(copy)) original_->set_response_status(copy.get_response_status());
  copy.release();
}

tlm::tlm_sync_enum SwitchPort::backward(int /*link*/, Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  if (original_ == nullptr || phase != tlm::BEGIN_RESP) {
    return in->nb_transport_bw(payload, phase, delay);
  }
  done(payload, delay);
  if (--copiesLeft_ == 0) {
    delay = fromPicoseconds(std::max(taken_, now()) - now());
    in->nb_transport_bw(*std::exchange(original_, nullptr), phase, delay);
  }
  return tlm::TLM_COMPLETED;
}

Switch::Switch(const sc_core::sc_module_name& name, const std::vector<LinkConfig>& configs,
               const std::function<int(const Payload&)>& way, const std::optional<Merging>& merging,
               std::size_t portCount)
    : sc_module(name) {
  const std::size_t count = portCount == 0 ? configs.size() : portCount;
  for (std::size_t i = 0; i < std::max(count, configs.size()); ++i) {
    const std::string number = std::to_string(i);
    if (i < count) {
      ports.push_back(std::make_unique<SwitchPort>(
          ("port" + number).c_str(), static_cast<std::uint32_t>(configs.size()), way));
    }
    if (i >= configs.size()) continue;
    links.push_back(std::make_unique<Link>(("link" + number).c_str(), configs[i]));
    if (!merging) continue;
    merges.push_back(std::make_unique<MergePort>(("merge" + number).c_str(), merging->config,
                                                 merging->expected, configs[i].input_buffer_bytes,
                                                 merging->tracing));
    merges[i]->sums.bind(links[i]->in);
    merges[i]->writes.bind(links[i]->in);
    loads.push_back(
        std::make_unique<LoadPort>(("load" + number).c_str(), merging->config, merging->gpus));
    loads[i]->requests.socket.bind(links[i]->in);
    loads[i]->sums.socket.bind(links[i]->in);
  }
  for (const auto& port : ports) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (merging) {
        port->out.bind(merges[i]->in);
      } else {
        port->out.bind(links[i]->in);
      }
    }
    for (const auto& unit : loads) port->out.bind(unit->in);
  }
}

bool Switch::idle() const {
  return std::ranges::all_of(links, [](const auto& link) { return link->idle(); }) &&
         std::ranges::all_of(merges, [](const auto& unit) { return unit->idle(); }) &&
         std::ranges::all_of(loads, [](const auto& unit) { return unit->idle(); });
}

std::size_t Switch::requestsInUse() const {
  std::size_t count = 0;
  for (const auto& port : ports) count += port->requestsInUse();
  for (const auto& unit : merges) count += unit->requestsInUse();
  for (const auto& unit : loads) count += unit->requestsInUse();
  for (const auto& link : links) count += link->requestsInUse();
  return count;
}

}  // namespace t3
