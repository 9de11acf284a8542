// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"

namespace t3 {

/// The size of the RTL that is built in: the unit's defaults, or what -D T3_TRACKER_PARAMETERS says
/// (docs/your-rtl.md). Also the default size of a tracker, whatever is behind it.
struct RtlSize {
  std::uint32_t lanes, banks, windows, regions, slots, rows, queue;
};

RtlSize rtlSize();

/// Which implementation of the tracker runs in the system.
enum class TrackerKind : std::uint8_t { Rtl, Model, Lockstep, Netlist };
BOOST_DESCRIBE_ENUM(TrackerKind, Rtl, Model, Lockstep, Netlist)

/// Size and clock of the track-and-trigger unit (docs/tracker.md). By default the size of the RTL
/// that is built in.
struct TrackerConfig {
  /// What is the same in every size of the unit (docs/tracker.md, "Parameters", "Memories").
  static constexpr std::uint32_t kWorkgroups = 1U << 16;  ///< ids of WgWidth bits
  static constexpr std::uint32_t kWavefronts = 1U << 3;   ///< ids of WfWidth bits
  static constexpr std::uint32_t kCountWidth = 23;
  static constexpr std::uint32_t kWeightWidth = 8;
  static constexpr std::uint32_t kMostCount = 1U << (kCountWidth - 1);  ///< bytes a slot counts to
  static constexpr std::uint32_t kRowQueue = 16;  ///< rows that wait in order of completion

  static constexpr std::uint32_t kMostBlockLog2 = 12;

  double clock_mhz = 1000.0;
  std::uint32_t lanes = rtlSize().lanes;
  std::uint32_t banks = rtlSize().banks;
  std::uint32_t windows = rtlSize().windows;
  std::uint32_t regions = rtlSize().regions;
  std::uint32_t slots = rtlSize().slots;
  std::uint32_t rows = rtlSize().rows;
  std::uint32_t queue = rtlSize().queue;
  std::uint32_t block_log2 = 0;
  std::uint32_t lane_queue_updates = 64;
  double register_access_ns = 0;

  /// Lets a command cover as many tiles as it takes for the slots to suffice for so many.
  void coverTiles(std::uint64_t tiles);

  static constexpr auto settings() {
    using C = TrackerConfig;
    return std::tuple{
        T3_SETTING(
            clock_mhz, "MHz", 1, 10000,
            "clock of the unit; assumption: lanes x 128 bytes x clock covers the memory's peak"),
        T3_SETTING(
            lanes, "", 1, 16,
            "update lanes of each stack's tracker, a power of two; each serves hbm.channels / "
            "(hbm.stacks x lanes) channels, rounded up or down. The RTL has the default; the twin "
            "takes all"),
        T3_SETTING(banks, "", 2, 16,
                   "banks of slots, a power of two. The RTL has the default; the twin takes all"),
        T3_SETTING(windows, "", 1, 8,
                   "ranges of addresses, which regions share. The RTL has the default; the "
                   "twin takes all"),
        T3_SETTING(regions, "", 1, 16,
                   "ranges of workgroups that can be programmed. The RTL has the default; "
                   "the twin takes all"),
        T3_SETTING(slots, "", 16, 8192,
                   "DMA commands that can be armed at once, a power of two, at least 2 x banks. "
                   "The RTL has the default; the twin takes all"),
        T3_SETTING(rows, "", 0, 4096,
                   "row slots: rows of output tiles whose completion the tracker can say for "
                   "another kernel that waits for them, a power of two from 16 on, or 0: trackers "
                   "without rows (docs/tracker.md, promise 8). The RTL has the default; the twin "
                   "takes all"),
        T3_SETTING(queue, "", 16, 1024,
                   "commands that wait in order of completion, a power of two; what waits beyond "
                   "them leaves in order of number (docs/tracker.md, promise 7). The RTL has the "
                   "default; the twin takes all"),
        T3_SETTING(block_log2, "", 0, kMostBlockLog2,
                   "a DMA command covers 2^block_log2 consecutive output tiles, at least: twice as "
                   "many, and "
                   "so on, where there are too few slots (a slot counts to 4 MiB)"),
        T3_SETTING(lane_queue_updates, "updates", 1, 65536,
                   "memory-side queue in front of each lane; the default holds the bursts of the "
                   "paper's runs (docs/measurements/tracker-sizing.md)"),
        T3_SETTING(register_access_ns, "ns", 0, 1e6,
                   "what a register access of the software that programs the tracker takes, beyond "
                   "the unit's own clocks (assumption: none, a command processor on the die posts "
                   "its writes)")};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
