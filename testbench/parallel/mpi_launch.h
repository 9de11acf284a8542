// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace t3 {

/// What the environment says of the launcher that started this process, mpirun for example. MPI
/// itself is not asked: where nobody launched, it is never initialised.
struct MpiLaunch {
  bool launched = false;
  std::uint32_t self = 0;   ///< number of this process
  std::uint32_t count = 1;  ///< of processes, as far as the environment says
};
MpiLaunch mpiLaunch();

/// The environment, NAME=VALUE each, without what launchers put there: for other children.
std::vector<std::string> environmentWithoutLauncher();

}  // namespace t3
