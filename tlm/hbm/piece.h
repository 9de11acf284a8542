// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/transport/traffic.h"

namespace t3 {

struct HbmRequest;

/// The part of a request that lies in one block of one channel: the unit of queueing and
/// scheduling. Comes from the host's pool.
struct Piece {
  HbmRequest* request = nullptr;  ///< of a host that has such; channels do not look at it
  std::uint32_t owner = 0;        ///< of a host that numbers its requests; likewise
  Piece* next = nullptr;          ///< in a stream queue, or in an entry of the DRAM queue
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  DramCommandKind kind = DramCommandKind::Read;  ///< Read, Write or Update
  Stream stream = Stream::Compute;
  Phase phase = Phase::Gemm;
  bool tracked = false;
  bool counted = false;  ///< the tracker has taken it: nothing may delay its entry any more
  BurstRun run;          ///< no bursts: those of another piece serve this one too
  const Piece* source = nullptr;  ///< the queued write that answers this read in place of the DRAM
  Picoseconds arrival = 0;
  Picoseconds entered = 0;  ///< the DRAM queue
};

}  // namespace t3
