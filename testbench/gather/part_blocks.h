// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/gather/part_file.h"
#include "tlm/node/peers.h"

namespace t3 {

/// In process 0: the blocks of the parts of all processes. The others call `serveBlocks` and are
/// asked for theirs, until this object is gone.
class PartBlocks {
 public:
  PartBlocks(Peers& peers, PartFile& own) : peers_(peers), own_(own) {}
  ~PartBlocks();
  PartBlocks(const PartBlocks&) = delete;
  PartBlocks& operator=(const PartBlocks&) = delete;

  /// The next block of a process; an empty one if there are no more. Throws std::runtime_error,
  /// also with what went wrong there.
  std::vector<unsigned char> next(std::uint32_t process);

 private:
  Peers& peers_;
  PartFile& own_;
};

void serveBlocks(Peers& peers, PartFile& own);

}  // namespace t3
