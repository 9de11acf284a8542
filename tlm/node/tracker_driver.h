// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"

namespace t3 {

/// A run of tiles that is tracked alike, and what their completion does.
struct TrackedRegion {
  TileRange tiles;
  std::uint32_t updatesPerElement = 2;  ///< the same in all regions
  bool trigger = false;                 ///< issue DMA commands
  bool notify = false;
  CommandId firstCommand;  ///< slot of the first block
  bool park = false;       ///< tiles leave the table while they wait for their next contribution
  OutputBuffer buffer = OutputBuffer::Output;  ///< where the tiles lie
};

/// The software that programs one tracker: register writes over its AXI4-Lite face, before the
/// launch (docs/tracker.md, "programming sequence").
class TrackerDriver : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<TrackerDriver> registers{"registers"};

  explicit TrackerDriver(const sc_core::sc_module_name& name) : sc_module(name) {}

  /// Clears the tracker and programs geometry 0, the regions and the command slots of their
  /// blocks of 2^`blockLog2` tiles. Regions must start on their own slots.
  void program(const Tiling& tiling, const MemoryLayout& layout, std::uint32_t blockLog2,
               std::uint32_t epoch, const std::vector<TrackedRegion>& regions);

  /// Time the register accesses took so far; software overlaps it with earlier work.
  sc_core::sc_time elapsed() const { return elapsed_; }

 private:
  void write(std::uint32_t address, std::uint32_t value);
  std::uint32_t read(std::uint32_t address);
  void access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value);

  sc_core::sc_time elapsed_;
};

}  // namespace t3
