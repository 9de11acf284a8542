// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "Vmerge_associative.h"
#include "Vmerge_default.h"
#include "Vmerge_one.h"
#include "Vmerge_small.h"
#include "rtl_test/bits.h"
#include "rtl_test/simulated.h"
#include "tests/support/vectors.h"
#include "tlm/switch/merge_unit.h"

namespace t3::switch_test {

/// Sizes of a Verilated unit, as tests/switch/CMakeLists.txt has them.
template <class Model>
struct SizesOf;
struct Sizes {
  std::uint32_t sets, ways, dataBytes, lineBits, countBits, ageBits, credits;
};
template <>
struct SizesOf<Vmerge_default> {
  static constexpr Sizes kSizes = {128, 4, 128, 41, 7, 20, 8};
};
template <>
struct SizesOf<Vmerge_small> {
  static constexpr Sizes kSizes = {4, 2, 8, 9, 3, 8, 3};
};
template <>
struct SizesOf<Vmerge_one> {
  static constexpr Sizes kSizes = {1, 1, 4, 8, 5, 6, 1};
};
template <>
struct SizesOf<Vmerge_associative> {
  static constexpr Sizes kSizes = {1, 16, 4, 16, 6, 10, 16};
};

/// A flit as it was seen on the link.
struct Seen {
  std::uint64_t cycle = 0;
  bool write = false;
  MergeFlit flit;  ///< of a write: line and values
};

/// What the link's other end does with one class.
struct Receiver {
  std::optional<std::uint32_t> after = 1;  ///< cycles until a credit comes back; nothing: never
  std::uint32_t surplus = 0;               ///< credits that come for no flit

  void take(std::uint64_t cycle) {
    if (after) {
      due_.push_back(cycle + *after);
    } else {
      ++held_;
    }
  }
  /// At most one credit a cycle, and those that were held once they may come back again.
  bool credit(std::uint64_t cycle) {
    if (surplus != 0) {
      --surplus;
      return true;
    }
    if (!due_.empty() && due_.front() <= cycle) {
      due_.pop_front();
      return true;
    }
    if (after && held_ != 0) {
      --held_;
      return true;
    }
    return false;
  }
  /// Forgets what it has taken.
  void reset() {
    due_.clear();
    held_ = surplus = 0;
  }

 private:
  std::deque<std::uint64_t> due_;
  std::uint64_t held_ = 0;
};

/// The RTL and its twin side by side: every cycle brings both the same, and everything that they
/// show must be the same. What goes over the link is kept.
template <class Model>
class MergeBench {
 public:
  static constexpr Sizes kSizes = SizesOf<Model>::kSizes;

  explicit MergeBench(std::uint32_t expected, std::uint32_t age = 0)
      : config_{.sets = kSizes.sets,
                .ways = kSizes.ways,
                .credits = kSizes.credits,
                .expected = expected,
                .age = age},
        twin_(config_) {
    rtl_.model.expected_i = static_cast<CData>(expected);
    rtl_test::setBits(rtl_.model.age_i, 0, kSizes.ageBits, age);
    rtl_.model.drain_i = 0;
    reset();
  }

  /// What comes in this cycle.
  std::optional<MergeFlit> update;
  std::optional<MergeWrite> write;
  Receiver updates, writes;

  struct Cycle {
    bool updateTaken = false;
    bool writeTaken = false;
  };

  void expect(std::uint32_t expected) {
    config_.expected = expected;
    twin_.expect(expected);
    rtl_.model.expected_i = static_cast<CData>(expected);
  }
  void age(std::uint32_t age) {
    config_.age = age;
    twin_.age(age);
    rtl_test::setBits(rtl_.model.age_i, 0, kSizes.ageBits, age);
  }
  /// Reset in one cycle, whatever is going on; what was on the link of either class is forgotten.
  void reset() {
    rtl_.model.rst_ni = 0;
    record();
    rtl_.edge();
    rtl_.model.rst_ni = 1;
    rtl_.model.eval();
    twin_ = MergeUnit(config_);
    update.reset();
    write.reset();
    updates.reset();
    writes.reset();
  }
  void drain(bool draining) {
    twin_.drain(draining);
    rtl_.model.drain_i = draining;
  }

