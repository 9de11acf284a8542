// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
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
#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/channel/channel.h"
#include "tlm/hbm/external_memory.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/memory_contents.h"
#include "tlm/hbm/request_placement.h"
#include "tlm/hbm/tracker_taps.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/index.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Says whose updates a sum of K of N contributions takes. Output tiles are tracked in blocks. Of
/// each block the first K GPUs of which an update arrives are admitted, the own GEMM among them;
/// all updates of other GPUs are dropped. So a sum holds whole contributions.
///
/// In hardware: where requests enter the memory, a table with a bit for each GPU and a count up to
/// K for each block; one lookup a request (assumption; docs/unequal-gpus.md).
class AdmissionTable {
 public:
  /// A run of tiles that is summed here, and the bytes of its buffer.
  struct Sums {
    std::uint64_t base = 0, bytes = 0;
    std::uint32_t firstTile = 0, tiles = 0;
    std::uint32_t blockLog2 = 0;  ///< a block has two to the power of it tiles
  };
  static constexpr std::uint32_t kGpus = 64;  ///< that may contribute

  AdmissionTable(const Sums& sums, std::uint32_t contributions)
      : sums_(sums),
        contributions_(contributions),
        gpus_((sums.tiles + (std::uint64_t{1} << sums.blockLog2) - 1) >> sums.blockLog2) {}

  /// Whether a tracked update of `address` is to be added.
  bool admit(std::uint64_t address, const Traffic& update) {
    const bool inside = address - sums_.base < sums_.bytes &&
                        update.workgroup.value - sums_.firstTile < sums_.tiles;
    if (!inside || admitted(update.workgroup, update.source)) return true;
    std::uint64_t& gpus = gpus_[blockOf(update.workgroup)];
    if (std::popcount(gpus) == static_cast<int>(contributions_)) return false;
    gpus |= std::uint64_t{1} << update.source.value;
    return true;
  }
  /// Whether a tile that is summed here takes the contribution of this GPU.
  bool admitted(WorkgroupId tile, GpuId gpu) const {
    return (gpus_[blockOf(tile)] >> gpu.value & 1) != 0;
  }

 private:
  std::size_t blockOf(WorkgroupId tile) const {
    return (tile.value - sums_.firstTile) >> sums_.blockLog2;
  }

  Sums sums_;
  std::uint32_t contributions_;
  std::vector<std::uint64_t> gpus_;  ///< bit g: GPU g is admitted; by block
};

/// The memory of one GPU: all channels of an HBM stack (or of several side by side), their
/// controllers, the near-memory ALUs and the bytes.
///
/// **target** takes any number of initiators and all phase sequences of the base protocol.
/// * BEGIN_REQ is answered with TLM_UPDATED and END_REQ if every piece of the request found room in
///   its channel's stream queue, else with TLM_ACCEPTED and a later END_REQ: the back-pressure, of
///   each socket by itself. An illegal request gets TLM_COMPLETED and an error status.
/// * BEGIN_RESP comes when the last command of the request is planned; its delay is the time until
///   the data is there.
/// * A request is one range of local bytes of any length and alignment; an update has whole
///   elements. A read whose operation is `Clear` leaves zeros behind. Without our extension a
///   request is a plain compute read or write. The GPU's bits of an address are ignored.
/// * `b_transport` waits in the same queues. `transport_dbg` accesses the stored bytes. DMI is
///   refused: it would bypass timing, tracking and arbitration.
///
/// **taps**, one for each tracker lane, show tracked writes (`TrackerTaps`). They need not be
/// bound.
///
/// Data moves in the order in which the DRAM serves requests. An elided request moves none and
/// takes the same time.
///
/// This class has the TLM protocol and serves the channels. `RequestPlacement` cuts requests into
/// pieces, `Channel` decides when they go, `TrackerTaps` shows them to the tracker,
/// `MemoryContents` moves their bytes.
class HbmStack : public sc_core::sc_module, public Publisher, private ChannelHost {
 public:
  tlm_utils::multi_passthrough_target_socket<HbmStack> target{"target"};
  sc_core::sc_vector<TrackerTaps::Socket> taps;

