// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/backing_store.h"
#include "tlm/hbm/channel.h"
#include "tlm/hbm/compute_intensity.h"
#include "tlm/hbm/external_memory.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/update_ledger.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// The memory of one GPU: all channels of an HBM stack (or of several side by side), their
/// controllers, the near-memory ALUs and the bytes.
///
/// **target** takes any number of initiators. Base protocol, all of its phase sequences: BEGIN_REQ
/// is answered with TLM_UPDATED/END_REQ when every piece of the request found room in its channel's
/// stream queue, with TLM_ACCEPTED and a later END_REQ when not (that is the back-pressure, per
/// socket), or with TLM_COMPLETED and an error status. The response comes as BEGIN_RESP with the
/// remaining time as annotated delay, at the moment the last command of the request is planned.
/// Initiators without our extension make plain compute reads and writes. Requests are one range of
/// local bytes, of any length and alignment, a write being an update when its extension says so
/// (whole elements then); address bits of the GPU number are ignored. `b_transport` waits in the
/// same queues, `transport_dbg` reads and writes the stored bytes, DMI is refused: it would bypass
/// timing, tracking and arbitration.
///
/// **taps**, one per tracker lane, need not be bound. Channel c belongs to lane
/// c / (channels / lanes). A tracked write is shown (BEGIN_REQ with just the bytes on that channel
/// and the tile's ids) when it is about to enter its channel's DRAM queue. TLM_COMPLETED counts it;
/// TLM_ACCEPTED holds the head of its stream until END_REQ or BEGIN_RESP comes back.
///
/// Data moves in the order in which the DRAM serves requests. A null data pointer moves sizes only,
/// with the same timing.
class HbmStack : public sc_core::sc_module, public Publisher, private ChannelHost {
 public:
  tlm_utils::multi_passthrough_target_socket<HbmStack> target{"target"};
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<HbmStack>> taps;

  /// `lanes` divides the number of channels. A configuration whose check() fails is an error.
  HbmStack(const sc_core::sc_module_name& name, const HbmConfig& config, std::uint32_t lanes,
           const PhaseNames& phaseNames = kPhaseNames);
  ~HbmStack() override;

  /// Puts a TLM-2.0 memory of the caller's behind the controller, in place of DRAM, near-memory
  /// ALUs and bytes of this stack: the socket returned is to be bound to it. Before elaboration
  /// ends; the rules are those of `ExternalMemory`. `config` keeps its meaning for mapping, queues
  /// and arbitration; its DRAM timing has none. There are no commands to count or observe then.
  tlm::tlm_initiator_socket<>& memory();

  /// MCA measures the compute intensity of what comes next.
  void beginKernel() { intensity_.beginKernel(now()); }
  /// MCA's present limit in bursts; 0: none, or another policy.
  std::uint32_t mcaThreshold() const override {
    return config_.arbitration == ArbitrationPolicy::Mca ? intensity_.threshold() : 0;
  }

  /// Every byte of [base, base + bytes) is to be updated `expected` times. From now on an update
  /// too many, a triggered read of a byte that still lacks one, or a plain store of the GEMM phase
  /// (a late initial value) over a byte that had one, is an error report.
  void watchUpdates(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected) {
    ledger_.watch(localAddress(base), bytes, expected);
  }
  /// Whether all of a watched range was updated exactly `times` times.
  bool everyBurstUpdated(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return ledger_.everyBurstUpdated(localAddress(base), bytes, times);
  }

  const HbmStatistics& statistics() const;
  void publish(ValueList& list) const override;
  const HbmConfig& config() const { return config_; }
  const TimingTable& timing() const { return table_; }
  DramLocation locate(std::uint64_t address) const { return mapping_.locate(address); }
  /// No request is queued or waits for its data.
  bool idle() const { return openRequests_ == 0; }
  /// At most one; null ends it. Before the first request.
  void observe(CommandObserver* observer);

 private:
  /// What leaves on the backward path once all channels have decided.
  struct Reply {
    HbmRequest* request;
    bool response;  ///< BEGIN_RESP, else END_REQ
  };
  /// State of one bound initiator.
  struct Initiator {
    bool responding = false;           ///< BEGIN_RESP out, END_RESP not seen
    std::deque<HbmRequest*> finished;  ///< wait for that
  };
  struct Lane {
    Payload* shown = nullptr;  ///< the payload all taps of this lane use
    Piece* waiting = nullptr;  ///< shown, END_REQ not seen
    std::uint32_t waitingChannel = 0;
    std::vector<std::uint32_t> next;  ///< channels that found the lane busy
  };

  void start_of_simulation() override;
  tlm::tlm_sync_enum nbTransportFw(int socket, Payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
  void bTransport(int socket, Payload& payload, sc_core::sc_time& delay);
  unsigned transportDbg(int socket, Payload& payload);
  bool getDirectMemPtr(int socket, Payload& payload, tlm::tlm_dmi& dmi);
  tlm::tlm_sync_enum tapBw(int lane, Payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);

  bool track(ChannelId channel, Piece& piece) override;
  void served(ChannelId channel, Piece& piece, Picoseconds dataEnd) override;

  /// Response status of a request that cannot be done; TLM_OK_RESPONSE otherwise.
  tlm::tlm_response_status judge(const Payload& payload) const;
  HbmRequest& open(Payload& payload, std::uint32_t socket);
  /// Gives pieces to channels until all are placed (true) or a stream queue is full.
  bool place(HbmRequest& request);
  void clearUntouched(const Piece& piece);
  void moveData(const HbmRequest& request, const Piece& piece);
  void announceCounted(ChannelId channel, const Piece& piece) const;
  void close(HbmRequest& request);
  void respond(HbmRequest& request);
  void arriveLate(HbmRequest* request);
  void wake(std::uint32_t channel);
  void serveSoon();
  void serve();
  void placeWaiting(std::uint32_t channel);
  void reply();
  Cycles nowCycles() const { return (static_cast<Cycles>(now()) + period_ - 1) / period_; }

  const HbmConfig config_;
  const TimingTable table_;
  const AddressMapping mapping_;
  Cycles period_;
  Picoseconds responseLatency_;
  std::uint32_t channelsPerLane_;

  mutable HbmStatistics statistics_;
  Picoseconds windowLength_, windowStart_ = 0;  ///< of statistics_.overTime
  std::size_t windowIndex_ = 0;
  ComputeIntensity intensity_;
  BackingStore store_;
  std::unique_ptr<ExternalMemory> external_;  ///< null: the DRAM and the bytes are ours
  UpdateLedger ledger_;
  std::vector<Channel> channels_;
  std::vector<Cycles> wakeAt_;  ///< per channel
  /// Per channel and stream: requests whose next piece waits for room there.
  std::vector<std::array<std::deque<HbmRequest*>, kStreams>> waiting_;
  std::vector<std::uint32_t> waitingCount_;  ///< per channel
  std::vector<Lane> lanes_;
  PayloadPool pool_;
  std::vector<Initiator> initiators_;

  std::deque<HbmRequest> allRequests_;
  std::vector<HbmRequest*> freeRequests_;
  std::deque<Piece> allPieces_;
  std::vector<Piece*> freePieces_;
  std::uint64_t openRequests_ = 0;
  TimedQueue<HbmRequest*> late_;  ///< sent with an annotated delay that has not passed
  std::vector<Reply> replies_, sending_;

  sc_core::sc_event soon_;   ///< in this time step
  sc_core::sc_event timer_;  ///< at the earliest wakeAt_
  bool soonArmed_ = false;
  Picoseconds timerAt_ = 0;
};

}  // namespace t3
