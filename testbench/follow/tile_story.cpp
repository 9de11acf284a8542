// SPDX-License-Identifier: Apache-2.0
#include "testbench/follow/request_story.h"

#include <algorithm>
#include <utility>

#include "testbench/config/spelling.h"

namespace t3 {
namespace {

/// What a block waits for beside the wavefront that is followed.
constexpr const char* kRestOfBlock = "other wavefronts and tiles of the command";

class Teller {
 public:
  explicit Teller(const TileRecord& record)
      : record_(record),
        way_(record.way()),
        tileBytes_(way_.tiling().bytes(way_.area())),
        wg_("workgroup " + std::to_string(way_.tile().workgroup.value)),
        requests_(record, story_) {}

  std::string text() {
    heading();
    const std::uint32_t first = way_.tile().gpu;
    bool goesOn = computed(first);
    std::uint32_t from = first;
    std::uint32_t at = first;
    if (goesOn && way_.duty(first) == Route::Duty::Sends) {
      at = way_.next(first);
      story_.title(gpuName(first) + " stores it into " + gpuName(at));
      goesOn = requests_.arrives(requests_.stores(first), from, at);
    } else if (goesOn) {
      goesOn = requests_.arrives(requests_.stores(first), from, at);
    }
    while (goesOn) {
      goesOn = addedUp(from, at);
      if (!goesOn || way_.duty(at) != Route::Duty::Passes) break;
      from = at;
      at = way_.next(from);
      goesOn = sentOn(from, at);
    }
    if (story_.hasSum()) story_.sum();
    if (goesOn && record_.releasesRows()) released();
    return story_.text();
  }

 private:
  void heading() {
    const Rectangle area = way_.area();
    const std::uint32_t owner = way_.route().owner(way_.chunk()).value;
    const std::string& name = way_.tile().output;
    story_.add(wg_ + ", wavefront " + std::to_string(way_.wavefront().value) +
               (way_.tile().wavefront ? "" : " (the one that gets least far, or is the last)") +
               " of " + gpuName(way_.tile().gpu) + ": rows " + std::to_string(area.row) + " to " +
               std::to_string(area.row + area.rows - 1) + ", columns " +
               std::to_string(area.column) + " to " +
               std::to_string(area.column + area.columns - 1) + " of the output" +
               (name.empty() ? "" : " " + inQuotes(name)) + ", " + counted(tileBytes_, "byte") +
               "\nchunk " + std::to_string(way_.chunk().value) + " of " +
               std::to_string(way_.tiling().chunks()) + ", ");
    std::uint32_t gpu = way_.tile().gpu;
    story_.add((gpu == owner ? "made in " : "on its way ") + gpuName(gpu));
    while (gpu != owner) {
      gpu = way_.next(gpu);
      story_.add(" -> " + gpuName(gpu));
    }
    story_.add(
        ", where it stays\n\n"
        "       time us         +ns   what happens   [what the time before it went to]\n");
  }

  // ---- the GPU that computes it -----------------------------------------------------------------

  bool computed(std::uint32_t gpu) {
    story_.title(gpuName(gpu) + " computes it");
    const auto ofTile = [&](EventKind kind) {
      return record_.find(gpu, TilePart::Gemm, kind, [&](const Event& event) {
        return event.workgroup == way_.tile().workgroup;
      });
    };
    if (const auto event = record_.find(gpu, TilePart::Gemm, EventKind::KernelBegin)) {
      story_.line(event->when, "the GEMM begins", "");
    } else {
      requests_.stands("the GEMM of " + gpuName(gpu) + " has not begun");
      return false;
    }
    const auto begin = ofTile(EventKind::TileBegin);
    if (!begin) {
      requests_.stands(wg_ + " waits for its turn and a workgroup slot: " +
                       std::to_string(record_.tilesDone(gpu)) + " of " +
                       counted(way_.tiling().tiles(), "workgroup") + " are done");
      return false;
    }
    story_.line(begin->when, wg_ + " gets workgroup slot " + std::to_string(begin->number), "");
    const auto store = ofTile(EventKind::TileStore);
    if (!store) {
      requests_.stands(wg_ + " loads its operands and multiplies them in workgroup slot " +
                       std::to_string(begin->number));
      return false;
    }
    story_.line(store->when, "its math is done, its stores begin", "");
    const auto band = bandOf(gpu);
    if (!band) {
      requests_.stands("the store path of its compute unit has not come to wavefront " +
                       std::to_string(way_.wavefront().value));
      return false;
    }
    story_.line(band->when,
                "wavefront " + std::to_string(way_.wavefront().value) +
                    " leaves the compute unit, " + counted(band->bytes, "byte") + " from " +
                    hexadecimal(band->address),
                "");
    story_.startSum();
    return true;
  }

