// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// Sorts the commands of each channel by time and passes them on. A command waits here until its
/// channel says that it will announce nothing earlier (`settled`). `finish` passes on the rest.
class OrderedCommands : public CommandObserver {
 public:
  OrderedCommands(const HbmConfig& config, CommandObserver& sink)
      : sink_(sink), channels_(config.channels) {}

  void command(const DramCommand& command) override;
  void settled(ChannelId channel, Picoseconds when) override;
  void finish();

 private:
  struct Item {
    DramCommand command;
    std::uint64_t order;
  };
  static bool later(const Item& a, const Item& b) {
    return a.command.when != b.command.when ? a.command.when > b.command.when : a.order > b.order;
  }
  void passBefore(std::vector<Item>& heap, Picoseconds when);

  CommandObserver& sink_;
  std::vector<std::vector<Item>> channels_;  ///< heaps, earliest on top
  std::uint64_t order_ = 0;
};

}  // namespace t3
