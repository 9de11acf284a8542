// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

#include "tlm/switch/switch_config.h"
#include "tlm/switch/switch_figures.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// In front of a link that leaves a switch: the loads that the switch answers with a sum. It passes
/// on what the GPU at the end of the link is asked, and adds up what the others answer to that GPU.
///
///     in ─┬─► requests, flags ──────────────────────────────► requests ─► link
///         └─► answers, by tag ─► all there ─► added ─► latency ─► sums ───► link
///
/// Sockets, base protocol. `in`: the ports of the switch; all is taken at once (TLM_COMPLETED),
/// because no more is under way than the registers of the compute units hold. `requests`, `sums`:
/// to the link; neither waits for the other.
///
/// Order. The answers of all GPUs are added in the order of their numbers: ((a0 + a1) + a2) + …,
/// each sum rounded as kernels round.
///
/// Timing. The adders take 128 bytes in each cycle of `merge_clock_mhz`, in order of arrival. The
/// sum is at the link four cycles after the last of them.
class LoadPort : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  tlm_utils::multi_passthrough_target_socket<LoadPort> in{"in"};
  MemoryPort requests{"requests", *this}, sums{"sums", *this};

  /// `gpus`: so many answer.
  LoadPort(const sc_core::sc_module_name& name, const SwitchConfig& config, std::uint32_t gpus);

  bool idle() const {
    return requests.idle() && sums.idle() && waiting_.empty() && leaving_.empty() &&
           arriving_.empty();
  }
  std::size_t requestsInUse() const { return pool_.inUse(); }
  const LoadFigures& figures() const { return figures_; }
  void publish(ValueList& list) const override;

 private:
  /// The answers to one request.
  struct Waiting {
    std::uint64_t left = 0;  ///< bytes
    std::vector<Payload*> answers;
  };

  tlm::tlm_sync_enum forward(int port, Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void arrived(Payload& payload);
  void answered(Payload& answer);
  Payload& sumOf(std::vector<Payload*>& answers);
  void accepted(Payload& /*payload*/) override {}
  void completed(Payload& /*payload*/, Picoseconds /*when*/) override {}

  const std::uint32_t gpus_;
  const Clock clock_;
  const Picoseconds latency_;
  PayloadPool pool_;
  std::map<std::uint32_t, Waiting> waiting_;  ///< by tag
  std::uint64_t kept_ = 0;                    ///< bytes of the answers in there
  Picoseconds freeAt_ = 0;                    ///< the adders are, from here on
  TimedQueue<Payload*> arriving_{"arriving", [this](Payload* late) { arrived(*late); }};
  TimedQueue<Payload*> leaving_{"leaving", [this](Payload* sum) { sums.send(*sum); }};
  LoadFigures figures_;
};

}  // namespace t3
