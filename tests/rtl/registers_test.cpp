// SPDX-License-Identifier: Apache-2.0
// Method: an AXI4-Lite master that starts address and data in every order, delays every valid and
// ready, and walks the whole 64 KiB map.
#include <set>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;

TEST(Registers, IdentityAndSizeAreReadable) {
  DefaultBench bench;
  EXPECT_EQ(bench.read(r::kId), 0x54335454u);
  EXPECT_EQ(bench.read(r::kVersion), 0x00010005u);
  EXPECT_EQ(bench.read(r::kConfig0), 8u | 8u << 8 | 64u << 16);
  EXPECT_EQ(bench.read(r::kConfig1), 4096u | 8u << 16 | 2u << 24);
  EXPECT_EQ(bench.read(r::kConfig2), 3u | 4u << 4 | 4096u << 8);
  EXPECT_EQ(bench.read(r::kConfig3), 256u);
  Bench<kNarrowUnit> narrow;
  EXPECT_EQ(narrow.read(r::kConfig0), 1u | 16u << 8 | 4u << 16);
  EXPECT_EQ(narrow.read(r::kConfig1), 256u | 3u << 16 | 3u << 24);
  EXPECT_EQ(narrow.read(r::kConfig2), 7u | 1u << 4 | 4096u << 8);
  EXPECT_EQ(narrow.read(r::kConfig3), 64u);
}

/// Writable registers and the bits that exist, for a unit.
std::map<std::uint32_t, std::uint32_t> writable(const TrackTriggerBench& bench) {
  std::map<std::uint32_t, std::uint32_t> map;
  const auto bits = [](std::uint32_t n) { return n >= 32 ? ~0u : (1u << n) - 1; };
  const std::uint32_t pageHigh =
      bits(bench.size.addrWidth - 44 > 4 ? 0 : bench.size.addrWidth - 44);
  const std::uint32_t pageLow = bits(bench.size.addrWidth - 12);
  const std::uint32_t cntWidth = bench.size.addrWidth == 40 ? 14 : 18;
  std::uint32_t geoBits = 1;
  while (1u << geoBits < bench.size.geometries) ++geoBits;
  map[r::kIrqEnable] = 0x1f;
  for (std::uint32_t g = 0; g < bench.size.geometries; ++g) {
    const std::uint32_t base = r::geometry(g);
    map[base + r::kGeoTilesAcross] = 0xffff;
    map[base + r::kGeoTilesDown] = 0xffff;
    map[base + r::kGeoReciprocalLo] = ~0u;
    map[base + r::kGeoReciprocalHi] = 1;
    map[base + r::kGeoSpillBaseLo] = 0xffff'f000;
    map[base + r::kGeoSpillBaseHi] = bits(bench.size.addrWidth - 32);
    map[base + r::kGeoEpoch] = 0xffff;
    for (std::uint32_t c = 0; c < 4; ++c) {
      for (std::uint32_t wf = 0; wf < 1u << bench.size.wfWidth; ++wf)
        map[base + r::expected(c, wf)] = bits(cntWidth);
    }
  }
  for (std::uint32_t i = 0; i < bench.size.regions; ++i) {
    const std::uint32_t base = r::region(i);
    map[base + r::kRegCtrl] = 0x000f'7f0f | bits(geoBits) << r::kRegCtrlGeometryShift;
    map[base + r::kRegWgFirst] = map[base + r::kRegWgLast] = bits(bench.size.wgWidth);
    map[base + r::kRegPageFirst] = map[base + r::kRegPageLast] = pageLow;
    map[base + r::kRegPageHigh] = pageHigh | pageHigh << 16;
    map[base + r::kRegCmdBase] = bench.size.commands - 1;
    map[base + r::kRegTarget] = ~0u;
    map[base + r::kRegRelease] = r::kRegReleaseEnable | (bench.size.rows - 1);
  }
  return map;
}

void everyRegisterKeepsItsOwnBits(TrackTriggerBench& bench) {
  bench.waitOpen();
  const auto map = writable(bench);
  Random random(1);
  std::map<std::uint32_t, std::uint32_t> written;
  for (const auto& [address, mask] : map) {
    written[address] = random.below(1ull << 32);
    bench.set(address, written[address]);
  }
  for (const auto& [address, mask] : map)
    EXPECT_EQ(bench.read(address), written[address] & mask) << std::hex << address;
  for (const auto& [address, mask] : map) bench.set(address, ~written[address]);
  for (const auto& [address, mask] : map)
    EXPECT_EQ(bench.read(address), ~written[address] & mask) << std::hex << address;
}

TEST(Registers, EveryRegisterKeepsItsOwnBitsAtTheDefaultSize) {
  DefaultBench bench;
  everyRegisterKeepsItsOwnBits(bench);
}

TEST(Registers, EveryRegisterKeepsItsOwnBitsAtAnOddSize) {
  Bench<kNarrowUnit> bench;
  everyRegisterKeepsItsOwnBits(bench);
}

