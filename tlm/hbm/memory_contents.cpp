// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/memory_contents.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <systemc>

#include "tlm/hbm/near_memory_alu.h"

namespace t3 {

const unsigned char* BackingStore::find(std::uint64_t address) const {
  const std::uint64_t key = address / kPageBytes;
  if (key != lastKey_) {
    const auto found = pages_.find(key);
    if (found == pages_.end()) return nullptr;
    lastKey_ = key;
    lastPage_ = found->second.get();
  }
  return lastPage_ + address % kPageBytes;
}

unsigned char* BackingStore::at(std::uint64_t address) {
  const std::uint64_t key = address / kPageBytes;
  if (key != lastKey_) {
    auto& page = pages_[key];
    if (page == nullptr) page = std::make_unique<unsigned char[]>(kPageBytes);
    lastKey_ = key;
    lastPage_ = page.get();
  }
  return lastPage_ + address % kPageBytes;
}

void BackingStore::read(std::uint64_t address, unsigned char* data, std::size_t bytes) const {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    if (const unsigned char* source = find(address)) {
      std::memcpy(data, source, part);
    } else {
      std::memset(data, 0, part);
    }
    address += part;
    data += part;
    bytes -= part;
  }
}

void BackingStore::clear(std::uint64_t address, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    if (find(address) != nullptr) std::memset(at(address), 0, part);
    address += part;
    bytes -= part;
  }
}

void BackingStore::write(std::uint64_t address, const unsigned char* data, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    std::memcpy(at(address), data, part);
    address += part;
    data += part;
    bytes -= part;
  }
}

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
  if (request.triggered()) {
    if (const auto burst = ledger_.unfinished(piece.address, piece.bytes)) {
      report("triggered read passed an update", dataEnd, channel, *burst);
    }
  }
  if (request.traffic->operation == MemoryOperation::Clear) {
    forBytes(piece, [&](std::uint64_t address, std::uint64_t bytes) {
      if (const auto burst = read ? std::nullopt : ledger_.begun(address, bytes)) {
        report("clear over an update", dataEnd, channel, *burst);
      }
      ledger_.cleared(address, bytes);
    });
  } else if (request.tracked() && request.traffic->operation == MemoryOperation::Store) {
    if (const auto burst = ledger_.arrived(piece.address, piece.bytes)) {
      report("burst stored more than once", dataEnd, channel, *burst);
    }
  } else if (request.kind == DramCommandKind::Update) {
    if (const auto burst = ledger_.uncleared(piece.address, piece.bytes)) {
      report("update before its burst is cleared", dataEnd, channel, *burst);
    }
    if (const auto burst =
            ledger_.updated(piece.address, piece.bytes, request.traffic->contributions)) {
      report("burst updated too often", dataEnd, channel, *burst);
    }
  } else if (request.kind == DramCommandKind::Write && request.traffic->phase == Phase::Gemm) {
    // The initial value; a later phase may store over what is complete.
    if (const auto burst = ledger_.begun(piece.address, piece.bytes)) {
      report("store over an update", dataEnd, channel, *burst);
    }
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
      if (piece.source != nullptr &&
          piece.source->request->traffic->operation == MemoryOperation::Clear) {
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
      applyOperation(request.traffic->operation, request.traffic->dataType,
                     bytes_.at(piece.address), data, piece.bytes);
  }
}

}  // namespace t3
