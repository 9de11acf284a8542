// SPDX-License-Identifier: Apache-2.0
// The words of the twin's slots and their order, one rule of docs/tracker.md in each test.
#include "tlm/tracker/slot_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace t3;
using testing::ElementsAre;
using Outcome = SlotWords::Outcome;

/// A slot of one byte that gets it.
void finish(SlotWords& words, std::uint32_t slot) {
  ASSERT_TRUE(words.arm(slot, 1, false));
  ASSERT_EQ(words.take(slot, 1, true), Outcome::Done);
  words.queue(slot);
}

std::vector<std::uint32_t> showAll(SlotWords& words) {
  std::vector<std::uint32_t> shown;
  while (const auto next = words.show()) shown.push_back(next->slot);
  return shown;
}

TEST(SlotWords, IsDoneAtJustItsBytes) {
  SlotWords words(16, 4);
  words.arm(3, 10, false);
  EXPECT_EQ(words.take(3, 9, true), Outcome::Counted);
  EXPECT_EQ(words.missing(3), 1U);
  EXPECT_EQ(words.take(3, 1, true), Outcome::Done);
  EXPECT_TRUE(words.waits(3));
  EXPECT_EQ(words.waiting(), 1U);
  words.arm(4, 1, false);
  EXPECT_EQ(words.take(4, 1, false), Outcome::Done);
  EXPECT_FALSE(words.waits(4)) << "nobody is shown it";
}

TEST(SlotWords, MoreThanIsMissingSpoilsItUntilItIsArmed) {
  SlotWords words(16, 4);
  words.arm(3, 10, false);
  EXPECT_EQ(words.take(3, 11, true), Outcome::Overrun);
  EXPECT_TRUE(words.spoiled(3));
  EXPECT_EQ(words.take(3, 10, true), Outcome::Counted) << "changes nothing";
  EXPECT_TRUE(words.spoiled(3));
  EXPECT_TRUE(words.arm(3, 2, false));
  EXPECT_EQ(words.take(3, 2, true), Outcome::Done);
}

TEST(SlotWords, AStrayUpdateSpoilsOnlyASlotThatWaits) {
  SlotWords words(16, 4);
  EXPECT_EQ(words.take(3, 1, true), Outcome::Stray);
  EXPECT_FALSE(words.spoiled(3));
  finish(words, 3);
  EXPECT_EQ(words.take(3, 1, true), Outcome::Stray);
  EXPECT_TRUE(words.waits(3) && words.spoiled(3));
  EXPECT_EQ(words.take(3, 1, true), Outcome::Counted) << "not reported again";
  const auto shown = words.show();
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->spoiled);
  EXPECT_TRUE(words.spoiled(3));
  EXPECT_FALSE(words.waits(3));
}

TEST(SlotWords, WhatCountsOrWaitsIsArmedByForceAlone) {
  SlotWords words(16, 4);
  finish(words, 3);
  words.arm(4, 5, false);
  for (const std::uint32_t slot : {3U, 4U}) {
    EXPECT_FALSE(words.arm(slot, 0, false));
    EXPECT_TRUE(words.arm(slot, 0, true));
    EXPECT_EQ(words.missing(slot), 0U);
  }
  EXPECT_EQ(words.waiting(), 0U);
  EXPECT_THAT(showAll(words), testing::IsEmpty()) << "its place in the order says nothing";
}

TEST(SlotWords, AsManyAsHaveAPlaceLeaveInOrder) {
  SlotWords words(16, 4);
  for (const std::uint32_t slot : {9U, 2U, 14U, 0U}) finish(words, slot);
  EXPECT_THAT(showAll(words), ElementsAre(9U, 2U, 14U, 0U));
  EXPECT_TRUE(words.empty());
}

TEST(SlotWords, ThoseWithoutAPlaceAreFoundInTurnWithTheQueueEachOnce) {
  SlotWords words(16, 4);
  for (const std::uint32_t slot : {9U, 2U, 14U, 0U, 12U, 5U, 7U}) finish(words, slot);
  auto shown = showAll(words);
  EXPECT_EQ(shown.size(), 7U);
  EXPECT_TRUE(words.empty());
  EXPECT_EQ(words.waiting(), 0U);
  std::ranges::sort(shown);
  EXPECT_THAT(shown, ElementsAre(0U, 2U, 5U, 7U, 9U, 12U, 14U));
}

TEST(SlotWords, OneThatFindsNoPlaceBehindTheLookIsFoundByTheNextOne) {
  SlotWords words(16, 2);
  for (const std::uint32_t slot : {9U, 10U, 8U}) finish(words, slot);
  std::vector<std::uint32_t> shown;
  for (int i = 0; i < 2; ++i) shown.push_back(words.show()->slot);  // the look is beyond 8 now
  for (const std::uint32_t slot : {11U, 3U, 4U}) finish(words, slot);
  for (const std::uint32_t slot : showAll(words)) shown.push_back(slot);
  std::ranges::sort(shown);
  EXPECT_THAT(shown, ElementsAre(3U, 4U, 8U, 9U, 10U, 11U));
}

}  // namespace
