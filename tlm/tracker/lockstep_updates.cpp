// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/lockstep_updates.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace t3 {
namespace {

constexpr std::size_t kHistory = 24;  // events of a slot that a report lists
constexpr std::size_t kLast = 8;      // updates of all slots that it lists

/// The last incident of that kind, or rend().
auto lastOf(const auto& history, auto what) {
  return std::find_if(history.rbegin(), history.rend(),
                      [what](const auto& incident) { return incident.what == what; });
}

}  // namespace

std::string updateText(const LockstepUpdates::Taken& taken) {
  std::ostringstream text;
  text << taken.update.bytes << " bytes at 0x" << std::hex << taken.update.address << std::dec
       << " of workgroup " << taken.update.workgroup.value << ", wavefront "
       << taken.update.wavefront.value << " at lane " << taken.lane;
  return text.str();
}

void LockstepUpdates::took(Side side, const Taken& taken, std::optional<std::uint32_t> slot) {
  const std::size_t s = index(side);
  Lane& lane = lanes_[taken.lane];
  ++taken_[s][taken.lane];
  lane.last[s] = taken.time;
  if (auto& others = lane.ahead[1 - s]; !others.empty()) {
    others.pop_front();
  } else {
    lane.ahead[s].push_back(taken);
  }
  if (side != Side::Rtl) return;
  if (last_.size() == kLast) last_.pop_front();
  last_.push_back(taken);
  if (slot) remember(*slot, {Incident::What::Taken, 0, taken, 0});
}

bool LockstepUpdates::behind(Side side, const Counts& counts) const {
  const Counts& own = taken(side);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (own[lane] < counts[lane]) return true;
  }
  return false;
}

void LockstepUpdates::counted(std::uint32_t slot, std::uint32_t bytes, SlotWords::Outcome outcome) {
  using What = Incident::What;
  constexpr std::array kWhats = {What::Counted, What::Done, What::Overrun, What::Stray};
  remember(slot, {kWhats[static_cast<std::size_t>(outcome)], bytes, {}, 0});
}

void LockstepUpdates::said(Side side, std::uint32_t slot) {
  remember(slot,
           {side == Side::Rtl ? Incident::What::RtlSays : Incident::What::TwinSays, 0, {}, 0});
}

void LockstepUpdates::armed(std::uint32_t slot) { history_.erase(slot); }

void LockstepUpdates::forget() { history_.clear(); }

std::optional<Picoseconds> LockstepUpdates::saidByRtl(std::uint32_t slot) const {
  const auto found = history_.find(slot);
  if (found == history_.end()) return std::nullopt;
  const auto said = lastOf(found->second, Incident::What::RtlSays);
  return said == found->second.rend() ? std::nullopt : std::optional(said->time);
}

void LockstepUpdates::remember(std::uint32_t slot, Incident incident) {
  auto& events = history_[slot];
  if (events.size() == kHistory) events.pop_front();
  incident.time = now();
  events.push_back(incident);
}

std::string LockstepUpdates::tell(const Incident& incident) {
  std::ostringstream text;
  text << fromPicoseconds(incident.time) << ": ";
  switch (incident.what) {
    case Incident::What::Taken:
      text << "the RTL takes " << updateText(incident.taken);
      break;
    case Incident::What::Counted:
      text << "the twin counts " << incident.bytes << " bytes";
      break;
    case Incident::What::Done:
      text << "the twin counts " << incident.bytes << " bytes: done";
      break;
    case Incident::What::Overrun:
      text << "the twin counts " << incident.bytes << " bytes: more than are missing";
      break;
    case Incident::What::Stray:
      text << "the twin gets " << incident.bytes << " bytes: none is missing";
      break;
    case Incident::What::RtlSays:
      text << "the RTL says that the slot is done";
      break;
    case Incident::What::TwinSays:
      text << "the twin says that the slot is done";
      break;
  }
  return text.str();
}

std::string LockstepUpdates::story(std::uint32_t slot) const {
  const auto found = history_.find(slot);
  if (found == history_.end()) return "\n  no event of slot " + std::to_string(slot);
  std::string text;
  if (const auto last = lastOf(found->second, Incident::What::Taken);
      last != found->second.rend()) {
    text = "\n  last update of slot " + std::to_string(slot) +
           " that the RTL took: " + updateText(last->taken) + ", " +
           fromPicoseconds(last->time).to_string();
  }
  text += "\n  last events of slot " + std::to_string(slot) + ":";
  for (const Incident& incident : found->second) text += "\n    " + tell(incident);
  return text;
}

std::string LockstepUpdates::lastUpdates() const {
  if (last_.empty()) return "\n  the RTL has taken no update";
  std::string text = "\n  the last updates that the RTL took:";
  for (const Taken& taken : last_) {
    text += "\n    " + fromPicoseconds(taken.time).to_string() + ": " + updateText(taken);
  }
  return text;
}

}  // namespace t3
