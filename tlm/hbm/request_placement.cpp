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
      waitingCount_(config.channels) {}

HbmRequest& RequestPlacement::open(Payload& payload, std::uint32_t socket) {
  if (freeRequests_.empty()) {
    allRequests_.emplace_back();
    freeRequests_.push_back(&allRequests_.back());
  }
  HbmRequest& request = *freeRequests_.back();
  freeRequests_.pop_back();
  ++openRequests_;
  if (payload.has_mm()) payload.acquire();

  const TrafficExtension& extension = traffic(std::as_const(payload));
  request = HbmRequest{};
  request.payload = &payload;
  request.socket = socket;
  request.arrival = now();
  request.next = localAddress(payload.get_address());
  request.end = request.next + payload.get_data_length();
  if (payload.is_write()) {
    request.operation = extension.operation;
    request.kind = extension.operation == MemoryOperation::Store ? DramCommandKind::Write
                                                                 : DramCommandKind::Update;
    request.tracked = extension.tracked;
  } else {
    request.triggered = extension.triggered;
  }
  request.dataType = extension.dataType;
  request.stream = extension.stream;
  request.phase = extension.phase;
  return request;
}

bool RequestPlacement::place(HbmRequest& request) {
  while (request.next < request.end) {
    const std::uint64_t address = request.next;
    const DramLocation at = mapping_.locate(address);
    Channel& channel = *channels_[at.channel.value];
    if (!channel.hasRoom(request.stream)) {
      waiting_[at.channel.value][static_cast<std::size_t>(request.stream)].push_back(&request);
      ++waitingCount_[at.channel.value];
      return false;
    }
    const std::uint64_t blockEnd = (address & ~(mapping_.blockBytes() - 1)) + mapping_.blockBytes();
    const std::uint64_t end = std::min(request.end, blockEnd);
    Piece& piece = takePiece();
    piece.request = &request;
    piece.address = address;
    piece.bytes = static_cast<std::uint32_t>(end - address);
    piece.kind = request.kind;
    piece.stream = request.stream;
    piece.phase = request.phase;
    piece.tracked = request.tracked;
    piece.counted = false;
    piece.source = nullptr;
    piece.run = mapping_.run(at, address, end);
    piece.arrival = now();
    request.next = end;
    ++request.open;
    if (channel.arrive(piece)) timer_.wake(at.channel);
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
