// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// A memory standard: a row of a table. `config` is a memory of that standard; it names what
/// differs from the defaults of `HbmConfig`, in geometry and in timing.
///
/// To add one to the library: a row in hbm_standard.cpp and its address in the table there. A
/// program or a test of one's own makes a row and uses its `config`; the library need not know it.
struct HbmStandard {
  const char* name;    ///< as `--preset` spells it
  const char* source;  ///< of what differs
  HbmConfig config;

  /// Those that ship.
  static std::span<const HbmStandard* const> table();
};

extern const HbmStandard kHbm2;
extern const HbmStandard kHbm2Pseudo;
extern const HbmStandard kHbm2e;
extern const HbmStandard kHbm3;

}  // namespace t3
