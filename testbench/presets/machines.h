// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace t3 {

/// One setting of a machine, and where its value is from.
struct MachineSetting {
  const char* assignment;  ///< key.path=value
  const char* origin;      ///< a published figure, a measured file that gave it, or "assumption"
};

/// Hardware that a scenario can run on: settings that are applied to the preset or file, before
/// those of the user (docs/silicon.md).
struct KnownMachine {
  const char* name;
  const char* summary;                ///< one line
  std::vector<const char*> measured;  ///< files whose figures gave it settings; others judge it
  std::vector<MachineSetting> settings;
};

/// All machines.
const std::vector<KnownMachine>& machines();
std::vector<std::string> machineNames();
/// The machine called `name`; throws ConfigError, with the nearest one, if there is none.
const KnownMachine& machineNamed(const std::string& name, const std::string& option);

}  // namespace t3
