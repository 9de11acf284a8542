// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "tlm/gpu/announcer.h"
#include "tlm/gpu/dma_config.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"

namespace t3 {

struct DmaStatistics {
  std::uint64_t commandsProgrammed = 0;
  std::uint64_t commandsTaken = 0;  ///< by trigger or by software
  std::uint64_t commandsFinished = 0;
  std::uint64_t readRequests = 0;
  std::uint64_t readBytes = 0;
  std::uint64_t sentBytes = 0;  ///< accepted by the link
  std::uint64_t peakOutstandingBytes = 0;
  std::uint64_t peakQueuedCommands = 0;
};

/// What the parts of one DMA engine share.
struct DmaContext {
  DmaConfig config;
  DataType dataType;
  DataMode dataMode;
  GpuId gpu;

  PayloadPool& pool;
  MemoryPort& memory;
  EgressPorts& egress;
  EgressPorts& gatherEgress;  ///< no ports: what gathers has no channels of its own
  bool localShare;            ///< there are channels for transfers to the local memory alone
  const Announcer& engine;
  DmaStatistics statistics = {};

  static void reportError(const std::string& text) { SC_REPORT_ERROR("t3/dma", text.c_str()); }
};

}  // namespace t3
