// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/update_ledger.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The bytes of one stack, allocated page by page on first write. Others read as zero.
class BackingStore {
 public:
  void read(std::uint64_t address, unsigned char* data, std::size_t bytes) const;
  void write(std::uint64_t address, const unsigned char* data, std::size_t bytes);

  /// Zeros need no page.
  void clear(std::uint64_t address, std::size_t bytes);

  static constexpr std::size_t kPageBytes = 64 * 1024;
  /// The bytes at `address`, allocated; valid to the end of the page. Accesses of channels never
  /// cross one (check() bounds the channel interleave).
  unsigned char* at(std::uint64_t address);

 private:
  const unsigned char* find(std::uint64_t address) const;

  std::unordered_map<std::uint64_t, std::unique_ptr<unsigned char[]>> pages_;
  mutable std::uint64_t lastKey_ = ~std::uint64_t{0};
  mutable unsigned char* lastPage_ = nullptr;
};

/// What is stored in a stack. Pieces are performed in the order in which the DRAM serves them, and
/// each is checked against the ledger, with or without data. What breaks the ordering promise is an
/// error report `t3/hbm`. The ledger only judges: what is stored does not depend on it.
class MemoryContents {
 public:
  MemoryContents(const HbmConfig& config, const AddressMapping& mapping)
      : mapping_(mapping), ledger_(config.burstBytes()), burstBytes_(config.burstBytes()) {}

  /// The bytes are in a memory of the caller's.
  void keepElsewhere() { elsewhere_ = true; }

  UpdateLedger& ledger() { return ledger_; }
  const UpdateLedger& ledger() const { return ledger_; }
  /// For debug accesses.
  BackingStore& bytes() { return bytes_; }

  void perform(ChannelId channel, const Piece& piece, Picoseconds dataEnd) {
    const HbmRequest& request = *piece.request;
    if (ledger_.watching()) check(channel, piece, dataEnd);
    if (elsewhere_) return;
    if (request.traffic->operation == MemoryOperation::Clear) {
      clear(piece);
    } else if (!request.elided) {
      move(piece);
    }
  }

 private:
  void check(ChannelId channel, const Piece& piece, Picoseconds dataEnd);
  /// Calls visit(address, bytes) for the runs of bytes that a piece of a clear covers.
  template <typename Visit>
  void forBytes(const Piece& piece, Visit visit) const;
  void clear(const Piece& piece);
  void move(const Piece& piece);

  const AddressMapping& mapping_;
  UpdateLedger ledger_;
  BackingStore bytes_;
  std::uint64_t burstBytes_;
  bool elsewhere_ = false;
};

}  // namespace t3
