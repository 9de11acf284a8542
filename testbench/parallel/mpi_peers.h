// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tlm/node/peers.h"

namespace t3 {

/// What the environment says of the launcher that started this process, mpirun for example. MPI
/// itself is not asked: where nobody launched, it is never initialised.
struct MpiLaunch {
  bool launched = false;
  std::uint32_t self = 0;   ///< number of this process
  std::uint32_t count = 1;  ///< of processes, as far as the environment says
};
MpiLaunch mpiLaunch();

/// The processes that a launcher started, this one among them; null where none did. MPI is
/// initialised here and ends with the object. A program that was built without MPI and is launched
/// is refused with a ConfigError: every process would simulate everything.
///
/// A process that waits for others gives up its core to them: it yields at first, and sleeps where
/// the wait is long.
std::unique_ptr<Peers> mpiPeers();

}  // namespace t3
