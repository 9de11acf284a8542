// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tlm/hbm/dram_command.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// A request while the stack works on it.
struct HbmRequest {
  Payload* payload = nullptr;
  std::uint32_t socket = 0;
  sc_core::sc_event* blocking = nullptr;  ///< b_transport waits for it
  Picoseconds arrival = 0;
  Picoseconds done = 0;
  std::uint64_t next = 0;  ///< first local byte not yet given to a channel
  std::uint64_t end = 0;
  std::uint32_t open = 0;  ///< pieces given to channels and not served
  bool accepted = false;   ///< END_REQ is out, or was implied by the return value
  DramCommandKind kind = DramCommandKind::Read;
  MemoryOperation operation = MemoryOperation::Store;
  DataType dataType = DataType::Fp16;
  Stream stream = Stream::Compute;
  Phase phase = Phase::Gemm;
  NodeNumber node = 0;
  bool tracked = false;
  bool triggered = false;
  bool dropped = false;             ///< not admitted: answered, and nothing else
  std::uint16_t contributions = 1;  ///< of an update: Traffic
  bool elided = false;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

  /// The initiator's bytes for the local address `at`; null where only sizes move.
  unsigned char* dataAt(std::uint64_t at) const {
    if (elided) return nullptr;
    return payload->get_data_ptr() + (at - localAddress(payload->get_address()));
  }
};

}  // namespace t3
