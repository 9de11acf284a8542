// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_command_table.h"

#include <string>

namespace t3 {

void DmaCommandTable::program(CommandId id, const DmaDescriptor& descriptor, DmaShape shape) {
  if (descriptor.tiles.count == 0 || descriptor.tiles.end() > shape.tiling->tiles()) {
    DmaContext::reportError("command " + std::to_string(id.value) + ": tiles outside the output");
    return;
  }
  if (!known(id)) commands_.resize(id.value + 1);
  Command& command = commands_[id.value];
  if (command.state == State::Running) {
    DmaContext::reportError("command " + std::to_string(id.value) + " programmed while it runs");
    return;
  }
  command = {descriptor, shape, State::Armed};
  ++context_.statistics.commandsProgrammed;
}

bool DmaCommandTable::acceptsTrigger(const TriggerMessage& message) const {
  std::string problem;
  if (!known(message.command) || commands_[message.command.value].state == State::Unprogrammed) {
    problem = ", which was never programmed";
  } else if (!armed(message.command)) {
    problem = ", which has started already";
  } else if (message.spoiled) {
    problem = ", whose block received an update when it was complete";
  } else {
    return true;
  }
  DmaContext::reportError("trigger for command " + std::to_string(message.command.value) + problem);
  return false;
}

DmaTransfer DmaCommandTable::take(CommandId id, bool triggered) {
  Command& command = commands_[id.value];
  command.state = State::Running;
  const DmaDescriptor& descriptor = command.descriptor;
  const MemoryLayout& layout = *command.shape.layout;
  DmaTransfer transfer{.tiling = command.shape.tiling,
                       .tiles = descriptor.tiles,
                       .source = layout.base(descriptor.from),
                       .clears = descriptor.clears,
                       .triggered = triggered,
                       .phase = descriptor.phase,
                       .node = descriptor.node,
                       .rank = descriptor.rank,
                       .slowest = descriptor.slowest};
  const std::uint64_t to = layout.base(descriptor.to);
  for (const DmaTarget& target : descriptor.targets) {
    transfer.remote.push_back({.destination = globalAddress(target.gpu, to),
                               .operation = descriptor.operation,
                               .row = 0,
                               .port = target.port,
                               .multicast = descriptor.multicast});
  }
  transfer.event.number = id.value;
  transfer.event.node = descriptor.node;
  transfer.event.workgroup = WorkgroupId{descriptor.tiles.first};
  transfer.finished = [this, id] {
    Command& finished = commands_[id.value];
    finished.state = State::Finished;
    if (finished_) finished_(finished.descriptor);
  };
  return transfer;
}

std::vector<WorkgroupId> DmaCommandTable::untriggered() const {
  std::vector<WorkgroupId> list;
  for (const Command& command : commands_) {
    if (command.state != State::Armed || command.descriptor.targets.empty()) continue;
    list.emplace_back(command.descriptor.tiles.first);
  }
  return list;
}

}  // namespace t3
