// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tlm/hbm/trace_replay.h"

namespace t3 {

/// Reads a request trace in the format that public DRAM simulators share: one
/// `0xADDRESS READ|WRITE CYCLE` a line, in the order in which requests enter, CYCLE being the
/// memory's clock before which they do not. UPDATE, an op-and-store, is our addition. Empty lines
/// and lines that start with # are skipped.
///
/// Throws ConfigError "<source>:<line>: …" for anything else, and for a request of `bytes` that
/// does not lie within `capacity` bytes.
std::vector<ReplayRequest> parseRequestTrace(std::string_view text, const std::string& source,
                                             std::uint32_t bytes, std::uint64_t capacity);

/// The same for a file, named by its path in errors.
std::vector<ReplayRequest> readRequestTrace(const std::string& path, std::uint32_t bytes,
                                            std::uint64_t capacity);

}  // namespace t3
