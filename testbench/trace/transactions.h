// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "testbench/config/options.h"
#include "testbench/probe/listeners.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// --transactions and its companions.
void addTransactionOptions(Options& options);

/// Every step of every request, and every event between them, as a line of a CSV file, in the order
/// in which the models announce them (docs/debugging.md names the columns). `time_ps` may lie ahead
/// of the lines that follow: models annotate delays instead of waiting.
///
/// `config` and `mode` are those of the run. Null without --transactions. Throws ConfigError.
std::unique_ptr<Instrument> transactionsOf(const Options& options, const SystemConfig& config,
                                           Mode mode);
/// The same of a collective from a file, whose requests can name so many workgroups.
std::unique_ptr<Instrument> transactionsOf(const Options& options, const SystemConfig& config,
                                           std::uint32_t workgroups);

}  // namespace t3
