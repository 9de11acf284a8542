// SPDX-License-Identifier: Apache-2.0
// Method: the error registers by themselves, against a model in the test. Counts near their maximum
// are loaded (poke.vlt).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "Verrors.h"
#include "Verrors___024root.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
namespace {

constexpr std::uint32_t kCauses = 13;
constexpr std::uint32_t kMost = 0xff;
constexpr std::uint32_t kTileWidth = 65;
using Tile = std::array<std::uint32_t, 3>;

Tile randomTile(Random& random) {
  return {random.below(1ull << 32), random.below(1ull << 32), random.below(2)};
}

void setTile(Verrors& m, std::uint32_t cause, const Tile& tile) {
  for (std::uint32_t word = 0; word < tile.size(); ++word)
    setBits(m.tile_i, cause * kTileWidth + word * 32, word < 2 ? 32 : 1, tile[word]);
}

template <class Words>
std::uint32_t countOf(const Words& counts, std::uint32_t cause) {
  return counts[cause / 4] >> (8 * (cause % 4)) & kMost;
}

void setCount(Verrors& m, std::uint32_t cause, std::uint32_t count) {
  setBits(m.rootp->t3_errors__DOT__counts_o, cause * 8, 8, count);
}

TEST(Errors, AgreeWithAModelUnderRandomEventsAndClears) {
  Random random(testSeed(71));
  Clocked<Verrors> errors;
  auto& m = errors.model;
  std::uint32_t bits = 0;
  std::array<std::uint32_t, kCauses> counts{};
  std::optional<std::pair<std::uint32_t, Tile>> first;
  std::uint32_t captured = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    // Often one cause alone: of several, the lowest one is kept.
    const std::uint32_t some =
        random.chance(50) ? 1u << random.below(kCauses) : random.below(1u << kCauses);
    m.event_i = static_cast<SData>(random.chance(30) ? some : 0);
    std::array<Tile, kCauses> tiles;
    for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
      tiles[cause] = randomTile(random);
      setTile(m, cause, tiles[cause]);
    }
    m.forget_i = static_cast<SData>(random.chance(20) ? random.below(1u << kCauses) : 0);
    m.rearm_i = random.chance(10);
    m.clear_i = random.chance(1);
    errors.edge();
    if (m.clear_i) {
      bits = 0;
      counts.fill(0);
      first.reset();
    } else {
      bits = (bits & ~m.forget_i) | m.event_i;
      if (m.rearm_i) first.reset();
      for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
        if ((m.event_i >> cause & 1) == 0) continue;
        if (counts[cause] != kMost) ++counts[cause];
        if (first) continue;
        first = {cause, tiles[cause]};
        ++captured;
      }
    }
    ASSERT_EQ(m.errors_o, bits);
    for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
      ASSERT_EQ(countOf(m.counts_o, cause), counts[cause]);
    }
    ASSERT_EQ(m.first_valid_o != 0, first.has_value());
    if (!first) continue;
    ASSERT_EQ(m.first_cause_o, first->first);
    for (std::uint32_t word = 0; word < first->second.size(); ++word)
      ASSERT_EQ(m.first_tile_o[word], first->second[word]);
  }
  EXPECT_GT(captured, 200u);
}

TEST(Errors, ACountStaysAtItsMaximumAndItsNeighboursCountOn) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
    for (std::uint32_t other = 0; other < kCauses; ++other) setCount(m, other, 0);
    setCount(m, cause, kMost - 1);
    m.event_i = static_cast<SData>(1u << cause);
    for (int i = 0; i < 3; ++i) errors.edge();
    for (std::uint32_t other = 0; other < kCauses; ++other)
      ASSERT_EQ(countOf(m.counts_o, other), other == cause ? kMost : 0u);
    m.event_i = static_cast<SData>(1u << (cause + 1) % kCauses);
    errors.edge();
    ASSERT_EQ(countOf(m.counts_o, (cause + 1) % kCauses), 1u);
  }
}

TEST(Errors, ResetForgetsThem) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  m.event_i = 0x1fff;
  errors.edge();
  EXPECT_EQ(m.errors_o, 0x1fff);
  m.event_i = 0;
  m.rst_ni = 0;
  errors.edge();
  EXPECT_EQ(m.errors_o, 0u);
  for (std::uint32_t cause = 0; cause < kCauses; ++cause) EXPECT_EQ(countOf(m.counts_o, cause), 0u);
  EXPECT_FALSE(m.first_valid_o);
}

}  // namespace
}  // namespace t3::rtl_test
