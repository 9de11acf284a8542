// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbench/workload/meeting.h"
#include "testbench/workload/workload.h"

namespace t3 {

/// GPUs of groups, by name: what "--workload-groups" reads.
using GroupTable = std::map<std::string, std::vector<std::uint32_t>>;
/// From a JSON object like {"1": [0, 1], "2": [2, 3]}. Throws ConfigError.
GroupTable readGroupFile(const std::string& path);

/// Which nodes of different GPUs belong together.
///
/// The n-th collective of a group, in the order of a GPU's file, meets the n-th of its other GPUs;
/// they must agree about what it is. A group is the one of that name in the table; else in the
/// metadata of the GPU's own trace (process groups, as recorders write them); else, for "" and "0",
/// all GPUs, and for any other name the GPUs that use it. The n-th message from one GPU to another
/// with a tag meets the n-th receive. Nodes of the host meet nobody.
///
/// Throws ConfigError: file, node, what was expected, also if nodes of several GPUs would wait for
/// one another for ever.
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

}  // namespace t3
