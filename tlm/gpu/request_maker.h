// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/transport/index.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// Makes the requests of one GPU's parts: all have its number, one element type, and in checked
/// mode values.
struct RequestMaker {
  GpuId gpu;
  DataType dataType;
  DataMode dataMode;
  PayloadPool& pool;

  bool checked() const { return dataMode == DataMode::Checked; }
  /// `carries`: with values, in checked mode.
  Payload& make(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                bool carries = true) const {
    Payload& payload = pool.allocate(command, address, bytes, carries && checked());
    TrafficExtension& extension = traffic(payload);
    extension.dataType = dataType;
    extension.source = gpu;
    return payload;
  }
};

}  // namespace t3
