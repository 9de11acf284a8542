// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/meetings.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <numeric>
#include <tuple>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

namespace json = boost::json;

using Gpus = std::vector<std::uint32_t>;

/// Numbers of GPUs in a list, in order and each once; nothing if it is no such list.
std::optional<Gpus> gpusOf(const json::value& value) {
  const json::array* list = value.if_array();
  if (list == nullptr) return std::nullopt;
  Gpus gpus;
  for (const json::value& entry : *list) {
    const std::int64_t* number = entry.if_int64();
    if (number == nullptr || *number < 0 || *number > 0xffffffff) return std::nullopt;
    gpus.push_back(static_cast<std::uint32_t>(*number));
  }
  std::ranges::sort(gpus);
  if (std::ranges::adjacent_find(gpus) != gpus.end()) return std::nullopt;
  return gpus;
}

Gpus allOf(const Workload& workload) {
  Gpus all(workload.gpus());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// The process groups in the metadata of a GPU's trace: a list of {"pg_name": …, "ranks": […]}
/// inside the text of a list. Other metadata has none.
GroupTable recordedGroups(const GpuTrace& trace, const Gpus& all) {
  GroupTable groups;
  for (const TraceNode& node : trace.file->nodes) {
    if (node.type != TraceNodeType::Metadata) continue;
    const std::size_t begin = node.values.find("[{");
    const std::size_t end = node.values.rfind("}]");
    if (begin == std::string::npos || end == std::string::npos || end < begin) continue;
    json::error_code error;
    const json::value list = json::parse(node.values.substr(begin, end + 2 - begin), error);
    if (error || !list.is_array()) continue;
    for (const json::value& entry : list.get_array()) {
      const json::object* group = entry.if_object();
      if (group == nullptr) continue;
      const json::value* name = group->if_contains("pg_name");
      const json::value* ranks = group->if_contains("ranks");
      if (name == nullptr || ranks == nullptr || !name->is_string()) continue;
      if (const auto gpus = gpusOf(*ranks)) {
        groups[std::string(name->get_string())] = gpus->empty() ? all : *gpus;
      }
    }
  }
  return groups;
}

bool meets(const TraceNode& node, TraceNodeType type) { return node.type == type && !node.onHost; }

std::string describe(const TraceNode& node) {
  return std::string(nameOf(*node.commType)) + " of " + std::to_string(node.commBytes) + " bytes";
}

std::string withArticle(const std::string& words) {
  return (words.starts_with("a") ? "an " : "a ") + words;
}

std::string groupText(const std::string& name) {
  return name.empty() ? "all GPUs" : "group " + inQuotes(name);
}

[[noreturn]] void refuse(const Workload& workload, NodePlace at, const std::string& expected) {
  const GpuTrace& trace = workload.gpu(at.gpu);
  throw ConfigError(trace.file->path, placeOf(trace.node(at.node)), expected);
}

std::string otherText(const Workload& workload, NodePlace at) {
  return "GPU " + std::to_string(at.gpu) + "'s " + placeOf(workload.gpu(at.gpu).node(at.node));
}

}  // namespace

GroupTable readGroupFile(const std::string& path) {
  const JsonFile file(path);
  if (!file.value.is_object()) {
    throw ConfigError(path, "", "expected an object of groups, {\"1\": [0, 1], …}");
  }
  GroupTable groups;
  for (const auto& [name, value] : file.value.get_object()) {
    const auto gpus = gpusOf(value);
    if (!gpus || gpus->empty()) {
      throw ConfigError(file.placeOf(std::string(name)), shortened(std::string(name)),
                        "expected a list of numbers of GPUs, each once");
    }
    groups[std::string(name)] = *gpus;
  }
  return groups;
}

Meetings::Meetings(const Workload& workload, const GroupTable& groups) {
  for (const auto& [name, gpus] : groups) {
    if (gpus.back() >= workload.gpus()) {
      throw ConfigError("--workload-groups", shortened(name),
                        "expected GPUs from 0 to " + std::to_string(workload.gpus() - 1) +
                            ", got " + std::to_string(gpus.back()));
    }
  }
  meetCollectives(workload, groups);
  meetMessages(workload);
  refuseCircles(workload);
}

