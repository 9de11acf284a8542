// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "tlm/gpu/zero_frontier.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// Where another GPU's writes enter a GPU: takes them off the link, strips the GPU from the
/// address and passes them on to the local memory, in order.
///
/// A write is taken (TLM_COMPLETED: writes are posted) while fewer than `depth` wait for the
/// memory; beyond that the link sees TLM_ACCEPTED and, when there is room again, BEGIN_RESP. So a
/// memory that does not keep up throttles the sender through the link's credits. The same holds
/// while an update's bytes are not zeroed yet (`guardUpdates`).
class Ingress : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  /// Called when a write is performed, with the absolute time of it, which may lie ahead.
  using Performed = std::function<void(const Payload&, Picoseconds)>;

  tlm_utils::simple_target_socket<Ingress> link{"link"};
  MemoryPort memory;

  Ingress(const sc_core::sc_module_name& name, std::uint32_t depth, Performed performed);

  /// Holds updates, and what is behind them, until `zeros` has passed their bytes.
  void guardUpdates(ZeroFrontier& zeros);

  std::uint64_t bytes() const { return bytes_; }      ///< taken from the link so far
  Picoseconds zeroWait() const { return zeroWait_; }  ///< spent waiting for zeros
  bool idle() const { return memory.idle() && refused_ == nullptr; }

  void publish(ValueList& list) const override;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  bool zeroed(const Payload& payload) const;
  void take(Payload& payload);
  void takeRefused();
  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  std::uint32_t depth_;
  Performed performed_;
  Payload* refused_ = nullptr;
  const ZeroFrontier* zeros_ = nullptr;
  std::optional<Picoseconds> zeroWaitFrom_;
  Picoseconds zeroWait_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace t3
