// SPDX-License-Identifier: Apache-2.0
// Why the tracker spills. An untimed model of the whole ring, small enough to be searched: N GPUs
// with a finite number of workgroup slots produce their chunks in staggered order; stores go into
// in-order lanes; links hold a few tiles; a tracker table has E workgroup entries. With a table
// that refuses updates when it is full, real presets deadlock; with one that evicts, none does.
//
// Method: (1) one random interleaving of the real sizes, run until nothing can move, with a checker
// that then says who waits for whom; (2) every interleaving of tiny rings, as a search of all
// reachable states. The search needs no fairness: every step advances some tile and none goes back
// (evictions happen only as part of accepting an update), so runs are finite, and a ring in which
// no unfinished state is stuck always finishes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/support/seed.h"

namespace {

enum class Policy { Refuse, Spill };

struct RingConfig {
  std::uint32_t gpus;
  std::uint32_t tilesPerChunk;
  std::uint32_t slots;      ///< workgroups resident at once
  std::uint32_t entries;    ///< workgroup entries of one tracker
  std::uint32_t linkTiles;  ///< tiles a link holds that the receiver has not accepted
  Policy policy;
};

/// A tile as one GPU sees it: position k of its chunk in that GPU's order, times tilesPerChunk,
/// plus the place in the chunk. What leaves GPU g as (k, i) arrives at GPU g+1 as (k+1, i), so all
/// GPUs are alike and no chunk numbers are needed. k = 0 goes out untracked; k >= 1 gets two
/// updates, a local and an incoming one, and then goes out, unless k = N-1, which stays.
using Tile = std::uint16_t;

struct Gpu {
  std::uint32_t dispatched = 0;       ///< workgroups started so far, in order
  std::vector<Tile> running;          ///< in slots, store not yet begun
  std::vector<Tile> localLane;        ///< in slots, store waiting at the local lane, in order
  std::vector<Tile> link;             ///< to the next GPU, named as the receiver names them
  std::vector<Tile> dma;              ///< triggered, not yet on the link
  std::vector<std::uint8_t> updates;  ///< per tile
  std::vector<Tile> table;            ///< tiles with an entry
};

struct Step {
  enum Kind : std::uint8_t { Dispatch, StoreRemote, StoreLocal, AcceptLocal, Deliver, DmaSend };
  std::uint32_t gpu;
  Kind kind;
  std::uint32_t running = 0;  ///< which running workgroup stores
  std::uint32_t victim = 0;   ///< which entry makes room, if one must
};

class Ring {
 public:
  explicit Ring(const RingConfig& config) : config_(config), gpus_(config.gpus) {
    for (Gpu& gpu : gpus_) gpu.updates.resize(tiles());
  }

  std::uint32_t tiles() const { return config_.gpus * config_.tilesPerChunk; }

  bool finished() const {
    return std::all_of(gpus_.begin(), gpus_.end(), [this](const Gpu& gpu) {
      return gpu.dispatched == tiles() && used(gpu) == 0 && gpu.link.empty() && gpu.dma.empty() &&
             std::all_of(gpu.updates.begin() + config_.tilesPerChunk, gpu.updates.end(),
                         [](std::uint8_t count) { return count == 2; });
    });
  }

  /// All steps that can be taken now.
  void enabled(std::vector<Step>& steps) const {
    steps.clear();
    for (std::uint32_t g = 0; g < config_.gpus; ++g) {
      const Gpu& gpu = gpus_[g];
      if (gpu.dispatched < tiles() && used(gpu) < config_.slots)
        steps.push_back({g, Step::Dispatch});
      for (std::uint32_t i = 0; i < gpu.running.size(); ++i) {
        if (gpu.running[i] >= config_.tilesPerChunk) {
          steps.push_back({g, Step::StoreLocal, i});
        } else if (gpu.link.size() < config_.linkTiles) {
          steps.push_back({g, Step::StoreRemote, i});
        }
      }
      if (!gpu.localLane.empty())
        accepting({g, Step::AcceptLocal}, g, gpu.localLane.front(), steps);
      if (!gpu.link.empty()) accepting({g, Step::Deliver}, next(g), gpu.link.front(), steps);
      if (!gpu.dma.empty() && gpu.link.size() < config_.linkTiles) {
        steps.push_back({g, Step::DmaSend});
      }
    }
  }

