// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_command_table.h"

#include <algorithm>
#include <string>

namespace t3 {
namespace {

/// Granule of the address in a TriggerMessage.
constexpr std::uint64_t kAddressGranule = 32;

}  // namespace

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
  } else if (!matchesTile(descriptor(message.command), message)) {
    problem = ": workgroup " + std::to_string(message.workgroup.value) + ", address " +
              std::to_string(message.address) + " is no wavefront tile of its block";
  } else {
    return true;
  }
  DmaContext::reportError("trigger for command " + std::to_string(message.command.value) + problem);
  return false;
}

/// Whether the message's workgroup is in the block, and its address in a wavefront tile of it.
bool DmaCommandTable::matchesTile(const DmaDescriptor& descriptor,
                                  const TriggerMessage& message) const {
  const Tiling& tiling = context_.tiling;
  const std::uint64_t base = context_.layout.base(descriptor.from);
  if (!descriptor.tiles.contains(message.workgroup)) return false;
  for (std::uint32_t wf = 0; wf < tiling.liveWavefronts(message.workgroup); ++wf) {
    const Rectangle area = tiling.wavefrontTile(message.workgroup, WavefrontId{wf});
    // The lowest address since the tile was last parked, so not always its first one.
    const std::uint64_t first = base + tiling.offset(area, 0);
    const std::uint64_t last =
        base + tiling.offset(area, area.rows - 1) + tiling.bytes(area) / area.rows - 1;
    if (first / kAddressGranule <= message.address / kAddressGranule && message.address <= last) {
      return true;
    }
  }
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
