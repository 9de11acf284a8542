// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_command_table.h"

#include <algorithm>
#include <string>

namespace t3 {

void DmaCommandTable::program(CommandId id, const DmaDescriptor& descriptor) {
  if (descriptor.tiles.count == 0 || descriptor.tiles.end() > context_.tiling.tiles()) {
    DmaContext::reportError("command " + std::to_string(id.value) + ": tiles outside the output");
    return;
  }
  if (descriptor.targets.empty()) {
    DmaContext::reportError("command " + std::to_string(id.value) + ": sends to no GPU");
    return;
  }
  if (!known(id)) commands_.resize(id.value + 1);
  Command& command = commands_[id.value];
  if (command.state == State::Queued || command.state == State::Running) {
    DmaContext::reportError("command " + std::to_string(id.value) + " programmed while it runs");
    return;
  }
  command = {descriptor, State::Armed, false};
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

void DmaCommandTable::take(CommandId id, bool triggered) {
  Command& command = commands_[id.value];
  command.state = State::Queued;
  command.triggered = triggered;
  DmaStatistics& statistics = context_.statistics;
  if (triggered) {
    ++queuedTriggers_;
    statistics.peakQueuedCommands =
        std::max<std::uint64_t>(statistics.peakQueuedCommands, queuedTriggers_);
  }
  ++statistics.commandsTaken;
  context_.engine.announce(
      {.kind = EventKind::CommandTaken, .number = id.value, .workgroup = firstTile(id)});
}

void DmaCommandTable::begin(CommandId id) {
  Command& command = commands_[id.value];
  command.state = State::Running;
  if (command.triggered) --queuedTriggers_;
  context_.engine.announce(
      {.kind = EventKind::CommandBegin, .number = id.value, .workgroup = firstTile(id)});
}

void DmaCommandTable::finish(CommandId id) {
  commands_[id.value].state = State::Finished;
  ++context_.statistics.commandsFinished;
  context_.engine.announce(
      {.kind = EventKind::CommandEnd, .number = id.value, .workgroup = firstTile(id)});
}

std::vector<WorkgroupId> DmaCommandTable::untriggered() const {
  std::vector<WorkgroupId> list;
  for (const Command& command : commands_) {
    if (command.state == State::Armed) list.emplace_back(command.descriptor.tiles.first);
  }
  return list;
}

}  // namespace t3
