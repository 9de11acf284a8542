// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/tracker.h"

#include <cstring>
#include <sstream>
#include <string>

#include "tlm/tracker/registers.h"

namespace t3 {

Tracker::Tracker(const sc_core::sc_module_name& name, const TrackerConfig& config, Turn turn)
    : sc_module(name),
      lanes("lanes", config.lanes),
      registers("registers"),
      commands("commands"),
      releases("releases"),
      config_(config),
      clock_(config.clock_mhz),
      queues_(config.lanes, LaneQueue(config.lane_queue_updates)),
      held_(config.lanes),
      clockAlarm_(turn, [this] { clockEdge(); }) {
  for (std::uint32_t lane = 0; lane < config.lanes; ++lane) {
    lanes[lane].register_nb_transport_fw(this, &Tracker::laneRequest, static_cast<int>(lane));
  }
  registers.register_b_transport(this, &Tracker::registerRequest);
  registers.register_transport_dbg(this, &Tracker::registerDebug);
  commands.register_nb_transport_bw(this, &Tracker::response, kCommands);
  releases.register_nb_transport_bw(this, &Tracker::response, kReleases);
}

Tracker::~Tracker() = default;

// ---- clock ------------------------------------------------------------------------------------

void Tracker::clockEdge() {
  const Picoseconds next = cycle(now());
  if (heldTotal_ != 0) admitHeld();
  if (next != kNever) scheduleEdge(next);
  if (handler_) watchInterrupt();
}

void Tracker::watchInterrupt() {
  const bool high = interrupt();
  const bool rises = high && !wasHigh_;
  wasHigh_ = high;
  if (rises) handler_();
}

// ---- lanes ------------------------------------------------------------------------------------

tlm::tlm_sync_enum Tracker::laneRequest(int lane, Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // END_RESP of one that had waited
  const auto index = static_cast<std::uint32_t>(lane);
  const TrafficExtension& extension = traffic(std::as_const(payload));
  const LanePiece piece{extension.workgroup,
                        extension.wavefront,
                        payload.get_address(),
                        payload.get_data_length(),
                        edgeAfter(now() + toPicoseconds(delay)),
                        extension.contributions};
  if (piece.workgroup.value >= TrackerConfig::kWorkgroups ||
      piece.wavefront.value >= TrackerConfig::kWavefronts || piece.bytes == 0) {
    SC_REPORT_ERROR("t3/tracker",
                    ("an update of workgroup " + std::to_string(piece.workgroup.value) +
                     " wavefront " + std::to_string(piece.wavefront.value) + ", " +
                     std::to_string(piece.bytes) + " bytes, does not fit the unit's ids")
                        .c_str());
  }
  if (!held_[index].empty() || !queues_[index].fits(piece)) {
    held_[index].push_back({&payload, piece});
    ++heldTotal_;
    announce({.kind = EventKind::Stall,
              .number = index,
              .workgroup = piece.workgroup,
              .address = piece.address,
              .bytes = piece.bytes});
    return tlm::TLM_ACCEPTED;
  }
  take(index, piece);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return tlm::TLM_COMPLETED;
}

void Tracker::take(std::uint32_t lane, const LanePiece& piece) {
  queues_[lane].push(piece);
  waitingLanes_ |= 1U << lane;
  for (TrackerObserver* observer : observers_) observer->pieceTaken(lane, piece);
  scheduleEdge(piece.edge);
}

void Tracker::admitHeld() {
  for (std::uint32_t lane = 0; lane < held_.size(); ++lane) {
    auto& waiting = held_[lane];
    while (!waiting.empty() && queues_[lane].fits(waiting.front().piece)) {
      auto [payload, piece] = waiting.front();
      waiting.pop_front();
      --heldTotal_;
      const Picoseconds following = edgeAfter(now());
      if (piece.edge < following) {
        stallCycles_ += (following - piece.edge) / period();
        piece.edge = following;
      }
      take(lane, piece);
      payload->set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      lanes[lane]->nb_transport_bw(*payload, phase, delay);
    }
  }
}

// ---- registers --------------------------------------------------------------------------------

void Tracker::registerRequest(Payload& payload, sc_core::sc_time& delay) {
  if (payload.get_data_length() != 4 || payload.get_streaming_width() < 4) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() != 4) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  accessRegister(payload, delay);
  if (!handler_) return;
  const bool high = interrupt();
  if (!high || (payload.is_write() && payload.get_address() == registers::kIrqStatus)) {
    wasHigh_ = false;
  }
  if (high && !wasHigh_) scheduleEdge(edgeAfter(now()));
}

