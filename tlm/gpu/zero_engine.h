// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "tlm/gpu/announcer.h"
#include "tlm/gpu/zero_fill.h"
#include "tlm/transport/memory_port.h"

namespace t3 {

/// The part of a DMA engine that sees to zeros (`ZeroFill`), with a port of its own: for a GPU
/// whose other DMA commands are those of a `StepDma`.
class ZeroEngine : public sc_core::sc_module, public Announcer, private MemoryClient {
 public:
  MemoryPort memory{"memory", *this};

  ZeroEngine(const sc_core::sc_module_name& name, const DmaConfig& config, DataType dataType,
             DataMode mode, GpuId gpu, PayloadPool& pool)
      : sc_module(name),
        config_(config),
        fill_({config_, dataType, mode, gpu, pool, memory, *this}) {}

  /// `write`, `clear` as in DmaEngine (`fillZero`, `clear`).
  void write(ZeroFill::Ranges ranges, ZeroFill::Done done, Picoseconds start) {
    fill_.begin(std::move(ranges), std::move(done), start);
  }
  void clear(ZeroFill::Ranges ranges, std::uint32_t rowsBytes, ZeroFill::Done done,
             Picoseconds start) {
    fill_.beginClear(std::move(ranges), rowsBytes, std::move(done), start);
  }
  ZeroFrontier& frontier() { return fill_.frontier(); }
  bool idle() const { return !fill_.active() && memory.idle(); }
  void publish(ValueList& list) const override {
    list.flag("zeroing", [this] { return fill_.active(); });
    list.counter("zeroed", "bytes", [this] { return fill_.statistics().fillBytes; });
    list.counter("cleared", "bytes", [this] { return fill_.statistics().clearBytes; });
  }

 private:
  void accepted(Payload& /*payload*/) override {}
  void completed(Payload& payload, Picoseconds when) override {
    if (payload.is_response_error()) {
      SC_REPORT_ERROR("t3/dma", "a write of zeros failed");
      return;
    }
    fill_.completed(payload, when);
  }

  const DmaConfig config_;
  ZeroFill fill_;
};

}  // namespace t3
