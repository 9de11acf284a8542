// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/request_placement.h"

#include <algorithm>
#include <utility>

namespace t3 {

RequestPlacement::RequestPlacement(const HbmConfig& config, const AddressMapping& mapping,
                                   Channels& channels, ServiceTimer& timer)
    : mapping_(mapping),
      channels_(channels),
      timer_(timer),
      waiting_(config.channels),
      waitingCount_(config.channels),
      clearsInBanks_(config.near_memory) {}

HbmRequest& RequestPlacement::open(Payload& payload, std::uint32_t socket) {
  if (freeRequests_.empty()) {
    allRequests_.emplace_back();
    freeRequests_.push_back(&allRequests_.back());
  }
  HbmRequest& request = *freeRequests_.back();
  freeRequests_.pop_back();
  ++openRequests_;
  if (payload.has_mm()) payload.acquire();

  const Traffic& traffic = t3::traffic(std::as_const(payload));
  request = HbmRequest{};
  request.payload = &payload;
  request.traffic = &traffic;
  request.socket = socket;
  request.arrival = now();
  request.next = localAddress(payload.get_address());
  request.end = request.next + payload.get_data_length();
  const bool clears = traffic.operation == MemoryOperation::Clear;
  if (payload.is_write()) {
    request.kind = isUpdate(traffic.operation) ? DramCommandKind::Update
                   : clears && clearsInBanks_  ? DramCommandKind::Clear
                                               : DramCommandKind::Write;
  } else if (clears) {
    request.kind = DramCommandKind::ReadClear;
  }
  request.elided = values(payload) == nullptr;
  return request;
}

RequestPlacement::Part RequestPlacement::nextPart(const HbmRequest& request) const {
  const std::uint64_t address = request.next;
  if (request.kind == DramCommandKind::Clear) {
    // What fills whole rows is cleared row by row, all channels and bank groups in turn. The n-th
    // row stands for the n-th page of the range.
    const std::uint64_t first = address - address % mapping_.rowsBytes();
    const std::uint64_t begin = localAddress(request.payload->get_address());
    if (first >= begin && first + mapping_.rowsBytes() <= request.end) {
      const auto row = static_cast<std::uint32_t>((address - first) / mapping_.pageBytes());
      const auto channels = static_cast<std::uint32_t>(channels_.size());
      DramLocation at = mapping_.locate(first);
      at.channel = ChannelId{row % channels};
      at.group = row / channels;
      at.column = 0;
      return {at, mapping_.addressOf(at), address + mapping_.pageBytes(), true};
    }
  }
  const std::uint64_t blockEnd = (address & ~(mapping_.blockBytes() - 1)) + mapping_.blockBytes();
  return {mapping_.locate(address), address, std::min(request.end, blockEnd), false};
}

bool RequestPlacement::place(HbmRequest& request) {
  const Stream stream = request.traffic->stream;
  while (request.next < request.end) {
    const Part part = nextPart(request);
    Channel& channel = *channels_[part.at.channel.value];
    if (!channel.hasRoom(stream)) {
      waiting_[part.at.channel.value][static_cast<std::size_t>(stream)].push_back(&request);
      ++waitingCount_[part.at.channel.value];
      return false;
    }
    Piece& piece = takePiece();
    piece.request = &request;
    piece.address = part.address;
    piece.bytes = static_cast<std::uint32_t>(part.end - request.next);
    piece.kind = part.row ? DramCommandKind::RowClear : request.kind;
    piece.counted = false;
    piece.source = nullptr;
    piece.run = mapping_.run(part.at, part.address, part.row ? part.address + 1 : part.end);
    piece.arrival = now();
    request.next = part.end;
    ++request.open;
    if (channel.arrive(piece)) timer_.wake(part.at.channel);
  }
  return true;
}

void RequestPlacement::close(HbmRequest& request) {
  Payload& payload = *request.payload;
  freeRequests_.push_back(&request);
  --openRequests_;
  if (payload.has_mm()) payload.release();
}

}  // namespace t3