unsigned int Tracker::registerDebug(Payload& payload) {
  return payload.get_data_length() == 4 ? debugRegister(payload) : 0;
}

// ---- commands, releases -----------------------------------------------------------------------

template <typename Message>
void Tracker::send(int which, std::uint32_t number, const Message& message) {
  Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, number, sizeof message, true);
  std::memcpy(payload.get_data_ptr(), &message, sizeof message);
  Sender& sender = senders_[static_cast<std::size_t>(which)];
  sender.payload = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  auto& socket = which == kCommands ? commands : releases;
  const auto status = socket->nb_transport_fw(payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    sender.payload = nullptr;
    if (delay != sc_core::SC_ZERO_TIME) {
      sender.answeredEdge = edgeAfter(now() + toPicoseconds(delay));
      scheduleEdge(sender.answeredEdge);
    }
    answered(which, payload);
  }
}

void Tracker::answered(int which, Payload& payload) {
  if (hasFailed(payload)) {
    SC_REPORT_ERROR("t3/tracker",
                    (std::string(name()) + ": " + (which == kCommands ? "command " : "row slot ") +
                     std::to_string(payload.get_address()) + " was answered with " +
                     payload.get_response_string())
                        .c_str());
  }
  payload.release();
}

void Tracker::issueCommand(const TriggerMessage& message) {
  announce({.kind = EventKind::Trigger, .number = message.command.value});
  for (TrackerObserver* observer : observers_) observer->commandIssued(message);
  send(kCommands, message.command.value, message);
}

void Tracker::releaseRow(const ReleaseMessage& message) {
  announce({.kind = EventKind::Release, .number = message.row});
  for (TrackerObserver* observer : observers_) observer->released(message);
  send(kReleases, message.row, message);
}

tlm::tlm_sync_enum Tracker::response(int which, Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
  Sender& sender = senders_[static_cast<std::size_t>(which)];
  if (phase != tlm::BEGIN_RESP || &payload != sender.payload) return tlm::TLM_ACCEPTED;
  sender = {nullptr, edgeAfter(now() + toPicoseconds(delay))};
  answered(which, payload);
  scheduleEdge(sender.answeredEdge);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

// ---- reports ----------------------------------------------------------------------------------

TrackerStatistics Tracker::portStatistics() const {
  TrackerStatistics result;
  result.stall_cycles = stallCycles_;
  return result;
}

void Tracker::publish(ValueList& list) const {
  for (std::uint32_t lane = 0; lane < queues_.size(); ++lane) {
    const std::string name = "lane" + std::to_string(lane) + ".";
    list.level(name + "queued", 16, "updates", [this, lane] { return queues_[lane].updates(); });
    list.level(name + "channels_held", 8, "channels", [this, lane] { return held_[lane].size(); });
  }
  list.flag("command_waits", [this] { return senders_[kCommands].payload != nullptr; });
  list.flag("release_waits", [this] { return senders_[kReleases].payload != nullptr; });
  list.flag("interrupt", [this] { return interrupt(); });
  list.counter("stalls", "cycles", [this] { return stallCycles_; });
}

bool Tracker::held() const { return heldTotal_ != 0 || waitingLanes_ != 0 || refused(); }

bool Tracker::refused() const {
  return senders_[kCommands].payload != nullptr || senders_[kReleases].payload != nullptr;
}

bool Tracker::idle() const { return !held(); }

std::string Tracker::waiting() {
  std::ostringstream text;
  for (std::uint32_t lane = 0; lane < queues_.size(); ++lane) {
    if (queues_[lane].empty()) continue;
    const LaneUpdate head = queues_[lane].front();
    text << "lane " << lane << ": " << queues_[lane].updates() << " updates queued, "
         << held_[lane].size() << " channels waiting; head is workgroup " << head.workgroup.value
         << " wavefront " << head.wavefront.value << "\n";
  }
  if (const Payload* command = senders_[kCommands].payload) {
    text << "command " << command->get_address() << " waits for its target\n";
  }
  if (const Payload* release = senders_[kReleases].payload) {
    text << "the release of row slot " << release->get_address() << " waits for its target\n";
  }
  return text.str();
}

}  // namespace t3
