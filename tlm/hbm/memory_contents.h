// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/backing_store.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/piece.h"
#include "tlm/hbm/update_ledger.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// What is stored in a stack. Pieces are performed in the order in which the DRAM serves them:
/// reads and writes move bytes, updates go through the near-memory ALU, clears leave zeros, and
/// every access is checked against the ledger of updates, whether or not it carries data. What
/// breaks the ordering promise is an error report `t3/hbm` with time, channel and address. The
/// ledger only judges: what is stored does not depend on it.
class MemoryContents {
 public:
  MemoryContents(const HbmConfig& config, const AddressMapping& mapping)
      : mapping_(mapping), ledger_(config.burstBytes()), burstBytes_(config.burstBytes()) {}

  /// The bytes are in a memory of the caller's; only the ledger is kept here.
  void keepElsewhere() { elsewhere_ = true; }

  UpdateLedger& ledger() { return ledger_; }
  const UpdateLedger& ledger() const { return ledger_; }
  /// With `first-update-stores`: the next update of each burst of [base, base + bytes) finds zeros,
  /// whatever is stored. `base` is aligned to a burst.
  void armFirstUpdates(std::uint64_t base, std::uint64_t bytes);
  /// For debug accesses.
  BackingStore& bytes() { return bytes_; }

  void perform(ChannelId channel, const Piece& piece, Picoseconds dataEnd) {
    const HbmRequest& request = *piece.request;
    if (ledger_.watching()) check(channel, piece, dataEnd);
    if (elsewhere_) return;
    if (request.operation == MemoryOperation::Clear) {
      clear(piece);
    } else if (!request.elided) {
      if (request.kind == DramCommandKind::Update) clearBeforeFirst(piece);
      move(piece);
    }
  }

 private:
  void check(ChannelId channel, const Piece& piece, Picoseconds dataEnd);
  void clearBeforeFirst(const Piece& piece);
  /// Calls visit(address, bytes) for the runs of bytes that a piece of a clear covers.
  template <typename Visit>
  void forBytes(const Piece& piece, Visit visit) const;
  void clear(const Piece& piece);
  void move(const Piece& piece);

  const AddressMapping& mapping_;
  UpdateLedger ledger_;
  BackingStore bytes_;
  std::uint64_t burstBytes_;
  std::map<std::uint64_t, std::vector<bool>> first_;  ///< bits of bursts, by the first address
  bool elsewhere_ = false;
};

}  // namespace t3
