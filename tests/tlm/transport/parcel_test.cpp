// SPDX-License-Identifier: Apache-2.0
// Method: values of all kinds go in; what comes out, from a copy of the bytes, must be the same.
#include "tlm/transport/parcel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace t3::parcel_test {
namespace {

using testing::ElementsAre;

struct Record {
  std::string name;
  std::vector<std::array<std::uint64_t, 2>> pairs;
  double value = 0;
};
BOOST_DESCRIBE_STRUCT(Record, (), (name, pairs, value))

Parcel arrived(const Parcel& sent) {
  return Parcel(std::vector<unsigned char>(sent.bytes().begin(), sent.bytes().end()));
}

TEST(Parcel, GivesBackWhatWasPutInTheSameOrder) {
  Parcel sent;
  sent.put(std::uint16_t{7});
  sent.put(std::vector<Record>{{"first", {{1, 2}, {3, 4}}, 0.1}, {"", {}, -0.0}});
  sent.putBytes(std::array<unsigned char, 3>{5, 6, 7});
  Parcel parcel = arrived(sent);
  EXPECT_EQ(parcel.take<std::uint16_t>(), 7);
  const auto records = parcel.take<std::vector<Record>>();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].name, "first");
  EXPECT_EQ(records[0].pairs[1][0], 3U);
  EXPECT_EQ(records[0].value, 0.1);
  EXPECT_TRUE(records[1].name.empty());
  EXPECT_FALSE(parcel.empty());
  EXPECT_THAT(parcel.takeBytes(3), ElementsAre(5, 6, 7));
  EXPECT_TRUE(parcel.empty());
}

TEST(Parcel, ThatEndsTooEarlyIsAnError) {
  Parcel parcel;
  parcel.put(std::uint16_t{7});
  EXPECT_THROW(parcel.take<std::uint32_t>(), std::logic_error);
}

TEST(Parcel, IsEmptyAfterItWasCleared) {
  Parcel parcel;
  parcel.put(1);
  parcel.clear();
  EXPECT_TRUE(parcel.empty());
}

}  // namespace
}  // namespace t3::parcel_test
