// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <utility>
#include <vector>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/paper_tracker.h"
#include "tlm/node/tracked_region.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// What the software's register accesses took.
struct TrackerSetup {
  std::uint64_t accesses = 0;  ///< of the last kernel
  Picoseconds first = 0;       ///< before the first kernel
  Picoseconds again = 0;       ///< the longest between two kernels
};

/// The software that programs one tracker: register accesses over its AXI4-Lite face
/// (docs/tracker-integration.md, "Programming").
///
/// Timing. An access takes what the unit says, and `gap` more. Before the first kernel they are
/// made at once, in no simulated time, because software makes them during earlier work; what they
/// would take is counted. Between kernels each is made at its own simulated time.
class TrackerDriver : public sc_core::sc_module {
 public:
  using Done = std::function<void()>;

  tlm_utils::simple_initiator_socket<TrackerDriver> registers{"registers"};

  explicit TrackerDriver(const sc_core::sc_module_name& name,
                         const sc_core::sc_time& gap = sc_core::SC_ZERO_TIME)
      : sc_module(name), gap_(gap), next_("next", [this](std::size_t write) { proceed(write); }) {}

  /// Whoever counts beside the tracker is told what the tracker is to count.
  void tell(PaperTracker& judge) { judge_ = &judge; }

  /// Clears the tracker and programs the geometries of the regions, at least geometry 0, the
  /// regions and the command slots of their blocks of 2^`blockLog2` tiles. A region may lie over
  /// regions before it, which match first; where they have a slot in common, it counts for the
  /// first one. If regions release rows, also their row slots: each counts the wavefront tiles of a
  /// row of the grid that lie in these regions, and in no region before them of the same buffer.
  void program(const Tiling& tiling, const MemoryLayout& layout, std::uint32_t blockLog2,
               std::uint32_t epoch, const std::vector<TrackedRegion>& regions);

  /// Programs the tracker that has been programmed like this for one more kernel, and runs `done`.
  /// Everything that was tracked must be complete and all commands taken. So there is nothing to
  /// clear: when STATUS says that the unit has nothing inside, a new epoch, the command and row
  /// slots, and the regions' CTRL, which sets DONE to 0. `firstRow` of a region may differ from
  /// before.
  void programAgain(const Tiling& tiling, std::uint32_t blockLog2, std::uint32_t epoch,
                    const std::vector<TrackedRegion>& regions, Done done);

  const TrackerSetup& setup() const { return setup_; }
  /// Nothing is being programmed.
  bool idle() const { return next_.empty(); }

 private:
  using Write = std::pair<std::uint32_t, std::uint32_t>;  ///< address, value

  /// Returns how many slots of the region count for it.
  std::uint32_t addSlots(const Tiling& tiling, std::uint32_t blockLog2,
                         const TrackedRegion& region);
  void addRegion(const MemoryLayout& layout, const Tiling& tiling, std::uint32_t blockLog2,
                 std::uint32_t index, const TrackedRegion& region);
  /// Adds the writes of regions' release registers, and row slots. None if no region releases.
  void addRows(const Tiling& tiling, const std::vector<TrackedRegion>& regions);
  std::uint32_t regionControl(std::uint32_t blockLog2, const TrackedRegion& region) const;
  void proceed(std::size_t write);
  /// Adds the writes of a geometry, in which so many updates form a group.
  void addGeometry(std::uint32_t number, const Tiling& tiling, const MemoryLayout& layout,
                   std::uint32_t epoch, std::uint32_t group);
  void write(std::uint32_t address, std::uint32_t value);
  std::uint32_t read(std::uint32_t address);
  void access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value);

  const sc_core::sc_time gap_;
  sc_core::sc_time elapsed_;           ///< by the accesses of this kernel so far
  std::vector<std::uint32_t> groups_;  ///< updates that the tracker counts as one, by geometry
  std::vector<Write> writes_;
  std::set<std::uint32_t> slots_;      ///< in `writes_`
  std::uint32_t rowSlots_ = 0;         ///< of the tracker; 0: not asked yet
  std::set<std::uint32_t> releasing_;  ///< regions whose release register says so
  PaperTracker* judge_ = nullptr;
  std::function<void()> tellAgain_;  ///< tells the judge of one more kernel
  bool quiet_ = false;               ///< STATUS has said that nothing is inside
  TimedQueue<std::size_t> next_;
  Done done_;
  TrackerSetup setup_;
};

}  // namespace t3