TEST(Registers, EveryCommandSlotKeepsItsOwnCount) {
  DefaultBench bench;
  bench.waitOpen();
  for (std::uint32_t cmd = 0; cmd < 4096; ++cmd) bench.set(r::command(cmd), cmd * 16 + 5);
  for (std::uint32_t cmd = 0; cmd < 4096; ++cmd)
    ASSERT_EQ(bench.read(r::command(cmd)), cmd * 16 + 5);
}

void accessesElsewhereAreErrors(TrackTriggerBench& bench) {
  bench.waitOpen();
  std::set<std::uint32_t> mayWrite{r::kCtrl, r::kIrqStatus, r::kRegionDone,
                                   r::kLock, r::kErrors,    r::kErrorFirst};
  auto map = writable(bench);
  for (const auto& [address, mask] : map) mayWrite.insert(address);
  std::set<std::uint32_t> mayRead = mayWrite;
  for (std::uint32_t address :
       {r::kId, r::kVersion, r::kConfig0, r::kConfig1, r::kConfig2, r::kConfig3, r::kStatus,
        r::kLive, r::kPeak, r::kErrorAddressLo, r::kErrorAddressHi, r::kQueued, r::kLanesWaiting,
        r::kReleasesQueued, r::kReleases, r::kReleases + 4, r::kCorrected, r::kCorrected + 4})
    mayRead.insert(address);
  for (std::uint32_t cause = 0; cause < kCauses; ++cause) mayRead.insert(errorCountOf(cause));
  for (std::uint32_t address = r::kUpdates; address < r::kLive; address += 4)
    mayRead.insert(address);
  for (std::uint32_t address = r::kStallsSpill; address < r::kTaken + 8; address += 4)
    mayRead.insert(address);
  for (std::uint32_t i = 0; i < bench.size.regions; ++i) mayRead.insert(r::region(i) + r::kRegDone);
  for (std::uint32_t cmd = 0; cmd < bench.size.commands; ++cmd) {
    mayRead.insert(r::command(cmd));
    mayWrite.insert(r::command(cmd));
  }
  for (std::uint32_t row = 0; row < bench.size.rows; ++row) {
    mayRead.insert(r::row(row));
    mayWrite.insert(r::row(row));
  }
  // The lower map completely, then one probe per 64 bytes.
  for (std::uint32_t address = 0; address < 0x10000; address += address < 0x1000 ? 4 : 64) {
    EXPECT_EQ(bench.tryRead(address).response, mayRead.contains(address) ? 0u : 2u)
        << std::hex << address;
    if (mayWrite.contains(address)) continue;
    EXPECT_EQ(bench.write(address, ~0u), 2u) << std::hex << address;
  }
  for (std::uint32_t offset = 1; offset < 4; ++offset) {
    for (std::uint32_t address :
         {r::kIrqEnable, r::geometry(0), r::region(1) + r::kRegTarget, r::command(3), r::row(3)}) {
      EXPECT_EQ(bench.write(address + offset, ~0u), 2u);
      EXPECT_EQ(bench.tryRead(address + offset).response, 2u);
    }
  }
  for (const auto& [address, mask] : map) EXPECT_EQ(bench.read(address), 0u) << std::hex << address;
  EXPECT_EQ(bench.read(r::command(3)), 0u);
  EXPECT_EQ(bench.read(r::row(3)), 0u);
  EXPECT_EQ(bench.read(r::kCtrl), 0u);
}

TEST(Registers, UnmappedReadOnlyAndMisalignedAccessesAreErrorsAndChangeNothing) {
  Bench<kTinyUnit> bench;
  accessesElsewhereAreErrors(bench);
}

TEST(Registers, UnmappedReadOnlyAndMisalignedAccessesAreErrorsAtTheDefaultSize) {
  DefaultBench bench;
  accessesElsewhereAreErrors(bench);
}

TEST(Registers, AWriteWithPartialStrobesIsAnErrorAndWritesNothing) {
  DefaultBench bench;
  bench.waitOpen();
  for (std::uint32_t strobe = 0; strobe < 15; ++strobe) {
    EXPECT_EQ(bench.write(r::kIrqEnable, 0xf, strobe), 2u);
    EXPECT_EQ(bench.write(r::command(1), 0xf, strobe), 2u);
  }
  EXPECT_EQ(bench.read(r::kIrqEnable), 0u);
  EXPECT_EQ(bench.read(r::command(1)), 0u);
}

TEST(Registers, AddressAndDataComeInAnyOrderAndEveryChannelMayWait) {
  DefaultBench bench;
  bench.waitOpen();
  const std::uint64_t seed = testSeed(11);
  Random random(seed);
  bench.axiDelay = [&random] { return random.chance(50) ? 0u : random.below(5); };
  using Order = DefaultBench::Order;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint32_t address =
        random.chance(50) ? r::region(i % 8) + r::kRegTarget : r::command(i % 512);
    const std::uint32_t data = random.below(0x10000);
    const Order order = random.chance(33)   ? Order::AddressFirst
                        : random.chance(50) ? Order::DataFirst
                                            : Order::Together;
    EXPECT_EQ(bench.write(address, data, 0xf, order), 0u);
    EXPECT_EQ(bench.read(address), data);
  }
}

