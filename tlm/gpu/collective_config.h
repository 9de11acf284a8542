// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"

namespace t3 {

/// Collectives that run as kernels on compute units (the baseline).
struct CollectiveConfig {
  std::uint32_t compute_units = 0;
  std::uint32_t slice_bytes = 32768;
  std::uint32_t request_bytes = 8192;
  std::uint32_t outstanding_bytes_per_cu = 16384;
  std::uint32_t add_bytes_per_cu_cycle = 256;
  double slice_sync_ns = 300.0;

  static constexpr auto settings() {
    using C = CollectiveConfig;
    return std::tuple{
        T3_SETTING(
            compute_units, "", 0, 4096,
            "compute units that run the kernel; 0 = all of the GPU's, as in the paper's baseline"),
        T3_SETTING(slice_bytes, "bytes", 32, 1073741824,
                   "a step starts on a slice when that slice has arrived, as ring libraries "
                   "pipeline (32 KiB: smaller slices gain nothing on chunks of 1 MB and more, see "
                   "docs/measurements/topologies.md)"),
        T3_SETTING(request_bytes, "bytes", 32, 65536,
                   "largest load or store, a work item of one wavefront group (assumption: 8 KiB)"),
        T3_SETTING(outstanding_bytes_per_cu, "bytes", 32, 1048576,
                   "bytes of one compute unit being loaded, added or stored (assumption: 16 KiB, "
                   "1024 threads with one 16-byte load each)"),
        T3_SETTING(add_bytes_per_cu_cycle, "bytes", 1, 4096,
                   "result bytes a compute unit adds per cycle (64 lanes of 4 bytes)"),
        T3_SETTING(slice_sync_ns, "ns", 0, 1e6,
                   "from the last byte of a slice in memory to the first load that uses it: fence, "
                   "flag, poll (assumption: 300)")};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
