// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/hbm_stack.h"

#include <algorithm>
#include <string>
#include <utility>

namespace t3 {
namespace {

HbmConfig checked(const HbmConfig& config, std::uint32_t lanes) {
  if (const auto problem = config.check()) SC_REPORT_ERROR("t3/hbm", problem->c_str());
  if (lanes == 0) SC_REPORT_ERROR("t3/hbm", "lanes: expected at least one");
  return config;
}

}  // namespace

HbmStack::HbmStack(const sc_core::sc_module_name& name, const HbmConfig& config,
                   std::uint32_t lanes, const PhaseNames& phaseNames)
    : sc_module(name),
      taps("taps", lanes),
      config_(checked(config, lanes)),
      table_(config_),
      mapping_(config_),
      period_(static_cast<Cycles>(Clock(config_.clock_mhz).period())),
      responseLatency_(picosecondsFromNs(config_.response_latency_ns)),
      statistics_(config_),
      arbitration_(config_.arbitration->make(config_)),
      timer_(config_.channels, period_, [this] { serve(); }),
      placement_(config_, mapping_, channels_, timer_),
      tracker_(taps, config_.channels, timer_,
               [this](ChannelId channel, const Piece& piece) {
                 if (arrival_ && piece.kind == DramCommandKind::Write) {
                   arrival_(piece.address, piece.bytes);
                 }
                 announce(RequestPhase::Counted, *piece.request->payload, now(), channel,
                          piece.address, piece.bytes, 0);
               }),
      contents_(config_, mapping_),
      late_("late", [this](HbmRequest* request) { arriveLate(request); }),
      ended_("ended", [this](std::uint32_t initiator) { responseEnds(initiator); }) {
  target.register_nb_transport_fw(this, &HbmStack::nbTransportFw);
  target.register_b_transport(this, &HbmStack::bTransport);
  target.register_transport_dbg(this, &HbmStack::transportDbg);
  target.register_get_direct_mem_ptr(this, &HbmStack::getDirectMemPtr);

  statistics_.phaseNames = phaseNames;
  const ChannelContext context{config_, table_, mapping_.groupStride(),
                               period_, *this,  statistics_};
  const Cycles interval = table_.refreshInterval();
  for (std::uint32_t c = 0; c < config_.channels; ++c) {
    // The first refresh is due after one interval: on all channels at once or, with
    // refresh_stagger, on one channel after the other.
    const Cycles stagger = config_.refresh_stagger ? interval * c / config_.channels : 0;
    channels_.push_back(std::make_unique<Channel>(context, ChannelId{c},
                                                  arbitration_->makeArbiter(), interval + stagger));
  }
}

void HbmStack::start_of_simulation() { initiators_.resize(target.size()); }

const HbmStatistics& HbmStack::statistics() const {
  statistics_.arbitration = arbitration_->statistics();
  return statistics_;
}

void HbmStack::publish(ValueList& list) const {
  list.level("open_requests", 16, "requests", [this] { return placement_.openRequests(); });
  arbitration_->publish(list);
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const char* name = statistics_.phaseNames[phase];
    if (name == nullptr) continue;
    for (const bool write : {false, true}) {
      list.counter(std::string(name) + (write ? "_write" : "_read"), "bytes", [this, phase, write] {
        return statistics_.bytes(static_cast<Phase>(phase), write);
      });
    }
  }
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    channels_[c]->publish("ch" + std::to_string(c) + ".", list, [this] { return timer_.cycle(); });
  }
}

tlm::tlm_initiator_socket<>& HbmStack::memory() {
  if (external_ == nullptr) {
    external_ = std::make_unique<ExternalMemory>(
        sc_core::sc_gen_unique_name((std::string(basename()) + "_memory").c_str()),
        picosecondsFromNs(config_.controller_add_ns),
        [this](ChannelId channel, std::uint16_t slot) {
          channels_[channel.value]->answered(slot, now());
          timer_.wake(channel);
        });
    contents_.keepElsewhere();
    placement_.clearOverBus();
    for (const auto& channel : channels_) channel->forwardTo(*external_);
  }
  return external_->port.socket;
}