  std::optional<Event> bandOf(std::uint32_t gpu) const {
    return record_.find(gpu, TilePart::Gemm, EventKind::BandStore, [&](const Event& event) {
      return event.workgroup == way_.tile().workgroup && event.number == way_.wavefront().value;
    });
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
      const auto requests = requests_.contribution(gpu, at);
      if (requests_.countedBytes(requests) == tileBytes_) {
        others.push_back({*requests_.last(requests, RequestPhase::Counted), gpu});
      } else {
        missing += (missing.empty() ? "" : "; ") + lacks(gpu, at, requests);
      }
    };
    if (way_.duty(at) != Route::Duty::Sends) look(at);
    for (std::uint32_t gpu = 0; gpu < way_.route().gpus(); ++gpu) {
      if (gpu != at && way_.duty(gpu) != Route::Duty::Keeps && way_.next(gpu) == at) {
        look(gpu);
      }
    }
    story_.title(gpuName(at) + " adds it up");
    std::ranges::sort(others, {}, &Other::when);
    for (const Other& other : others) {
      const std::string whose =
          other.gpu == at ? "its own part" : "the part of " + gpuName(other.gpu);
      if (other.when <= story_.last()) {
        story_.note(whose + " was counted before it, at " + microseconds(other.when));
        continue;
      }
      if (const auto band = bandOf(other.gpu);
          band && other.gpu == at && band->when > story_.last() && band->when <= other.when) {
        story_.aside(band->when, "its own " + wg_ + " stores this wavefront");
      }
      story_.line(
          other.when, whose + " is counted",
          "waiting for " + (other.gpu == at ? gpuName(at) + " to compute its own part" : whose));
    }
    const std::uint32_t wanted = way_.route().updatesPerElement(GpuId{at}, way_.chunk());
    if (!missing.empty() && others.size() + 1 < wanted) {
      requests_.stands(missing);
      return false;
    }
    if (!missing.empty()) story_.note(missing);
    return way_.duty(at) == Route::Duty::Keeps ? reduced(at) : triggered(at);
  }

  std::string lacks(std::uint32_t gpu, std::uint32_t at,
                    const std::vector<const TileRequest*>& requests) const {
    const std::string whose =
        gpu == at ? "the own part of " + gpuName(at) : "the part of " + gpuName(gpu);
    if (!requests.empty()) {
      const TileRequest& request = requests_.slowest(requests);
      return "of " + whose + ", " + std::to_string(requests_.countedBytes(requests)) + " of " +
             counted(tileBytes_, "byte") + " are counted; request " +
             std::to_string(request.number) + " is " + requests_.whereIs(request) + ", since " +
             microseconds(request.steps.back().when);
    }
    if (gpu != at && way_.duty(gpu) == Route::Duty::Passes) {
      return whose + " has not been sent: follow it with --gpu " + std::to_string(gpu);
    }
    return whose + " has not been stored, " + std::to_string(record_.tilesDone(gpu)) + " of " +
           counted(way_.tiling().tiles(), "workgroup") + " of its GEMM are done";
  }

  static std::string nameOf(TileRange block) {
    if (block.count == 1) return "workgroup " + std::to_string(block.first);
    return "workgroups " + std::to_string(block.first) + " to " + std::to_string(block.end() - 1);
  }

  bool reduced(std::uint32_t at) {
    std::optional<Picoseconds> added = 0;
    for (const TileRequest& request : record_.requests()) {
      const bool here = record_.place(request.steps.back().place).gpu == static_cast<int>(at);
      if (request.read || !here || !added || request.bytesOf(RequestPhase::Counted) == 0) continue;
      const bool done = request.bytesOf(RequestPhase::Served) == request.bytes;
      added = done ? std::optional(std::max(*added, *request.last(RequestPhase::Served)))
                   : std::nullopt;
    }
    const auto complete = record_.blockCounted(at);
    const bool after = added && complete && *added > *complete;  // it counts what enters a queue
    const auto addition = [&] {
      if (added) story_.aside(*added, "its last addition is done in the memory of " + gpuName(at));
    };
    if (!after) addition();
    if (!complete) return standsBeforeItsBlock();
    story_.line(*complete, allCounted() + ": the sum is final", kRestOfBlock);
    if (after) addition();
    return true;
  }

