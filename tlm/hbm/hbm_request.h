// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/transport/payload.h"

namespace t3 {

inline const Traffic kPlainTraffic{};

/// A request while the memory works on it.
struct HbmRequest {
  Payload* payload = nullptr;
  /// Of the payload: its sender leaves it alone until the response.
  const Traffic* traffic = &kPlainTraffic;
  std::uint32_t socket = 0;
  sc_core::sc_event* blocking = nullptr;  ///< b_transport waits for it
  Picoseconds arrival = 0;
  Picoseconds done = 0;
  std::uint64_t next = 0;  ///< first local byte not yet given to a channel
  std::uint64_t end = 0;
  std::uint32_t open = 0;  ///< pieces given to channels and not served
  DramCommandKind kind = DramCommandKind::Read;
  bool accepted = false;  ///< END_REQ is out, or was implied by the return value
  bool dropped = false;   ///< not admitted: only answered
  bool elided = false;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

  bool tracked() const { return traffic->tracked && !isRead(kind); }
  bool triggered() const { return traffic->triggered && isRead(kind); }
  /// The initiator's bytes for the local address `at`; null where only sizes move.
  unsigned char* dataAt(std::uint64_t at) const {
    if (elided) return nullptr;
    return payload->get_data_ptr() + (at - localAddress(payload->get_address()));
  }
};

/// The part of a request that lies in one block of one channel: the unit of queueing and
/// scheduling. Comes from the host's pool.
struct Piece {
  HbmRequest* request = nullptr;
  Piece* next = nullptr;  ///< in a stream queue, or in an entry of the DRAM queue
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  DramCommandKind kind = DramCommandKind::Read;  ///< the request's, or RowClear
  bool counted = false;  ///< the tracker has taken it: nothing may delay its entry any more
  BurstRun run;          ///< no bursts: those of another piece serve this one too
  const Piece* source = nullptr;  ///< the queued write that answers this read in place of the DRAM
  Picoseconds arrival = 0;
  Picoseconds entered = 0;  ///< the DRAM queue

  Stream stream() const { return request->traffic->stream; }
  bool tracked() const { return request->tracked(); }
};

}  // namespace t3