  /// A cycle. Takes what was taken out of `update` and `write`.
  Cycle clock() {
    auto& m = rtl_.model;
    m.upd_valid_i = update.has_value();
    if (update) {
      rtl_test::setBits(m.upd_line_i, 0, kSizes.lineBits, update->line);
      m.upd_count_i = static_cast<CData>(update->count);
      m.upd_format_i = static_cast<CData>(update->format);
      std::memcpy(&m.upd_data_i, update->values.data(), kSizes.dataBytes);
    }
    m.wr_valid_i = write.has_value();
    if (write) {
      rtl_test::setBits(m.wr_line_i, 0, kSizes.lineBits, write->line);
      std::memcpy(&m.wr_data_i, write->values.data(), kSizes.dataBytes);
    }
    const bool updateCredit = updates.credit(cycle_);
    const bool writeCredit = writes.credit(cycle_);
    m.credit_upd_i = updateCredit;
    m.credit_wr_i = writeCredit;
    m.eval();

    EXPECT_EQ(m.upd_ready_o, twin_.updateReady()) << "cycle " << cycle_;
    EXPECT_EQ(m.wr_ready_o, twin_.writeReady()) << "cycle " << cycle_;
    EXPECT_EQ(m.empty_o, twin_.empty()) << "cycle " << cycle_;
    record();
    const MergeUnit::OnLink link = twin_.onLink();
    EXPECT_EQ(m.link_valid_o, link.update || link.write) << "cycle " << cycle_;
    if (m.link_valid_o) see(link);

    const Cycle taken = {update && m.upd_ready_o, write && m.wr_ready_o};
    MergeUnit::Inputs inputs{update, write, updateCredit, writeCredit};
    if (taken.updateTaken) update.reset();
    if (taken.writeTaken) write.reset();
    twin_.clock(std::move(inputs));
    rtl_.edge();
    ++cycle_;
    return taken;
  }

  /// Cycles until the unit takes `flit`.
  std::uint64_t send(MergeFlit flit) {
    update = std::move(flit);
    const std::uint64_t from = cycle_;
    while (!clock().updateTaken) {
      if (cycle_ - from > 10000) {
        ADD_FAILURE() << "an update is never taken";
        update.reset();
        break;
      }
    }
    return cycle_ - from;
  }
  void clocks(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) clock();
  }
  /// Until nothing is inside, at most so many cycles.
  void settle(std::uint64_t most) {
    for (std::uint64_t i = 0; i < most && !rtl_.model.empty_o; ++i) clock();
    EXPECT_TRUE(rtl_.model.empty_o);
  }

  /// After reset the table is walked.
  void start() {
    clocks(kSizes.sets);
    EXPECT_TRUE(twin_.updateReady());
  }

  std::uint64_t cycle() const { return cycle_; }
  const MergeUnit& twin() const { return twin_; }
  bool empty() { return rtl_.model.empty_o; }
  std::vector<Seen> seen;
  bool differs() const { return testing::Test::HasFailure(); }

 private:
  /// In the order of merge_vectors_tb.sv.
  void record() {
    const Model& m = rtl_.model;
    vectors_.line(m.rst_ni, m.expected_i, m.age_i, m.drain_i, m.upd_valid_i, m.upd_line_i,
                  m.upd_count_i, m.upd_format_i, m.upd_data_i, m.wr_valid_i, m.wr_line_i,
                  m.wr_data_i, m.credit_upd_i, m.credit_wr_i, m.upd_ready_o, m.wr_ready_o,
                  m.link_valid_o, m.link_write_o, m.link_line_o, m.link_count_o, m.link_format_o,
                  m.link_data_o, m.empty_o);
  }
  void see(const MergeUnit::OnLink& link) {
    auto& m = rtl_.model;
    Seen flit{.cycle = cycle_, .write = m.link_write_o != 0, .flit = {}};
    flit.flit.line = m.link_line_o;
    flit.flit.values.resize(kSizes.dataBytes);
    std::memcpy(flit.flit.values.data(), &m.link_data_o, kSizes.dataBytes);
    EXPECT_EQ(flit.write, link.write != nullptr) << "cycle " << cycle_;
    if (flit.write) {
      flit.flit.count = 0;
      if (link.write) {
        EXPECT_EQ(flit.flit.line, link.write->line) << "cycle " << cycle_;
        EXPECT_EQ(flit.flit.values, link.write->values) << "cycle " << cycle_;
      }
      writes.take(cycle_);
    } else {
      flit.flit.count = m.link_count_o;
      flit.flit.format = static_cast<MergeFormat>(m.link_format_o);
      if (link.update) {
        EXPECT_EQ(flit.flit, *link.update) << "cycle " << cycle_;
      }
      updates.take(cycle_);
    }
    seen.push_back(std::move(flit));
  }

  rtl_test::Clocked<Model> rtl_;
  test::Vectors vectors_{rtl_.model.modelName()};
  MergeConfig config_;
  MergeUnit twin_;
  std::uint64_t cycle_ = 0;
};

inline std::vector<unsigned char> floats(std::size_t bytes, float value) {
  std::vector<unsigned char> values(bytes);
  for (std::size_t i = 0; i < bytes; i += sizeof value) {
    std::memcpy(values.data() + i, &value, sizeof value);
  }
  return values;
}

inline float firstFloat(const std::vector<unsigned char>& values) {
  float value = 0;
  std::memcpy(&value, values.data(), sizeof value);
  return value;
}

}  // namespace t3::switch_test
