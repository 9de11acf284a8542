// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "tlm/transport/choice.h"

namespace t3 {

class Arbitration;
struct HbmConfig;

/// Which stream's head enters the DRAM queue of a channel next: a row of the table of policies. The
/// setting `HbmConfig::arbitration` points to one; nothing outside its file knows a policy by name.
///
/// To add one to the library: a file in this folder that derives an `Arbiter` (arbiter.h) and
/// defines its row, a declaration below, and a line in policies.cpp. A test or a program of one's
/// own needs only the first, and `config.arbitration = kMine`.
struct ArbitrationPolicy {
  const char* name;
  /// For one memory. `config` outlives it.
  std::unique_ptr<Arbitration> (*make)(const HbmConfig& config);

  /// Those that ship, the default first.
  static std::span<const ArbitrationPolicy* const> table();
};

extern const ArbitrationPolicy kRoundRobinArbitration;
extern const ArbitrationPolicy kComputeFirstArbitration;
extern const ArbitrationPolicy kCommFirstArbitration;
extern const ArbitrationPolicy kMcaArbitration;

}  // namespace t3
