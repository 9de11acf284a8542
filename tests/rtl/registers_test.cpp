// SPDX-License-Identifier: Apache-2.0
// Method: an AXI4-Lite master that starts address and data in every order, delays every valid and
// ready, and walks the whole 64 KiB map. Which registers there are, and which bits, is in the
// reference model.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "tests/rtl/reference.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::registers_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;

TEST(Registers, IdentityAndSizeAreReadable) {
  DefaultBench bench;
  EXPECT_EQ(bench.read(r::kId), 0x54335454u);
  EXPECT_EQ(bench.read(r::kVersion), 0x00020001u);
  EXPECT_EQ(bench.read(r::kConfig0), 8u | 8u << 8 | 8u << 16 | 4u << 24);
  EXPECT_EQ(bench.read(r::kConfig1), 4096u | 256u << 16);
  EXPECT_EQ(bench.read(r::kConfig2), 23u | 8u << 8 | 3u << 16);
  EXPECT_EQ(bench.read(r::kConfig3), 16u | 48u << 8);
  for (const Unit* unit : {&kNarrowUnit, &kWideUnit, &kSmallestUnit, &kLargestUnit, &kRowlessUnit,
                           &kParityUnit, &kSecdedUnit, &kDefaultSecdedUnit}) {
    TrackTriggerBench other(*unit);
    const Reference reference(unit->size);
    for (const std::uint32_t address : {r::kConfig0, r::kConfig1, r::kConfig2, r::kConfig3})
      EXPECT_EQ(other.read(address), reference.read(address)) << other.model->name();
  }
}

/// Without REG_STATE and LOCK, which keep others from being written.
std::map<std::uint32_t, std::uint32_t> freelyWritable(const UnitSize& size) {
  auto map = Reference::writable(size);
  map.erase(r::kLock);
  for (std::uint32_t region = 0; region < size.regions; ++region)
    map.erase(r::region(region) + r::kRegState);
  return map;
}

template <const Unit& kUnit>
void everyRegisterKeepsItsOwnBits() {
  Bench<kUnit> bench;
  bench.waitOpen();
  const auto map = freelyWritable(bench.size);
  Random random(1);
  std::map<std::uint32_t, std::uint32_t> written;
  for (const auto& [address, mask] : map) {
    written[address] = static_cast<std::uint32_t>(random.below(1ull << 32)) & mask;
    bench.set(address, written[address]);
  }
  for (const auto& [address, mask] : map)
    EXPECT_EQ(bench.read(address), written[address]) << registerText(address);
  // A value with a one where the unit has no bit is refused as a whole.
  for (const auto& [address, mask] : map) {
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      // CTRL.clear and CTRL.look do something, and are not kept.
      if ((mask >> bit & 1) != 0 || (address == r::kCtrl && bit <= 2)) continue;
      EXPECT_EQ(bench.write(address, (~written[address] & mask) | 1u << bit), 2u)
          << registerText(address) << " bit " << bit;
    }
    EXPECT_EQ(bench.read(address), written[address]) << registerText(address);
  }
  // The other way round: what two registers keep of one page is written in either order.
  for (auto at = map.rbegin(); at != map.rend(); ++at)
    bench.set(at->first, ~written[at->first] & at->second);
  for (const auto& [address, mask] : map)
    EXPECT_EQ(bench.read(address), ~written[address] & mask) << registerText(address);
  for (std::uint32_t region = 0; region < bench.size.regions; ++region) {
    for (const std::uint32_t state : {3u, 1u, 2u, 0u}) {
      bench.set(r::region(region) + r::kRegState, state);
      EXPECT_EQ(bench.write(r::region(region) + r::kRegState, 4), 2u);
      EXPECT_EQ(bench.read(r::region(region) + r::kRegState), state);
    }
  }
  EXPECT_EQ(bench.read(r::kErrors), 0u);
  EXPECT_EQ(bench.write(r::kLock, 7), 2u);
  bench.set(r::kLock, 3);
  EXPECT_EQ(bench.read(r::kLock), 3u);
}

