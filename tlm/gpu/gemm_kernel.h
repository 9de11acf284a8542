// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/gpu/compute_array.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gemm_context.h"
#include "tlm/gpu/gemm_launch.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/l2_cache.h"
#include "tlm/gpu/operand_loader.h"
#include "tlm/gpu/readiness.h"
#include "tlm/gpu/request_maker.h"
#include "tlm/gpu/store_path.h"
#include "tlm/gpu/workgroup_scheduler.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Where a GEMM runs, and what its traffic is called.
struct GemmPlacement {
  std::shared_ptr<ComputeArray> array = nullptr;  ///< shared with other kernels; null: its own
  Phase phase = Phase::Gemm;
};

/// A GEMM: C = A x B^T on the compute units of one GPU, through its L2.
///
///     launch ─► order (gemm_order.h) ─► WorkgroupScheduler ── tile done ──► StorePath ─┬─► egress
///                                        │ load, per K step                  │ │ L2    └─► memory
///                                        └─► OperandLoader ── L2 ────────────┼─┘
///                                                             └── misses ────┴────────────► memory
///
/// This module is the outside of the kernel: sockets, launch and end, statistics. Its parts do the
/// work.
///
/// The L2 starts empty at each launch. Kernels that share a compute array each have an L2 of their
/// own, as large as the GPU's (docs/consumer.md says what that leaves out). Timing is the same with
/// and without data.
class GemmKernel : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  MemoryPort memory;   ///< to the local memory's target
  EgressPorts egress;  ///< to the outgoing links

  GemmKernel(const sc_core::sc_module_name& name, const GpuConfig& config, const GemmShape& shape,
             const RequestMaker& requests, const ChunkPorts& ports = {},
             GemmPlacement placement = {});

  /// Local updates wait until `rule` says that their bytes are ready.
  void guardUpdates(Readiness& rule) { stores_.guardUpdates(rule); }
  /// Called when an update begins (true) and ends to wait for that.
  void onUpdateWait(std::function<void(bool)> handler) { stores_.onUpdateWait(std::move(handler)); }
  /// Operand loads wait until `rule` says that their bytes are ready. Each holds its slot, so
  /// nothing that makes bytes ready may need a slot of this kernel.
  void guardLoads(Readiness& rule) { loader_.guardLoads(rule); }

  /// Another GPU's store of these bytes, inside one row of a buffer, enters the memory now: the L2
  /// keeps no older copy.
  void storedByOthers(std::uint64_t address, std::uint64_t bytes) {
    context_.blocks.forBlocks(address, bytes,
                              [this](GemmBlocks::Block block) { l2_.invalidate(block); });
  }

  /// The kernel's first instruction is now; launch latency is the caller's. Only when idle.
  void launch(GemmLaunch launch);

  /// Of a launch row by row, which may come later: the workgroups of this row of tiles may begin.
  void release(std::uint32_t tileRow);
  /// Rows of tiles that it waits for.
  std::uint32_t rowsHeld() const { return scheduler_.rowsHeld(); }

  bool idle() const { return !running_; }
  /// Share of the K steps of the current (or last) launch that are done, 0 … 1.
  double progress() const { return scheduler_.progress(); }
  const GemmStatistics& statistics() const { return context_.statistics; }
  void publish(ValueList& list) const override;

 private:
  void handle(const GemmEvent& event);
  void endIfDone();
  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  GemmEvents events_;
  std::shared_ptr<ComputeArray> array_;
  GemmContext context_;
  L2Cache l2_;
  L2Bandwidth l2Bandwidth_;
  WorkgroupScheduler scheduler_;
  StorePath stores_;
  OperandLoader loader_;
  std::vector<std::uint32_t> early_;  ///< rows released before the launch
  bool running_ = false;
  bool ending_ = false;
};

}  // namespace t3