TEST(Registers, ReadsAndWritesOverlapAndBothSidesPipeline) {
  DefaultBench bench;
  bench.waitOpen();
  auto& m = *bench.model;
  // Both masters keep every valid and ready up; slots and plain registers alternate.
  std::uint32_t writes = 0;
  std::uint32_t responses = 0;
  std::uint32_t reads = 0;
  for (int i = 0; i < 400; ++i) {
    m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 1;
    m.s_axil_awaddr_i =
        static_cast<SData>(writes % 2 != 0 ? r::command(writes) : r::region(0) + r::kRegTarget);
    m.s_axil_wdata_i = writes;
    m.s_axil_wstrb_i = 0xf;
    m.s_axil_araddr_i = r::command(1);
    m.s_axil_bready_i = m.s_axil_rready_i = 1;
    const bool wrote = m.s_axil_awready_o;
    EXPECT_EQ(m.s_axil_awready_o, m.s_axil_wready_o);
    responses += m.s_axil_bvalid_o;
    reads += m.s_axil_rvalid_o;
    if (m.s_axil_rvalid_o && reads > 20) {
      EXPECT_EQ(m.s_axil_rdata_o, 1u);
    }
    bench.tick();
    writes += wrote;
  }
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 0;
  for (int i = 0; i < 30; ++i) {
    responses += m.s_axil_bvalid_o;
    bench.tick();
  }
  EXPECT_EQ(responses, writes);
  EXPECT_GE(writes, 50u);
  EXPECT_GE(reads, 50u);
}

TEST(Registers, ResponsesWaitForTheirReadyForEver) {
  DefaultBench bench;
  bench.waitOpen();
  auto& m = *bench.model;
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 1;
  m.s_axil_awaddr_i = 0x0008;  // read-only: SLVERR
  m.s_axil_araddr_i = 0x0000;
  m.s_axil_wstrb_i = 0xf;
  bench.tick();
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 0;
  bench.ticks(1000);  // the bench checks that valid responses do not move
  EXPECT_TRUE(m.s_axil_bvalid_o);
  EXPECT_EQ(m.s_axil_bresp_o, 2u);
  EXPECT_TRUE(m.s_axil_rvalid_o);
  EXPECT_EQ(m.s_axil_rdata_o, r::kIdValue);
  EXPECT_FALSE(m.busy_o);
  // The next accesses wait behind them.
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 1;
  m.s_axil_awaddr_i = r::kIrqEnable;
  m.s_axil_wdata_i = 3;
  m.s_axil_araddr_i = r::kConfig0;
  bench.tick();
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 0;
  bench.ticks(100);
  EXPECT_EQ(m.s_axil_bresp_o, 2u);
  EXPECT_EQ(m.s_axil_rdata_o, r::kIdValue);
  EXPECT_FALSE(m.s_axil_awready_o || m.s_axil_wready_o || m.s_axil_arready_o);
  m.s_axil_bready_i = m.s_axil_rready_i = 1;
  bench.tick();
  m.s_axil_bready_i = m.s_axil_rready_i = 0;
  bench.ticks(5);
  EXPECT_TRUE(m.s_axil_bvalid_o && m.s_axil_rvalid_o);
  EXPECT_EQ(m.s_axil_bresp_o, 0u);
  EXPECT_EQ(m.s_axil_rdata_o, 8u | 8u << 8 | 64u << 16);
  m.s_axil_bready_i = m.s_axil_rready_i = 1;
  bench.tick();
  EXPECT_EQ(bench.read(r::kIrqEnable), 3u);
}

TEST(Registers, AnAccessTakesThreeCyclesAndOneOfACommandSlotSix) {
  DefaultBench bench;
  bench.waitOpen();
  const auto cycles = [&bench](auto access) {
    const std::uint64_t before = bench.cycle;
    access();
    return bench.cycle - before;
  };
  EXPECT_EQ(cycles([&] { bench.set(r::kIrqEnable, 1); }), 3u);
  EXPECT_EQ(cycles([&] { bench.read(r::kIrqEnable); }), 3u);
  EXPECT_EQ(cycles([&] { bench.set(r::command(7), 1); }), 6u);
  EXPECT_EQ(cycles([&] { bench.read(r::command(7)); }), 6u);
}

TEST(Registers, TheHighWordOfACounterBelongsToItsLastLowWord) {
  DefaultBench bench;
  bench.waitOpen();
  bench.lanes[0].push_back({1, 0, 64, 32});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::kUntracked), 1u);
  EXPECT_EQ(bench.read(r::kUntracked + 4), 0u);
}

}  // namespace
}  // namespace t3::rtl_test
