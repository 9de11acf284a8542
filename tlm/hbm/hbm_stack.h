// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
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
#include "tlm/hbm/service_timer.h"
#include "tlm/hbm/tracker_taps.h"
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
/// **taps**, one for each tracker lane, need not be bound. They show every tracked write when it is
/// about to enter its channel's DRAM queue; `TrackerTaps` has the rules.
///
/// Data moves in the order in which the DRAM serves requests. A null data pointer moves sizes only,
/// with the same timing.
///
/// This class has the TLM protocol and serves the channels. What is done with a request on its way
/// is in `RequestPlacement` (pieces), `Channel` (time), `TrackerTaps` and `MemoryContents` (bytes).
class HbmStack : public sc_core::sc_module, public Publisher, private ChannelHost {
 public:
  tlm_utils::multi_passthrough_target_socket<HbmStack> target{"target"};
  sc_core::sc_vector<TrackerTaps::Socket> taps;

  /// `lanes` divides the number of channels. A configuration whose check() fails is an error.
  HbmStack(const sc_core::sc_module_name& name, const HbmConfig& config, std::uint32_t lanes,
           const PhaseNames& phaseNames = kPhaseNames);

  /// Puts a TLM-2.0 memory of the caller's behind the controller, in place of DRAM, near-memory
  /// ALUs and bytes of this stack: the socket returned is to be bound to it. Before elaboration
  /// ends; the rules are those of `ExternalMemory`. `config` keeps its meaning for mapping, queues
  /// and arbitration; its DRAM timing has none. There are no commands to count or observe then.
  tlm::tlm_initiator_socket<>& memory();

  /// A kernel of this GPU begins or ends: the arbitration policy may go by it.
  void beginKernel() { arbitration_->kernelBegins(now()); }
  void endKernel() { arbitration_->kernelEnds(now()); }

  /// Every byte of [base, base + bytes) is to be updated `expected` times. From now on an update
  /// too many, a triggered read of a byte that still lacks one, or a plain store of the GEMM phase
  /// (a late initial value) over a byte that had one, is an error report.
  void watchUpdates(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected) {
    contents_.ledger().watch(localAddress(base), bytes, expected);
  }
  /// Whether all of a watched range was updated exactly `times` times.
  bool everyBurstUpdated(std::uint64_t base, std::uint64_t bytes, std::uint32_t times) const {
    return contents_.ledger().everyBurstUpdated(localAddress(base), bytes, times);
  }

  const HbmStatistics& statistics() const;
  void publish(ValueList& list) const override;
  const HbmConfig& config() const { return config_; }
  const TimingTable& timing() const { return table_; }
  DramLocation locate(std::uint64_t address) const { return mapping_.locate(address); }
  /// No request is queued or waits for its data.
  bool idle() const { return placement_.openRequests() == 0; }
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

  void start_of_simulation() override;
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
  void arriveLate(HbmRequest* request);
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
  std::unique_ptr<ExternalMemory> external_;  ///< null: the DRAM and the bytes are ours
  std::vector<Initiator> initiators_;
  TimedQueue<HbmRequest*> late_;  ///< sent with an annotated delay that has not passed
  std::vector<Reply> replies_, sending_;
};

}  // namespace t3
