// SPDX-License-Identifier: Apache-2.0
// The text that `follow` prints. Method: stories of a few lines are told here, and compared letter
// by letter with what must be read: times in microseconds, waits in nanoseconds, and their sum.
#include <gtest/gtest.h>

#include <string>

#include "testbench/follow/request_story.h"

namespace t3::story_test {
namespace {

TEST(StoryText, HasTimesInMicrosecondsAndWaitsInNanoseconds) {
  StoryText story;
  story.line(1'234'567, "begins", "not yet");
  story.line(1'240'049, "goes on", "the way");
  story.line(1'300'000, "arrives", "the rest", {{9'951, "credit"}, {10'000, "others"}});
  EXPECT_EQ(story.text(),
            "         1.235               begins   [not yet]\n"
            "         1.240        +5.5   goes on   [the way]\n"
            "         1.300       +60.0   arrives   [10.0 ns credit, 10.0 ns others, 40.0 ns the "
            "rest]\n");
  EXPECT_EQ(story.last(), 1'300'000U);
}

TEST(StoryText, NeverSpendsMoreThanPassed) {
  StoryText story;
  story.line(1'000, "begins", "");
  story.line(3'000, "waits", "nothing", {{1'500, "first"}, {1'500, "second"}});
  EXPECT_EQ(story.text(),
            "         0.001               begins\n"
            "         0.003        +2.0   waits   [1.5 ns first, 0.5 ns second]\n");
}

TEST(StoryText, WritesALineThatIsOnlyWorthItIfTimePassed) {
  StoryText story;
  story.line(5'000, "begins", "");
  story.lineIfLater(5'000, "at once", "?");
  story.lineIfLater(5'001, "a little later", "?");
  EXPECT_EQ(story.text(),
            "         0.005               begins\n"
            "         0.005        +0.0   a little later   [?]\n");
}

TEST(StoryText, AddsUpWaitsFromItsStartWithTheLongestFirst) {
  StoryText story;
  story.line(1'000'000, "before", "not counted");
  story.startSum();
  EXPECT_FALSE(story.hasSum());
  story.line(1'250'000, "one", "short");
  story.line(2'000'000, "two", "long");
  story.line(2'000'000, "at once", "nothing");
  story.line(2'000'001, "three", "short");
  const std::size_t lines = story.text().size();
  story.sum();
  EXPECT_EQ(story.text().substr(lines),
            "\n1.000 us from its store to here, by what it waited for:\n"
            "         0.750 us  75.0%   long\n"
            "         0.250 us  25.0%   short\n");
}

TEST(StoryText, NumbersAreWrittenLikeThis) {
  EXPECT_EQ(microseconds(1'499), "0.001 us");
  EXPECT_EQ(microseconds(1'501), "0.002 us");
  EXPECT_EQ(hexadecimal(0x224480), "0x224480");
  EXPECT_EQ(counted(0, "byte"), "0 bytes");
  EXPECT_EQ(counted(1, "byte"), "1 byte");
  EXPECT_EQ(counted(2, "byte"), "2 bytes");
  EXPECT_EQ(since(5, 3), 2U);
  EXPECT_EQ(since(3, 5), 0U);
}

}  // namespace
}  // namespace t3::story_test
