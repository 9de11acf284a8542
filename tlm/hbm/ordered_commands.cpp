// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/ordered_commands.h"

#include <algorithm>
#include <limits>

namespace t3 {

void OrderedCommands::command(const DramCommand& command) {
  auto& heap = channels_[command.channel.value];
  heap.push_back({command, order_++});
  std::push_heap(heap.begin(), heap.end(), later);
}

void OrderedCommands::settled(ChannelId channel, Picoseconds when) {
  passBefore(channels_[channel.value], when);
}

void OrderedCommands::finish() {
  for (auto& heap : channels_) passBefore(heap, std::numeric_limits<Picoseconds>::max());
}

void OrderedCommands::passBefore(std::vector<Item>& heap, Picoseconds when) {
  while (!heap.empty() && heap.front().command.when < when) {
    std::pop_heap(heap.begin(), heap.end(), later);
    sink_.command(heap.back().command);
    heap.pop_back();
  }
}

}  // namespace t3
