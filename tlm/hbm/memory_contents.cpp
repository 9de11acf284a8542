// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/memory_contents.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <systemc>

#include "tlm/hbm/near_memory_alu.h"

namespace t3 {
namespace {

void report(const char* what, Picoseconds when, ChannelId channel, std::uint64_t address) {
  std::ostringstream line;
  line << what << " at " << when << " ps, channel " << channel.value << ", address 0x" << std::hex
       << address;
  SC_REPORT_ERROR("t3/hbm", line.str().c_str());
}

}  // namespace

void MemoryContents::check(ChannelId channel, const Piece& piece, Picoseconds dataEnd) {
  const HbmRequest& request = *piece.request;
  if (request.triggered) {
    if (const auto burst = ledger_.unfinished(piece.address, piece.bytes)) {
      report("triggered read passed an update", dataEnd, channel, *burst);
    }
  } else if (request.tracked || request.kind == DramCommandKind::Update) {
    if (firstUpdateStores_ && request.payload->get_data_ptr() != nullptr) clearUntouched(piece);
    if (const auto burst = ledger_.updated(piece.address, piece.bytes)) {
      report("burst updated too often", dataEnd, channel, *burst);
    }
  } else if (request.kind == DramCommandKind::Write && request.phase == Phase::Gemm) {
    // The initial value; a later phase may store over what is complete.
    if (const auto burst = ledger_.begun(piece.address, piece.bytes)) {
      report("store over an update", dataEnd, channel, *burst);
    }
  }
}

/// Sets to zero the bursts for which this is the first update.
void MemoryContents::clearUntouched(const Piece& piece) {
  for (std::uint64_t burst = piece.address / burstBytes_ * burstBytes_;
       burst < piece.address + piece.bytes; burst += burstBytes_) {
    if (!ledger_.untouched(burst)) continue;
    std::fill_n(bytes_.at(burst), burstBytes_, static_cast<unsigned char>(0));
  }
}

void MemoryContents::move(const Piece& piece) {
  const HbmRequest& request = *piece.request;
  unsigned char* data = request.dataAt(piece.address);
  switch (request.kind) {
    case DramCommandKind::Read:
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
