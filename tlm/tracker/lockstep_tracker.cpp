// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/lockstep_tracker.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "tlm/tracker/lockstep_twin.h"
#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

namespace r = registers;

constexpr std::size_t kHistory = 16;  // events of a workgroup that an error report lists

constexpr std::array kSignals = {"dma_*", "ntf_*", "rel_*"};  // by kind

std::string describe(const TriggerMessage& message) {
  std::ostringstream text;
  text << "command " << message.command.value << " of region " << message.region << ", workgroup "
       << message.workgroup.value << ", address 0x" << std::hex << message.address;
  return text.str();
}

/// Registers whose value does not depend on when they are read.
bool isConfiguration(std::uint64_t offset) {
  if (offset >= r::region(0) && offset < r::row(0)) return (offset & 0x3f) != r::kRegDone;
  return offset <= r::kConfig1 || offset == r::kConfig2 || offset == r::kConfig3 ||
         offset == r::kLock || offset == r::kIrqEnable ||
         (offset >= r::geometry(0) && offset < r::region(0));
}

}  // namespace

LockstepTracker::LockstepTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                                 const RtlOptions& options)
    : RtlTracker(name, config, options), window_(windowCycles(config.lanes) * period()) {
  twin_ = std::make_unique<LockstepTwin>("twin", config, static_cast<TwinListener&>(*this));
  observe(*this);
}

LockstepTracker::~LockstepTracker() = default;

// ---- what both sides see ----------------------------------------------------------------------

void LockstepTracker::pieceTaken(std::uint32_t lane, const LanePiece& piece) {
  const bool shown = showTwin(lane, piece);
  remember(piece.workgroup, {Incident::What::Piece, lane, piece, {}, 0});
  if (shown) twin_->show(lane, piece);
}

void LockstepTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t offset = payload.get_address();
  std::uint32_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  if (payload.is_write() && offset == r::kCtrl && (value & r::kCtrlClear) != 0) {
    compareCounts();
    completions_.clear();
    history_.clear();
  }
  if (payload.is_write() && offset >= r::command(0)) {
    completions_.erase(static_cast<std::uint32_t>(offset - r::command(0)) / 4);
  }

  const auto twinStatus =
      twin_->access(payload.get_command(), offset, value, payload.get_byte_enable_ptr());
  RtlTracker::accessRegister(payload, delay);

  std::ostringstream where;
  where << "register 0x" << std::hex << std::setw(4) << std::setfill('0') << offset;
  if (payload.get_response_status() != twinStatus) {
    differ(where.str() + (payload.is_write() ? " write" : " read"),
           payload.is_response_ok() ? "OKAY" : "SLVERR",
           twinStatus == tlm::TLM_OK_RESPONSE ? "OKAY" : "SLVERR");
  }
  if (payload.is_read() && payload.is_response_ok() && offset == r::kStatus) {
    // Software that waits for the unit waits for both: the twin may be behind.
    std::uint32_t status = 0;
    std::memcpy(&status, payload.get_data_ptr(), sizeof status);
    status |= twin_->model().idle() ? 0 : r::kStatusBusy;
    std::memcpy(payload.get_data_ptr(), &status, sizeof status);
  }
  if (payload.is_read() && payload.is_response_ok() &&
      (offset == r::kQueued || offset == r::kReleasesQueued)) {
    std::uint32_t queued = 0;
    std::memcpy(&queued, payload.get_data_ptr(), sizeof queued);
    queued = std::max(queued, value);
    std::memcpy(payload.get_data_ptr(), &queued, sizeof queued);
  }
  if (payload.is_read() && payload.is_response_ok() && isConfiguration(offset)) {
    std::uint32_t rtlValue = 0;
    std::memcpy(&rtlValue, payload.get_data_ptr(), sizeof rtlValue);
    if (rtlValue != value) differ(where.str(), std::to_string(rtlValue), std::to_string(value));
  }
}

