// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tlm/hbm/channel/admission.h"
#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/channel_state.h"
#include "tlm/hbm/channel/column_scheduler.h"
#include "tlm/hbm/channel/hazards.h"
#include "tlm/hbm/channel/maintenance.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// One memory channel and its controller.
///
///     arrive ─► stream queues ─► Admission ─► DramQueue ─► BankClaims ─► ColumnScheduler ─► served
///               one a stream     arbiter,     Blocked:     PRE, ACT      RD, WR, UPD
///                                tracker,     Hazards
///                                Coalescing
///
/// Clears of whole rows go beside the DRAM queue, from Admission to `RowClears`. Each part knows
/// only the parts before it; they share `ChannelState`.
///
/// The channel is a plain object without a process. `service(now)` makes every decision that falls
/// due before `now + decision_clocks` and says when it wants to be served next, so the cost of a
/// simulation follows requests, not clocks. A decision looks only at what is queued at `now`.
///
/// **Another memory.** After `forwardTo` there are no commands and no batches: a piece goes to that
/// memory when it is in the DRAM queue and nothing older overlaps it, and counts as there until the
/// memory has answered.
class Channel {
 public:
  /// The first refresh is due at `firstRefresh`.
  Channel(const ChannelContext& context, ChannelId id, std::unique_ptr<Arbiter> arbiter,
          Cycles firstRefresh);
  Channel(const Channel&) = delete;  // parts refer to one another
  Channel& operator=(const Channel&) = delete;

  void observe(CommandObserver* observer) {
    observer_ = observer;
    state_.timing.observe(observer);
  }

  /// Before the first piece.
  void forwardTo(ChannelMemory& memory) {
    memory_ = &memory;
    admission_.keepUpdatesWhole();
    coalescing_.turnOff();
  }
  /// That memory has done the piece it was given with this slot, at `dataEnd`.
  void answered(Slot slot, Picoseconds dataEnd);

  bool hasRoom(Stream stream) const { return admission_.streams().hasRoom(stream); }
  /// Queues a piece (there must be room). Returns whether it may be able to go before the next
  /// planned service, which should then happen at once.
  bool arrive(Piece& piece) {
    admission_.arrive(piece);
    // With enough to do until the next planned decision, the newcomer can wait for that.
    return state_.occupancy.waitingClocks() < decisionClocks_ || memory_ != nullptr;
  }
  /// Decides; returns when to call again at the latest, or kNever.
  Cycles service(Cycles now);
  bool idle() const {
    return admission_.streams().empty() && state_.queue.empty() && rowClears_.empty();
  }
  /// Adds the channel's values, their names behind `prefix`. `clock` tells the time.
  void publish(const std::string& prefix, ValueList& list,
               const std::function<Cycles()>& clock) const;

 private:
  void admit(Cycles now);
  /// The column commands of a piece of a ready entry are planned, the last one at `last`.
  void finishPiece(Slot slot, Cycles last, Cycles now);
  /// Those of the whole entry are.
  void finishEntry(Slot slot, Cycles now);
  /// The present piece of an entry has been served.
  void leave(Slot slot, Picoseconds dataEnd);
  Cycles forward(Cycles now);
  /// `due`: clock of the first column command that can be planned, kNever if none is known.
  Cycles nextService(Cycles now, Cycles due) const;

  ChannelState state_;
  ChannelMemory* memory_ = nullptr;
  CommandObserver* observer_ = nullptr;
  Cycles decisionClocks_;
  Cycles lastService_ = 0;

  Hazards hazards_;
  PageCloser pages_;
  BankClaims claims_;
  Coalescing coalescing_;
  RowClears rowClears_;
  Admission admission_;
  Refresh refresh_;
  Batches batches_;
  ColumnScheduler columns_;
};

}  // namespace t3