  void take(const Step& step) {
    Gpu& gpu = gpus_[step.gpu];
    switch (step.kind) {
      case Step::Dispatch:
        gpu.running.push_back(static_cast<Tile>(gpu.dispatched++));
        break;
      case Step::StoreRemote:
        gpu.link.push_back(atReceiver(leave(gpu, step.running)));
        break;
      case Step::StoreLocal:
        gpu.localLane.push_back(leave(gpu, step.running));
        break;
      case Step::AcceptLocal:
        update(gpu, gpu.localLane.front(), step.victim);
        gpu.localLane.erase(gpu.localLane.begin());
        break;
      case Step::Deliver:
        update(gpus_[next(step.gpu)], gpu.link.front(), step.victim);
        gpu.link.erase(gpu.link.begin());
        break;
      case Step::DmaSend:
        gpu.link.push_back(atReceiver(gpu.dma.front()));
        gpu.dma.erase(gpu.dma.begin());
        break;
    }
  }

  std::uint64_t evictions() const { return evictions_; }

  /// The circle of waits in a stuck ring, one line each, from a resource to the next; empty if
  /// there is none.
  std::vector<std::string> whoWaitsForWhom() const;

  /// The state, the same for rings that differ only in where GPU 0 is.
  std::string key() const {
    std::vector<std::string> parts;
    for (const Gpu& gpu : gpus_) parts.push_back(keyOf(gpu));
    std::string best;
    for (std::size_t first = 0; first < parts.size(); ++first) {
      std::string text;
      for (std::size_t i = 0; i < parts.size(); ++i) text += parts[(first + i) % parts.size()];
      if (first == 0 || text < best) best = text;
    }
    return best;
  }

 private:
  enum class Part { Slots, Link, Table };
  using Resource = std::pair<Part, std::uint32_t>;

  static std::size_t used(const Gpu& gpu) { return gpu.running.size() + gpu.localLane.size(); }
  std::uint32_t next(std::uint32_t g) const { return (g + 1) % config_.gpus; }
  Tile atReceiver(Tile tile) const { return static_cast<Tile>(tile + config_.tilesPerChunk); }
  static bool has(const Gpu& gpu, Tile tile) {
    return std::find(gpu.table.begin(), gpu.table.end(), tile) != gpu.table.end();
  }
  bool refuses(const Gpu& gpu, Tile tile) const {
    return config_.policy == Policy::Refuse && gpu.table.size() == config_.entries &&
           !has(gpu, tile);
  }

  void accepting(Step step, std::uint32_t receiver, Tile tile, std::vector<Step>& steps) const {
    const Gpu& gpu = gpus_[receiver];
    if (refuses(gpu, tile)) return;
    if (has(gpu, tile) || gpu.table.size() < config_.entries) {
      steps.push_back(step);
      return;
    }
    for (step.victim = 0; step.victim < config_.entries; ++step.victim) steps.push_back(step);
  }

  static Tile leave(Gpu& gpu, std::uint32_t index) {
    const Tile tile = gpu.running[index];
    gpu.running.erase(gpu.running.begin() + index);
    return tile;
  }

  void update(Gpu& gpu, Tile tile, std::uint32_t victim) {
    if (++gpu.updates[tile] == 2) {
      // Complete, from the table or straight from its record: the command is queued, never waited
      // for.
      std::erase(gpu.table, tile);
      if (tile < tiles() - config_.tilesPerChunk) gpu.dma.push_back(tile);
      return;
    }
    if (gpu.table.size() == config_.entries) {
      gpu.table.erase(gpu.table.begin() + victim);
      ++evictions_;
    }
    gpu.table.push_back(tile);
  }