/// SLOT, ROW and FILL: what is above the count that they have is refused, not cut.
TEST(Registers, ACountWithBitsThatDoNotExistIsRefused) {
  DefaultBench bench;
  bench.waitOpen();
  bench.program(0, {.wgLast = 7, .shift = 3});
  bench.set(r::slot(1), 9);
  bench.set(r::row(1), 9);
  bench.program(1, {.wgLast = 0xffff, .slotFirst = 1, .slotLast = 1});
  bench.setState(1, State::Stopped);
  for (const std::uint32_t value : {1u << 27 | 5u, 1u << 30 | 5u, 1u << 31, 1u << 26, 1u << 23}) {
    EXPECT_EQ(bench.write(r::slot(1), value), 2u) << value;
    if (value < 1u << 28) {
      EXPECT_EQ(bench.write(r::kFill, value), 2u) << value;
    }
  }
  for (const std::uint32_t value : {1u << 14, 1u << 27 | 5u, 1u << 30 | 5u, 1u << 31})
    EXPECT_EQ(bench.write(r::row(2), value), 2u) << value;
  EXPECT_EQ(bench.read(r::slot(1)), 9u);
  EXPECT_EQ(bench.read(r::slot(0)), 0u);
  EXPECT_EQ(bench.read(r::row(2)), 0u);
  bench.set(r::row(2), (1u << 14) - 1);
  EXPECT_EQ(bench.read(r::row(2)), (1u << 14) - 1);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
  EXPECT_EQ(bench.read(r::kStatus), 0u);
}

/// Cycles from an access to its answer, in an idle unit (docs/tracker.md, "Timing").
TEST(Registers, AnAccessIsAnsweredAsThePageDrawsIt) {
  DefaultBench bench;
  bench.waitOpen();
  bench.ticks(10);
  auto& m = *bench.model;
  for (const bool write : {false, true}) {
    for (const auto& [address, answer] :
         {std::pair{r::kIrqEnable, 2}, {r::slot(3), 5}, {r::row(3), 5}}) {
      std::string ready, valid;
      m.s_axil_awaddr_i = m.s_axil_araddr_i = address;
      m.s_axil_wdata_i = 1;
      m.s_axil_wstrb_i = 0xf;
      m.s_axil_bready_i = m.s_axil_rready_i = 1;
      for (int cycle = 0; cycle < 8; ++cycle) {
        m.s_axil_awvalid_i = m.s_axil_wvalid_i = write && cycle == 0;
        m.s_axil_arvalid_i = !write && cycle == 0;
        ready += (write ? m.s_axil_awready_o : m.s_axil_arready_o) ? '1' : '.';
        valid += (write ? m.s_axil_bvalid_o : m.s_axil_rvalid_o) ? '1' : '.';
        bench.tick();
      }
      EXPECT_EQ(ready, answer == 2 ? "1.111111" : "1....111") << std::hex << address;
      EXPECT_EQ(valid, answer == 2 ? "..1....." : ".....1..") << std::hex << address;
    }
  }
}

/// A slot or row is idle to a reader as long as the walk after reset, or of a clear, is under way.
TEST(Registers, SlotsAndRowsRead0DuringTheWalk) {
  DefaultBench bench;
  for (const bool reset : {true, false}) {
    if (!reset) bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
    int reads = 0;
    do {
      EXPECT_EQ(bench.read(r::slot(4095 - static_cast<std::uint32_t>(reads % 9))), 0u);
      EXPECT_EQ(bench.read(r::row(255 - static_cast<std::uint32_t>(reads % 3))), 0u);
      ++reads;
    } while ((bench.read(r::kCtrl) & r::kCtrlClear) != 0);
    EXPECT_GT(reads, 10);
    for (std::uint32_t slot = 0; slot < 4096; slot += 5) bench.set(r::slot(slot), 77);
    for (std::uint32_t row = 0; row < 256; ++row) bench.set(r::row(row), 66);
  }
}

TEST(Registers, EveryRegisterKeepsItsOwnBitsAtTheDefaultSize) {
  everyRegisterKeepsItsOwnBits<kDefaultUnit>();
}
TEST(Registers, EveryRegisterKeepsItsOwnBitsInANarrowUnit) {
  everyRegisterKeepsItsOwnBits<kNarrowUnit>();
}
TEST(Registers, EveryRegisterKeepsItsOwnBitsInAWideUnit) {
  everyRegisterKeepsItsOwnBits<kWideUnit>();
}
TEST(Registers, EveryRegisterKeepsItsOwnBitsInTheSmallestUnit) {
  everyRegisterKeepsItsOwnBits<kSmallestUnit>();
}
TEST(Registers, EveryRegisterKeepsItsOwnBitsInTheLargestUnit) {
  everyRegisterKeepsItsOwnBits<kLargestUnit>();
}
/// The settings of rows read 0 and take no one there.
TEST(Registers, EveryRegisterKeepsItsOwnBitsInAUnitWithoutRows) {
  everyRegisterKeepsItsOwnBits<kRowlessUnit>();
}

