// SPDX-License-Identifier: Apache-2.0
// Method: initiators that know nothing of this project drive the stack through every legal phase
// sequence of the base protocol and check what comes back; tracker lanes are played by a scripted
// target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/support/error_of.h"
#include "tests/support/plain_memory.h"
#include "tests/support/sink.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/stock_initiator.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::hbm_protocol_test {
namespace {

TEST(HbmProtocol, StockInitiatorsReadBackWhatTheyWrote) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  StockInitiator a("a"), b("b");
  a.socket.bind(hbm.target);
  b.socket.bind(hbm.target);
  int finished = 0;
  const auto body = [&](std::uint64_t base) {
    return [&, base](StockInitiator& self) {
      constexpr int kCount = 50;
      std::vector<tlm::tlm_generic_payload> writes(kCount), reads(kCount);
      std::vector<std::array<unsigned char, 100>> out(kCount), in(kCount);
      for (int i = 0; i < kCount; ++i) {
        std::fill(out[i].begin(), out[i].end(), static_cast<unsigned char>(base + i));
        self.send(prepare(writes[i], tlm::TLM_WRITE_COMMAND, base * 100000 + i * 100, out[i].data(),
                          100));
      }
      self.awaitResponses(kCount);
      for (int i = 0; i < kCount; ++i) {
        self.send(
            prepare(reads[i], tlm::TLM_READ_COMMAND, base * 100000 + i * 100, in[i].data(), 100));
      }
      self.awaitResponses(2 * kCount);
      for (int i = 0; i < kCount; ++i) {
        EXPECT_EQ(writes[i].get_response_status(), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(reads[i].get_response_status(), tlm::TLM_OK_RESPONSE);
        EXPECT_FALSE(reads[i].is_dmi_allowed());
        EXPECT_EQ(in[i], out[i]);
      }
      ++finished;
    };
  };
  a.body = body(1);
  b.body = body(2);
  sc_core::sc_start();
  EXPECT_EQ(finished, 2);
  EXPECT_EQ(a.endRequests, 100u);
  EXPECT_EQ(a.protocolErrors + b.protocolErrors, 0u);
  EXPECT_TRUE(hbm.idle());
}

TEST(HbmProtocol, RefusesWithEndReqWhileAStreamQueueIsFullAndLosesNothing) {
  HbmConfig config = oneChannel();
  config.stream_queue_requests = 2;
  Bench bench(config);
  std::uint64_t sent = 0;
  bench.initiator.window = 1000;
  bench.initiator.next = [&](Access& access) {
    if (sent == 1000) return false;
    access = sent % 3 == 0 ? writeOf(sent * 256, 256) : readOf(sent * 256, 700);
    ++sent;
    return true;
  };
  bench.initiator.start();
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
  // 64 bursts are in the DRAM queue, two pieces in the stream queue, one request is refused.
  EXPECT_GT(bench.initiator.port.waiting(), 900u);
  EXPECT_FALSE(bench.hbm.idle());
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  EXPECT_EQ(bench.initiator.answeredAt.size(), 1000u);
}

TEST(HbmProtocol, AFullStreamDoesNotRefuseTheOther) {
  HbmConfig config = oneChannel();
  config.arbitration = kComputeFirstArbitration;
  config.stream_queue_requests = 2;
  PayloadPool pool;
  HbmStack hbm("hbm", config, 1);
  TestInitiator compute("compute", pool), other("other", pool);
  compute.port.socket.bind(hbm.target);
  other.port.socket.bind(hbm.target);
  for (std::uint64_t i = 0; i < 200; ++i) compute.send(readOf(i * 256, 256));
  Access write = writeOf(1 << 20, 32);
  write.stream = Stream::Communication;
  other.send(write);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
  EXPECT_GT(compute.port.waiting(), 100u);
  EXPECT_EQ(other.port.waiting(), 0u);
  sc_core::sc_start();
  EXPECT_EQ(compute.answeredAt.size() + other.answeredAt.size(), 201u);
}

TEST(HbmProtocol, AnswersALargeRequestOnceWhenItsLastPieceIsDone) {
  Bench bench(HbmConfig{});
  bench.initiator.send(readOf(12345, 65000));
  sc_core::sc_start();
  EXPECT_EQ(bench.initiator.answeredAt.size(), 1u);
  EXPECT_TRUE(bench.drained());
  EXPECT_EQ(bench.initiator.last(),
            bench.hbm.statistics().lastData + picosecondsFromNs(bench.config.response_latency_ns));
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, false), 65000u);
}

