// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <utility>

#include "tlm/gpu/codec.h"
#include "tlm/gpu/readiness.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// Of what comes coded to a GPU.
struct IngressCodecs {
  CodecEngine* engine = nullptr;  ///< through which passes what DMA engines have coded
  Codec ofKernels = {};           ///< which take the time for it themselves
};

/// Where another GPU's writes enter a GPU: takes them from the link and passes them to the local
/// memory, in order.
///
/// A write is taken (TLM_COMPLETED: writes are posted) while fewer than `depth` wait for the
/// memory, its bytes are ready (`guardUpdates`), and its annotated delay has passed. Else the link
/// sees TLM_ACCEPTED, and BEGIN_RESP later. So a memory that does not keep up throttles the sender
/// through the link's credits. Through a decoder: when that is free, too; and what is in the
/// decoder does not count for `depth`.
class Ingress : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  /// So many writes may wait for the local memory inside a GPU. The rest wait in the link, whose
  /// credits then throttle the sender. A few are enough to keep the memory busy.
  static constexpr std::uint32_t kUsualDepth = 32;

  /// Called when a write is performed, with its absolute time, which may lie ahead.
  using Performed = std::function<void(const Payload&, Picoseconds)>;

  tlm_utils::simple_target_socket<Ingress> link{"link"};
  MemoryPort memory;

  Ingress(const sc_core::sc_module_name& name, std::uint32_t depth, Performed performed,
          IngressCodecs codecs = {});

  /// Called with what belongs to loads that a switch answers, which is taken at once and does not
  /// go to the memory. Whoever keeps it acquires it.
  void onSumLoad(std::function<void(Payload&)> handler) { sumLoad_ = std::move(handler); }

  /// Writes, and those behind them, wait until `rule` says that their bytes are ready.
  void guardUpdates(Readiness& rule);
  /// Called when an update begins (true) and ends to wait for that.
  void onUpdateWait(std::function<void(bool)> handler) { gate_.onWait(std::move(handler)); }

  /// Taken from the link so far, where what a switch has added counts for each of its
  /// contributions.
  /// Plain bytes.
  std::uint64_t contributedBytes() const { return contributedBytes_; }
  Picoseconds zeroWait() const { return zeroWait_; }  ///< time that updates waited for their bytes
  bool idle() const {
    return memory.idle() && refused_ == nullptr && (!decoding_ || decoding_->empty());
  }

  void publish(ValueList& list) const override;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  bool takes(Payload& payload);
  void take(Payload& payload);
  bool decoderTakes(const Payload& payload);
  void takeRefused();
  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  std::uint32_t depth_;
  Performed performed_;
  IngressCodecs codecs_;
  std::unique_ptr<TimedQueue<Payload*>> decoding_;  ///< only with a codec
  std::function<void(Payload&)> sumLoad_;
  Payload* refused_ = nullptr;
  Picoseconds arrival_ = 0;  ///< of `refused_`
  Alarm arriving_{Turn::Arrival, [this] { takeRefused(); }};
  Picoseconds zeroWait_ = 0;
  UpdateGate gate_{*this, zeroWait_};
  std::uint64_t bytes_ = 0, contributedBytes_ = 0;
};

}  // namespace t3