void HbmStack::whenIdle(std::function<void()> handler) {
  if (idle()) return handler();
  awaitIdle_.push_back(std::move(handler));
}

void HbmStack::observe(CommandObserver* observer) {
  if (observer != nullptr) Agenda::ofSimulation().keepCommonOrder();
  for (const auto& channel : channels_) channel->observe(observer);
}

// Requests.

tlm::tlm_response_status HbmStack::judge(const Payload& payload) const {
  const std::uint64_t address = localAddress(payload.get_address());
  const std::uint64_t bytes = payload.get_data_length();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (bytes == 0 || payload.get_streaming_width() < bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (address + bytes > config_.capacityBytes()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const TrafficExtension& extension = traffic(payload);
  if (payload.is_write() && isUpdate(extension.operation) &&
      (address % bytesOf(extension.dataType) != 0 || bytes % bytesOf(extension.dataType) != 0)) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

HbmRequest& HbmStack::open(Payload& payload, std::uint32_t socket) {
  HbmRequest& request = placement_.open(payload, socket);
  const bool update = request.kind == DramCommandKind::Update && request.tracked();
  if (admission_ && update && !admission_->admit(request.next, *request.traffic)) {
    request.dropped = true;
    ++statistics_.dropped->updates;
    statistics_.dropped->bytes += payload.get_data_length();
    return request;
  }
  if (arbitration_->watchesRequests()) arbitration_->arrived(request);
  return request;
}

/// Answers at once.
void HbmStack::drop(HbmRequest& request) {
  request.done = now() + responseLatency_;
  replies_.push_back({&request, true});
  timer_.runSoon();
}

// Forward path.

tlm::tlm_sync_enum HbmStack::nbTransportFw(int socket, Payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  const auto index = static_cast<std::uint32_t>(socket);
  if (phase == tlm::END_RESP) {
    if (delay == sc_core::SC_ZERO_TIME) {
      responseEnds(index);
    } else {
      ended_.post(now() + toPicoseconds(delay), index);
    }
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;

  const tlm::tlm_response_status status = judge(payload);
  if (status != tlm::TLM_OK_RESPONSE || payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    payload.set_response_status(status);
    return tlm::TLM_COMPLETED;
  }
  payload.set_dmi_allowed(false);
  HbmRequest& request = open(payload, index);
  if (delay != sc_core::SC_ZERO_TIME) {
    late_.post(now() + toPicoseconds(delay), &request);
    return tlm::TLM_ACCEPTED;
  }
  if (request.dropped) {
    drop(request);
  } else if (!placement_.place(request)) {
    return tlm::TLM_ACCEPTED;
  }
  request.accepted = true;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void HbmStack::responseEnds(std::uint32_t initiator) {
  initiators_[initiator].responding = false;
  if (!initiators_[initiator].finished.empty()) timer_.runSoon();
}

void HbmStack::arriveLate(HbmRequest* request) {
  request->arrival = now();
  if (!request->dropped && !placement_.place(*request)) return;
  request->accepted = true;
  replies_.push_back({request, false});
  if (request->dropped) drop(*request);
  timer_.runSoon();
}

void HbmStack::bTransport(int socket, Payload& payload, sc_core::sc_time& delay) {
  wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_response_status status = judge(payload);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  payload.set_dmi_allowed(false);
  sc_core::sc_event done;
  HbmRequest& request = open(payload, static_cast<std::uint32_t>(socket));
  request.blocking = &done;
  request.accepted = true;
  if (request.dropped) {
    drop(request);
  } else {
    placement_.place(request);
  }
  wait(done);
}

unsigned HbmStack::transportDbg(int, Payload& payload) {
  const std::uint64_t address = localAddress(payload.get_address());
  if (address >= config_.capacityBytes() || payload.get_data_ptr() == nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  const auto bytes = static_cast<unsigned>(
      std::min<std::uint64_t>(payload.get_data_length(), config_.capacityBytes() - address));
  if (external_ != nullptr) {
    Payload local;
    local.set_command(payload.get_command());
    local.set_address(address);
    local.set_data_ptr(payload.get_data_ptr());
    local.set_data_length(bytes);
    local.set_streaming_width(bytes);
    const unsigned done = external_->port.socket->transport_dbg(local);
    payload.set_response_status(local.get_response_status());
    return done;
  }
  if (payload.is_read()) contents_.bytes().read(address, payload.get_data_ptr(), bytes);
  if (payload.is_write()) contents_.bytes().write(address, payload.get_data_ptr(), bytes);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return bytes;
}

bool HbmStack::getDirectMemPtr(int, Payload& payload, tlm::tlm_dmi& dmi) {
  payload.set_dmi_allowed(false);
  dmi.init();
  dmi.allow_none();
  dmi.set_start_address(0);
  dmi.set_end_address(config_.capacityBytes() - 1);
  return false;
}

// Service.

bool HbmStack::track(ChannelId channel, Piece& piece) { return tracker_.show(channel, piece); }

void HbmStack::serve() {
  const Cycles cycle = timer_.cycle();
  for (std::uint32_t c = 0; c < config_.channels; ++c) {
    const ChannelId channel{c};
    if (!timer_.due(channel, cycle)) continue;
    timer_.serveAt(channel, channels_[c]->service(cycle));
    placement_.placeWaiting(channel, [this](HbmRequest& request) {
      if (request.accepted) return;
      request.accepted = true;
      replies_.push_back({&request, false});
    });
  }
  reply();
  timer_.sleep(cycle);
}

void HbmStack::served(ChannelId channel, Piece& piece, Picoseconds dataEnd) {
  HbmRequest& request = *piece.request;
  const Traffic& traffic = *request.traffic;
  if (traffic.operation == MemoryOperation::Clear && placement_.clearsInBanks()) {
    statistics_.cleared(piece.bytes, dataEnd);
  }
  if (isRead(piece.kind) || !isClear(piece.kind)) {
    statistics_.served(traffic.phase, traffic.node, !isRead(piece.kind), piece.bytes, dataEnd);
  } else if (piece.kind == DramCommandKind::Clear) {
    ++statistics_.pieces;  // it was in the DRAM queue like others
  }
  announce(RequestPhase::Served, *request.payload, dataEnd, channel, piece.address, piece.bytes,
           piece.entered);
  contents_.perform(channel, piece, dataEnd);
  request.done = std::max(request.done, dataEnd + responseLatency_);
  if (placement_.served(piece)) replies_.push_back({&request, true});
}

// Backward path. An initiator may send its next request from inside these calls. So they are made
// only here, after all channels have decided.

void HbmStack::reply() {
  for (Initiator& initiator : initiators_) {
    while (!initiator.responding && !initiator.finished.empty()) {
      HbmRequest* request = initiator.finished.front();
      initiator.finished.pop_front();
      respond(*request);
    }
  }
  sending_.swap(replies_);
  for (const Reply& out : sending_) {
    HbmRequest& request = *out.request;
    if (out.response) {
      ++statistics_.requests;
      statistics_.latency[static_cast<std::size_t>(request.traffic->stream)].add(request.done -
                                                                                 request.arrival);
      request.payload->set_response_status(request.status);
      if (request.blocking != nullptr) {
        request.blocking->notify(fromPicoseconds(request.done - now()));
        placement_.close(request);
      } else if (initiators_[request.socket].responding) {
        initiators_[request.socket].finished.push_back(&request);
      } else {
        respond(request);
      }
    } else {
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      target[static_cast<int>(request.socket)]->nb_transport_bw(*request.payload, phase, delay);
    }
  }
  sending_.clear();
  if (awaitIdle_.empty() || !idle()) return;
  for (const auto& handler : std::exchange(awaitIdle_, {})) handler();
}

void HbmStack::respond(HbmRequest& request) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  const sc_core::sc_time left = fromPicoseconds(std::max(request.done, now()) - now());
  sc_core::sc_time delay = left;
  const std::uint32_t socket = request.socket;
  initiators_[socket].responding = true;
  const tlm::tlm_sync_enum status =
      target[static_cast<int>(socket)]->nb_transport_bw(*request.payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
    // The response's own delay does not keep the next one back, what the initiator adds does.
    initiators_[socket].responding = delay > left;
    if (delay > left) ended_.post(now() + toPicoseconds(delay), socket);
  }
  placement_.close(request);
}

}  // namespace t3