TEST(HbmProtocol, AnswersWhatItCannotDoWithTheStandardsErrors) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  StockInitiator initiator("initiator");
  initiator.socket.bind(hbm.target);
  std::vector<tlm::tlm_response_status> got;
  initiator.body = [&](StockInitiator& self) {
    tlm::tlm_generic_payload payload;
    unsigned char data[64] = {};
    const auto attempt = [&] {
      self.send(payload);
      got.push_back(payload.get_response_status());
    };
    prepare(payload, tlm::TLM_READ_COMMAND, HbmConfig{}.capacityBytes() - 32, data, 64);
    attempt();
    prepare(payload, tlm::TLM_WRITE_COMMAND, 0, data, 64).set_byte_enable_ptr(data);
    attempt();
    prepare(payload, tlm::TLM_READ_COMMAND, 0, data, 64).set_streaming_width(32);
    attempt();
    prepare(payload, tlm::TLM_READ_COMMAND, 0, data, 0);
    attempt();
    prepare(payload, tlm::TLM_IGNORE_COMMAND, 0, data, 64);
    attempt();
  };
  sc_core::sc_start();
  EXPECT_THAT(
      got, testing::ElementsAre(tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE,
                                tlm::TLM_BURST_ERROR_RESPONSE, tlm::TLM_OK_RESPONSE));
  EXPECT_TRUE(hbm.idle());
}

TEST(HbmProtocol, RefusesUpdatesOfPartialElements) {
  Bench bench(HbmConfig{});
  bench.initiator.send(updateOf(1, 2));
  bench.initiator.send(updateOf(0, 3));
  sc_core::sc_start();
  EXPECT_EQ(bench.initiator.failures(), 2u);
}

TEST(HbmProtocol, DebugTransportReadsAndWritesWithoutTimeAndDmiIsRefused) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  StockInitiator initiator("initiator");
  initiator.socket.bind(hbm.target);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<unsigned char> out(200000), in(200000);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(i * 7);
  tlm::tlm_generic_payload payload;
  prepare(payload, tlm::TLM_WRITE_COMMAND, 65000, out.data(), 200000);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 200000u);
  prepare(payload, tlm::TLM_READ_COMMAND, 65000, in.data(), 200000);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 200000u);
  EXPECT_EQ(in, out);
  EXPECT_EQ(hbm.statistics().requests, 0u);

  prepare(payload, tlm::TLM_READ_COMMAND, HbmConfig{}.capacityBytes() - 10, in.data(), 100);
  EXPECT_EQ(initiator.socket->transport_dbg(payload), 10u);

  tlm::tlm_dmi dmi;
  EXPECT_FALSE(initiator.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_TRUE(dmi.is_none_allowed());
}

TEST(HbmProtocol, BlockingTransportTakesTheTimeOfTheSameNonBlockingRequest) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  HbmStack hbm("hbm", config, 1);
  StockInitiator initiator("initiator");
  initiator.socket.bind(hbm.target);
  sc_core::sc_time took;
  initiator.body = [&](StockInitiator& self) {
    tlm::tlm_generic_payload payload;
    unsigned char data[32] = {};
    prepare(payload, tlm::TLM_READ_COMMAND, 0, data, 32);
    sc_core::sc_time delay(5, sc_core::SC_NS);
    self.socket->b_transport(payload, delay);
    took = sc_core::sc_time_stamp() + delay;
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  };
  sc_core::sc_start();
  const double miss = config.timing.rcd_rd_ns + config.timing.cl_ns + 1;
  EXPECT_EQ(took, sc_core::sc_time(5 + miss + config.response_latency_ns, sc_core::SC_NS));
}

TEST(HbmProtocol, HonoursAnAnnotatedRequestDelay) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  HbmStack hbm("hbm", config, 1);
  PayloadPool pool;
  Source source("source", pool);
  source.port.socket.bind(hbm.target);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Payload& payload = source.make(tlm::TLM_READ_COMMAND, 0, 32);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay(100, sc_core::SC_NS);
  EXPECT_EQ(source.port.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_ACCEPTED);
  sc_core::sc_start();
  EXPECT_THAT(
      source.answeredAt,
      testing::ElementsAre(picosecondsFromNs(100 + config.timing.rcd_rd_ns + config.timing.cl_ns +
                                             1 + config.response_latency_ns)));
}

struct TapBench : Bench {
  std::vector<std::unique_ptr<Sink>> lanes;  // of the tracker
  explicit TapBench(const HbmConfig& settings, std::uint32_t count) : Bench(settings, count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      lanes.push_back(std::make_unique<Sink>(("lane" + std::to_string(i)).c_str()));
      hbm.taps[i].bind(lanes.back()->target);
    }
  }
};

Access trackedUpdate(std::uint64_t address, std::uint32_t bytes, std::uint32_t tile) {
  Access access = updateOf(address, bytes);
  access.tracked = true;
  access.workgroup = WorkgroupId{tile};
  return access;
}

