// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/hbm/trace_replay.h"

namespace t3 {

/// The longest request of a trace.
inline constexpr std::uint32_t kMostRequestBytes = 1 << 20;

/// Reads a request trace: a request a line, in the order in which they enter, none before the
/// memory's clock CYCLE. The case of words does not matter. Forms are
///
/// * `ADDRESS READ|WRITE|UPDATE [CYCLE]`, as DRAMsim3, DRAMSim2 and Ramulator (without CYCLE);
/// * `CYCLE: [(BYTES)] read|write ADDRESS`, as DRAMSys;
/// * `LD|ST ADDRESS`, as Ramulator 2; here an address without 0x is decimal, as there.
///
/// Empty lines and lines that start with # are skipped. `bytes` is the size of a request whose line
/// gives none. Throws ConfigError "<path>:<line>: …" for anything else, and for a request that
/// does not lie within `capacity` bytes.
std::vector<ReplayRequest> readRequestTrace(const std::string& path, std::uint32_t bytes,
                                            std::uint64_t capacity);

}  // namespace t3