  static std::string keyOf(const Gpu& gpu) {
    std::string text;
    const auto list = [&text](auto items, bool ordered) {
      if (!ordered) std::sort(items.begin(), items.end());
      text += static_cast<char>(items.size());
      for (const auto item : items) text += static_cast<char>(item);
    };
    text += static_cast<char>(gpu.dispatched);
    list(gpu.running, false);
    list(gpu.localLane, true);
    list(gpu.link, true);
    list(gpu.dma, true);
    list(gpu.updates, true);
    list(gpu.table, false);
    return text;
  }

  std::vector<std::pair<Resource, std::string>> waits(const Resource& resource) const;

  RingConfig config_;
  std::vector<Gpu> gpus_;
  std::uint64_t evictions_ = 0;
};

/// What `resource` waits for in a stuck ring, with a sentence for people.
std::vector<std::pair<Ring::Resource, std::string>> Ring::waits(const Resource& resource) const {
  std::vector<std::pair<Resource, std::string>> result;
  const auto [part, g] = resource;
  const Gpu& gpu = gpus_[g];
  const std::string me = "GPU " + std::to_string(g);
  const std::string link = "link " + std::to_string(g) + " to " + std::to_string(next(g));
  switch (part) {
    case Part::Slots:
      if (!gpu.running.empty()) {
        result.push_back({{Part::Link, g}, "the workgroup slots of " + me + " wait for " + link});
      }
      if (!gpu.localLane.empty()) {
        result.push_back({{Part::Table, g},
                          "the workgroup slots of " + me + " wait for a tracker entry of " + me});
      }
      break;
    case Part::Link:
      if (!gpu.link.empty()) {
        result.push_back({{Part::Table, next(g)},
                          link + " waits for a tracker entry of GPU " + std::to_string(next(g))});
      }
      break;
    case Part::Table: {
      const std::uint32_t previous = (g + config_.gpus - 1) % config_.gpus;
      for (const Tile tile : gpu.table) {
        const bool localMissing =
            tile >= gpu.dispatched ||
            std::find(gpu.running.begin(), gpu.running.end(), tile) != gpu.running.end() ||
            std::find(gpu.localLane.begin(), gpu.localLane.end(), tile) != gpu.localLane.end();
        result.push_back(
            localMissing
                ? std::pair<Resource, std::string>{{Part::Slots, g},
                                                   "the tracker entries of " + me +
                                                       " wait for workgroup slots of " + me}
                : std::pair<Resource, std::string>{
                      {Part::Link, previous},
                      "the tracker entries of " + me + " wait for link " +
                          std::to_string(previous) + " to " + std::to_string(g)});
      }
      break;
    }
  }
  return result;
}

std::vector<std::string> Ring::whoWaitsForWhom() const {
  // Depth first along the waits; the first resource met twice closes the circle.
  std::vector<Resource> path;
  std::vector<std::string> reasons;
  std::map<Resource, bool> dead;
  const auto follow = [&](const auto& self, const Resource& resource) -> bool {
    const auto seen = std::find(path.begin(), path.end(), resource);
    if (seen != path.end()) {
      reasons.erase(reasons.begin(), reasons.begin() + (seen - path.begin()));
      return true;
    }
    if (dead[resource]) return false;
    path.push_back(resource);
    for (const auto& [to, reason] : waits(resource)) {
      reasons.push_back(reason);
      if (self(self, to)) return true;
      reasons.pop_back();
    }
    path.pop_back();
    dead[resource] = true;
    return false;
  };
  for (std::uint32_t g = 0; g < config_.gpus; ++g) {
    if (follow(follow, {Part::Slots, g})) return reasons;
  }
  return {};
}

struct Outcome {
  bool finished;
  std::uint64_t steps;
  std::uint64_t evictions;
  std::vector<std::string> circle;
};

/// One random interleaving to its end.
Outcome simulate(const RingConfig& config, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Ring ring(config);
  std::vector<Step> steps;
  std::uint64_t taken = 0;
  for (;; ++taken) {
    ring.enabled(steps);
    if (steps.empty()) break;
    ring.take(steps[random() % steps.size()]);
  }
  const bool finished = ring.finished();
  return {finished, taken, ring.evictions(),
          finished ? std::vector<std::string>{} : ring.whoWaitsForWhom()};
}

struct Search {
  std::uint64_t states = 0;
  std::uint64_t final = 0;
  std::uint64_t stuck = 0;  ///< unfinished states without a step
  std::vector<std::string> circle;
};

/// All interleavings.
Search explore(const RingConfig& config) {
  Search search;
  std::unordered_set<std::string> seen;
  std::vector<Ring> open;
  std::vector<Step> steps;
  open.emplace_back(config);
  seen.insert(open.back().key());
  while (!open.empty()) {
    const Ring ring = std::move(open.back());
    open.pop_back();
    ++search.states;
    ring.enabled(steps);
    if (steps.empty()) {
      if (ring.finished()) {
        ++search.final;
      } else if (search.stuck++ == 0) {
        search.circle = ring.whoWaitsForWhom();
      }
    }
    for (const Step& step : steps) {
      Ring after = ring;
      after.take(step);
      if (seen.insert(after.key()).second) open.push_back(std::move(after));
    }
  }
  return search;
}

// T-NLG FC-2: 8192 x 4256 is 64 x 34 = 2176 tiles of 128 x 128; Mega-GPT-2 FC-2: 16384 x 3072 is
// 128 x 24 = 3072. A link holds 64 KiB: two tiles.
constexpr RingConfig tNlgFc2Tp8(std::uint32_t entries, Policy policy) {
  return {8, 2176 / 8, 80, entries, 2, policy};
}
constexpr RingConfig megaGpt2Fc2Tp8(std::uint32_t entries, Policy policy) {
  return {8, 3072 / 8, 80, entries, 2, policy};
}

void expectRingOfWaits(const std::vector<std::string>& circle) {
  // slots → link → table → slots of every GPU once: nobody outside the ring is to blame.
  EXPECT_EQ(circle.size(), 24U);
  for (int g = 0; g < 8; ++g) {
    const std::string me = std::to_string(g), right = std::to_string((g + 1) % 8);
    EXPECT_THAT(circle, testing::Contains("the workgroup slots of GPU " + me + " wait for link " +
                                          me + " to " + right));
    EXPECT_THAT(circle, testing::Contains("link " + me + " to " + right +
                                          " waits for a tracker entry of GPU " + right));
    EXPECT_THAT(circle, testing::Contains("the tracker entries of GPU " + me +
                                          " wait for workgroup slots of GPU " + me));
  }
}

TEST(DeadlockModel, RefusingUpdatesDeadlocksTNlgFc2Tp8With128Workgroups) {
  const std::uint64_t seed = t3::test::seed(1);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Outcome outcome = simulate(tNlgFc2Tp8(128, Policy::Refuse), seed + i);
    EXPECT_FALSE(outcome.finished);
    expectRingOfWaits(outcome.circle);
  }
}

