// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <utility>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/admission_table.h"
#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/channel/channel.h"
#include "tlm/hbm/external_memory.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/memory_contents.h"
#include "tlm/hbm/request_placement.h"
#include "tlm/hbm/service_timer.h"
#include "tlm/hbm/tracker_taps.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// The memory of one GPU: all channels of an HBM stack (or of several side by side), their
/// controllers, the near-memory ALUs and the bytes.
///
/// **target** takes any number of initiators and all phase sequences of the base protocol.
/// * BEGIN_REQ is answered with TLM_UPDATED and END_REQ if every piece of the request found room in
///   its channel's stream queue, and with TLM_ACCEPTED and a later END_REQ if not: this is the
///   back-pressure, for each socket on its own. An illegal request gets TLM_COMPLETED and an error
///   status.
/// * The response comes as BEGIN_RESP when the last command of the request is planned. The time
/// that
///   is left until its data is there is the annotated delay.
/// * A request is one range of local bytes, of any length and alignment. A write is an update or a
///   clear if its extension says so; an update has whole elements. A read whose operation is
///   `Clear` leaves zeros behind. A request without our extension is a plain compute read or write.
///   Address bits of the GPU number are ignored.
/// * `b_transport` waits in the same queues. `transport_dbg` reads and writes the stored bytes. DMI
///   is refused, because it would bypass timing, tracking and arbitration.
///
/// Of a sum that takes K of N contributions the others are dropped at this entrance (`admitFirst`).
///
/// **taps**, one for each tracker lane, need not be bound. They show every tracked write when it is
/// about to enter its channel's DRAM queue; `TrackerTaps` has the rules.
///
/// Data moves in the order in which the DRAM serves requests. An elided request moves no
/// data and takes the same time.
///
/// This class has the TLM protocol and serves the channels. The other steps of a request have
/// classes of their own: `RequestPlacement` cuts it into pieces, `Channel` decides when they go,
/// `TrackerTaps` shows them to the tracker, `MemoryContents` moves their bytes.
class HbmStack : public sc_core::sc_module, public Publisher, private ChannelHost {
 public:
  tlm_utils::multi_passthrough_target_socket<HbmStack> target{"target"};
  sc_core::sc_vector<TrackerTaps::Socket> taps;

  /// Each of the `lanes`, at least one, serves as many channels as the others or one more
  /// (TrackerTaps). A configuration whose check() fails is an error.
  HbmStack(const sc_core::sc_module_name& name, const HbmConfig& config, std::uint32_t lanes,
           const PhaseNames& phaseNames = kPhaseNames);

  /// Puts a TLM-2.0 memory of the caller's behind the controller. It replaces the DRAM, the
  /// near-memory ALUs and the bytes of this stack, by the rules of `ExternalMemory`. Call this
  /// before elaboration ends, and bind the socket that it returns. Mapping, queues and arbitration
  /// follow `config` as before; the DRAM timing in it is not used, and there are no commands to
  /// count or observe.
  tlm::tlm_initiator_socket<>& memory();

  /// The arbitration policy hears what a launch will bring (Arbitration::expectTraffic), and when a
  /// kernel of this GPU begins and ends.
  void expectTraffic(double share) { arbitration_->expectTraffic(share); }
  void beginKernel() { arbitration_->kernelBegins(now()); }
  void endKernel() {
    arbitration_->kernelEnds(now());
    decideAnew();
  }
  /// Whether the sublayer waits for this GPU's communication from now on.
  void communicationBehind(bool behind) {
    arbitration_->communicationBehind(behind, now());
    decideAnew();
  }

  /// With `first-update-stores`: the next update of each burst of [base, base + bytes) finds zeros.
  void armFirstUpdates(std::uint64_t base, std::uint64_t bytes) {
    contents_.armFirstUpdates(localAddress(base), bytes);
  }
  /// Of these sums only `contributions` GPUs are added to each block. The updates of others are
  /// answered, and no tracker, channel or byte sees them. To be called before the first update.
  void admitFirst(const AdmissionTable::Sums& sums, std::uint32_t contributions) {
    admission_.emplace(sums, contributions);
    statistics_.dropped.emplace();
  }
  /// Whether the contribution of a GPU to a tile that is summed here is added, as far as updates
  /// have come.
  bool admitted(WorkgroupId tile, GpuId gpu) const {
    return !admission_ || admission_->admitted(tile, gpu);
  }
  /// Every byte of [base, base + bytes) is to be updated `expected` times, or stored once by a
  /// tracked plain write, with which another GPU brings what is final. From now on these are error
  /// reports: one update or one such store too many; a triggered read of a byte that lacks an
  /// update and is not stored; a plain store of the GEMM phase or a clear (a late initial value)
  /// over a byte that has had one of them. And, if the range is `Uncleared`: an update of a byte
  /// that has not been cleared.
  void watchUpdates(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected,
                    UpdateLedger::Start start = UpdateLedger::Start::Free) {
    contents_.ledger().watch(localAddress(base), bytes, expected, start);
  }
  /// A part of it is to be updated less often.
  void expectUpdates(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected) {
    contents_.ledger().expect(localAddress(base), bytes, expected);
  }
  /// Whether every byte of a watched range was updated exactly `times` times.
  bool everyBurstUpdated(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return contents_.ledger().everyBurstUpdated(localAddress(base), bytes, times);
  }

