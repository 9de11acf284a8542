// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/workload/meetings.h"
#include "testbench/workload/part.h"
#include "testbench/workload/workload.h"

namespace t3 {

/// What a GPU does in a node, for where the time goes.
enum class WorkKind : std::uint8_t {
  Gemm,            ///< alone
  PairGemm,        ///< the GEMM of a pair
  PairCollective,  ///< the collective of a pair, after its GEMM
  Compute,         ///< other compute nodes
  Memory,
  Collective,  ///< alone
  Message,
  Host,
  Nothing  ///< a node that takes no time
};
BOOST_DESCRIBE_ENUM(WorkKind, Gemm, PairGemm, PairCollective, Compute, Memory, Collective, Message,
                    Host, Nothing)

/// A node that no other GPU takes part in, and a message's two ends.
struct PlannedNode {
  WorkKind kind = WorkKind::Nothing;
  std::optional<std::uint32_t> part;  ///< whose time it takes
  Picoseconds duration = 0;           ///< else
};

/// A collective on all its GPUs.
struct PlannedCollective {
  std::vector<NodePlace> members;
  std::optional<std::uint32_t> part;
  Picoseconds duration = 0;      ///< without a part
  std::vector<NodePlace> gemms;  ///< of a pair: the GEMM of each member
  bool takesNoTime = false;      ///< a barrier
};

/// A message: how long it keeps its sender busy, and how long it takes to arrive.
struct PlannedMessage {
  NodePlace from, to;
  Picoseconds busy = 0, arrives = 0;
  /// On its way, {GPU, number of the link}: no other message is on them at the same time. Behind a
  /// switch link 1 of a GPU is the one that comes from it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links = {};
};

/// What becomes of every node of a workload on the machine of a scenario.
struct WorkPlan {
  std::vector<std::vector<PlannedNode>> nodes;  ///< [GPU][node]; members of collectives: Nothing
  std::vector<PlannedCollective> collectives;
  std::vector<PlannedMessage> messages;
  std::vector<WorkPart> parts;
  std::vector<std::uint64_t> occurrences;  ///< [part] in the iteration, all GPUs of it once
  std::vector<std::string> notes;  ///< what is not simulated as the trace has it, a line each
};

/// MSCCL files by what they compute and for how many GPUs.
using CollectiveFiles = std::map<std::pair<const Promise*, std::uint32_t>, std::string>;

/// Throws ConfigError where a node can be neither simulated nor timed.
WorkPlan planWork(const Workload& workload, const Meetings& meetings, const SystemConfig& scenario,
                  const CollectiveFiles& files);

/// The time of work that no kernel of the models does, in ns: that of the compute units at their
/// peak, or of the memory at its peak, whichever takes longer; each times the share of `trace`.
double rooflineNs(const SystemConfig& scenario, double operations, double bytes);

}  // namespace t3
