// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/memory_contents.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <systemc>

#include "tlm/hbm/near_memory_alu.h"

namespace t3 {
namespace {

void report(const char* what, Picoseconds when, ChannelId channel, std::uint64_t address) {
  std::ostringstream line;
  line << what << " at " << fromPicoseconds(when) << ", channel " << channel.value << ", address 0x"
       << std::hex << address;
  SC_REPORT_ERROR("t3/hbm", line.str().c_str());
}

}  // namespace

void MemoryContents::check(ChannelId channel, const Piece& piece, Picoseconds dataEnd) {
  const HbmRequest& request = *piece.request;
  const bool read = request.payload->is_read();
  if (request.triggered) {
    if (const auto burst = ledger_.unfinished(piece.address, piece.bytes)) {
      report("triggered read passed an update", dataEnd, channel, *burst);
    }
  }
  if (request.operation == MemoryOperation::Clear) {
    forBytes(piece, [&](std::uint64_t address, std::uint64_t bytes) {
      if (const auto burst = read ? std::nullopt : ledger_.begun(address, bytes)) {
        report("clear over an update", dataEnd, channel, *burst);
      }
      ledger_.cleared(address, bytes);
    });
  } else if (request.tracked && request.operation == MemoryOperation::Store) {
    if (const auto burst = ledger_.arrived(piece.address, piece.bytes)) {
      report("burst stored more than once", dataEnd, channel, *burst);
    }
  } else if (request.kind == DramCommandKind::Update) {
    if (const auto burst = ledger_.uncleared(piece.address, piece.bytes)) {
      report("update before its burst is cleared", dataEnd, channel, *burst);
    }
    if (const auto burst = ledger_.updated(piece.address, piece.bytes, request.contributions)) {
      report("burst updated too often", dataEnd, channel, *burst);
    }
  } else if (request.kind == DramCommandKind::Write && request.phase == Phase::Gemm) {
    // The initial value; a later phase may store over what is complete.
    if (const auto burst = ledger_.begun(piece.address, piece.bytes)) {
      report("store over an update", dataEnd, channel, *burst);
    }
  }
}

void MemoryContents::armFirstUpdates(std::uint64_t base, std::uint64_t bytes) {
  first_[base].assign((bytes + burstBytes_ - 1) / burstBytes_, true);
}

/// Sets to zero the bursts for which this is the first update.
void MemoryContents::clearBeforeFirst(const Piece& piece) {
  const auto after = first_.upper_bound(piece.address);
  if (after == first_.begin()) return;
  auto& [base, bits] = *std::prev(after);
  for (std::uint64_t burst = piece.address / burstBytes_ * burstBytes_;
       burst < piece.address + piece.bytes; burst += burstBytes_) {
    const std::uint64_t number = (burst - base) / burstBytes_;
    if (number >= bits.size() || !bits[number]) continue;
    bits[number] = false;
    std::fill_n(bytes_.at(burst), burstBytes_, static_cast<unsigned char>(0));
  }
}

template <typename Visit>
void MemoryContents::forBytes(const Piece& piece, Visit visit) const {
  if (piece.kind != DramCommandKind::RowClear) return visit(piece.address, piece.bytes);
  DramLocation at = mapping_.locate(piece.address);
  for (at.column = 0; at.column < mapping_.pageBytes() / burstBytes_; ++at.column) {
    visit(mapping_.addressOf(at), burstBytes_);
  }
}

void MemoryContents::clear(const Piece& piece) {
  const HbmRequest& request = *piece.request;
  if (request.payload->is_read() && !request.elided) {
    bytes_.read(piece.address, request.dataAt(piece.address), piece.bytes);
  }
  forBytes(piece,
           [&](std::uint64_t address, std::uint64_t bytes) { bytes_.clear(address, bytes); });
}

void MemoryContents::move(const Piece& piece) {
  const HbmRequest& request = *piece.request;
  unsigned char* data = request.dataAt(piece.address);
  switch (request.kind) {
    case DramCommandKind::Read:
      if (piece.source != nullptr && piece.source->request->operation == MemoryOperation::Clear) {
        std::memset(data, 0, piece.bytes);  // zeros that the controller writes carry no data
        break;
      }
      if (piece.source != nullptr) {
        if (const unsigned char* source = piece.source->request->dataAt(piece.address)) {
          std::memcpy(data, source, piece.bytes);
          break;
        }
      }
      bytes_.read(piece.address, data, piece.bytes);
      break;
    case DramCommandKind::Write:
      bytes_.write(piece.address, data, piece.bytes);
      break;
    default:
      applyOperation(request.operation, request.dataType, bytes_.at(piece.address), data,
                     piece.bytes);
  }
}

}  // namespace t3
