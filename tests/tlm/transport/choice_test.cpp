// SPDX-License-Identifier: Apache-2.0
// Method: a table of two rows and a row of the test's own.
#include "tlm/transport/field_info.h"

#include <gtest/gtest.h>

#include <array>

namespace t3::choice_test {
namespace {

struct Shape {
  const char* name;
  int corners;
  static std::span<const Shape* const> table();
};
constexpr Shape kTriangle{.name = "triangle", .corners = 3};
constexpr Shape kSquare{.name = "square", .corners = 4};
constexpr Shape kMine{.name = "square", .corners = 5};

std::span<const Shape* const> Shape::table() {
  static constexpr std::array<const Shape*, 2> kRows{&kTriangle, &kSquare};
  return kRows;
}

TEST(Choice, IsTheFirstRowOfItsTableUntilItIsSet) { EXPECT_EQ(&*Choice<Shape>{}, &kTriangle); }

TEST(Choice, FindsARowByItsName) {
  EXPECT_EQ(Choice<Shape>::find("triangle"), &kTriangle);
  EXPECT_EQ(Choice<Shape>::find("square"), &kSquare);
  EXPECT_EQ(Choice<Shape>::find("circle"), nullptr);
  EXPECT_EQ(Choice<Shape>::find(""), nullptr);
}

TEST(Choice, TakesARowThatIsInNoTable) {
  Choice<Shape> choice;
  choice = kMine;
  EXPECT_EQ(choice->corners, 5);
}

TEST(Choice, IsEqualToTheSameRowNotToOneOfTheSameName) {
  EXPECT_TRUE(Choice<Shape>(kSquare) == Choice<Shape>(kSquare));
  EXPECT_FALSE(Choice<Shape>(kSquare) == Choice<Shape>(kMine));
}

}  // namespace
}  // namespace t3::choice_test
