// SPDX-License-Identifier: Apache-2.0
#include "testbench/follow/request_story.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace t3 {
namespace {

std::string oneDecimal(Picoseconds time) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", static_cast<double>(time) * 1e-3);
  return text.data();
}

}  // namespace

std::string microseconds(Picoseconds time) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3f us", static_cast<double>(time) * 1e-6);
  return text.data();
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::string gpuName(std::uint32_t gpu) { return "gpu" + std::to_string(gpu); }

Picoseconds since(Picoseconds later, Picoseconds earlier) {
  return later - std::min(later, earlier);
}

void StoryText::note(const std::string& words) { text_ += std::string(29, ' ') + words + "\n"; }

void StoryText::line(Picoseconds when, const std::string& what, const std::string& reason,
                     std::vector<Wait> waits) {
  const Picoseconds passed = since(when, last_);
  Picoseconds rest = passed;
  for (Wait& wait : waits) {
    wait.time = std::min(wait.time, rest);
    rest -= wait.time;
  }
  waits.push_back({rest, reason});
  std::erase_if(waits, [](const Wait& wait) { return wait.time == 0; });
  std::string why;
  for (const Wait& wait : waits) {
    spend(wait);
    if (wait.reason.empty()) continue;
    why += why.empty() ? "   [" : ", ";
    if (waits.size() > 1) why += oneDecimal(wait.time) + " ns ";
    why += wait.reason;
  }
  if (!why.empty()) why += "]";
  times(when, begun_ ? "+" + oneDecimal(passed) : "");
  text_ += what + why + "\n";
  last_ = std::max(last_, when);
  begun_ = true;
}

void StoryText::lineIfLater(Picoseconds when, const std::string& what, const std::string& reason) {
  if (when > last_) line(when, what, reason);
}

void StoryText::aside(Picoseconds when, const std::string& what) {
  times(when, "");
  text_ += what + "\n";
}

void StoryText::times(Picoseconds when, const std::string& passed) {
  std::array<char, 64> columns;
  std::snprintf(columns.data(), columns.size(), "%14.3f %11s   ", static_cast<double>(when) * 1e-6,
                passed.c_str());
  text_ += columns.data();
}

void StoryText::spend(const Wait& wait) {
  if (!sums_) return;
  total_ += wait.time;
  const auto entry = std::ranges::find(spent_, wait.reason, &Wait::reason);
  if (entry == spent_.end()) {
    spent_.push_back(wait);
  } else {
    entry->time += wait.time;
  }
}

void StoryText::sum() {
  std::ranges::sort(spent_, std::ranges::greater{}, &Wait::time);
  title(microseconds(total_) + " from its store to here, by what it waited for:");
  for (const Wait& spent : spent_) {
    std::array<char, 160> entry;
    std::snprintf(entry.data(), entry.size(), "%14.3f us %5.1f%%   %s\n",
                  static_cast<double>(spent.time) * 1e-6,
                  100.0 * static_cast<double>(spent.time) / static_cast<double>(total_),
                  spent.reason.c_str());
    text_ += entry.data();
  }
}

namespace {

constexpr const char* kArbitration = "arbitration: in the channel's queue of its stream";

std::string notMade(std::uint32_t gpu, bool byDma) {
  return byDma ? "not yet read by the DMA engine of " + gpuName(gpu)
               : "not yet sent by the stores of " + gpuName(gpu) +
                     ", which wait for zeros or behind loads";
}

}  // namespace

RequestStory::RequestStory(const TileRecord& record, StoryText& story)
    : record_(record),
      way_(record.way()),
      story_(story),
      tileBytes_(way_.tiling().bytes(way_.area())) {}

TilePart RequestStory::originOf(const TileRequest& request) const {
  return record_.place(request.origin()).part;
}

bool RequestStory::madeBy(const TileRequest& request, std::uint32_t gpu,
                          std::initializer_list<TilePart> parts) const {
  return record_.place(request.origin()).gpu == static_cast<int>(gpu) &&
         std::ranges::find(parts, originOf(request)) != parts.end();
}

RequestStory::Requests RequestStory::stores(std::uint32_t gpu) const {
  Requests list;
  for (const TileRequest& request : record_.requests()) {
    if (madeBy(request, gpu, {TilePart::GemmMemory, TilePart::GemmEgress}))
      list.push_back(&request);
  }
  return list;
}

RequestStory::Requests RequestStory::updates(std::uint32_t gpu) const {
  Requests list;
  for (const TileRequest& request : record_.requests()) {
    if (madeBy(request, gpu, {TilePart::DmaEgress})) list.push_back(&request);
  }
  return list;
}