  bool triggered(std::uint32_t at) {
    const auto complete = record_.blockCounted(at);
    if (!complete) return standsBeforeItsBlock();
    const Picoseconds rest = since(*complete, story_.last());
    const auto taken = record_.commandTaken(at);
    const auto issued = taken ? record_.triggered(at, taken->number) : std::nullopt;
    if (!issued) {
      story_.line(*complete, allCounted(), kRestOfBlock);
      requests_.stands("its command waits in the tracker until the DMA engine takes it");
      return false;
    }
    for (const auto& [when, stack] : record_.shares(at, taken->number)) {
      if (when <= *issued) story_.aside(when, "the unit of " + stack + " says its share");
    }
    story_.line(*issued,
                allCounted() + ": the tracker issues DMA command " + std::to_string(taken->number),
                "in the tracker", {{rest, kRestOfBlock}});
    return true;
  }

  bool standsBeforeItsBlock() {
    requests_.stands("this wavefront is complete, but not all of " + nameOf(way_.block()));
    return false;
  }

  std::string allCounted() const {
    return "all updates of " + nameOf(way_.block()) + " are counted";
  }

  bool sentOn(std::uint32_t from, std::uint32_t at) {
    story_.title(gpuName(from) + " sends the sum to " + gpuName(at));
    const auto taken = record_.commandTaken(from);
    const auto same = [&](const Event& event) { return event.number == taken->number; };
    story_.lineIfLater(taken->when, "the DMA engine takes the command",
                       "the DMA engine's queue was full");
    const auto begun = record_.find(from, TilePart::Dma, EventKind::CommandBegin, same);
    if (!begun) {
      requests_.stands("command " + std::to_string(taken->number) +
                       " waits for a channel of the DMA engine");
      return false;
    }
    story_.line(begun->when, "a channel of the DMA engine begins it",
                "DMA command latency and a free channel");
    return requests_.arrives(requests_.updates(from), from, at);
  }

  /// From the own sums of a row of tiles to the consumers' workgroups that read it.
  void released() {
    const std::string row = "row " + std::to_string(way_.row());
    story_.title(row + " of tiles is released, and read by the consumers");
    std::vector<std::pair<Picoseconds, std::string>> lines;
    std::string missing;
    const auto release = [&](std::uint32_t gpu, std::uint32_t slot, const std::string& to) {
      const auto event = record_.find(gpu, TilePart::Tracker, EventKind::Release,
                                      [&](const Event& one) { return one.number == slot; });
      if (event) {
        lines.emplace_back(event->when, gpuName(gpu) + " releases it to its " + to + ", row slot " +
                                            std::to_string(slot));
      } else {
        missing += (missing.empty() ? "" : "; ") + gpuName(gpu) + " has not released " + row +
                   " to its " + to;
      }
      return event.has_value();
    };
    if (const auto slot = record_.rowSlotOfNorm()) {
      release(way_.route().owner(way_.chunk()).value, *slot, "norm");
    }
    for (std::uint32_t gpu = 0; gpu < way_.route().gpus(); ++gpu) {
      if (!release(gpu, way_.row(), "consumer")) continue;
      if (const auto begin = record_.find(gpu, TilePart::Consumer, EventKind::TileBegin)) {
        lines.emplace_back(begin->when, "workgroup " + std::to_string(begin->workgroup.value) +
                                            " of its consumer gets workgroup slot " +
                                            std::to_string(begin->number) + " of " + gpuName(gpu));
      } else {
        missing += (missing.empty() ? "" : "; ") +
                   ("no workgroup of " + row + " has a workgroup slot of ") + gpuName(gpu);
      }
    }
    std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first; });
    for (const auto& [when, what] : lines) story_.aside(when, what);
    if (!missing.empty()) requests_.stands(missing);
  }

  const TileRecord& record_;
  const TileWay& way_;
  std::uint64_t tileBytes_;
  std::string wg_;
  StoryText story_;
  RequestStory requests_;
};

}  // namespace

std::string tileStory(const TileRecord& record) { return Teller(record).text(); }

}  // namespace t3
