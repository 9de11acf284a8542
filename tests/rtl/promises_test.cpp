// SPDX-License-Identifier: Apache-2.0
// Method: random traffic that never rests, of several regions, while software arms and reads slots,
// stops, aborts, changes and starts regions again, and tries what is refused. What the unit must
// then have done is kept here as docs/tracker.md says it, by sums and bounds, without a model of
// the unit: every slot is armed with b bytes, and exactly b are sent for it. So it is done once,
// not before the last of them was taken; a region that is stopped counts what its slots read, from
// then on nothing; at the end all counts add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::promises_test {
namespace {

namespace r = registers;

constexpr std::uint32_t kOk = TrackTriggerBench::kOkay, kError = TrackTriggerBench::kSlvErr;
/// In this time an update that was taken has gone its way, whatever the neighbours do.
constexpr std::uint64_t kSettled = 600;
/// Of a row: far more than are done.
constexpr std::uint32_t kRowCount = 16'000;
/// Bits of SLOT.
constexpr std::uint32_t kMissing = 0x7ff'ffff;

struct Plan {
  std::uint32_t slots = 8;  ///< of a region, at most
  std::uint32_t maxBytes = 2000;
  std::uint32_t offerPercent = 90, donePercent = 50, relPercent = 50;
};

class Promises {
 public:
  Promises(const Unit& unit, std::uint64_t seed, const Plan& plan)
      : plan_(plan), bench_(unit), random_(seed), size_(unit.size), tags_(size_.lanes) {}

  std::uint64_t run(std::uint64_t updates) {
    bench_.waitOpen();
    bench_.doneReady = [this] { return random_.chance(plan_.donePercent); };
    bench_.releaseReady = [this] { return random_.chance(plan_.relPercent); };
    bench_.offer = [this](std::uint32_t) { return random_.chance(plan_.offerPercent); };
    bench_.axiDelay = [this] { return random_.chance(80) ? 0u : random_.below(4); };
    program();
    while (bench_.accepted < updates && !testing::Test::HasFailure()) step();
    finish();
    return bench_.accepted;
  }
  std::uint64_t aborts = 0, rearmed = 0;

 private:
  struct Block {
    std::uint32_t region = 0, slot = 0, firstId = 0, ids = 0, row = 0;
    std::uint32_t armed = 0, unsent = 0, taken = 0;  ///< bytes, of this arming
    std::uint32_t arming = 0;
    bool shown = false;        ///< this arming's completion
    bool mayShow = false;      ///< the port may hold the one of the arming before
    std::uint32_t frozen = 0;  ///< what SLOT reads while the region is stopped
  };
  struct Range {
    std::vector<std::uint32_t> blocks;
    bool on = false, trigger = false, rows = false;
    std::uint32_t window = 0, done = 0;
    std::uint64_t stopped = 0;  ///< the cycle in which it was stopped
    std::uint32_t queued = 0;   ///< updates of it that no lane has taken
  };
  struct Tag {
    std::uint32_t block = 0, arming = 0, weight = 0;
    bool tracked = false;
  };

  // ---- what the lanes have taken --------------------------------------------------------------
  /// `stopping`: a region that is stopped meanwhile.
  void collect(std::uint32_t stopping = ~0u) {
    for (std::uint32_t lane = 0; lane < size_.lanes; ++lane) {
      while (tags_[lane].size() > bench_.lanes[lane].size()) {
        const Tag tag = tags_[lane].front();
        tags_[lane].pop_front();
        if (!tag.tracked) {
          ++untracked_;
          continue;
        }
        Block& block = blocks_[tag.block];
        Range& range = ranges_[block.region];
        --range.queued;
        if (block.region == stopping) {
          ++mayBeDropped_;
        } else if (!range.on) {
          ++dropped_;
        }
        if (tag.arming == block.arming && (range.on || block.region == stopping))
          block.taken += tag.weight;
      }
    }
    for (; shown_ < bench_.done.size(); ++shown_) show(bench_.done[shown_]);
  }

