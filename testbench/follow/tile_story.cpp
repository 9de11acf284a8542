// SPDX-License-Identifier: Apache-2.0
#include "testbench/follow/tile_story.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

namespace t3 {
namespace {

using Part = TileRecord::Part;
using Request = TileRecord::Request;
using Step = TileRecord::Step;

/// A time that was waited, and for what.
struct Wait {
  Picoseconds time = 0;
  std::string reason;
};

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

constexpr const char* kArbitration = "arbitration: in the channel's queue of its stream";

std::string oneDecimal(Picoseconds time) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", static_cast<double>(time) * 1e-3);
  return text.data();
}

std::string gpuName(std::uint32_t gpu) { return "gpu" + std::to_string(gpu); }

std::string counted(std::uint64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

Picoseconds since(Picoseconds later, Picoseconds earlier) {
  return later - std::min(later, earlier);
}

class Teller {
 public:
  explicit Teller(const TileRecord& record)
      : record_(record),
        tileBytes_(record.tiling().bytes(record.area())),
        wg_("workgroup " + std::to_string(record.tile().workgroup.value)) {}

  std::string text() {
    heading();
    const std::uint32_t first = record_.tile().gpu;
    bool goesOn = computed(first);
    std::uint32_t from = first;
    std::uint32_t at = first;
    if (goesOn && record_.duty(first) == Route::Duty::Sends) {
      at = record_.next(first);
      title(gpuName(first) + " stores it into " + gpuName(at));
      goesOn = arrives(stores(first), from, at);
    } else if (goesOn) {
      goesOn = arrives(stores(first), from, at);
    }
    while (goesOn) {
      goesOn = addedUp(from, at);
      if (!goesOn || record_.duty(at) != Route::Duty::Passes) break;
      from = at;
      at = record_.next(from);
      goesOn = sentOn(from, at);
    }
    if (total_ != 0) summary();
    return text_;
  }

 private:
  // ---- lines ------------------------------------------------------------------------------------

  void title(const std::string& words) { text_ += "\n" + words + "\n"; }

  /// A time on the way of the tile. What passed since the time before is waited for as `waits` say,
  /// the rest for `reason`.
  void line(Picoseconds when, const std::string& what, const std::string& reason,
            std::vector<Wait> waits = {}) {
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
  /// The same for what is only worth a line if it took time.
  void lineIfLater(Picoseconds when, const std::string& what, const std::string& reason) {
    if (when > last_) line(when, what, reason);
  }
  /// Something beside the way.
  void aside(Picoseconds when, const std::string& what) {
    times(when, "");
    text_ += what + "\n";
  }
  void times(Picoseconds when, const std::string& passed) {
    std::array<char, 64> columns;
    std::snprintf(columns.data(), columns.size(), "%14.3f %11s   ",
                  static_cast<double>(when) * 1e-6, passed.c_str());
    text_ += columns.data();
  }
  void note(const std::string& what) { text_ += std::string(29, ' ') + what + "\n"; }
  void stands(const std::string& where) {
    title("where it stands at the end of the run, " + microseconds(record_.end()));
    note(where);
  }

  void spend(const Wait& wait) {
    if (!timed_) return;
    total_ += wait.time;
    const auto entry = std::ranges::find(spent_, wait.reason, &Wait::reason);
    if (entry == spent_.end()) {
      spent_.push_back(wait);
    } else {
      entry->time += wait.time;
    }
  }

  void heading() {
    const Rectangle area = record_.area();
    const std::uint32_t owner = record_.route().owner(record_.chunk()).value;
    text_ += wg_ + ", wavefront " + std::to_string(record_.wavefront().value) +
             (record_.tile().wavefront ? "" : " (the one that gets least far, or is the last)") +
             " of " + gpuName(record_.tile().gpu) + ": rows " + std::to_string(area.row) + " to " +
             std::to_string(area.row + area.rows - 1) + ", columns " + std::to_string(area.column) +
             " to " + std::to_string(area.column + area.columns - 1) + " of the output, " +
             counted(tileBytes_, "byte") + "\nchunk " + std::to_string(record_.chunk().value) +
             " of " + std::to_string(record_.tiling().chunks()) + ", ";
    std::uint32_t gpu = record_.tile().gpu;
    text_ += (gpu == owner ? "made in " : "on its way ") + gpuName(gpu);
    while (gpu != owner) {
      gpu = record_.next(gpu);
      text_ += " -> " + gpuName(gpu);
    }
    text_ +=
        ", where it stays\n\n"
        "       time us         +ns   what happens   [what the time before it went to]\n";
  }

  void summary() {
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

  // ---- the GPU that computes it -----------------------------------------------------------------

  bool computed(std::uint32_t gpu) {
    title(gpuName(gpu) + " computes it");
    const auto ofTile = [&](EventKind kind) {
      return record_.find(gpu, Part::Gemm, kind, [&](const Event& event) {
        return event.workgroup == record_.tile().workgroup;
      });
    };
    if (const auto event = record_.find(gpu, Part::Gemm, EventKind::KernelBegin)) {
      line(event->when, "the GEMM begins", "");
    } else {
      stands("the GEMM of " + gpuName(gpu) + " has not begun");
      return false;
    }
    const auto begin = ofTile(EventKind::TileBegin);
    if (!begin) {
      stands(wg_ + " waits for its turn and a slot: " + std::to_string(record_.tilesDone(gpu)) +
             " of " + counted(record_.tiling().tiles(), "workgroup") + " are done");
      return false;
    }
    line(begin->when, wg_ + " gets slot " + std::to_string(begin->number), "");
    const auto store = ofTile(EventKind::TileStore);
    if (!store) {
      stands(wg_ + " loads its operands and multiplies them in slot " +
             std::to_string(begin->number));
      return false;
    }
    line(store->when, "its math is done, its stores begin", "");
    const auto band = bandOf(gpu);
    if (!band) {
      stands("the store path of its compute unit has not come to wavefront " +
             std::to_string(record_.wavefront().value));
      return false;
    }
    line(band->when,
         "wavefront " + std::to_string(record_.wavefront().value) + " leaves the compute unit, " +
             counted(band->bytes, "byte") + " from " + hexadecimal(band->address),
         "");
    timed_ = true;
    return true;
  }

  std::optional<Event> bandOf(std::uint32_t gpu) const {
    return record_.find(gpu, Part::Gemm, EventKind::BandStore, [&](const Event& event) {
      return event.workgroup == record_.tile().workgroup &&
             event.number == record_.wavefront().value;
    });
  }

  // ---- requests ---------------------------------------------------------------------------------

  Part originOf(const Request& request) const { return record_.place(request.origin()).part; }
  bool madeBy(const Request& request, std::uint32_t gpu, std::initializer_list<Part> parts) const {
    return record_.place(request.origin()).gpu == static_cast<int>(gpu) &&
           std::ranges::find(parts, originOf(request)) != parts.end();
  }
  /// Stores of a GPU's own part.
  std::vector<const Request*> stores(std::uint32_t gpu) const {
    std::vector<const Request*> list;
    for (const Request& request : record_.requests()) {
      if (madeBy(request, gpu, {Part::GemmMemory, Part::GemmEgress})) list.push_back(&request);
    }
    return list;
  }
  /// Updates with which a GPU sends on its sum.
  std::vector<const Request*> updates(std::uint32_t gpu) const {
    std::vector<const Request*> list;
    for (const Request& request : record_.requests()) {
      if (madeBy(request, gpu, {Part::DmaEgress})) list.push_back(&request);
    }
    return list;
  }
  /// What `from` adds to the sum in `at`.
  std::vector<const Request*> contribution(std::uint32_t from, std::uint32_t at) const {
    return from == at || record_.duty(from) == Route::Duty::Sends ? stores(from) : updates(from);
  }

  static std::uint64_t countedBytes(const std::vector<const Request*>& requests) {
    std::uint64_t bytes = 0;
    for (const Request* request : requests) bytes += request->bytesOf(RequestPhase::Counted);
    return bytes;
  }
  static std::optional<Picoseconds> last(const std::vector<const Request*>& requests,
                                         RequestPhase phase) {
    std::optional<Picoseconds> latest;
    for (const Request* request : requests) {
      if (const auto when = request->last(phase)) latest = std::max(latest.value_or(0), *when);
    }
    return latest;
  }
  /// The one that is counted last; if some are not, the one that has got least far.
  static const Request& slowest(const std::vector<const Request*>& requests) {
    const auto key = [](const Request* request) {
      const bool done = request->bytesOf(RequestPhase::Counted) == request->bytes;
      return std::pair(!done,
                       done ? *request->last(RequestPhase::Counted)
                            : std::numeric_limits<std::size_t>::max() - request->steps.size());
    };
    return **std::ranges::max_element(requests, {}, key);
  }

  /// The way of the stores of `from`, or of its updates, into the memory of `at`.
  bool arrives(const std::vector<const Request*>& requests, std::uint32_t from, std::uint32_t at) {
    if (requests.empty()) {
      stands("it is " + notMade(from, record_.duty(from) == Route::Duty::Passes && from != at));
      return false;
    }
    const Request& request = slowest(requests);
    const std::uint64_t bytes = countedBytes(requests);
    const bool all = bytes == tileBytes_;
    note(counted(requests.size(), "request") + "; number " + std::to_string(request.number) + ", " +
         counted(request.bytes, "byte") + " at " + hexadecimal(request.address) + ", " +
         (all ? "is the last to arrive:" : "gets least far:"));
    if (const Request* read = record_.request(request.cause)) tell(*read, at);
    tell(request, at);
    if (all) return true;
    stands(gpuName(at) + " has counted " + std::to_string(bytes) + " of " +
           counted(tileBytes_, "byte") + " from " + gpuName(from));
    std::map<std::string, std::pair<std::uint32_t, Picoseconds>> places;  // how many, since when
    std::uint64_t made = 0;
    for (const Request* one : requests) {
      made += one->bytes;
      if (one->bytesOf(RequestPhase::Counted) == one->bytes) continue;
      auto& [count, earliest] =
          places.try_emplace(whereIs(*one), 0, one->steps.back().when).first->second;
      ++count;
      earliest = std::min(earliest, one->steps.back().when);
    }
    for (const auto& [place, waiting] : places) {
      note(counted(waiting.first, "request") + ": " + place + ", since " +
           microseconds(waiting.second));
    }
    if (made < tileBytes_) {
      note(counted(tileBytes_ - made, "byte") + ": " +
           notMade(from, originOf(request) == Part::DmaEgress));
    }
    return false;
  }

  static std::string notMade(std::uint32_t gpu, bool byDma) {
    return byDma ? "not yet read by the DMA engine of " + gpuName(gpu)
                 : "not yet sent by the stores of " + gpuName(gpu) +
                       ", which wait for zeros or behind loads";
  }

  /// Where a request is that has not arrived, and what it waits for there.
  std::string whereIs(const Request& request) const {
    const Step& step = request.steps.back();
    const TileRecord::Place& place = record_.place(step.place);
    const bool toLink = place.part == Part::GemmEgress || place.part == Part::DmaEgress;
    switch (step.phase) {
      case RequestPhase::Created:
        return "at " + place.name + ", behind other requests";
      case RequestPhase::BeginRequest:
        return "at " + place.name + ", waiting for room in the " +
               (toLink ? "link's input buffer" : "queue of a memory channel");
      case RequestPhase::EndRequest:
      case RequestPhase::BeginResponse:
        return "after " + place.name + ", " +
               (toLink ? "in the link's input buffer, waiting for its turn or for credit"
                       : "in a memory channel's queue, waiting for its turn or for the tracker");
      case RequestPhase::Sent:
        return "on " + place.name + ", sent and not delivered";
      case RequestPhase::Delivered:
        return "at the end of " + place.name +
               (place.gpu >= 0 && record_.switched()
                    ? ", in the switch, waiting for the link to the GPU"
                    : ", refused by the ingress: it is full, or "
                      "there are no zeros under the update");
      default:
        return "in " + place.name + ", counted in part";
    }
  }

  /// Of the parts of a request, the last one at each place counts.
  void tell(const Request& request, std::uint32_t at) {
    for (auto step = request.steps.begin(); step != request.steps.end(); ++step) {
      const bool again = std::any_of(step + 1, request.steps.end(), [&](const Step& later) {
        return later.phase == step->phase && later.place == step->place;
      });
      if (!again) tell(request, *step, at);
    }
  }

  void tell(const Request& request, const Step& step, std::uint32_t at) {
    const TileRecord::Place& place = record_.place(step.place);
    const bool link = place.part == Part::GemmEgress || place.part == Part::DmaEgress;
    switch (step.phase) {
      case RequestPhase::Created:
        return created(request, step);
      case RequestPhase::BeginRequest:
        return lineIfLater(step.when, "offered to the " + std::string(link ? "link" : "memory"),
                           "behind other requests at " + place.name);
      case RequestPhase::EndRequest:
        return lineIfLater(
            step.when, "taken by the " + std::string(link ? "link" : "memory"),
            link ? "the link's input buffer was full" : "no room in the queue of a memory channel");
      case RequestPhase::BeginResponse:
        if (request.read) line(step.when, "its data is in the DMA engine", "back from the memory");
        return;
      case RequestPhase::Sent: {
        const Picoseconds credit = record_.waited(step.place, {last_, step.said});
        return line(step.when, "its last bit leaves on " + place.name, "on the wire",
                    {{credit, "link credit"},
                     {since(since(step.said, last_), credit), "other traffic of the link"}});
      }
      case RequestPhase::Delivered:
        return line(step.when, "arrives at the end of " + place.name, "link latency");
      case RequestPhase::Counted: {
        const auto stall = record_.stalled(at, step.address, step.when);
        return line(step.when,
                    "counted by " + gpuName(at) + ".tracker, and into the DRAM queue of channel " +
                        std::to_string(step.channel.value),
                    kArbitration,
                    {{stall ? since(step.when, std::max(*stall, last_)) : 0, "tracker lane full"}});
      }
      case RequestPhase::Served:
        if (!request.read) return;
        lineIfLater(step.entered,
                    "into the DRAM queue of channel " + std::to_string(step.channel.value),
                    kArbitration);
        return line(step.when, "the memory has read it", "in the DRAM queue and on the bus");
    }
  }

  void created(const Request& request, const Step& step) {
    const TileRecord::Place& place = record_.place(step.place);
    const Picoseconds zeros = record_.waited(record_.ownerOf(step.place), {last_, step.when});
    switch (place.part) {
      case Part::IngressMemory:
        if (step.when == last_) return;
        return line(step.when, "taken by the ingress", "ingress full", {{zeros, "zeros under it"}});
      case Part::GemmMemory:
        return line(step.when, "handed to " + place.name, "behind loads at the GEMM's memory port",
                    {{zeros, "zeros under it"}});
      case Part::DmaMemory:
        return line(step.when, "its read, number " + std::to_string(request.number) + ", is issued",
                    "its turn in the DMA command");
      default:
        return line(step.when, "handed to " + place.name, "");
    }
  }

  // ---- the GPUs that add it up ------------------------------------------------------------------

  bool addedUp(std::uint32_t from, std::uint32_t at) {
    struct Other {
      Picoseconds when;
      std::uint32_t gpu;
    };
    std::vector<Other> others;
    std::string missing;
    const auto look = [&](std::uint32_t gpu) {
      if (gpu == from) return;
      const auto requests = contribution(gpu, at);
      if (countedBytes(requests) == tileBytes_) {
        others.push_back({*last(requests, RequestPhase::Counted), gpu});
      } else {
        missing += (missing.empty() ? "" : "; ") + lacks(gpu, at, requests);
      }
    };
    if (record_.duty(at) != Route::Duty::Sends) look(at);
    for (std::uint32_t gpu = 0; gpu < record_.route().gpus(); ++gpu) {
      if (gpu != at && record_.duty(gpu) != Route::Duty::Keeps && record_.next(gpu) == at) {
        look(gpu);
      }
    }
    title(gpuName(at) + " adds it up");
    std::ranges::sort(others, {}, &Other::when);
    for (const Other& other : others) {
      const std::string whose =
          other.gpu == at ? "its own part" : "the part of " + gpuName(other.gpu);
      if (other.when <= last_) {
        note(whose + " was counted before it, at " + microseconds(other.when));
        continue;
      }
      if (const auto band = bandOf(other.gpu);
          band && other.gpu == at && band->when > last_ && band->when <= other.when) {
        aside(band->when, "its own " + wg_ + " stores this wavefront");
      }
      line(other.when, whose + " is counted",
           "waiting for " + (other.gpu == at ? gpuName(at) + " to compute its own part" : whose));
    }
    if (!missing.empty()) {
      stands(missing);
      return false;
    }
    return record_.duty(at) == Route::Duty::Keeps ? notified(at) : triggered(at);
  }

  std::string lacks(std::uint32_t gpu, std::uint32_t at,
                    const std::vector<const Request*>& requests) const {
    const std::string whose =
        gpu == at ? "the own part of " + gpuName(at) : "the part of " + gpuName(gpu);
    if (!requests.empty()) {
      const Request& request = slowest(requests);
      return "of " + whose + ", " + std::to_string(countedBytes(requests)) + " of " +
             counted(tileBytes_, "byte") + " are counted; request " +
             std::to_string(request.number) + " is " + whereIs(request) + ", since " +
             microseconds(request.steps.back().when);
    }
    if (gpu != at && record_.duty(gpu) == Route::Duty::Passes) {
      return whose + " has not been sent: follow it with --gpu " + std::to_string(gpu);
    }
    return whose + " has not been stored, " + std::to_string(record_.tilesDone(gpu)) + " of " +
           counted(record_.tiling().tiles(), "workgroup") + " of its GEMM are done";
  }

  /// Ends with the tracker's word that the block of `at` is complete.
  bool told(std::uint32_t at, EventKind kind, const std::string& what) {
    const TileRange block = record_.block();
    const auto event = record_.find(at, Part::Tracker, kind);
    if (!event) {
      stands("this wavefront is complete, but not all of " + nameOf(block) +
             ", or a spilled record of it has not come back to the tracker");
      return false;
    }
    const auto complete = record_.blockCounted(at, event->when);
    const Picoseconds rest = complete ? since(*complete, last_) : 0;
    line(event->when,
         "all updates of " + nameOf(block) + " are counted: the tracker " + what + " " +
             std::to_string(event->number),
         "in the tracker", {{rest, "other wavefronts and tiles of the command"}});
    return true;
  }
  static std::string nameOf(TileRange block) {
    if (block.count == 1) return "workgroup " + std::to_string(block.first);
    return "workgroups " + std::to_string(block.first) + " to " + std::to_string(block.end() - 1);
  }

  bool notified(std::uint32_t at) {
    std::optional<Picoseconds> added = 0;
    for (const Request& request : record_.requests()) {
      const bool here = record_.place(request.steps.back().place).gpu == static_cast<int>(at);
      if (request.read || !here || !added) continue;
      const bool done = request.bytesOf(RequestPhase::Served) == request.bytes;
      added = done ? std::optional(std::max(*added, *request.last(RequestPhase::Served)))
                   : std::nullopt;
    }
    const auto event = record_.find(at, Part::Tracker, EventKind::Notification);
    const bool after = added && event && *added > event->when;  // it counts what enters a queue
    const auto addition = [&] {
      if (added) aside(*added, "its last addition is done in the memory of " + gpuName(at));
    };
    if (!after) addition();
    const bool done = told(at, EventKind::Notification, "notifies the host of command");
    if (after) addition();
    return done;
  }

  bool triggered(std::uint32_t at) { return told(at, EventKind::Trigger, "issues DMA command"); }

  bool sentOn(std::uint32_t from, std::uint32_t at) {
    title(gpuName(from) + " sends the sum to " + gpuName(at));
    const auto command = record_.find(from, Part::Tracker, EventKind::Trigger);
    const auto same = [&](const Event& event) { return event.number == command->number; };
    const auto taken = record_.find(from, Part::Dma, EventKind::CommandTaken, same);
    if (!taken) {
      stands("the queue of the DMA engine is full: command " + std::to_string(command->number) +
             " holds the tracker");
      return false;
    }
    lineIfLater(taken->when, "the DMA engine takes the command", "the DMA engine's queue was full");
    const auto begun = record_.find(from, Part::Dma, EventKind::CommandBegin, same);
    if (!begun) {
      stands("command " + std::to_string(command->number) +
             " waits for a channel of the DMA engine");
      return false;
    }
    line(begun->when, "a channel of the DMA engine begins it",
         "DMA command latency and a free channel");
    return arrives(updates(from), from, at);
  }

  const TileRecord& record_;
  std::uint64_t tileBytes_;
  std::string wg_;
  std::string text_;
  Picoseconds last_ = 0;
  bool begun_ = false;  ///< a line has been written
  bool timed_ = false;  ///< the tile has left its compute unit
  Picoseconds total_ = 0;
  std::vector<Wait> spent_;
};

}  // namespace

std::string tileStory(const TileRecord& record) { return Teller(record).text(); }

}  // namespace t3