/// Registers that are written for what the write does.
bool hasEffect(std::uint32_t address) {
  if (address >= r::row(0)) return true;
  if (address >= r::region(0) && address % 0x40 == r::kRegDone) return true;
  return address == r::kIrqStatus || address == r::kIrqTest || address == r::kRegionDone ||
         address == r::kErrors || address == r::kErrorFirst || address == r::kFill;
}

template <const Unit& kUnit>
void accessesElsewhereAreErrors() {
  Bench<kUnit> bench;
  bench.waitOpen();
  const auto map = Reference::writable(bench.size);
  // The lower map completely, then one probe per 64 bytes.
  for (std::uint32_t address = 0; address < 0x10000; address += address < 0x1000 ? 4 : 64) {
    const bool mapped = Reference::mapped(bench.size, address);
    EXPECT_EQ(bench.tryRead(address).response, mapped ? 0u : 2u) << registerText(address);
    if (map.contains(address) || (mapped && hasEffect(address))) continue;
    EXPECT_EQ(bench.write(address, ~0u), 2u) << registerText(address);
  }
  for (const std::uint32_t end : {r::slot(bench.size.slots), r::row(bench.size.rows)}) {
    EXPECT_EQ(bench.tryRead(end - 4).response, end == r::row(0) ? 2u : 0u);
    if (end == r::slot(0) || end == 0x10000) continue;
    EXPECT_EQ(bench.tryRead(end).response, 2u);
    EXPECT_EQ(bench.write(end, 1), 2u);
  }
  for (std::uint32_t offset = 1; offset < 4; ++offset) {
    for (const std::uint32_t address : {r::kIrqEnable, r::window(0), r::region(0) + r::kRegTarget,
                                        r::slot(3), r::row(3), r::kFill}) {
      EXPECT_EQ(bench.write(address + offset, 1), 2u);
      EXPECT_EQ(bench.tryRead(address + offset).response, 2u);
    }
  }
  for (const auto& [address, mask] : map)
    EXPECT_EQ(bench.read(address), 0u) << registerText(address);
  for (const std::uint32_t address : {r::slot(0), r::slot(3), r::kErrors, r::kIrqStatus})
    EXPECT_EQ(bench.read(address), 0u);
  if (bench.size.rows != 0) {
    EXPECT_EQ(bench.read(r::row(3)), 0u);
  }
}

TEST(Registers, UnmappedReadOnlyAndMisalignedAccessesAreErrorsAndChangeNothing) {
  accessesElsewhereAreErrors<kTinyUnit>();
}
TEST(Registers, UnmappedReadOnlyAndMisalignedAccessesAreErrorsAtTheDefaultSize) {
  accessesElsewhereAreErrors<kDefaultUnit>();
}
TEST(Registers, UnmappedReadOnlyAndMisalignedAccessesAreErrorsInANarrowUnit) {
  accessesElsewhereAreErrors<kNarrowUnit>();
}
TEST(Registers, UnmappedReadOnlyAndMisalignedAccessesAreErrorsInTheLargestUnit) {
  accessesElsewhereAreErrors<kLargestUnit>();
}
/// No row slot is mapped there.
TEST(Registers, UnmappedReadOnlyAndMisalignedAccessesAreErrorsInAUnitWithoutRows) {
  accessesElsewhereAreErrors<kRowlessUnit>();
}

TEST(Registers, AWriteWithPartialStrobesIsAnErrorAndWritesNothing) {
  DefaultBench bench;
  bench.waitOpen();
  for (std::uint32_t strobe = 0; strobe < 15; ++strobe) {
    EXPECT_EQ(bench.write(r::kIrqEnable, 3, strobe), 2u);
    EXPECT_EQ(bench.write(r::slot(1), 0xf, strobe), 2u);
    EXPECT_EQ(bench.write(r::row(1), 0xf, strobe), 2u);
    EXPECT_EQ(bench.write(r::kFill, 0xf, strobe), 2u);
    EXPECT_EQ(bench.write(r::kIrqTest, 3, strobe), 2u);
    EXPECT_EQ(bench.write(r::kLock, 3, strobe), 2u);
    EXPECT_EQ(bench.write(r::kCtrl, 3, strobe), 2u);
  }
  for (const std::uint32_t address : {r::kIrqEnable, r::slot(1), r::row(1), r::slot(0),
                                      r::kIrqStatus, r::kLock, r::kCtrl, r::kErrors}) {
    EXPECT_EQ(bench.read(address), 0u) << registerText(address);
  }
}