// ---- what they say ----------------------------------------------------------------------------

void LockstepTracker::commandIssued(const TriggerMessage& message) {
  said(Side::Rtl, Kind::Command, message);
}

void LockstepTracker::notified(const TriggerMessage& message) {
  said(Side::Rtl, Kind::Notification, message);
}

void LockstepTracker::released(std::uint32_t row) {
  said(Side::Rtl, Kind::Release, {CommandId{row}, 0, {}, 0});
}

void LockstepTracker::twinReleased(std::uint32_t row) {
  said(Side::Twin, Kind::Release, {CommandId{row}, 0, {}, 0});
}

void LockstepTracker::twinIssued(const TriggerMessage& message) {
  said(Side::Twin, Kind::Command, message);
}

void LockstepTracker::twinNotified(const TriggerMessage& message) {
  said(Side::Twin, Kind::Notification, message);
}

void LockstepTracker::twinCompleted(CommandId command, WorkgroupId workgroup, std::uint64_t address,
                                    bool exactAddress) {
  completions_[command.value].push_back({workgroup, address, exactAddress, now()});
  remember(workgroup, {Incident::What::TwinCompletes, 0, {}, command, 0});
}

void LockstepTracker::said(Side side, Kind kind, const TriggerMessage& message) {
  const auto s = static_cast<std::size_t>(side);
  const auto k = static_cast<std::size_t>(kind);
  if (kind != Kind::Release) {
    remember(message.workgroup,
             {side == Side::Rtl ? Incident::What::RtlSays : Incident::What::TwinSays,
              0,
              {},
              message.command,
              0});
  }
  auto& others = pending_[1 - s][k];
  const auto match = std::find_if(others.begin(), others.end(), [&](const Event& event) {
    return event.message.command == message.command;
  });
  if (match == others.end()) {
    pending_[s][k].push_back({message, now()});
    armWindow(now());
    return;
  }
  const TriggerMessage other = match->message;
  others.erase(match);
  if (kind == Kind::Release) return;
  if (side == Side::Rtl) {
    compare(kind, message, other);
  } else {
    compare(kind, other, message);
  }
}

void LockstepTracker::compare(Kind kind, const TriggerMessage& rtl, const TriggerMessage& twin) {
  const auto& known = completions_[rtl.command.value];
  // Several wavefront tiles of the workgroup may have completed. Any recent one is a match.
  const bool plausible = std::ranges::any_of(known, [&](const Completion& completion) {
    return completion.workgroup == rtl.workgroup &&
           (completion.address == rtl.address || !completion.exactAddress) &&
           (completion.time + window_ >= known.back().time ||
            std::max(lastHeld_[0], lastHeld_[1]) >= completion.time);
  });
  const bool same = kind == Kind::Command ? rtl.workgroup == twin.workgroup : plausible;
  if (rtl.region != twin.region || !same) {
    differ(kSignals[static_cast<std::size_t>(kind)], describe(rtl), describe(twin), rtl.workgroup);
  }
}

// ---- windows ----------------------------------------------------------------------------------

Picoseconds LockstepTracker::cycle(Picoseconds edge) {
  const Picoseconds next = RtlTracker::cycle(edge);
  sample(Side::Rtl);
  return next;
}

/// Whatever ends a wait also starts a clock edge, so a look at every edge misses no end of one.
void LockstepTracker::sample(Side side) {
  const auto s = static_cast<std::size_t>(side);
  const bool isHeld = side == Side::Rtl ? held() : twin_->model().held();
  if (isHeld || wasHeld_[s]) {
    lastHeld_[s] = now();
    if (!isHeld) armWindow(now());
  }
  wasHeld_[s] = isHeld;
}

void LockstepTracker::armWindow(Picoseconds from) { windowAlarm_.set(from + window_ + period()); }

