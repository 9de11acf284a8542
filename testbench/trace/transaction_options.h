// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/probe/scope.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Which lines a transaction log has: those that pass every filter that is given. A line without
/// the field that a filter asks for does not pass that filter: an event has no stream, for example.
struct TransactionOptions {
  std::string path;
  std::optional<std::vector<std::string>> scopes;
  TimeWindow window;
  std::vector<std::uint32_t> channels;  ///< empty: all, as with the others
  std::vector<std::uint32_t> workgroups;
  std::vector<Stream> streams;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> addresses;  ///< from, to, of one GPU
};

/// --transactions and its companions.
void addTransactionOptions(Options& options);
/// Nothing without --transactions. Throws ConfigError.
std::optional<TransactionOptions> transactionOptionsOf(const Options& options);

}  // namespace t3
