// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What an arbiter may look at. It is asked while the communication stream has a head that may
/// enter; a compute stream alone needs no choice.
struct ArbiterView {
  const Piece& communication;         ///< the head of that stream
  const Piece* compute;               ///< the head of the compute stream; null: none that may enter
  std::uint32_t occupancyBursts = 0;  ///< of the DRAM queue: column commands not yet issued
  Cycles now = 0;
  /// When a communication piece entered last or, if later, when the present head came.
  Cycles communicationSince = 0;
  Cycles communicationArrived = 0;  ///< when that head came to the channel
};

/// What an arbiter decides: a stream that has a head, or that nothing enters for the moment.
struct ArbiterAnswer {
  static constexpr std::uint32_t kAnyOccupancy = 0xffffffff;

  std::optional<Stream> enters;
  /// Nothing entered: it is asked again when the DRAM queue has drained to this occupancy …
  std::uint32_t drainTo = kAnyOccupancy;
  /// … or at this clock, whichever is first (earlier if the channel has other work). One of the
  /// two must be given, or the head might wait for ever.
  Cycles deadline = kNever;

  static ArbiterAnswer let(Stream stream) { return {stream}; }
  static ArbiterAnswer wait(std::uint32_t drainTo, Cycles deadline) {
    return {std::nullopt, drainTo, deadline};
  }
};

/// Chooses between the compute and the communication stream of one channel.
class Arbiter {
 public:
  virtual ~Arbiter() = default;

  /// A chosen head may still be refused, by the DRAM queue for lack of room or by the tracker; it
  /// is asked about again then. A policy that remembers who had a turn does so in `entered`.
  virtual ArbiterAnswer choose(const ArbiterView& view) = 0;
  /// A piece has entered.
  virtual void entered(const Piece& /*piece*/, Cycles /*now*/) {}
};

/// A policy at work in one memory: makes the arbiters of its channels and has what they share, such
/// as a measurement over all channels. It also answers for what the policy shows of itself.
class Arbitration {
 public:
  virtual ~Arbitration() = default;

  /// For one channel. The arbiter may refer to this object, which outlives it.
  virtual std::unique_ptr<Arbiter> makeArbiter() = 0;

  /// What the driver knows at a launch: which share of the peak the memory gives to the kernel's
  /// output and to the collectives beside it, if they take as long as the kernel's math.
  virtual void expectTraffic(double /*share*/) {}
  /// A kernel begins or ends on the GPU of this memory.
  virtual void kernelBegins(Picoseconds /*now*/) {}
  virtual void kernelEnds(Picoseconds /*now*/) {}
  /// Whether the communication of this GPU is what the sublayer waits for (node/gpu_node.h).
  virtual void communicationBehind(bool /*behind*/, Picoseconds /*now*/) {}

  /// Whether `arrived` is to be called: the memory sees millions of requests, a policy measures
  /// for some microseconds.
  bool watchesRequests() const { return watchesRequests_; }
  /// No piece of it is placed yet.
  virtual void arrived(const HbmRequest& /*request*/) {}

  /// Adds the policy's values to those of the memory, for waveforms.
  virtual void publish(ValueList& /*list*/) const {}
  /// The policy's statistics; they follow the memory's own in every report.
  virtual std::vector<StatisticRow> statistics() const { return {}; }

 protected:
  bool watchesRequests_ = false;
};

}  // namespace t3