  /// `lanes`: at least one; each serves as many channels as the others or one more. A configuration
  /// whose check() fails is an error.
  HbmStack(const sc_core::sc_module_name& name, const HbmConfig& config, std::uint32_t lanes,
           const PhaseNames& phaseNames = kPhaseNames);

  /// Puts a TLM-2.0 memory of the caller's behind the controller, in place of the DRAM, the ALUs
  /// and the bytes of this stack (`ExternalMemory`). Before elaboration ends; bind the socket that
  /// it returns. The DRAM timing of the configuration is not used, and there are no commands.
  tlm::tlm_initiator_socket<>& memory();

  /// What the arbitration policy hears (`Arbitration`).
  void expectTraffic(double share) { arbitration_->expectTraffic(share); }
  void beginKernel() { arbitration_->kernelBegins(now()); }
  void endKernel() {
    arbitration_->kernelEnds(now());
    decideAnew();
  }
  void communicationBehind(bool behind) {
    arbitration_->communicationBehind(behind, now());
    decideAnew();
  }

  /// Of these sums only the first `contributions` GPUs are added to each block; updates of others
  /// are only answered. Before the first update.
  void admitFirst(const AdmissionTable::Sums& sums, std::uint32_t contributions) {
    admission_.emplace(sums, contributions);
    statistics_.dropped.emplace();
  }
  /// Whether a tile that is summed here takes the contribution of this GPU.
  bool admitted(WorkgroupId tile, GpuId gpu) const {
    return !admission_ || admission_->admitted(tile, gpu);
  }
  /// Every byte of [base, base + bytes) is to be updated `expected` times, or stored once by a
  /// tracked plain write of another GPU. From now on these are error reports: one update or such
  /// store too many; a triggered read of a byte that lacks one; a plain store of the GEMM phase or
  /// a clear over a byte that has had one; if `Uncleared`, an update of a byte that was not
  /// cleared.
  void watchUpdates(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected,
                    UpdateLedger::Start start = UpdateLedger::Start::Free) {
    contents_.ledger().watch(localAddress(base), bytes, expected, start);
  }
  /// A part of it is to be updated less often.
  void expectUpdates(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected) {
    contents_.ledger().expect(localAddress(base), bytes, expected);
  }
  /// Whether every byte of a watched range was updated, cleared, or stored by other GPUs exactly
  /// `times` times.
  bool everyBurstUpdated(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return contents_.ledger().everyBurstUpdated(localAddress(base), bytes, times);
  }

  bool everyBurstCleared(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return contents_.ledger().everyBurstCleared(localAddress(base), bytes, times);
  }
  bool everyBurstArrived(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return contents_.ledger().everyBurstArrived(localAddress(base), bytes, times);
  }
  /// An aligned range of so many bytes is cleared by whole rows; 0 if only bursts can be cleared.
  std::uint64_t rowsBytes() const { return placement_.clearsInBanks() ? mapping_.rowsBytes() : 0; }

  /// Called when a plain tracked write of another GPU, or a part of it, enters a DRAM queue: from
  /// now on reads see its bytes, and caches must not keep older ones.
  void onArrival(std::function<void(std::uint64_t address, std::uint64_t bytes)> handler) {
    arrival_ = std::move(handler);
  }

  const HbmStatistics& statistics() const;
  void publish(ValueList& list) const override;
  const HbmConfig& config() const { return config_; }
  DramLocation locate(std::uint64_t address) const { return mapping_.locate(address); }
  bool idle() const { return placement_.openRequests() == 0; }
  /// Calls `handler` once, when the memory is idle: now, or when the last answer leaves. It may not
  /// send a request.
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