  void show(const Done& done) {
    ASSERT_FALSE(done.spoiled) << "slot " << done.slot;
    const auto found = std::ranges::find(blocks_, done.slot, &Block::slot);
    ASSERT_NE(found, blocks_.end()) << "slot " << done.slot << " is nobody's";
    ASSERT_TRUE(ranges_[found->region].trigger) << "slot " << done.slot;
    // One that was forgotten may have stood at the port.
    if (!found->shown && found->taken == found->armed) {
      found->shown = true;
      return;
    }
    ASSERT_TRUE(found->mayShow) << "slot " << done.slot
                                << (found->shown ? " is shown twice"
                                                 : " is done before its bytes came");
    found->mayShow = false;
  }

  // ---- producers ------------------------------------------------------------------------------
  void feed() {
    for (std::uint32_t lane = 0; lane < size_.lanes; ++lane) {
      for (int tries = 0; bench_.lanes[lane].size() < 4 && tries < 8; ++tries) {
        if (random_.chance(3)) {
          push(lane, {random_.below(size_.workgroups()), 0, 0x10'0000, 1}, {});
          continue;
        }
        if (random_.chance(10)) next_ = random_.below(blocks_.size());
        Block& block = blocks_[next_];
        Range& range = ranges_[block.region];
        // A store that comes late, for a region that is stopped.
        const bool late = !range.on && bench_.cycle < range.stopped + 100;
        if ((range.on && block.unsent == 0) || (!range.on && !late)) {
          next_ = random_.below(blocks_.size());
          continue;
        }
        const std::uint32_t most =
            std::min(range.on ? block.unsent : size_.mostWeight(), size_.mostWeight());
        const std::uint32_t weight = random_.chance(50) ? most : random_.between(1, most);
        const std::uint32_t id = block.firstId + random_.below(block.ids);
        if (range.on) block.unsent -= weight;
        ++range.queued;
        push(lane,
             {id / size_.wavefronts(), id % size_.wavefronts(), 0x10'0000 + range.window * 0x2000u,
              weight},
             {next_, block.arming, weight, true});
      }
    }
  }
  void push(std::uint32_t lane, Update update, Tag tag) {
    if (!tag.tracked) update.address = random_.below(0x10'0000);  // before all windows
    bench_.lanes[lane].push_back(update);
    tags_[lane].push_back(tag);
  }

  // ---- software -------------------------------------------------------------------------------
  void program() {
    const std::uint32_t waves = size_.wavefronts();
    for (std::uint32_t w = 0; w < size_.windows; ++w)
      bench_.program(w, TrackTriggerBench::Window{0x100 + 2 * w, 0x101 + 2 * w});
    bench_.enable();
    std::uint32_t slot = 0, wg = 0, row = 0;
    for (std::uint32_t i = 0; i < size_.regions; ++i) {
      const std::uint32_t shift = random_.below(size_.wfWidth + 2);
      const std::uint32_t count = std::min(random_.between(1, plan_.slots), size_.slots - slot);
      const std::uint32_t groups = ((count << shift) + waves - 1) / waves;
      const std::uint32_t perRow = random_.between(1, 4);
      const std::uint32_t rows = (count + perRow - 1) / perRow;
      if (count == 0 || wg + groups > size_.workgroups() || row + rows > size_.rows) break;
      Range range;
      range.window = random_.below(size_.windows);
      range.trigger = random_.chance(70);
      range.rows = random_.chance(60);
      settings_.push_back({.window = range.window,
                           .wgFirst = wg,
                           .wgLast = wg + groups - 1,
                           .shift = shift,
                           .slotFirst = slot,
                           .slotLast = slot + count - 1,
                           .trigger = range.trigger,
                           .firstRow = range.rows ? std::optional(row) : std::nullopt,
                           .blocksPerRow = perRow});
      for (std::uint32_t b = 0; b < count; ++b) {
        Block block;
        block.region = i;
        block.slot = slot + b;
        block.firstId = wg * waves + (b << shift);
        block.ids = std::min(1u << shift, groups * waves - (b << shift));
        block.row = row + b / perRow;
        range.blocks.push_back(static_cast<std::uint32_t>(blocks_.size()));
        blocks_.push_back(block);
      }
      ranges_.push_back(range);
      slot += count;
      wg += groups;
      if (range.rows) {
        for (std::uint32_t k = 0; k < rows; ++k) bench_.set(r::row(row + k), kRowCount);
        rowDone_.resize(row + rows);
        row += rows;
      }
      bench_.program(i, settings_[i]);
      bench_.setState(i, State::Stopped);
      arm(i);
      bench_.setState(i, State::On);
      ranges_[i].on = true;
    }
  }

  /// All slots of a region that is stopped.
  void arm(std::uint32_t index) {
    const std::uint32_t usual = random_.between(1, plan_.maxBytes);
    bench_.fill(index, usual);
    for (const std::uint32_t number : ranges_[index].blocks) {
      const bool own = random_.chance(20);
      const std::uint32_t bytes = own ? random_.between(1, plan_.maxBytes) : usual;
      if (own) bench_.set(r::slot(blocks_[number].slot), bytes);
      begin(blocks_[number], bytes);
    }
  }
  static void begin(Block& block, std::uint32_t bytes) {
    block.mayShow |= block.armed != 0 && block.taken == block.armed && !block.shown;
    block.armed = block.unsent = bytes;
    block.taken = 0;
    block.shown = false;
    ++block.arming;
  }
  void count(Block& block) {
    ++ranges_[block.region].done;
    ++completed_;
    if (ranges_[block.region].trigger) ++triggers_;
    if (ranges_[block.region].rows) ++rowDone_[block.row];
  }

  void step() {
    feed();
    const std::uint32_t index = random_.below(ranges_.size());
    Range& range = ranges_[index];
    Block& block = blocks_[range.blocks[random_.below(range.blocks.size())]];
    switch (random_.below(range.on ? 12 : 6)) {
      case 0:
        if (range.on) {
          readSlot(block);
        } else {
          restart(index);
        }
        break;
      case 1:
        if (range.on && random_.chance(15)) stop(index);
        if (!range.on) restart(index);
        break;
      case 2:
        refused(index);
        break;
      case 3:
        bench_.set(r::region(index) + r::kRegTarget, random_.below(200));
        break;
      case 4:
        bench_.set(random_.chance(50) ? r::kRegionDone : r::kIrqStatus, random_.below(1u << 16));
        break;
      default:
        if (range.on && (range.trigger ? block.shown : block.taken == block.armed)) {
          again(block);
        } else {
          bench_.ticks(random_.between(1, 20));
        }
    }
    collect();
  }

  void readSlot(Block& block) {
    const std::uint32_t word = bench_.read(r::slot(block.slot));
    const bool wasDone = block.taken == block.armed;
    collect();
    EXPECT_EQ(word & r::kSlotSpoiled, 0u);
    const std::uint32_t missing = word & kMissing;
    EXPECT_GE(missing, block.armed - block.taken)
        << "slot " << block.slot << " counts what was not sent";
    EXPECT_LE(missing, block.armed) << "slot " << block.slot;
    if ((word & r::kSlotWaits) != 0) {
      EXPECT_TRUE(wasDone || block.taken == block.armed) << "slot " << block.slot;
    }
  }

  /// Arms a slot of a running region anew, if it is idle.
  void again(Block& block) {
    const std::uint32_t word = bench_.read(r::slot(block.slot));
    collect();
    if (word != 0) return;  // still on its way
    const std::uint32_t bytes = random_.between(1, plan_.maxBytes);
    EXPECT_EQ(bench_.write(r::slot(block.slot), bytes), kOk) << "slot " << block.slot << " is idle";
    collect();
    count(block);
    block.shown = true;  // or it does not trigger
    ++rearmed;
    begin(block, bytes);
  }

  void refused(std::uint32_t index) {
    const std::uint32_t offset = r::kRegCtrl + 4 * random_.below(8);
    EXPECT_EQ(bench_.write(r::region(index) + offset, random_.below(1u << 27)), kError);
    ++inUse_;
    if (!ranges_[index].on) return;
    EXPECT_EQ(bench_.write(r::kFill, index << r::kFillRegionShift | 1u), kError);
    EXPECT_EQ(bench_.write(r::window(ranges_[index].window), random_.below(1000)), kError);
    inUse_ += 2;
  }

  void stop(std::uint32_t index) {
    collect();
    bench_.setState(index, State::Stopped);
    collect(index);
    // Those that are inside, in the lanes and joined for the banks.
    mayBeDropped_ += size_.lanes * (size_.laneDepth + 3 + 3 * size_.banks);
    Range& range = ranges_[index];
    range.on = false;
    range.stopped = bench_.cycle;
    for (const std::uint32_t number : range.blocks) {
      Block& block = blocks_[number];
      block.frozen = bench_.read(r::slot(block.slot)) & kMissing;
      collect();
      EXPECT_GE(block.frozen, block.armed - block.taken) << "slot " << block.slot;
    }
  }

  /// A region that was stopped long ago: nothing has counted since; it is aborted and begins again.
  void restart(std::uint32_t index) {
    Range& range = ranges_[index];
    if (range.queued > 0 || bench_.cycle < range.stopped + kSettled + 100) {
      bench_.ticks(10);
      return;
    }
    for (const std::uint32_t number : range.blocks) {
      Block& block = blocks_[number];
      const std::uint32_t missing = bench_.read(r::slot(block.slot)) & kMissing;
      collect();
      EXPECT_EQ(missing, block.frozen)
          << "slot " << block.slot << " counts while its region is stopped";
      if (missing == 0) {
        EXPECT_EQ(block.taken, block.armed) << "slot " << block.slot;
        count(block);
      } else {
        block.taken = block.armed + 1;  // was not done: nothing of it is shown
      }
    }
    if (random_.chance(50)) {
      bench_.fill(index, 0);
      for (const std::uint32_t number : range.blocks)
        EXPECT_EQ(bench_.read(r::slot(blocks_[number].slot)), 0u);
    }
    if (random_.chance(50)) {
      bench_.setState(index, State::Off);
      bench_.set(r::region(index) + r::kRegRowReciprocal,
                 ((1u << 26) + settings_[index].blocksPerRow - 1) / settings_[index].blocksPerRow);
      bench_.setState(index, State::Stopped);
    }
    arm(index);
    collect();
    EXPECT_EQ(bench_.write(r::region(index) + r::kRegState, 1), kOk);
    collect();
    range.on = true;
    ++aborts;
  }

  // ---- at the end -----------------------------------------------------------------------------
  void finish() {
    for (std::uint32_t i = 0; i < 2'000'000 && !testing::Test::HasFailure(); ++i) {
      const bool sent = std::ranges::all_of(
          blocks_, [this](const Block& b) { return !ranges_[b.region].on || b.unsent == 0; });
      if (sent && bench_.lanesEmpty()) break;
      if (!sent) feed();
      bench_.ticks(10);
      collect();
    }
    ASSERT_TRUE(bench_.drain(2'000'000));
    collect();
    for (Block& block : blocks_) {
      const Range& range = ranges_[block.region];
      const std::uint32_t missing = bench_.read(r::slot(block.slot));
      if (range.on) {
        ASSERT_EQ(missing, 0u) << "slot " << block.slot;
        ASSERT_EQ(block.taken, block.armed);
        ASSERT_EQ(block.shown, range.trigger) << "slot " << block.slot;
        count(block);
      } else if (missing == 0) {
        count(block);
      }
    }
    for (std::uint32_t i = 0; i < ranges_.size(); ++i)
      EXPECT_EQ(bench_.read(r::region(i) + r::kRegDone), ranges_[i].done & 0xffffu)
          << "region " << i;
    for (std::uint32_t row = 0; row < rowDone_.size(); ++row)
      EXPECT_EQ(bench_.read(r::row(row)), kRowCount - rowDone_[row]) << "row " << row;
    EXPECT_EQ(bench_.read64(r::kCompleted), completed_);
    EXPECT_EQ(bench_.read64(r::kTriggers), triggers_);
    EXPECT_EQ(bench_.read64(r::kTaken), bench_.done.size());
    EXPECT_EQ(bench_.read64(r::kStalls), bench_.stalled);
    EXPECT_EQ(bench_.read64(r::kUntracked), untracked_);
    const std::uint64_t dropped = bench_.read64(r::kDropped);
    EXPECT_GE(dropped, dropped_);
    EXPECT_LE(dropped, dropped_ + mayBeDropped_);
    EXPECT_EQ(bench_.read64(r::kUpdates) + dropped + untracked_, bench_.accepted);
    EXPECT_GT(aborts, 0u);
    EXPECT_GT(rearmed, 0u);
    for (std::uint32_t cause = 0; cause < kCauses; ++cause)
      EXPECT_EQ(bench_.read(r::errorCount(cause)),
                cause == kInUse ? std::min(inUse_, std::uint64_t{255}) : 0u)
          << "cause " << cause;
  }

  Plan plan_;
  TrackTriggerBench bench_;
  Random random_;
  UnitSize size_;
  std::vector<std::deque<Tag>> tags_;
  std::vector<TrackTriggerBench::Region> settings_;
  std::vector<Range> ranges_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> rowDone_;
  std::uint32_t next_ = 0;
  std::size_t shown_ = 0;
  std::uint64_t untracked_ = 0, dropped_ = 0, mayBeDropped_ = 0, completed_ = 0, triggers_ = 0,
                inUse_ = 0;
};

/// `updates` of each round.
void run(const Unit& unit, std::uint64_t fallback, std::uint64_t updates, const Plan& plan) {
  const std::uint64_t seed = testSeed(fallback), rounds = testRounds(1);
  std::uint64_t all = 0, aborts = 0, rearmed = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    SCOPED_TRACE("alone: T3_TEST_ROUNDS=1 T3_TEST_SEED=" + std::to_string(seed + i));
    Promises promises(unit, seed + i, plan);
    all += promises.run(updates);
    aborts += promises.aborts;
    rearmed += promises.rearmed;
    if (testing::Test::HasFailure()) return;
  }
  std::cout << all << " updates, " << aborts << " regions aborted and begun again, " << rearmed
            << " slots armed while their region is on\n";
}

TEST(RandomPromises, HoldInATinyUnitWhoseRegionsAreStoppedAndAborted) {
  run(kTinyUnit, 101, 40'000, {});
}
TEST(RandomPromises, HoldInATinyUnitWhoseQueueOverflows) {
  run(kTinyUnit, 102, 20'000, {.maxBytes = 150, .donePercent = 3, .relPercent = 3});
}
TEST(RandomPromises, HoldInSixteenRegionsAndLanes) {
  run(kWideUnit, 103, 60'000, {.slots = 16, .maxBytes = 20'000});
}
TEST(RandomPromises, HoldInOneLaneAndSixteenBanks) {
  run(kNarrowUnit, 104, 20'000, {.slots = 40, .maxBytes = 30'000});
}
TEST(RandomPromises, HoldAtTheDefaultSize) { run(kDefaultUnit, 105, 60'000, {.slots = 100}); }

}  // namespace
}  // namespace t3::rtl_test::promises_test
