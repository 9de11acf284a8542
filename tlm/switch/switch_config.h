// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/clock.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// What a switch does with updates of one address that meet at the port to their home.
enum class SwitchMerge : std::uint8_t {
  Off,      ///< nothing
  Model,    ///< the twin of the merge unit of docs/switch-merge.md adds them
  Rtl,      ///< its RTL does
  Lockstep  ///< its RTL does, and is compared with the twin in every cycle
};
BOOST_DESCRIBE_ENUM(SwitchMerge, Off, Model, Rtl, Lockstep)

/// The switch of fabric.topology=switch.
struct SwitchConfig {
  SwitchMerge merge = SwitchMerge::Off;
  std::uint32_t merge_entries = 512;
  double merge_clock_mhz = 1000;
  double merge_age_us = 5;
  std::uint32_t merge_credits = 8;

  /// The size of the unit's RTL.
  static constexpr std::uint32_t kRtlEntries = 512, kRtlCredits = 8;
  static constexpr std::uint64_t kRtlMostAge = (1 << 20) - 1;
  /// A set has four entries, as in the unit's RTL.
  std::uint32_t ways() const { return std::min(merge_entries, 4U); }
  std::uint32_t sets() const { return merge_entries / ways(); }
  /// The unit's `age_i`: cycles between two rounds, less one, which is at least one.
  std::uint64_t ageCycles() const {
    return std::max<std::uint64_t>(2,
                                   picosecondsFromNs(merge_age_us * 1e3) / mergeClock().period()) -
           1;
  }
  Clock mergeClock() const { return Clock(merge_clock_mhz); }

  static constexpr auto settings() {
    using C = SwitchConfig;
    return std::tuple{
        T3_SETTING(
            merge, "", 0, 0,
            "whether the switch adds updates of one address, copies stores for all GPUs and serves "
            "mode nvls. off: it does not; model: the twin of the merge unit adds; rtl: its RTL; "
            "lockstep: both, compared in every cycle (docs/switch.md)"),
        T3_SETTING(merge_entries, "", 1, 1048576,
                   "sums of 128 bytes that a port keeps, a power of two; one that finds no place "
                   "sends the oldest on as it is (default: that of the unit's RTL, 64 KB)"),
        T3_SETTING(
            merge_clock_mhz, "MHz", 1, 100000,
            "of the merge unit of a port, which adds 128 bytes in a cycle and shows a sum in the "
            "fourth one after its last update (assumption)"),
        T3_SETTING(merge_age_us, "us", 0.001, 1e6,
                   "time between two rounds of the sweep: a sum that had no update for two rounds "
                   "leaves as it is (default: of 2, 5 and 20 us the one with the least time, "
                   "docs/measurements/switch.md)"),
        T3_SETTING(merge_credits, "", 1, 65536,
                   "places of 128 bytes behind the unit, for sums that the link has not taken; "
                   "without one the unit stands, and updates wait in front of it (default: that of "
                   "the unit's RTL; assumption, docs/measurements/switch.md)")};
  }
  std::optional<std::string> check() const {
    if (!std::has_single_bit(merge_entries)) {
      return "merge_entries: expected a power of two, got " + std::to_string(merge_entries);
    }
    if (merge != SwitchMerge::Rtl && merge != SwitchMerge::Lockstep) return std::nullopt;
    const std::string cure = "; merge = model, the behavioural twin, takes any";
    const auto built = [&](const char* key, std::uint32_t with, std::uint32_t got) {
      return key + std::string(": the RTL is built with ") + std::to_string(with) + ", got " +
             std::to_string(got) + cure;
    };
    if (merge_entries != kRtlEntries) return built("merge_entries", kRtlEntries, merge_entries);
    if (merge_credits != kRtlCredits) return built("merge_credits", kRtlCredits, merge_credits);
    if (ageCycles() > kRtlMostAge) {
      return "merge_age_us: the RTL takes " + std::to_string(kRtlMostAge + 1) +
             " cycles of merge_clock_mhz at most, got " + std::to_string(ageCycles() + 1) + cure;
    }
    return std::nullopt;
  }
};

}  // namespace t3