RequestStory::Requests RequestStory::contribution(std::uint32_t from, std::uint32_t at) const {
  return from == at || way_.duty(from) == Route::Duty::Sends ? stores(from) : updates(from);
}

std::uint64_t RequestStory::countedBytes(const Requests& requests) {
  std::uint64_t bytes = 0;
  for (const TileRequest* request : requests) bytes += request->bytesOf(RequestPhase::Counted);
  return bytes;
}

std::optional<Picoseconds> RequestStory::last(const Requests& requests, RequestPhase phase) {
  std::optional<Picoseconds> latest;
  for (const TileRequest* request : requests) {
    if (const auto when = request->last(phase)) latest = std::max(latest.value_or(0), *when);
  }
  return latest;
}

const TileRequest& RequestStory::slowest(const Requests& requests) {
  const auto key = [](const TileRequest* request) {
    const bool done = request->bytesOf(RequestPhase::Counted) == request->bytes;
    return std::pair(!done, done ? *request->last(RequestPhase::Counted)
                                 : std::numeric_limits<std::size_t>::max() - request->steps.size());
  };
  return **std::ranges::max_element(requests, {}, key);
}

bool RequestStory::arrives(const Requests& requests, std::uint32_t from, std::uint32_t at) {
  if (requests.empty()) {
    stands("it is " + notMade(from, way_.duty(from) == Route::Duty::Passes && from != at));
    return false;
  }
  const TileRequest& request = slowest(requests);
  const std::uint64_t bytes = countedBytes(requests);
  const bool all = bytes == tileBytes_;
  story_.note(counted(requests.size(), "request") + "; number " + std::to_string(request.number) +
              ", " + counted(request.bytes, "byte") + " at " + hexadecimal(request.address) + ", " +
              (all ? "is the last to arrive:" : "gets least far:"));
  if (const TileRequest* read = record_.request(request.cause)) tell(*read, at);
  tell(request, at);
  if (all) return true;
  stands(gpuName(at) + " has counted " + std::to_string(bytes) + " of " +
         counted(tileBytes_, "byte") + " from " + gpuName(from));
  std::map<std::string, std::pair<std::uint32_t, Picoseconds>> places;  // how many, since when
  std::uint64_t made = 0;
  for (const TileRequest* one : requests) {
    made += one->bytes;
    if (one->bytesOf(RequestPhase::Counted) == one->bytes) continue;
    auto& [count, earliest] =
        places.try_emplace(whereIs(*one), 0, one->steps.back().when).first->second;
    ++count;
    earliest = std::min(earliest, one->steps.back().when);
  }
  for (const auto& [place, waiting] : places) {
    story_.note(counted(waiting.first, "request") + ": " + place + ", since " +
                microseconds(waiting.second));
  }
  if (made < tileBytes_) {
    story_.note(counted(tileBytes_ - made, "byte") + ": " +
                notMade(from, originOf(request) == TilePart::DmaEgress));
  }
  return false;
}

std::string RequestStory::whereIs(const TileRequest& request) const {
  const TileStep& step = request.steps.back();
  const TilePlace& place = record_.place(step.place);
  const bool toLink = place.part == TilePart::GemmEgress || place.part == TilePart::DmaEgress;
  switch (step.phase) {
    case RequestPhase::Created:
      return "at " + place.name + ", behind other requests";
    case RequestPhase::BeginRequest:
      return "at " + place.name + ", waiting for room in the " +
             (toLink ? "link's input buffer" : "queue of a memory channel");
    case RequestPhase::BeginResponse:
      if (!toLink)
        return "dropped by the memory behind " + place.name + ": enough others came first";
      [[fallthrough]];
    case RequestPhase::EndRequest:
      return "after " + place.name + ", " +
             (toLink ? "in the link's input buffer, waiting for its turn or for credit"
                     : "in a memory channel's queue, waiting for its turn or for the tracker");
    case RequestPhase::Sent:
      return "on " + place.name + ", sent and not delivered";
    case RequestPhase::Delivered:
      return "at the end of " + place.name +
             (place.gpu >= 0 && record_.switched()
                  ? ", in the switch, waiting for the link to the GPU or for what it is added to"
                  : ", refused by the ingress: it is full, or "
                    "there are no zeros under the update");
    default:
      return "in " + place.name + ", counted in part";
  }
}