TEST(Registers, AddressAndDataComeInAnyOrderAndEveryChannelMayWait) {
  DefaultBench bench;
  bench.waitOpen();
  bench.program(0, {.wgLast = 0xffff, .slotFirst = 0, .slotLast = 4095});
  bench.setState(0, State::Stopped);  // its slots may be armed again and again
  Random random(testSeed(11));
  bench.axiDelay = [&random] { return random.chance(50) ? 0u : random.below(5); };
  using Order = DefaultBench::Order;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint32_t address =
        random.chance(50) ? r::region(i % 8) + r::kRegTarget : r::slot(i % 512);
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
  bench.set(r::slot(1), 1);
  auto& m = *bench.model;
  // Both masters keep every valid and ready up; slots and plain registers alternate.
  std::uint32_t writes = 0, responses = 0, reads = 0;
  for (int i = 0; i < 400; ++i) {
    m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 1;
    m.s_axil_awaddr_i = writes % 2 != 0 ? r::slot(100 + writes) : r::region(0) + r::kRegTarget;
    m.s_axil_wdata_i = writes;
    m.s_axil_wstrb_i = 0xf;
    m.s_axil_araddr_i = r::slot(1);
    m.s_axil_bready_i = m.s_axil_rready_i = 1;
    const bool wrote = m.s_axil_awready_o;
    EXPECT_EQ(m.s_axil_awready_o, m.s_axil_wready_o);
    responses += m.s_axil_bvalid_o;
    if (m.s_axil_bvalid_o) {
      EXPECT_EQ(m.s_axil_bresp_o, 0u);
    }
    reads += m.s_axil_rvalid_o;
    if (m.s_axil_rvalid_o) {
      EXPECT_EQ(m.s_axil_rdata_o, 1u);
    }
    bench.tick();
    writes += wrote;
  }
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 0;
  for (int i = 0; i < 40; ++i) {
    responses += m.s_axil_bvalid_o;
    bench.tick();
  }
  m.s_axil_bready_i = m.s_axil_rready_i = 0;
  EXPECT_EQ(responses, writes);
  EXPECT_GE(writes, 30u);
  EXPECT_GE(reads, 30u);
  for (std::uint32_t write = 1; write < writes; write += 2)
    ASSERT_EQ(bench.read(r::slot(100 + write)), write);
}

/// The data of an address that waits come late, and meanwhile the next address stands at the port,
/// with another privilege: each write has its own.
TEST(Registers, EachWriteHasThePrivilegeOfItsOwnAddress) {
  for (const bool privileged : {false, true}) {
    for (int gap = 0; gap < 4; ++gap) {
      DefaultBench bench;
      bench.waitOpen();
      bench.set(r::kLock, r::kLockLocked | r::kLockPrivileged);
      auto& m = *bench.model;
      m.s_axil_awvalid_i = 1;
      m.s_axil_awaddr_i = r::kLock;
      m.s_axil_awprot_i = privileged;
      m.s_axil_bready_i = 1;
      ASSERT_TRUE(m.s_axil_awready_o);
      bench.tick();
      m.s_axil_awprot_i = !privileged;
      bench.ticks(static_cast<std::uint64_t>(gap));
      std::vector<std::uint32_t> responses;
      bool second = false;
      m.s_axil_wvalid_i = 1;
      m.s_axil_wdata_i = r::kLockLocked | r::kLockPrivileged;
      m.s_axil_wstrb_i = 0xf;
      for (int i = 0; i < 20 && responses.size() < 2; ++i) {
        const bool takes = m.s_axil_wvalid_i && m.s_axil_wready_o;
        const bool takesAddress = m.s_axil_awvalid_i && m.s_axil_awready_o;
        if (m.s_axil_bvalid_o) responses.push_back(m.s_axil_bresp_o);
        bench.tick();
        if (takes) m.s_axil_wvalid_i = !std::exchange(second, true);
        if (takesAddress) m.s_axil_awvalid_i = 0;
      }
      using Both = std::vector<std::uint32_t>;
      EXPECT_EQ(responses, (privileged ? Both{0, 2} : Both{2, 0})) << "gap " << gap;
    }
  }
}

