// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/joined_graph.h"

#include "testbench/workload/waiting_circle.h"

namespace t3 {

JoinedGraph::JoinedGraph(const Workload& workload, const std::vector<MessageMeeting>& messages)
    : workload_(workload), messages_(messages) {
  for (std::uint32_t g = 0; g < workload.gpus(); ++g) {
    base_.push_back(static_cast<std::uint32_t>(places_.size()));
    for (std::uint32_t i = 0; i < workload.gpu(g).size(); ++i) {
      parent_.push_back(static_cast<std::uint32_t>(places_.size()));
      places_.push_back({g, i});
    }
  }
}

void JoinedGraph::join(NodePlace one, NodePlace other) { parent_[root(other)] = root(one); }

std::uint32_t JoinedGraph::root(NodePlace place) const {
  std::uint32_t at = number(place);
  while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
  return at;
}

std::vector<NodePlace> JoinedGraph::circle() const {
  std::vector<std::vector<std::uint32_t>> waits(places_.size());
  const auto add = [&](NodePlace later, NodePlace earlier) {
    if (root(later) != root(earlier)) waits[root(later)].push_back(root(earlier));
  };
  for (const NodePlace place : places_) {
    for (const std::uint32_t earlier : workload_.gpu(place.gpu).dependencies[place.node]) {
      add(place, {place.gpu, earlier});
    }
  }
  for (const MessageMeeting& message : messages_) add(message.to, message.from);
  std::vector<NodePlace> way;
  for (const std::uint32_t one : waitingCircle(waits)) way.push_back(places_[one]);
  return way;
}

}  // namespace t3