TEST(DeadlockModel, RefusingUpdatesDeadlocksMegaGpt2Fc2Tp8WithThePapersTable) {
  const std::uint64_t seed = t3::test::seed(2);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Outcome outcome = simulate(megaGpt2Fc2Tp8(256, Policy::Refuse), seed + i);
    EXPECT_FALSE(outcome.finished);
    expectRingOfWaits(outcome.circle);
  }
}

TEST(DeadlockModel, TheCheckerIsSilentWhenTheTableHoldsWhatIsLive) {
  const std::uint64_t seed = t3::test::seed(3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Outcome tNlg = simulate(tNlgFc2Tp8(2 * 272, Policy::Refuse), seed + i);
    EXPECT_TRUE(tNlg.finished) << testing::PrintToString(tNlg.circle);
    const Outcome megaGpt2 = simulate(megaGpt2Fc2Tp8(2 * 384, Policy::Refuse), seed + i);
    EXPECT_TRUE(megaGpt2.finished) << testing::PrintToString(megaGpt2.circle);
  }
}

TEST(DeadlockModel, SpillingFinishesWithATableOfAnySize) {
  const std::uint64_t seed = t3::test::seed(4);
  for (std::uint32_t entries : {1U, 2U, 3U, 5U, 8U, 13U, 16U, 32U, 64U, 128U, 256U, 512U}) {
    const Outcome tNlg = simulate(tNlgFc2Tp8(entries, Policy::Spill), seed + entries);
    EXPECT_TRUE(tNlg.finished) << entries << testing::PrintToString(tNlg.circle);
    const Outcome megaGpt2 = simulate(megaGpt2Fc2Tp8(entries, Policy::Spill), seed + entries);
    EXPECT_TRUE(megaGpt2.finished) << entries << testing::PrintToString(megaGpt2.circle);
    if (entries <= 64) {
      EXPECT_GT(tNlg.evictions, 0U) << entries;
      EXPECT_GT(megaGpt2.evictions, 0U) << entries;
    }
  }
}

