// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbench/workload/trace_file.h"
#include "testbench/workload/workload.h"

namespace t3 {

/// A node of one GPU.
struct NodePlace {
  std::uint32_t gpu = 0, node = 0;
  // clang-tidy takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const NodePlace&) const = default;
};

/// A collective: the nodes of all GPUs that take part, by GPU.
struct CollectiveMeeting {
  CommType type = CommType::AllReduce;
  std::uint64_t bytes = 0;  ///< comm_size
  std::vector<NodePlace> members;
};

/// A message: a send node and the receive node that takes it.
struct MessageMeeting {
  std::uint64_t bytes = 0;
  NodePlace from, to;
};

/// GPUs of groups, by name: what "--workload-groups" reads.
using GroupTable = std::map<std::string, std::vector<std::uint32_t>>;
/// From a JSON object like {"1": [0, 1], "2": [2, 3]}. Throws ConfigError.
GroupTable readGroupFile(const std::string& path);

/// Which nodes of different GPUs belong together.
///
/// The n-th collective of a group, in the order of a GPU's file, meets the n-th of its other GPUs;
/// they must agree about what it is. A group is that of the table, else of the metadata of the
/// GPU's trace (process groups), else all GPUs for "" and "0", and for other names the GPUs that
/// use them. The n-th message from one GPU to another with a tag meets the n-th receive. Nodes of
/// the host meet nobody.
///
/// Throws ConfigError, also if nodes of several GPUs would wait for one another for ever.
class Meetings {
 public:
  Meetings(const Workload& workload, const GroupTable& groups);

  const std::vector<CollectiveMeeting>& collectives() const { return collectives_; }
  const std::vector<MessageMeeting>& messages() const { return messages_; }

 private:
  void meetCollectives(const Workload& workload, const GroupTable& groups);
  void meetMessages(const Workload& workload);
  void refuseCircles(const Workload& workload) const;

  std::vector<CollectiveMeeting> collectives_;
  std::vector<MessageMeeting> messages_;
};

/// The nodes of all GPUs and what each waits for, with nodes joined that happen together.
class JoinedGraph {
 public:
  /// A receive waits for its send.
  JoinedGraph(const Workload& workload, const std::vector<MessageMeeting>& messages);

  void join(NodePlace one, NodePlace other);
  bool joined(NodePlace one, NodePlace other) const { return root(one) == root(other); }
  /// As `waitingCircle`; a place stands for all that are joined with it.
  std::vector<NodePlace> circle() const;

 private:
  std::uint32_t number(NodePlace place) const { return base_[place.gpu] + place.node; }
  std::uint32_t root(NodePlace place) const;

  const Workload& workload_;
  const std::vector<MessageMeeting>& messages_;
  std::vector<std::uint32_t> base_;  ///< number of the first node of a GPU
  std::vector<NodePlace> places_;
  mutable std::vector<std::uint32_t> parent_;
};

}  // namespace t3
