// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gemm_kernel.h"

#include <algorithm>
#include <utility>

#include "tlm/gpu/gemm_order.h"

namespace t3 {

GemmKernel::GemmKernel(const sc_core::sc_module_name& name, const GpuConfig& config,
                       const GemmShape& shape, const RequestMaker& requests,
                       const ChunkPorts& ports, GemmPlacement placement)
    : sc_module(name),
      memory("memory", *this),
      egress(*this, shape.tiling, ports),
      events_("events", [this](const GemmEvent& event) { handle(event); }),
      array_(placement.array ? std::move(placement.array) : std::make_shared<ComputeArray>(config)),
      context_{.config = config,
               .shape = shape,
               .requests = requests,
               .phase = placement.phase,
               .clock = Clock(config.clock_mhz),
               .blocks = {shape, requests.dataType, config.l2.fetch_bytes},
               .array = *array_,
               .memory = memory,
               .events = events_,
               .kernel = *this},
      l2_(config.l2.capacity_bytes, config.l2.ways, context_.blocks.blocks()),
      l2Bandwidth_(config.l2, context_.clock),
      scheduler_(context_, loader_, stores_),
      stores_(context_, egress, l2_, l2Bandwidth_, scheduler_),
      loader_(context_, l2_, l2Bandwidth_, stores_, scheduler_) {}

void GemmKernel::launch(GemmLaunch launch) {
  if (running_) {
    SC_REPORT_ERROR("t3/gemm", "launch while a kernel is running");
    return;
  }
  running_ = true;
  ending_ = false;
  context_.launch = std::move(launch);
  context_.statistics = GemmStatistics{};
  context_.statistics.start = now();
  GemmOrder order = chooseOrder(context_.config, context_.blocks, context_.launch);
  context_.statistics.swizzleRows = order.swizzleRows;
  l2_.clear();
  l2Bandwidth_.reset();
  stores_.launch();
  loader_.launch();
  scheduler_.launch(std::move(order));
  events_.post(now(), {GemmEvent::Kind::Begin, 0, 0});
}

void GemmKernel::release(std::uint32_t tileRow) {
  running_ ? scheduler_.release(tileRow) : early_.push_back(tileRow);
}

void GemmKernel::handle(const GemmEvent& event) {
  switch (event.kind) {
    case GemmEvent::Kind::Begin:
      announce({.kind = EventKind::KernelBegin});
      scheduler_.begin();
      for (const std::uint32_t row : std::exchange(early_, {})) scheduler_.release(row);
      break;
    case GemmEvent::Kind::StepReady:
      scheduler_.stepReady(event.index);
      break;
    case GemmEvent::Kind::StepDone:
      scheduler_.stepDone(event.index);
      endIfDone();  // a discarded tile is stored by then
      break;
    case GemmEvent::Kind::BandReady:
      stores_.bandReady(event.index, WavefrontId{event.wavefront});
      break;
    case GemmEvent::Kind::CachedTileDone:
      stores_.cachedTileDone(event.index);
      endIfDone();
      break;
    case GemmEvent::Kind::RetryLoads:
      loader_.retry(event.index);
      break;
    case GemmEvent::Kind::FetchesDone:
      loader_.fetchesDone(event.index);
      break;
    case GemmEvent::Kind::End:
      running_ = false;
      context_.statistics.end = now();
      announce({.kind = EventKind::KernelEnd});
      if (context_.launch.done) context_.launch.done(now());
      break;
  }
}

void GemmKernel::accepted(Payload& payload) {
  if (payload.is_write()) stores_.accepted(payload);
  stores_.pump();
  endIfDone();
}

void GemmKernel::completed(Payload& payload, Picoseconds when) {
  if (payload.is_write()) {
    stores_.completed(payload, when);
    endIfDone();
  } else {
    loader_.completed(payload, when);
  }
}

/// The end, when the last store is performed. No load is missing then: each workgroup had all of
/// its own.
void GemmKernel::endIfDone() {
  if (ending_ || !scheduler_.done() || !stores_.drained()) return;
  ending_ = true;
  events_.post(std::max(stores_.lastPerformed(), now()), {GemmEvent::Kind::End, 0, 0});
}

void GemmKernel::publish(ValueList& list) const {
  const GemmStatistics& statistics = context_.statistics;
  list.flag("running", [this] { return running_; });
  list.level("tiles_dispatched", 16, "tiles", [this] { return scheduler_.tilesDispatched(); });
  list.level("tiles_in_flight", 16, "tiles", [this] { return scheduler_.tilesInFlight(); });
  list.level("tiles_done", 16, "tiles", [&statistics] { return statistics.tiles; });
  list.level("stage", 16, "", [this] { return scheduler_.stage(); });
  list.level("chunk", 8, "", [this] { return scheduler_.chunk().value; });
  list.level("stores_waiting", 16, "requests", [this] { return stores_.waiting(); });
  list.flag("waits_for_zeros", [this] { return stores_.updateWaits(); });
  list.level("fetches", 16, "requests", [this] { return loader_.fetchesInFlight(); });
  list.counter("read", "bytes", [&statistics] { return statistics.readBytes; });
  list.counter("stored", "bytes", [&statistics] { return statistics.storedBytes; });
}

}  // namespace t3
