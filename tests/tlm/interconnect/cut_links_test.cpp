// SPDX-License-Identifier: Apache-2.0
// Method: one link twice, as two processes have it, in one simulation; the test carries the parcels
// between them. Runs in real processes are in tests/system/processes_test.cpp.
#include "tlm/interconnect/cut_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "tests/support/sink.h"
#include "tests/support/source.h"

namespace t3::cut_links_test {
namespace {

using test::Sink;
using test::Source;
using testing::ElementsAre;

constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// 10 ps a byte, 10 ns there, 4 ns back.
LinkConfig config() {
  return {.bandwidth_gb_s = 100,
          .latency_ns = 10,
          .packet_bytes = 100,
          .credit_latency_ns = 4,
          .buffer_bytes = 100};
}

/// What one process has of it: all.
struct Process {
  Process(const std::string& name, std::uint32_t self)
      : cut(self, 2),
        link(name.c_str(), config()),
        source((name + "_source").c_str(), pool),
        sink((name + "_sink").c_str()) {
    source.port.socket.bind(link.in);
    link.out.bind(sink.target);
    cut.add(7, &link, config(), 0, 1);
  }

  CutLinks cut;
  PayloadPool pool;
  Link link;
  Source source;
  Sink sink;
};

/// What `from` has to say to the other process; it has then nothing to say any more.
void carry(Process& from, Process& to, std::uint32_t process) {
  Parcel parcel = from.cut.parcels()[process];
  from.cut.clear();
  to.cut.deliver(parcel);
}

TEST(CutLinks, AWriteArrivesInTheOtherProcessWhenItWouldHaveInOne) {
  Process sends("sends", 0), receives("receives", 1);
  EXPECT_EQ(sends.cut.lookahead(), 4'000U) << "credits are faster than writes";
  EXPECT_EQ(receives.cut.lookahead(), 4'000U);
  EXPECT_EQ(sends.cut.firstArrival(), kNever);
  sends.source.write(1, 100);
  sends.source.write(2, 100);  // has room when the credit of the first is back
  sc_core::sc_start(fromPicoseconds(2'000));
  EXPECT_EQ(sends.cut.firstArrival(), 11'000U);
  carry(sends, receives, 1);
  EXPECT_EQ(sends.cut.firstArrival(), kNever);
  EXPECT_TRUE(sends.cut.parcels()[1].empty());
  sc_core::sc_start(fromPicoseconds(10'000));
  EXPECT_THAT(receives.sink.times(), ElementsAre(std::pair(1, 11'000)));
  EXPECT_EQ(receives.cut.firstArrival(), 15'000U);
  carry(receives, sends, 0);
  sc_core::sc_start(fromPicoseconds(5'000));
  EXPECT_EQ(sends.cut.firstArrival(), 26'000U) << "15,000, 1,000 on the wire, the latency";
  carry(sends, receives, 1);
  sc_core::sc_start();
  EXPECT_THAT(receives.sink.times(), ElementsAre(std::pair(1, 11'000), std::pair(2, 26'000)));
  EXPECT_TRUE(sends.sink.arrivals.empty());
}

TEST(CutLinks, FlagsAreDeliveredInTheOrderInWhichTheyWereSent) {
  CutLinks here(0, 2), there(1, 2);
  here.flagsTake(300);
  EXPECT_EQ(here.lookahead(), 300U);
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Picoseconds>> flags;
  there.onFlag([&](const CutLinks::Flag& flag) {
    flags.emplace_back(flag.to, flag.from, flag.value, flag.arrival);
  });
  here.send(1, {3, 0, 5, 700});
  here.send(1, {2, 1, 6, 500});
  EXPECT_EQ(here.firstArrival(), 500U);
  Parcel parcel = here.parcels()[1];
  there.deliver(parcel);
  EXPECT_THAT(flags, ElementsAre(std::tuple(3U, 0U, 5U, 700U), std::tuple(2U, 1U, 6U, 500U)));
  here.clear();
  EXPECT_EQ(here.firstArrival(), kNever);
  here.send(1, {3, 0, 5, 900});
  EXPECT_EQ(here.firstArrival(), 900U) << "nothing is left of what was said before";
}

}  // namespace
}  // namespace t3::cut_links_test