void Meetings::meetCollectives(const Workload& workload, const GroupTable& groups) {
  const Gpus all = allOf(workload);
  // Whoever uses a name: for names that nobody declares.
  std::map<std::string, Gpus> users;
  for (std::uint32_t g = 0; g < workload.gpus(); ++g) {
    for (const TraceNode& node : workload.gpu(g).file->nodes) {
      if (!meets(node, TraceNodeType::Collective)) continue;
      Gpus& gpus = users[node.group];
      if (gpus.empty() || gpus.back() != g) gpus.push_back(g);
    }
  }
  // [name, GPUs][GPU]: its nodes, in order. A name may mean other GPUs on other GPUs.
  std::map<std::pair<std::string, Gpus>, std::map<std::uint32_t, std::vector<std::uint32_t>>> lists;
  for (std::uint32_t g = 0; g < workload.gpus(); ++g) {
    const GpuTrace& trace = workload.gpu(g);
    const GroupTable recorded = recordedGroups(trace, all);
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      const TraceNode& node = trace.node(i);
      if (!meets(node, TraceNodeType::Collective)) continue;
      const Gpus* gpus = &users[node.group];
      if (const auto declared = groups.find(node.group); declared != groups.end()) {
        gpus = &declared->second;
      } else if (const auto own = recorded.find(node.group); own != recorded.end()) {
        gpus = &own->second;
      } else if (node.group.empty() || node.group == "0") {
        gpus = &all;
      }
      if (gpus->back() >= workload.gpus() || !std::ranges::binary_search(*gpus, g)) {
        refuse(workload, {g, i},
               "expected " + groupText(node.group) + " to be of GPUs 0 to " +
                   std::to_string(workload.gpus() - 1) + ", this one among them");
      }
      lists[{node.group, *gpus}][g].push_back(i);
    }
  }
  for (const auto& [group, byGpu] : lists) {
    const auto& [name, gpus] = group;
    // Compared with the first GPU that has one.
    const auto& [first, nodes] = *byGpu.begin();
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const NodePlace model{first, nodes[n]};
      const TraceNode& one = workload.gpu(first).node(nodes[n]);
      CollectiveMeeting meeting{*one.commType, one.commBytes, {}};
      for (const std::uint32_t g : gpus) {
        const auto own = byGpu.find(g);
        if (own == byGpu.end() || own->second.size() <= n) {
          refuse(workload, model,
                 "expected a partner of this " + describe(one) + " on every GPU of " +
                     groupText(name) + ", but GPU " + std::to_string(g) + " has only " +
                     std::to_string(own == byGpu.end() ? 0 : own->second.size()) +
                     " collectives there");
        }
        const NodePlace place{g, own->second[n]};
        const TraceNode& other = workload.gpu(g).node(place.node);
        if (other.commType != one.commType || other.commBytes != one.commBytes) {
          refuse(workload, place,
                 "expected " + withArticle(describe(one)) + " like " + otherText(workload, model) +
                     ", as collective " + std::to_string(n) + " of " + groupText(name) + ", got " +
                     withArticle(describe(other)));
        }
        meeting.members.push_back(place);
      }
      collectives_.push_back(std::move(meeting));
    }
    for (const auto& [g, own] : byGpu) {
      if (own.size() <= nodes.size()) continue;
      const NodePlace place{g, own[nodes.size()]};
      refuse(workload, place,
             "expected a partner of this " + describe(workload.gpu(g).node(place.node)) +
                 " on every GPU of " + groupText(name) + ", but GPU " + std::to_string(first) +
                 " has only " + std::to_string(nodes.size()) + " collectives there");
    }
  }
}

void Meetings::meetMessages(const Workload& workload) {
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // from, to, tag
  std::map<Key, std::pair<std::vector<NodePlace>, std::vector<NodePlace>>> queues;
  for (std::uint32_t g = 0; g < workload.gpus(); ++g) {
    const GpuTrace& trace = workload.gpu(g);
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      const TraceNode& node = trace.node(i);
      const bool sends = meets(node, TraceNodeType::Send);
      if (!sends && !meets(node, TraceNodeType::Receive)) continue;
      const std::uint64_t from = node.commFrom.value_or(g), to = node.commTo.value_or(g);
      const std::uint64_t other = sends ? to : from;
      if ((sends ? from : to) != g || other == g || other >= workload.gpus()) {
        refuse(workload, {g, i},
               "expected a message between this GPU and another one of 0 to " +
                   std::to_string(workload.gpus() - 1) + ", got one from " + std::to_string(from) +
                   " to " + std::to_string(to));
      }
      auto& [sent, received] = queues[{from, to, node.commTag}];
      (sends ? sent : received).push_back({g, i});
    }
  }
  for (const auto& [key, queue] : queues) {
    const auto& [sent, received] = queue;
    const std::size_t both = std::min(sent.size(), received.size());
    if (sent.size() != received.size()) {
      const bool moreSent = sent.size() > received.size();
      refuse(workload, moreSent ? sent[both] : received[both],
             std::string("expected a ") + (moreSent ? "receive" : "send") + " on GPU " +
                 std::to_string(moreSent ? std::get<1>(key) : std::get<0>(key)) + " with tag " +
                 std::to_string(std::get<2>(key)) + " for this " + (moreSent ? "send" : "receive") +
                 ", but it has only " + std::to_string(both));
    }
    for (std::size_t n = 0; n < both; ++n) {
      const std::uint64_t bytes = workload.gpu(sent[n].gpu).node(sent[n].node).commBytes;
      const std::uint64_t taken = workload.gpu(received[n].gpu).node(received[n].node).commBytes;
      if (bytes != taken) {
        refuse(workload, received[n],
               "expected " + std::to_string(bytes) + " bytes like " + otherText(workload, sent[n]) +
                   ", got " + std::to_string(taken));
      }
      messages_.push_back({bytes, sent[n], received[n]});
    }
  }
}

void Meetings::refuseCircles(const Workload& workload) const {
  JoinedGraph graph(workload, messages_);
  for (const CollectiveMeeting& meeting : collectives_) {
    for (const NodePlace place : meeting.members) graph.join(meeting.members.front(), place);
  }
  const std::vector<NodePlace> circle = graph.circle();
  if (circle.empty()) return;
  refuse(workload, circle[0],
         "expected GPUs that do not wait for one another for ever, but it waits for itself by way "
         "of " +
             otherText(workload, circle[1]));
}

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
