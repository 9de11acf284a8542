// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"

namespace t3 {

/// What a switch does with updates of one address that meet at the port to their home.
enum class SwitchMerge : std::uint8_t {
  Off,   ///< nothing
  Model  ///< adds them, as the merge unit of docs/switch-merge.md does: its twin's table
};
BOOST_DESCRIBE_ENUM(SwitchMerge, Off, Model)

/// The switch of fabric.topology=switch.
struct SwitchConfig {
  SwitchMerge merge = SwitchMerge::Off;
  std::uint32_t merge_entries = 512;
  double merge_clock_mhz = 1000;
  double merge_latency_ns = 4;
  double merge_age_us = 5;

  /// A set has four entries, as in the unit's RTL.
  std::uint32_t ways() const { return std::min(merge_entries, 4U); }
  std::uint32_t sets() const { return merge_entries / ways(); }

  static constexpr auto settings() {
    using C = SwitchConfig;
    return std::tuple{
        T3_SETTING(merge, "", 0, 0,
                   "off: each update goes to its home by itself, and each gathered store to each "
                   "GPU; model: updates of one address are added at the port to their home, and a "
                   "store into all other GPUs is sent once and copied by the switch. Modes t3, "
                   "t3-mca, t3-ag; topology switch with direct collectives (docs/switch.md)"),
        T3_SETTING(merge_entries, "", 1, 1048576,
                   "sums of 128 bytes that a port keeps, a power of two; one that finds no place "
                   "sends the oldest on as it is (default: that of the unit's RTL, 64 KB)"),
        T3_SETTING(merge_clock_mhz, "MHz", 1, 100000,
                   "of the merge unit of a port, which adds 128 bytes in a cycle (assumption)"),
        T3_SETTING(merge_latency_ns, "ns", 0, 1e6,
                   "from the last update of a sum to its begin at the link (4 cycles at 1 GHz: "
                   "docs/switch-merge.md, promise 6)"),
        T3_SETTING(merge_age_us, "us", 0.001, 1e6,
                   "time between two rounds of the sweep: a sum that had no update for two rounds "
                   "leaves as it is (default: of 2, 5 and 20 us the one with the least time, "
                   "docs/measurements/switch.md)")};
  }
  std::optional<std::string> check() const {
    if (std::has_single_bit(merge_entries)) return std::nullopt;
    return "merge_entries: expected a power of two, got " + std::to_string(merge_entries);
  }
};

}  // namespace t3
