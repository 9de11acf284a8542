// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/workload/meeting.h"
#include "testbench/workload/workload.h"

namespace t3 {

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
