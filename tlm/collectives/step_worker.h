// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tlm/gpu/egress_ports.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// What does the steps of an algorithm on one GPU: a kernel, or a DMA engine that the tracker
/// drives.
class StepWorker {
 public:
  using Done = std::function<void(Picoseconds)>;

  virtual ~StepWorker() = default;

  /// Starts, once; `done` runs when the last step has ended on its last slice.
  virtual void launch(Done done) = 0;
  /// A write of another GPU is performed in local memory at `when` (absolute, may lie ahead).
  virtual void arrived(const Payload& payload, Picoseconds when) = 0;

  virtual bool idle() const = 0;
  virtual bool finished() const = 0;
  /// Slices of steps that have ended, and all.
  virtual std::uint64_t slicesDone() const = 0;
  virtual std::uint64_t slicesToDo() const = 0;
  /// One line for a watchdog.
  virtual std::string describe() const = 0;

  virtual MemoryPort& memoryPort() = 0;
  virtual EgressPorts& egressPorts() = 0;
};

}  // namespace t3