/// A request may reach a place in parts: the last part counts.
void RequestStory::tell(const TileRequest& request, std::uint32_t at) {
  for (auto step = request.steps.begin(); step != request.steps.end(); ++step) {
    const bool again = std::any_of(step + 1, request.steps.end(), [&](const TileStep& later) {
      return later.phase == step->phase && later.place == step->place;
    });
    if (!again) tell(request, *step, at);
  }
}

void RequestStory::tell(const TileRequest& request, const TileStep& step, std::uint32_t at) {
  const TilePlace& place = record_.place(step.place);
  const bool link = place.part == TilePart::GemmEgress || place.part == TilePart::DmaEgress;
  switch (step.phase) {
    case RequestPhase::Created:
      return created(request, step);
    case RequestPhase::BeginRequest:
      return story_.lineIfLater(step.when,
                                "offered to the " + std::string(link ? "link" : "memory"),
                                "behind other requests at " + place.name);
    case RequestPhase::EndRequest:
      return story_.lineIfLater(
          step.when, "taken by the " + std::string(link ? "link" : "memory"),
          link ? "the link's input buffer was full" : "no room in the queue of a memory channel");
    case RequestPhase::BeginResponse:
      if (request.read)
        story_.line(step.when, "its data is in the DMA engine", "back from the memory");
      return;
    case RequestPhase::Sent: {
      const Picoseconds credit = record_.waited(step.place, {story_.last(), step.said});
      return story_.line(
          step.when, "its last bit leaves on " + place.name, "on the wire",
          {{credit, "link credit"},
           {since(since(step.said, story_.last()), credit), "other traffic of the link"}});
    }
    case RequestPhase::Delivered:
      return story_.line(step.when, "arrives at the end of " + place.name, "link latency");
    case RequestPhase::Joined:
      story_.line(step.entered, "taken by " + place.name,
                  "in the queue of its input, behind other updates");
      return leaves(request, step, place.name);
    case RequestPhase::Counted: {
      const auto stall = record_.stalled(at, step.address, step.when);
      return story_.line(
          step.when,
          "counted by " + gpuName(at) + ".tracker, and into the DRAM queue of channel " +
              std::to_string(step.channel.value),
          kArbitration,
          {{stall ? since(step.when, std::max(*stall, story_.last())) : 0, "tracker lane full"}});
    }
    case RequestPhase::Served:
      if (!request.read) return;
      story_.lineIfLater(step.entered,
                         "into the DRAM queue of channel " + std::to_string(step.channel.value),
                         kArbitration);
      return story_.line(step.when, "the memory has read it", "in the DRAM queue and on the bus");
  }
}

/// From the merge unit, in a sum.
void RequestStory::leaves(const TileRequest& request, const TileStep& step,
                          const std::string& unit) {
  const std::vector<std::uint32_t> gpus = record_.addedTo(step.sum);
  std::string whose;
  for (const std::uint32_t gpu : gpus) whose += (whose.empty() ? "" : " + ") + gpuName(gpu);
  const bool complete = gpus.size() + 1 == way_.route().gpus();
  const bool last = gpus.back() == request.source;
  story_.line(
      step.when,
      "leaves " + unit + " in a sum of " + counted(gpus.size(), "contribution") + ": " + whose,
      last       ? "the unit's pipeline"
      : complete ? "waiting there for " + gpuName(gpus.back()) + " and for the link"
                 : "waiting there for others, until it is put out");
}

void RequestStory::created(const TileRequest& request, const TileStep& step) {
  const TilePlace& place = record_.place(step.place);
  const Picoseconds zeros = record_.waited(record_.ownerOf(step.place), {story_.last(), step.when});
  switch (place.part) {
    case TilePart::Merge:  // that it leaves has been told
      return;
    case TilePart::IngressMemory:
      if (step.when == story_.last()) return;
      return story_.line(step.when, "taken by the ingress", "ingress full",
                         {{zeros, "zeros under it"}});
    case TilePart::GemmMemory:
      return story_.line(step.when, "handed to " + place.name,
                         "behind loads at the GEMM's memory port", {{zeros, "zeros under it"}});
    case TilePart::DmaMemory:
      return story_.line(step.when,
                         "its read, number " + std::to_string(request.number) + ", is issued",
                         "its turn in the DMA command");
    default:
      return story_.line(step.when, "handed to " + place.name, "");
  }
}

void RequestStory::stands(const std::string& where) {
  story_.title("where it stands at the end of the run, " + microseconds(record_.end()));
  story_.note(where);
}

}  // namespace t3
