// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "tlm/gpu/compute_array.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/request_maker.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// One run of the norm kernel.
struct NormLaunch {
  std::vector<std::uint32_t> tileRows;  ///< of the output, those of this GPU
  /// Workgroups begin only when NormKernel::release has named their row of tiles.
  bool rowByRow = false;
  bool tracked = false;  ///< the tracker counts the normed stores
  NodeId node = 0;       ///< whose its traffic is
  std::function<void()> firstBegins = {};
  /// Called at the simulated time when every store has been performed.
  std::function<void(Picoseconds)> done = {};
};

/// Residual and norm between the reduce-scatter and the all-gather, on the rows (tokens) that a GPU
/// owns (sequence parallelism):
///
///     residual += sum;   normed = residual / sqrt(mean(residual^2) + epsilon)
///
/// A workgroup has `gpu.norm.rows_per_workgroup` rows, one after the other. It reads sums and
/// residuals as far ahead as `outstanding_load_bytes_per_cu` allows. When a row is there it passes
/// the fill path of the compute unit; the new residual and the normed row then pass its store path.
/// The math takes no time of its own: some ten operations for each element are less than a compute
/// unit does while it loads one (assumption).
///
///     slot  │ read rows ─► fill path ─► store path ─► stores ─► memory │ next workgroup
///
/// Where the tracker counts the normed stores, they are plain writes with the ids of their tile.
class NormKernel : public sc_core::sc_module,
                   public Publisher,
                   private SlotUser,
                   private MemoryClient {
 public:
  MemoryPort memory;

  /// Its workgroups run on `array`, before those of users that are added later.
  NormKernel(const sc_core::sc_module_name& name, const GpuConfig& config, const Tiling& tiling,
             const MemoryLayout& layout, const RequestMaker& requests, ComputeArray& array);

  /// The kernel's first instruction is now. Only when idle.
  void launch(NormLaunch launch);
  /// Of a launch row by row: the sums of this row of tiles are final.
  void release(std::uint32_t tileRow);
  /// Rows of tiles that it waits for.
  std::uint32_t rowsHeld() const { return rowsHeld_; }

  bool idle() const { return !running_; }
  void publish(ValueList& list) const override;

 private:
  /// Of the output, inside a row of tiles.
  struct Rows {
    std::uint32_t first = 0, count = 0;
  };
  struct Slot {
    Rows rows;
    std::uint64_t asked = 0;              ///< bytes, row after row, of each sums and residual
    std::uint64_t loaded = 0;             ///< of those
    std::vector<std::uint64_t> loadedOf;  ///< by row
    std::uint32_t rowsLeft = 0;           ///< not yet stored
    std::uint32_t storesLeft = 0;
    Picoseconds storePathFree = 0;
  };
  /// A row of the output that is worked on in a slot.
  struct At {
    std::uint32_t slot = 0, row = 0;
  };
  /// Bytes of it that have left the memory.
  struct Arrival {
    At at;
    std::uint32_t bytes = 0;
  };

  bool wantsSlot() const override { return !waiting_.empty(); }
  void begin(std::uint32_t slot) override;
  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  void add(std::uint32_t tileRow);
  void read(std::uint32_t slot);
  void arrived(const Arrival& arrival);
  void loaded(At at);
  void store(At at);
  void storeRow(At at, std::uint64_t buffer, const std::vector<std::uint16_t>& values,
                bool tracked);
  Payload& request(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes, At at);
  static At atOf(const Payload& payload);
  void endIfDone();
  std::uint64_t offset(std::uint32_t row) const { return row * tiling_.pitchBytes(); }
  std::uint32_t rowBytes() const { return static_cast<std::uint32_t>(tiling_.pitchBytes()); }

  const GpuConfig config_;
  const Tiling tiling_;
  const MemoryLayout layout_;
  const RequestMaker requests_;
  const Clock clock_;
  ComputeArray& array_;

  NormLaunch launch_;
  bool running_ = false;
  bool begun_ = false;
  std::uint32_t rowsHeld_ = 0;
  std::vector<std::uint32_t> early_;  ///< rows released before the launch
  std::deque<Rows> waiting_;          ///< for a slot
  std::vector<Slot> slots_;
  std::uint64_t rowsLeft_ = 0;  ///< of the launch, not yet stored
  std::uint64_t open_ = 0;      ///< stores that are not performed
  Picoseconds lastPerformed_ = 0;
  std::uint64_t readBytes_ = 0, storedBytes_ = 0;
  TimedQueue<Arrival> arrivals_;
  TimedQueue<At> passed_;  ///< rows that have passed the store path
  TimedQueue<bool> ends_;
};

/// What the kernel computes of one row of 16-bit elements: `residual` becomes residual + sum;
/// returns the normed row. Sums are taken in float, column by column.
std::vector<std::uint16_t> normRow(DataType type, const std::vector<std::uint16_t>& sum,
                                   std::vector<std::uint16_t>& residual);

}  // namespace t3
