// SPDX-License-Identifier: Apache-2.0
// Method: one request at a time on an otherwise idle channel; the answer's time is compared, to the
// picosecond, with the sum of the timing parameters that the standard says it is made of.
#include <gtest/gtest.h>

#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::hbm_latency_test {
namespace {

HbmConfig quiet() {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  config.bank_hash = config.group_hash = false;
  return config;
}

/// An address in bank group 0, bank 0 of the only channel.
std::uint64_t rowAddress(const HbmConfig& config, std::uint64_t row) {
  return row * config.page_bytes * config.banks;
}

struct LatencyCase {
  std::string name;
  std::vector<Access> before;
  Access access;
  double ns;  ///< of the access
};

class HbmLatency : public testing::Test {
 protected:
  /// Latency of `access` sent at `sendNs`, long after `before`.
  Picoseconds measure(const HbmConfig& config, const std::vector<Access>& before,
                      const Access& access, double sendNs = 1000.0) {
    Bench bench(config);
    for (const Access& earlier : before) {
      bench.initiator.send(earlier);
      sc_core::sc_start(sc_core::sc_time(300, sc_core::SC_NS));
    }
    const Picoseconds at = picosecondsFromNs(sendNs);
    sc_core::sc_start(fromPicoseconds(at - now()));
    bench.initiator.send(access);
    sc_core::sc_start();
    EXPECT_TRUE(bench.drained());
    return bench.initiator.answeredAt.back() - at;
  }
};

TEST_F(HbmLatency, OfAReadMissIsActivateToReadPlusReadLatencyPlusBurst) {
  const HbmConfig c = quiet();
  EXPECT_EQ(measure(c, {}, readOf(0)),
            picosecondsFromNs(c.timing.rcd_rd_ns + c.timing.cl_ns + 1 + c.response_latency_ns));
}

TEST_F(HbmLatency, OfAReadHitIsReadLatencyPlusBurst) {
  const HbmConfig c = quiet();
  EXPECT_EQ(measure(c, {readOf(0)}, readOf(128)),
            picosecondsFromNs(c.timing.cl_ns + 1 + c.response_latency_ns));
}

TEST_F(HbmLatency, OfAReadConflictAddsThePrecharge) {
  const HbmConfig c = quiet();
  EXPECT_EQ(measure(c, {readOf(0)}, readOf(rowAddress(c, 3))),
            picosecondsFromNs(c.timing.rp_ns + c.timing.rcd_rd_ns + c.timing.cl_ns + 1 +
                              c.response_latency_ns));
}

TEST_F(HbmLatency, OfAWriteMissIsActivateToWritePlusWriteLatencyPlusBurst) {
  const HbmConfig c = quiet();
  EXPECT_EQ(measure(c, {}, writeOf(0)),
            picosecondsFromNs(c.timing.rcd_wr_ns + c.timing.wl_ns + 1 + c.response_latency_ns));
}

TEST_F(HbmLatency, OfAnUpdateHitIsThatOfAWrite) {
  const HbmConfig c = quiet();
  EXPECT_EQ(measure(c, {readOf(0)}, updateOf(128)),
            picosecondsFromNs(c.timing.wl_ns + 1 + c.response_latency_ns));
}

TEST_F(HbmLatency, OfEightBurstsInOneBankIsOneBurstEachTccdl) {
  const HbmConfig c = quiet();
  EXPECT_EQ(measure(c, {}, readOf(0, 256)),
            picosecondsFromNs(c.timing.rcd_rd_ns + 7.0 * c.timing.ccd_l_clocks + c.timing.cl_ns +
                              1 + c.response_latency_ns));
}

TEST_F(HbmLatency, OfEightBurstsOverFourBankGroupsIsThatOfTheLastActivate) {
  HbmConfig c = quiet();
  c.address_mapping = AddressMappingPolicy::BurstOverGroups;
  // Four activates tRRDS apart; behind the first burst of the last group come the four second
  // ones, one each clock.
  EXPECT_EQ(measure(c, {}, readOf(0, 256)),
            picosecondsFromNs(3 * c.timing.rrd_s_ns + c.timing.rcd_rd_ns + 4 + c.timing.cl_ns + 1 +
                              c.response_latency_ns));
}

TEST_F(HbmLatency, OfEightBurstsInOpenRowsOfFourBankGroupsIsOneBurstEachClock) {
  HbmConfig c = quiet();
  c.address_mapping = AddressMappingPolicy::BurstOverGroups;
  EXPECT_EQ(measure(c, {readOf(0, 256)}, readOf(256, 256)),
            picosecondsFromNs(7 + c.timing.cl_ns + 1 + c.response_latency_ns));
}

TEST_F(HbmLatency, StartsAtTheNextClockEdge) {
  const HbmConfig c = quiet();
  EXPECT_EQ(measure(c, {readOf(0)}, readOf(128), 1000.25),
            picosecondsFromNs(0.75 + c.timing.cl_ns + 1 + c.response_latency_ns));
}

TEST_F(HbmLatency, OfAReadBehindAnUpdateOfItsBankWaitsForTheWriteBack) {
  HbmConfig c = quiet();
  Bench bench(c);
  bench.initiator.send(readOf(0));
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_NS));
  bench.initiator.send(updateOf(0));
  bench.initiator.send(readOf(0));
  sc_core::sc_start();
  const double updateToRead = c.timing.wl_ns + 1 + c.update_write_back_ns + c.timing.wtr_l_ns;
  EXPECT_EQ(bench.initiator.answeredAt.back(),
            picosecondsFromNs(500 + updateToRead + c.timing.cl_ns + 1 + c.response_latency_ns));
}

TEST_F(HbmLatency, DuringARefreshIsTheRestOfItPlusAMiss) {
  HbmConfig c = quiet();
  c.refresh = RefreshMode::AllBank;
  // Due at 3900 ns, at once because nothing is open.
  const double sent = 3950;
  EXPECT_EQ(measure(c, {}, readOf(0), sent),
            picosecondsFromNs(3900 + c.timing.rfc_ns - sent + c.timing.rcd_rd_ns + c.timing.cl_ns +
                              1 + c.response_latency_ns));
}

}  // namespace
}  // namespace t3::test::hbm_latency_test
