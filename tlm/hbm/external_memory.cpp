// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/external_memory.h"

#include <utility>

#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/near_memory_alu.h"

namespace t3 {

ExternalMemory::ExternalMemory(const sc_core::sc_module_name& name, Picoseconds addTime,
                               Answered answered)
    : sc_module(name),
      port("port", *this),
      addTime_(addTime),
      answered_(std::move(answered)),
      due_("due", [this](std::uint64_t index) { proceed(index); }) {}

void ExternalMemory::access(ChannelId channel, std::uint16_t slot, Piece& piece) {
  if (free_.empty()) {
    free_.push_back(accesses_.size());
    accesses_.emplace_back();
  }
  const std::uint64_t index = free_.back();
  free_.pop_back();

  unsigned char* data = piece.request->dataAt(piece.address);
  // A clear has no data: the target gets zeros.
  const bool own = data == nullptr || piece.kind == DramCommandKind::Update ||
                   (piece.kind == DramCommandKind::Write &&
                    piece.request->traffic->operation == MemoryOperation::Clear);
  Payload& payload = pool_.allocate(
      piece.kind == DramCommandKind::Write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
      piece.address, piece.bytes, own);
  if (!own) {
    payload.set_data_ptr(data);
    traffic(payload).elided = false;
  }
  traffic(payload).context = index;
  accesses_[index] = {channel, slot, &piece, nullptr};
  port.send(payload);
}

void ExternalMemory::completed(Payload& payload, Picoseconds when) {
  const std::uint64_t index = traffic(std::as_const(payload)).context;
  Access& access = accesses_[index];
  if (!payload.is_response_ok()) {
    access.piece->request->status = payload.get_response_status();
  } else if (access.piece->kind == DramCommandKind::Update && payload.is_read()) {
    payload.acquire();
    access.payload = &payload;
    when += addTime_;
  } else if (access.piece->kind == DramCommandKind::ReadClear && payload.is_read()) {
    access.payload =
        &pool_.allocate(tlm::TLM_WRITE_COMMAND, access.piece->address, access.piece->bytes, true);
    traffic(*access.payload).context = index;
  }
  due_.post(when, index);
}

void ExternalMemory::proceed(std::uint64_t index) {
  Access& access = accesses_[index];
  if (Payload* sum = std::exchange(access.payload, nullptr)) {
    const Piece& piece = *access.piece;
    const HbmRequest& request = *piece.request;
    const unsigned char* operand = request.dataAt(piece.address);
    if (operand != nullptr && piece.kind == DramCommandKind::Update) {
      applyOperation(request.traffic->operation, request.traffic->dataType, sum->get_data_ptr(),
                     operand, piece.bytes);
    }
    sum->set_command(tlm::TLM_WRITE_COMMAND);
    sum->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    port.send(*sum);
    return;
  }
  free_.push_back(index);
  answered_(access.channel, access.slot);
}

}  // namespace t3
