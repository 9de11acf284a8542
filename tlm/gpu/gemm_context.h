// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/gpu/compute_array.h"
#include "tlm/gpu/gemm_blocks.h"
#include "tlm/gpu/gemm_launch.h"
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

/// What the parts of a GEMM kernel post for a later time.
struct GemmEvent {
  enum class Kind : std::uint8_t {
    Begin,           ///< launch
    StepReady,       ///< scheduler, index = slot: operands and the previous step are there
    StepDone,        ///< scheduler, index = slot: math of one K step done
    BandReady,       ///< store path, index = slot: the band of `wavefront` has passed it
    CachedTileDone,  ///< store path, index = slot: its tile is in the L2
    RetryLoads,      ///< loader, index = compute unit: some outstanding bytes have arrived
    FetchesDone,     ///< loader, index = fetches that are no longer in flight
    End
  };
  Kind kind = Kind::Begin;
  std::uint32_t index = 0;
  std::uint32_t wavefront = 0;
};

/// One queue for all parts: at equal times events run in the order in which they were posted,
/// whichever part posted them.
using GemmEvents = TimedQueue<GemmEvent>;

/// What the parts of one GEMM kernel share.
struct GemmContext {
  GpuConfig config;
  GemmShape shape;
  RequestMaker requests;
  Phase phase;  ///< of its local traffic
  Clock clock;
  GemmBlocks blocks;
  ComputeArray& array;  ///< where its workgroups run
  MemoryPort& memory;
  GemmEvents& events;
  const Publisher& kernel;

  // The launch that runs, or the last one.
  GemmLaunch launch = {};
  GemmStatistics statistics = {};
};

}  // namespace t3
