// SPDX-License-Identifier: Apache-2.0
// Method: the standard tests of a register file, made from its IP-XACT description alone, as a tool
// would: after reset every register reads what the description says; every bit that may be tried is
// written both ways, and does what its access says, and nothing else changes; what is not described
// is not there.
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/rtl/units.h"

namespace t3::rtl_test::description_test {
namespace {

using Tree = boost::property_tree::ptree;

struct Field {
  std::string name;
  std::uint64_t mask = 0;  ///< in its register
  std::string access, write;
  std::optional<std::uint64_t> reset;
  bool tested = true;
};
struct Register {
  std::string name;
  std::uint32_t size = 0;
  std::vector<Field> fields;
};
using Map = std::map<std::uint32_t, Register>;  ///< by address

std::string text(const Tree& node, const char* tag, const std::string& absent = "") {
  return node.get("ipxact:" + std::string(tag), absent);
}
std::uint64_t value(const std::string& number) {
  return number.starts_with("'h") ? std::stoull(number.substr(2), nullptr, 16)
                                  : std::stoull(number);
}
void forEach(const Tree& node, const char* tag, const std::function<void(const Tree&)>& visit) {
  for (const auto& [name, child] : node) {
    if (name == "ipxact:" + std::string(tag)) visit(child);
  }
}

void addRegister(Map& map, const Tree& node, const std::string& prefix, std::uint64_t base) {
  Register found{
      prefix + text(node, "name"), static_cast<std::uint32_t>(value(text(node, "size"))), {}};
  forEach(node, "field", [&found](const Tree& field) {
    const std::uint64_t bits = value(text(field, "bitWidth"));
    const std::string reset =
        field.get(Tree::path_type("ipxact:resets/ipxact:reset/ipxact:value", '/'), "");
    found.fields.push_back({text(field, "name"),
                            (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)
                                << value(text(field, "bitOffset")),
                            text(field, "access"), text(field, "modifiedWriteValue"),
                            reset.empty() ? std::nullopt : std::optional(value(reset)),
                            text(field, "testable", "true") == "true"});
  });
  const std::uint64_t count = value(text(node, "dim", "1"));
  for (std::uint64_t i = 0; i < count; ++i) {
    map[static_cast<std::uint32_t>(base + value(text(node, "addressOffset")) +
                                   i * found.size / 8)] = found;
  }
}

Map described() {
  Tree file;
  boost::property_tree::read_xml(T3_REGISTERS_XML, file);
  const Tree& block = file.get_child(Tree::path_type(
      "ipxact:component/ipxact:memoryMaps/ipxact:memoryMap/ipxact:addressBlock", '/'));
  Map map;
  forEach(block, "register", [&map](const Tree& node) { addRegister(map, node, "", 0); });
  forEach(block, "registerFile", [&map](const Tree& array) {
    for (std::uint64_t i = 0; i < value(text(array, "dim")); ++i) {
      forEach(array, "register", [&](const Tree& node) {
        addRegister(map, node, text(array, "name") + std::to_string(i) + ".",
                    value(text(array, "addressOffset")) + i * value(text(array, "range")));
      });
    }
  });
  return map;
}

std::uint64_t read(TrackTriggerBench& bench, std::uint32_t address, const Register& that) {
  return that.size == 64 ? bench.read64(address) : bench.read(address);
}

TEST(Description, EveryRegisterReadsItsValueAfterReset) {
  Bench<kDefaultUnit> bench;
  bench.waitOpen();
  const Map map = described();
  EXPECT_GT(map.size(), 4000u);
  for (const auto& [address, that] : map) {
    const std::uint64_t found = read(bench, address, that);
    for (const Field& field : that.fields) {
      if (!field.reset) continue;
      EXPECT_EQ((found & field.mask) / (field.mask & ~(field.mask - 1)), *field.reset)
          << that.name << '.' << field.name;
    }
  }
}

/// One bit of a register that can be tried: what it reads after it was written 0 and 1.
void tryBit(TrackTriggerBench& bench, std::uint32_t address, const Register& that,
            const Field& field, std::uint32_t bit) {
  SCOPED_TRACE(that.name + "." + field.name + ", value " + std::to_string(bit));
  const std::uint32_t before = bench.read(address);
  const bool keeps = field.access == "read-write" && field.write.empty();
  for (const std::uint32_t to : {before ^ bit, before}) {
    ASSERT_EQ(bench.write(address, to), TrackTriggerBench::kOkay);
    ASSERT_EQ(bench.read(address), keeps ? to : before & ~(field.write.empty() ? 0 : bit));
  }
}

TEST(Description, EveryBitThatMayBeTriedDoesWhatItsAccessSays) {
  Bench<kDefaultUnit> bench;
  bench.waitOpen();
  std::uint32_t tried = 0, written = 0;
  for (const auto& [address, that] : described()) {
    bool writable = false, left = false;
    for (const Field& field : that.fields)
      (field.tested ? writable : left) |= field.access != "read-only";
    if (left && !writable) continue;  // no bit of it is written
    for (const Field& field : that.fields) {
      for (std::uint64_t bit = 1; bit != 0 && that.size == 32; bit = bit << 1 & 0xffffffff) {
        if ((field.mask & bit) == 0 || !field.tested) continue;
        ++tried;
        // A register that can only be read answers SLVERR, and keeps its value.
        if (!writable) {
          const std::uint32_t before = bench.read(address);
          EXPECT_EQ(bench.write(address, before ^ static_cast<std::uint32_t>(bit)),
                    TrackTriggerBench::kSlvErr);
          EXPECT_EQ(bench.read(address), before);
          continue;
        }
        ++written;
        tryBit(bench, address, that, field, static_cast<std::uint32_t>(bit));
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(tried, 1000u);
  EXPECT_GT(written, 900u);
  EXPECT_EQ(bench.read(registers::kErrors), 0u) << "nothing was refused but what is read only";
}

/// Reserved bits are refused, and where no register is described there is none.
TEST(Description, WhatIsNotDescribedIsNotThere) {
  Bench<kDefaultUnit> bench;
  bench.waitOpen();
  const Map map = described();
  for (const auto& [address, that] : map) {
    for (const Field& field : that.fields) {
      if (!field.name.starts_with("RESERVED") || address >= registers::slot(20)) continue;
      for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
        if ((field.mask & bit) == 0) continue;
        EXPECT_EQ(bench.write(address, bit), TrackTriggerBench::kSlvErr) << that.name << ' ' << bit;
      }
    }
  }
  for (std::uint32_t address = 0; address < 0x10000; address += address < 0x1000 ? 4 : 64) {
    const auto low = map.find(address & ~7u);
    const bool wide = low != map.end() && low->second.size == 64;
    EXPECT_EQ(bench.tryRead(address).response == 0, wide || map.contains(address))
        << std::hex << address;
  }
}

}  // namespace
}  // namespace t3::rtl_test::description_test
