// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/hbm_stack.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "tlm/hbm/near_memory_alu.h"

namespace t3 {
namespace {

HbmConfig checked(const HbmConfig& config, std::uint32_t lanes) {
  if (const auto problem = config.check()) SC_REPORT_ERROR("t3/hbm", problem->c_str());
  if (lanes == 0 || config.channels % lanes != 0) {
    SC_REPORT_ERROR("t3/hbm", "lanes: expected a divisor of the number of channels");
  }
  return config;
}

void report(const char* what, Picoseconds when, ChannelId channel, std::uint64_t address) {
  std::ostringstream line;
  line << what << " at " << when << " ps, channel " << channel.value << ", address 0x" << std::hex
       << address;
  SC_REPORT_ERROR("t3/hbm", line.str().c_str());
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
      channelsPerLane_(config_.channels / lanes),
      windowLength_(picosecondsFromNs(config_.statistics_window_ns)),
      intensity_(config_),
      ledger_(config_.burstBytes()),
      wakeAt_(config_.channels, Channel::kNever),
      waiting_(config_.channels),
      waitingCount_(config_.channels),
      lanes_(lanes),
      late_("late", [this](HbmRequest* request) { arriveLate(request); }) {
  SC_HAS_PROCESS(HbmStack);
  target.register_nb_transport_fw(this, &HbmStack::nbTransportFw);
  target.register_b_transport(this, &HbmStack::bTransport);
  target.register_transport_dbg(this, &HbmStack::transportDbg);
  target.register_get_direct_mem_ptr(this, &HbmStack::getDirectMemPtr);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    taps[lane].register_nb_transport_bw(this, &HbmStack::tapBw, static_cast<int>(lane));
    lanes_[lane].shown = &pool_.allocate(tlm::TLM_WRITE_COMMAND, 0, 1, false);
  }

  statistics_.phaseNames = phaseNames;
  statistics_.overTime.resize(1);
  statistics_.occupancy.resize(config_.dram_queue_bursts + 1);
  statistics_.channelBursts.resize(config_.channels);
  const Cycles interval = table_.refreshInterval();
  ChannelHost& host = *this;
  channels_.reserve(config_.channels);
  for (std::uint32_t c = 0; c < config_.channels; ++c) {
    // Channels refresh one after the other unless told otherwise; the first not before one
    // interval has passed.
    const Cycles offset =
        interval + (config_.refresh_stagger ? interval * c / config_.channels : 0);
    channels_.emplace_back(config_, table_, mapping_.groupStride(), ChannelId{c}, host, statistics_,
                           period_, offset);
  }
  SC_METHOD(serve);
  sensitive << soon_ << timer_;
  dont_initialize();
}

HbmStack::~HbmStack() {
  for (Lane& lane : lanes_) lane.shown->release();
}

void HbmStack::start_of_simulation() { initiators_.resize(target.size()); }

const HbmStatistics& HbmStack::statistics() const {
  statistics_.thresholdBursts = mcaThreshold();
  statistics_.computeIntensity = intensity_.intensity();
  return statistics_;
}

void HbmStack::publish(ValueList& list) const {
  list.level("open_requests", 16, "requests", [this] { return openRequests_; });
  list.level("mca_threshold", 16, "bursts", [this] { return mcaThreshold(); });
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
    channels_[c].publish("ch" + std::to_string(c) + ".", list, [this] { return nowCycles(); });
  }
}

tlm::tlm_initiator_socket<>& HbmStack::memory() {
  if (config_.first_update_stores) {
    SC_REPORT_ERROR("t3/hbm", "first_update_stores: expected false with a memory of the caller's");
  }
  if (external_ == nullptr) {
    external_ = std::make_unique<ExternalMemory>(
        sc_core::sc_gen_unique_name((std::string(basename()) + "_memory").c_str()),
        picosecondsFromNs(config_.controller_add_ns),
        [this](ChannelId channel, std::uint16_t slot) {
          channels_[channel.value].answered(slot, now());
          wake(channel.value);
        });
    for (Channel& channel : channels_) channel.forwardTo(*external_);
  }
  return external_->port.socket;
}

void HbmStack::observe(CommandObserver* observer) {
  for (Channel& channel : channels_) channel.observe(observer);
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
  if (payload.is_write() && extension.operation != MemoryOperation::Store &&
      (address % bytesOf(extension.dataType) != 0 || bytes % bytesOf(extension.dataType) != 0)) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

HbmRequest& HbmStack::open(Payload& payload, std::uint32_t socket) {
  if (freeRequests_.empty()) {
    allRequests_.emplace_back();
    freeRequests_.push_back(&allRequests_.back());
  }
  HbmRequest& request = *freeRequests_.back();
  freeRequests_.pop_back();
  ++openRequests_;
  if (payload.has_mm()) payload.acquire();

  const TrafficExtension& extension = traffic(std::as_const(payload));
  request = HbmRequest{};
  request.payload = &payload;
  request.socket = socket;
  request.arrival = now();
  request.next = localAddress(payload.get_address());
  request.end = request.next + payload.get_data_length();
  if (payload.is_write()) {
    request.operation = extension.operation;
    request.kind = extension.operation == MemoryOperation::Store ? DramCommandKind::Write
                                                                 : DramCommandKind::Update;
    request.tracked = extension.tracked;
  } else {
    request.triggered = extension.triggered;
  }
  request.dataType = extension.dataType;
  request.stream = extension.stream;
  request.phase = extension.phase;
  if (statistics_.requests == 0 && openRequests_ == 1) statistics_.firstArrival = request.arrival;
  // The zeroing of a kernel's output comes with the kernel: neither its intensity nor the beginning
  // of communication.
  const bool zeroing = request.kind == DramCommandKind::Write &&
                       request.stream == Stream::Communication && request.phase == Phase::Gemm;
  if (request.stream != Stream::Tracker && !zeroing) {
    intensity_.request(request.stream == Stream::Communication, payload.get_data_length(),
                       request.arrival);
  }
  return request;
}

bool HbmStack::place(HbmRequest& request) {
  while (request.next < request.end) {
    const std::uint64_t address = request.next;
    const DramLocation at = mapping_.locate(address);
    Channel& channel = channels_[at.channel.value];
    if (!channel.hasRoom(request.stream)) {
      waiting_[at.channel.value][static_cast<std::size_t>(request.stream)].push_back(&request);
      ++waitingCount_[at.channel.value];
      return false;
    }
    const std::uint64_t blockEnd = (address & ~(mapping_.blockBytes() - 1)) + mapping_.blockBytes();
    const std::uint64_t end = std::min(request.end, blockEnd);
    if (freePieces_.empty()) {
      allPieces_.emplace_back();
      freePieces_.push_back(&allPieces_.back());
    }
    Piece& piece = *freePieces_.back();
    freePieces_.pop_back();
    piece.request = &request;
    piece.address = address;
    piece.bytes = static_cast<std::uint32_t>(end - address);
    piece.kind = request.kind;
    piece.stream = request.stream;
    piece.tracked = request.tracked;
    piece.counted = false;
    piece.run = mapping_.run(at, address, end);
    piece.arrival = now();
    request.next = end;
    ++request.open;
    if (channel.arrive(piece)) wake(at.channel.value);
  }
  return true;
}

void HbmStack::wake(std::uint32_t channel) {
  wakeAt_[channel] = std::min(wakeAt_[channel], nowCycles());
  serveSoon();
}

void HbmStack::serveSoon() {
  if (soonArmed_) return;
  soonArmed_ = true;
  soon_.notify(sc_core::SC_ZERO_TIME);
}

void HbmStack::close(HbmRequest& request) {
  Payload& payload = *request.payload;
  freeRequests_.push_back(&request);
  --openRequests_;
  if (payload.has_mm()) payload.release();
}

// Forward path.

tlm::tlm_sync_enum HbmStack::nbTransportFw(int socket, Payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  const auto index = static_cast<std::uint32_t>(socket);
  if (phase == tlm::END_RESP) {
    initiators_[index].responding = false;
    if (!initiators_[index].finished.empty()) serveSoon();
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
  if (!place(request)) return tlm::TLM_ACCEPTED;
  request.accepted = true;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void HbmStack::arriveLate(HbmRequest* request) {
  request->arrival = now();
  if (!place(*request)) return;
  request->accepted = true;
  replies_.push_back({request, false});
  serveSoon();
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
  place(request);
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
  if (payload.is_read()) store_.read(address, payload.get_data_ptr(), bytes);
  if (payload.is_write()) store_.write(address, payload.get_data_ptr(), bytes);
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

// Tracker taps.

bool HbmStack::track(ChannelId channel, Piece& piece) {
  const std::uint32_t index = channel.value / channelsPerLane_;
  Lane& lane = lanes_[index];
  if (taps[index].size() == 0) return true;
  if (lane.waiting != nullptr) {
    if (lane.waiting != &piece &&
        std::find(lane.next.begin(), lane.next.end(), channel.value) == lane.next.end()) {
      lane.next.push_back(channel.value);
    }
    return false;
  }
  const TrafficExtension& from = traffic(std::as_const(*piece.request->payload));
  TrafficExtension& to = traffic(*lane.shown);
  to.stream = from.stream;
  to.phase = from.phase;
  to.operation = from.operation;
  to.dataType = from.dataType;
  to.tracked = true;
  to.workgroup = from.workgroup;
  to.wavefront = from.wavefront;
  to.source = from.source;
  to.step = from.step;
  lane.shown->set_address(piece.address);
  lane.shown->set_data_length(piece.bytes);
  lane.shown->set_streaming_width(piece.bytes);
  lane.shown->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (taps[index]->nb_transport_fw(*lane.shown, phase, delay) != tlm::TLM_ACCEPTED) {
    announceCounted(channel, piece);
    return true;
  }
  lane.waiting = &piece;
  lane.waitingChannel = channel.value;
  return false;
}

tlm::tlm_sync_enum HbmStack::tapBw(int index, Payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  Lane& lane = lanes_[static_cast<std::size_t>(index)];
  if (lane.waiting == nullptr) return tlm::TLM_COMPLETED;
  lane.waiting->counted = true;
  announceCounted(ChannelId{lane.waitingChannel}, *lane.waiting);
  lane.waiting = nullptr;
  wake(lane.waitingChannel);
  for (std::uint32_t channel : lane.next) wake(channel);
  lane.next.clear();
  return tlm::TLM_COMPLETED;
}

void HbmStack::announceCounted(ChannelId channel, const Piece& piece) const {
  announce(RequestPhase::Counted, *piece.request->payload, now(), channel, piece.address,
           piece.bytes, 0);
}

// Service.

void HbmStack::serve() {
  soonArmed_ = false;
  const Cycles cycle = nowCycles();
  for (std::uint32_t c = 0; c < config_.channels; ++c) {
    if (wakeAt_[c] > cycle) continue;
    wakeAt_[c] = Channel::kNever;
    const Cycles next = channels_[c].service(cycle);
    wakeAt_[c] = std::min(wakeAt_[c], next);
    if (waitingCount_[c] > 0) placeWaiting(c);
  }
  reply();

  const Cycles next = *std::min_element(wakeAt_.begin(), wakeAt_.end());
  if (next == Channel::kNever) return;
  if (next <= cycle) return;  // a reply brought new work: soon_ is armed
  const auto at = static_cast<Picoseconds>(next * period_);
  if (timerAt_ > now() && timerAt_ <= at) return;  // the pending one comes first and arms anew
  timerAt_ = at;
  timer_.cancel();
  timer_.notify(fromPicoseconds(at - now()));
}

void HbmStack::placeWaiting(std::uint32_t channel) {
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    auto& queue = waiting_[channel][stream];
    while (!queue.empty() && channels_[channel].hasRoom(static_cast<Stream>(stream))) {
      HbmRequest& request = *queue.front();
      queue.pop_front();
      --waitingCount_[channel];
      if (place(request) && !request.accepted) {
        request.accepted = true;
        replies_.push_back({&request, false});
      }
    }
  }
}

void HbmStack::served(ChannelId channel, Piece& piece, Picoseconds dataEnd) {
  HbmRequest& request = *piece.request;
  const bool write = request.kind != DramCommandKind::Read;
  statistics_.phaseBytes[static_cast<std::size_t>(request.phase)][write ? 1 : 0] += piece.bytes;
  ++statistics_.pieces;
  // Pieces are served nearly in order of time: the window is almost always the last one's.
  if (dataEnd - windowStart_ >= windowLength_) {
    windowStart_ = dataEnd / windowLength_ * windowLength_;
    windowIndex_ = static_cast<std::size_t>(dataEnd / windowLength_);
    if (windowIndex_ >= statistics_.overTime.size()) statistics_.overTime.resize(windowIndex_ + 1);
  }
  statistics_.overTime[windowIndex_][static_cast<std::size_t>(request.phase)][write ? 1 : 0] +=
      piece.bytes;
  statistics_.lastData = std::max(statistics_.lastData, dataEnd);
  announce(RequestPhase::Served, *request.payload, dataEnd, channel, piece.address, piece.bytes,
           piece.entered);

  if (ledger_.watching()) {
    if (request.triggered) {
      if (const auto burst = ledger_.unfinished(piece.address, piece.bytes)) {
        report("triggered read passed an update", dataEnd, channel, *burst);
      }
    } else if (request.tracked || request.kind == DramCommandKind::Update) {
      if (config_.first_update_stores && request.payload->get_data_ptr() != nullptr) {
        clearUntouched(piece);
      }
      if (const auto burst = ledger_.updated(piece.address, piece.bytes)) {
        report("burst updated too often", dataEnd, channel, *burst);
      }
    } else if (write && request.phase == Phase::Gemm) {
      // The initial value; a later phase may store over what is complete.
      if (const auto burst = ledger_.begun(piece.address, piece.bytes)) {
        report("store over an update", dataEnd, channel, *burst);
      }
    }
  }
  if (external_ == nullptr && request.payload->get_data_ptr() != nullptr) moveData(request, piece);

  request.done = std::max(request.done, dataEnd + responseLatency_);
  freePieces_.push_back(&piece);
  if (--request.open == 0 && request.next == request.end) replies_.push_back({&request, true});
}

/// Bursts that this update is the first of hold nothing yet.
void HbmStack::clearUntouched(const Piece& piece) {
  const std::uint64_t bytes = config_.burstBytes();
  for (std::uint64_t burst = piece.address / bytes * bytes; burst < piece.address + piece.bytes;
       burst += bytes) {
    if (ledger_.untouched(burst))
      std::fill_n(store_.at(burst), bytes, static_cast<unsigned char>(0));
  }
}

void HbmStack::moveData(const HbmRequest& request, const Piece& piece) {
  unsigned char* data = request.dataAt(piece.address);
  switch (request.kind) {
    case DramCommandKind::Read:
      store_.read(piece.address, data, piece.bytes);
      break;
    case DramCommandKind::Write:
      store_.write(piece.address, data, piece.bytes);
      break;
    default:
      applyOperation(request.operation, request.dataType, store_.at(piece.address), data,
                     piece.bytes);
  }
}

// Backward path. Only from here, after all channels have decided: an initiator may send its next
// request from inside these calls.

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
      statistics_.latency[static_cast<std::size_t>(request.stream)].add(request.done -
                                                                        request.arrival);
      request.payload->set_response_status(request.status);
      if (request.blocking != nullptr) {
        request.blocking->notify(fromPicoseconds(request.done - now()));
        close(request);
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
}

void HbmStack::respond(HbmRequest& request) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = fromPicoseconds(std::max(request.done, now()) - now());
  const std::uint32_t socket = request.socket;
  initiators_[socket].responding = true;
  const tlm::tlm_sync_enum status =
      target[static_cast<int>(socket)]->nb_transport_bw(*request.payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
    initiators_[socket].responding = false;
  }
  close(request);
}

}  // namespace t3
