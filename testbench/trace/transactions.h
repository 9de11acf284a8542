// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/output/output_file.h"
#include "testbench/probe/instrument.h"
#include "testbench/probe/request_numbers.h"
#include "testbench/trace/transaction_options.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/graph.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Every step of every request, and every event between them, as a line of a CSV file, in the order
/// in which the models announce them (docs/debugging.md names the columns). `time_ps` may lie ahead
/// of the lines that follow: models annotate delays instead of waiting.
class Transactions : public Instrument, private EventSink, private RequestSink {
 public:
  /// `config` and `mode` are those of the run. Throws ConfigError if the file cannot be written.
  Transactions(const TransactionOptions& options, const SystemConfig& config, Mode mode);
  /// For a collective from a file: how many `workgroups` its requests can name, which else are
  /// tiles of an output.
  Transactions(const TransactionOptions& options, const SystemConfig& config,
               std::uint32_t workgroups);

  void begin(Listeners& listeners) override;
  void finish() override;

 private:
  Transactions(const TransactionOptions& options, const SystemConfig& config, const Graph& graph);
  bool ofSublayer() const { return !outputs_.empty(); }
  void happened(const Event& event) override;
  void moved(const RequestStep& step) override;
  bool wanted(std::uint32_t source, Picoseconds when) const;
  /// Whether an event names a tile or block: its own or, for a command, the first of the command.
  bool hasTile(EventKind kind) const;
  /// Whether it names a thread block: it is about a step of a collective from a file.
  bool hasThreadBlock(EventKind kind) const;
  bool wantedTile(bool known, WorkgroupId workgroup) const;
  bool wantedBytes(std::uint64_t address, std::uint64_t bytes) const;
  bool wantedBytes(const Event& event) const;
  void flushIfFull();

  TransactionOptions options_;
  const Graph graph_;                  ///< none of a collective from a file
  const std::vector<Tiling> outputs_;  ///< of the graph
  OutputFile file_;
  std::string pending_;
  Listeners* listeners_ = nullptr;
  std::optional<RequestNumbers> numbers_;
  std::vector<bool> inScope_;                             ///< by model
  std::vector<std::optional<std::uint32_t>> outputMade_;  ///< by model: by that GEMM
};

}  // namespace t3