void LockstepTracker::checkWindow() {
  Picoseconds oldest = kNever;  // start of the oldest window that is still open
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t late = 1 - side;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (pending_[side][kind].empty() || wasHeld_[late]) continue;  // its release arms a window
      const Event& event = pending_[side][kind].front();
      const Picoseconds start = std::max(event.time, lastHeld_[late]);
      if (now() <= start + window_) {
        oldest = std::min(oldest, start);
        continue;
      }
      const std::string nothing =
          "nothing within " + std::to_string(window_ / period()) + " cycles";
      const bool release = kind == static_cast<std::size_t>(Kind::Release);
      const std::string seen = (release ? "row slot " + std::to_string(event.message.command.value)
                                        : describe(event.message)) +
                               " at " + fromPicoseconds(event.time).to_string();
      differ(kSignals[kind], side == 0 ? seen : nothing, side == 0 ? nothing : seen,
             release ? std::nullopt : std::optional(event.message.workgroup));
    }
  }
  if (oldest != kNever) armWindow(oldest);
}

// ---- counts -----------------------------------------------------------------------------------

void LockstepTracker::compareCounts() {
  if (!idle()) return;
  const TrackerStatistics rtl = RtlTracker::statistics();
  const TrackerStatistics twin = twin_->model().statistics();
  const auto same = [this](const char* count, std::uint64_t a, std::uint64_t b) {
    if (a != b) differ(count, std::to_string(a), std::to_string(b));
  };
  same("UPDATES", rtl.updates, twin.updates);
  same("UNTRACKED", rtl.untracked, twin.untracked);
  same("COMPLETED", rtl.completed, twin.completed);
  same("TRIGGERS", rtl.triggers, twin.triggers);
  same("NOTIFICATIONS", rtl.notifications, twin.notifications);
  same("RELEASES", rtl.releases, twin.releases);
}

TrackerStatistics LockstepTracker::statistics() {
  compareCounts();
  return RtlTracker::statistics();
}

bool LockstepTracker::idle() const { return RtlTracker::idle() && twin_->model().idle(); }

std::string LockstepTracker::waiting() {
  return RtlTracker::waiting() + "the twin:\n" + twin_->model().waiting();
}

void LockstepTracker::remember(WorkgroupId workgroup, Incident incident) {
  auto& events = history_[workgroup.value];
  if (events.size() == kHistory) events.pop_front();
  incident.time = now();
  events.push_back(incident);
}

std::string LockstepTracker::tell(const Incident& incident) {
  std::ostringstream text;
  text << fromPicoseconds(incident.time) << ": ";
  const std::uint32_t command = incident.command.value;
  switch (incident.what) {
    case Incident::What::Piece:
      text << "update of wavefront " << incident.piece.wavefront.value << " on lane "
           << incident.lane << ", " << incident.piece.bytes << " bytes from 0x" << std::hex
           << incident.piece.address;
      break;
    case Incident::What::TwinCompletes:
      text << "the twin completes a wavefront tile of command " << command;
      break;
    case Incident::What::RtlSays:
      text << "the RTL says command " << command;
      break;
    case Incident::What::TwinSays:
      text << "the twin says command " << command;
      break;
  }
  return text.str();
}

void LockstepTracker::differ(const std::string& signal, const std::string& rtl,
                             const std::string& twin, std::optional<WorkgroupId> workgroup) {
  announce({.kind = EventKind::Difference, .workgroup = workgroup.value_or(WorkgroupId{})});
  std::ostringstream text;
  text << sc_core::sc_time_stamp() << ", cycle " << cycles() << " of " << name() << ": " << signal
       << ": RTL " << rtl << "; twin " << twin;
  if (workgroup) {
    text << "\n  last events of workgroup " << workgroup->value << ":";
    for (const Incident& event : history_[workgroup->value]) text << "\n    " << tell(event);
  }
  SC_REPORT_ERROR("t3/lockstep", text.str().c_str());
}

}  // namespace t3