TEST(HbmTap, ShowsEachByteOfATrackedWriteOnceToTheLaneOfItsChannel) {
  TapBench bench(HbmConfig{}, 8);
  for (auto& lane : bench.lanes) {
    lane->service = [&arrivals = lane->arrivals](const Payload&) -> Picoseconds {
      return arrivals.size() % 3 == 0 ? 100'000 : 0;
    };
  }
  constexpr std::uint32_t kTiles = 300;
  for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
    bench.initiator.send(trackedUpdate(tile * 1000, 1000, tile));
    bench.initiator.send(updateOf(tile * 1000, 1000));  // untracked
    bench.initiator.send(readOf(tile * 1000, 1000));
  }
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  std::map<std::uint64_t, std::uint32_t> bytes;  // address → tile
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_GT(bench.lanes[i]->arrivals.size(), 50u);
    for (const Request& seen : bench.lanes[i]->arrivals) {
      EXPECT_TRUE(seen.tracked);
      EXPECT_EQ(bench.hbm.locate(seen.address).channel.value / 4, i);
      EXPECT_EQ(bench.hbm.locate(seen.address + seen.bytes - 1).channel.value / 4, i);
      for (unsigned b = 0; b < seen.bytes; ++b) {
        EXPECT_TRUE(bytes.emplace(seen.address + b, seen.workgroup.value).second);
      }
    }
  }
  EXPECT_EQ(bytes.size(), kTiles * 1000u);
  for (const auto& [address, tile] : bytes) ASSERT_EQ(address / 1000, tile);
}

TEST(HbmTap, ABusyLaneHoldsOnlyTheStreamOfTheWrite) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  TapBench bench(config, 1);
  bench.lanes[0]->service = Sink::after(1'000'000);
  Access update = trackedUpdate(0, 256, 1);
  update.stream = Stream::Communication;
  std::map<std::uint64_t, Picoseconds> when;
  bench.initiator.answered = [&](const Payload& payload, Picoseconds at) {
    when[traffic(payload).context] = at;
  };
  bench.initiator.send(update);  // 0: held for 1000 ns
  Access behind = readOf(1 << 20, 32);
  behind.stream = Stream::Communication;
  bench.initiator.send(behind);               // 1: same stream, behind it
  bench.initiator.send(readOf(1 << 21, 32));  // 2: another stream
  sc_core::sc_start();
  EXPECT_GT(when[0], picosecondsFromNs(1000));
  EXPECT_GT(when[1], picosecondsFromNs(1000));
  EXPECT_LT(when[2], picosecondsFromNs(200));
}

TEST(HbmTap, ALaneIsHeldForTheDelayThatItsTargetAnnotates) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  TapBench bench(config, 1);
  bench.lanes[0]->delay = Sink::after(1'000'000);
  for (std::uint32_t i = 0; i < 3; ++i) bench.initiator.send(trackedUpdate(i * 256, 256, i));
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  ASSERT_EQ(bench.lanes[0]->arrivals.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_GE(bench.lanes[0]->arrivals[i].time, i * 1'000'000U);
    EXPECT_GT(bench.initiator.answeredAt[i], (i + 1) * 1'000'000U);
  }
}

TEST(HbmTap, AnUpdateIsCountedByTheResponseNotByTheEndReqBeforeIt) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  Bench bench(config);
  test::PipelinedMemory lane("lane");  // END_REQ after 2 ns, BEGIN_RESP after 100
  bench.hbm.taps[0].bind(lane.socket);
  for (std::uint32_t i = 0; i < 3; ++i) bench.initiator.send(trackedUpdate(i * 256, 256, i));
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  EXPECT_EQ(lane.commands.size(), 3U);
  EXPECT_EQ(lane.mostInFlight, 1U) << "a lane has one payload";
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_GT(bench.initiator.answeredAt[i], (i + 1) * 100'000U);
  }
}

TEST(HbmTap, AnErrorOfTheTrackerEndsTheRun) {
  TapBench bench(oneChannel(), 1);
  bench.lanes[0]->status = tlm::TLM_GENERIC_ERROR_RESPONSE;
  bench.initiator.send(trackedUpdate(0, 256, 1));
  EXPECT_EQ(errorOf([] { sc_core::sc_start(); }),
            "channel 0: the tracker answered an update with TLM_GENERIC_ERROR_RESPONSE");
}

TEST(HbmTap, AnUpdateThatWasCountedEntersBeforeTheReadItTriggers) {
  // The lane counts a held update late; in that very moment a triggered read of its bytes arrives
  // on the other stream, which has a free way into the queue.
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  TapBench bench(config, 1);
  TestInitiator& initiator = bench.initiator;
  bench.lanes[0]->service = Sink::after(500'000);
  bench.hbm.watchUpdates(0, 256, 1);
  initiator.send(trackedUpdate(0, 256, 1));
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_NS));
  Access read = readOf(0, 256);
  read.stream = Stream::Communication;
  read.triggered = true;
  initiator.send(read);
  EXPECT_NO_THROW(sc_core::sc_start());
  EXPECT_TRUE(bench.drained());
  EXPECT_TRUE(bench.hbm.everyBurstUpdated(0, 256, 1));
}

}  // namespace
}  // namespace t3::test::hbm_protocol_test
