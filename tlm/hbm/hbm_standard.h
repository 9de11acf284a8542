// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// A memory standard: a row of a table. `config` is a memory of that standard; it names what
/// differs from the defaults of `HbmConfig`, in geometry and in timing.
///
/// To add one to the library: a row below and its address in the table. A program or a test of
/// one's own makes a row and uses its `config`; the library need not know it.
struct HbmStandard {
  const char* name;    ///< as people spell it
  const char* source;  ///< of what differs
  HbmConfig config;

  /// Those that ship.
  static std::span<const HbmStandard* const> table();
};

inline constexpr HbmStandard kHbm2{
    .name = "hbm2",
    .source = "JESD235, 2 Gb/s a pin; each timing parameter has its own source (HbmTiming)",
    .config = {}};

// The others split each 128 bit channel into two pseudo channels with rows and banks of their own.
// Each counts as a channel here. The two share their command buses, which is not modelled: each
// needs at most every second column slot.

inline constexpr HbmStandard kHbm2Pseudo{
    .name = "hbm2-pseudo",
    .source = "JESD235 pseudo channels; tCCDS and tCCDL as in gem5 HBM_2000_4H_1x64",
    .config = {.channels = 64,
               .channel_bits = 64,
               .burst_length = 4,
               .page_bytes = 1024,
               .timing = {.ccd_s_clocks = 2, .ccd_l_clocks = 3}}};

inline constexpr HbmStandard kHbm2e{
    .name = "hbm2e",
    .source = "JESD235D, 3.6 Gb/s a pin; tRFC for 8 Gb a channel",
    .config = {.clock_mhz = 1800,
               .channels = 64,
               .channel_bits = 64,
               .burst_length = 4,
               .page_bytes = 1024,
               .capacity_gib = 32,
               .timing = {.rfc_ns = 350, .ccd_s_clocks = 2, .ccd_l_clocks = 4}}};

inline constexpr HbmStandard kHbm3{
    .name = "hbm3",
    .source = "JESD238, 6.4 Gb/s a pin: pseudo channels of 32 bit, four beats a clock",
    .config = {.clock_mhz = 1600,
               .channels = 128,
               .channel_bits = 32,
               .burst_length = 8,
               .beats_per_clock = 4,
               .page_bytes = 1024,
               .capacity_gib = 64,
               .timing = {.rfc_ns = 350, .ccd_s_clocks = 2, .ccd_l_clocks = 4}}};

inline std::span<const HbmStandard* const> HbmStandard::table() {
  static constexpr std::array rows{&kHbm2, &kHbm2Pseudo, &kHbm2e, &kHbm3};
  return rows;
}

}  // namespace t3