TEST(Registers, ResponsesWaitForTheirReadyForEver) {
  DefaultBench bench;
  bench.waitOpen();
  bench.ticks(20);
  auto& m = *bench.model;
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 1;
  m.s_axil_awaddr_i = r::kConfig0;  // read-only: SLVERR
  m.s_axil_araddr_i = r::kId;
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
  bench.ticks(16);
  EXPECT_TRUE(m.s_axil_bvalid_o && m.s_axil_rvalid_o);
  EXPECT_EQ(m.s_axil_bresp_o, 0u);
  EXPECT_EQ(m.s_axil_rdata_o, 8u | 8u << 8 | 8u << 16 | 4u << 24);
  m.s_axil_bready_i = m.s_axil_rready_i = 1;
  bench.tick();
  EXPECT_EQ(bench.read(r::kIrqEnable), 3u);
}

/// Counts that take years are loaded (poke.vlt), a bit of each at a time, and the others.
struct Loaded : Bench<kDefaultSecdedUnit> {
  static constexpr std::uint32_t kCounters = 9, kRegions = 8;
  Loaded() { waitOpen(); }
  /// Word `place` of a register of many.
  void load(const char* name, std::uint32_t place, std::uint32_t width, std::uint64_t value) {
    setBitsAt(model->registerNamed(name).data, place * width, width, value);
  }
  /// UPDATES, which comes first, is the uppermost.
  void loadCounter(std::uint32_t counter, std::uint64_t value) {
    load("counts_q", kCounters - 1 - counter, 40, value);
  }
};

TEST(Registers, EveryBitOfEveryCountIsReadInItsPlace) {
  Loaded bench;
  for (std::uint32_t bit = 0; bit < 40; ++bit) {
    std::array<std::uint64_t, Loaded::kCounters> counters{};
    std::array<std::uint32_t, Loaded::kRegions> regions{};
    std::array<std::uint32_t, kCauses> causes{};
    for (std::uint32_t i = 0; i < counters.size(); ++i) {
      const std::uint64_t one = std::uint64_t{1} << (bit + 5 * i) % 40;
      counters[i] = bit % 2 == 0 ? one : (std::uint64_t{1} << 40) - 1 - one;
      bench.loadCounter(i, counters[i]);
    }
    for (std::uint32_t i = 0; i < regions.size(); ++i) {
      regions[i] = 1u << (bit + i) % 16;
      bench.load("done_o", i, 16, regions[i]);
    }
    for (std::uint32_t i = 0; i < causes.size(); ++i) {
      causes[i] = 1u << (bit + i) % 8;
      bench.load("error_count_q", i, 8, causes[i]);
    }
    bench.tick();
    for (std::uint32_t i = 0; i < counters.size(); ++i)
      ASSERT_EQ(bench.read64(r::kUpdates + 8 * i), counters[i]) << "counter " << i;
    for (std::uint32_t i = 0; i < regions.size(); ++i)
      ASSERT_EQ(bench.read(r::region(i) + r::kRegDone), regions[i]) << "region " << i;
    for (std::uint32_t i = 0; i < causes.size(); ++i)
      ASSERT_EQ(bench.read(r::errorCount(i)), causes[i]) << "cause " << i;
  }
}

TEST(Registers, TheHighWordOfACounterBelongsToTheLowWordReadLast) {
  Loaded bench;
  for (std::uint32_t i = 0; i < Loaded::kCounters; ++i)
    bench.loadCounter(i, std::uint64_t{i + 1} << 32 | 7u);
  bench.tick();
  for (std::uint32_t last = 0; last < Loaded::kCounters; ++last) {
    bench.read(r::kUpdates + 8 * ((last + 1) % Loaded::kCounters));
    EXPECT_EQ(bench.read(r::kUpdates + 8 * last), 7u);
    bench.read(r::kIrqEnable);
    for (std::uint32_t i = 0; i < Loaded::kCounters; ++i)
      EXPECT_EQ(bench.read(r::kUpdates + 8 * i + 4), last + 1);
  }
}

}  // namespace
}  // namespace t3::rtl_test::registers_test