  /// Whether every byte of a watched range was cleared exactly `times` times.
  bool everyBurstCleared(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return contents_.ledger().everyBurstCleared(localAddress(base), bytes, times);
  }
  /// Whether every byte of a watched range was stored by other GPUs, tracked, `times` times.
  bool everyBurstArrived(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return contents_.ledger().everyBurstArrived(localAddress(base), bytes, times);
  }
  /// An aligned range of so many bytes is cleared by whole rows; 0 if only bursts can be cleared.
  std::uint64_t rowsBytes() const { return placement_.clearsInBanks() ? mapping_.rowsBytes() : 0; }

  /// Called when another GPU's plain tracked write, or a part of it, enters a DRAM queue: from now
  /// on reads see its bytes, and caches in front of the memory must not keep older ones.
  void onArrival(std::function<void(std::uint64_t address, std::uint64_t bytes)> handler) {
    arrival_ = std::move(handler);
  }

  const HbmStatistics& statistics() const;
  void publish(ValueList& list) const override;
  const HbmConfig& config() const { return config_; }
  const TimingTable& timing() const { return table_; }
  DramLocation locate(std::uint64_t address) const { return mapping_.locate(address); }
  /// No request is queued or waits for its data.
  bool idle() const { return placement_.openRequests() == 0; }
  /// Calls `handler` once, when the memory is idle: now, or in the time step in which the last
  /// answer leaves. It may not send a request.
  void whenIdle(std::function<void()> handler);
  bool idleIsAwaited() const { return !awaitIdle_.empty(); }
  /// Before the first request. There is at most one observer; null ends it.
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
    std::deque<HbmRequest*> finished;  ///< requests whose BEGIN_RESP waits for it
  };

  void start_of_simulation() override;
  /// The policy may answer otherwise from now on: what it has refused asks again.
  void decideAnew() {
    for (std::uint32_t c = 0; c < config_.channels; ++c) timer_.wake(ChannelId{c});
  }
  tlm::tlm_sync_enum nbTransportFw(int socket, Payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
  void bTransport(int socket, Payload& payload, sc_core::sc_time& delay);
  unsigned transportDbg(int socket, Payload& payload);
  bool getDirectMemPtr(int socket, Payload& payload, tlm::tlm_dmi& dmi);

  bool track(ChannelId channel, Piece& piece) override;
  void served(ChannelId channel, Piece& piece, Picoseconds dataEnd) override;

  /// Response status of a request that cannot be done; TLM_OK_RESPONSE otherwise.
  tlm::tlm_response_status judge(const Payload& payload) const;
  HbmRequest& open(Payload& payload, std::uint32_t socket);
  void drop(HbmRequest& request);
  void arriveLate(HbmRequest* request);
  void responseEnds(std::uint32_t initiator);
  void serve();
  void reply();
  void respond(HbmRequest& request);

  const HbmConfig config_;
  const TimingTable table_;
  const AddressMapping mapping_;
  Cycles period_;
  Picoseconds responseLatency_;

  mutable HbmStatistics statistics_;
  std::unique_ptr<Arbitration> arbitration_;
  ServiceTimer timer_;
  RequestPlacement::Channels channels_;
  RequestPlacement placement_;
  TrackerTaps tracker_;
  MemoryContents contents_;
  std::optional<AdmissionTable> admission_;
  std::unique_ptr<ExternalMemory> external_;  ///< null: the DRAM and the bytes are ours
  std::vector<Initiator> initiators_;
  TimedQueue<HbmRequest*> late_;     ///< sent with an annotated delay that has not passed
  TimedQueue<std::uint32_t> ended_;  ///< initiators whose END_RESP has such a delay
  std::vector<Reply> replies_, sending_;
  std::function<void(std::uint64_t, std::uint64_t)> arrival_;
  std::vector<std::function<void()>> awaitIdle_;
};

}  // namespace t3