// Every interleaving. A ring of refusing trackers can get stuck when a chunk has as many tiles as
// entries, link places and slots together, because then the neighbour's first chunk fills them all,
// and also when workgroups that overtake one another fill the table with tiles nobody sends yet
// (the ring of one tile per chunk). The rings below lie on both sides of that.
constexpr RingConfig kTooSmallToStick[] = {{2, 2, 1, 1, 1, {}}, {3, 2, 1, 1, 1, {}}};
constexpr RingConfig kLargeEnoughToStick[] = {{2, 4, 1, 1, 1, {}},
                                              {2, 4, 2, 1, 1, {}},
                                              {2, 5, 1, 2, 1, {}},
                                              {3, 3, 1, 1, 1, {}},
                                              {3, 1, 2, 1, 1, {}}};

Search exploreAndSay(RingConfig config, Policy policy) {
  config.policy = policy;
  const Search search = explore(config);
  std::cout << config.gpus << " GPUs, " << config.tilesPerChunk << " tiles per chunk, "
            << config.slots << " slots, " << config.entries << " entries: " << search.states
            << " states, " << search.stuck << " stuck\n";
  return search;
}

TEST(DeadlockModel, EveryInterleavingOfTinyRingsFinishesWithSpilling) {
  for (const auto& rings : {std::span<const RingConfig>(kTooSmallToStick),
                            std::span<const RingConfig>(kLargeEnoughToStick)}) {
    for (const RingConfig& config : rings) {
      const Search search = exploreAndSay(config, Policy::Spill);
      EXPECT_EQ(search.stuck, 0U) << testing::PrintToString(search.circle);
      EXPECT_EQ(search.final, 1U) << "all interleavings end alike";
      EXPECT_GT(search.states, 100U);
    }
  }
}

TEST(DeadlockModel, SomeInterleavingOfTinyRingsDeadlocksWithRefusing) {
  for (const RingConfig& config : kLargeEnoughToStick) {
    const Search search = exploreAndSay(config, Policy::Refuse);
    EXPECT_GT(search.stuck, 0U);
    EXPECT_FALSE(search.circle.empty());
  }
}

TEST(DeadlockModel, NoInterleavingOfRingsBelowThatSizeDeadlocksEvenWithRefusing) {
  for (const RingConfig& config : kTooSmallToStick) {
    const Search search = exploreAndSay(config, Policy::Refuse);
    EXPECT_EQ(search.stuck, 0U) << testing::PrintToString(search.circle);
    EXPECT_EQ(search.final, 1U);
  }
}

}  // namespace
