// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> CollectiveConfig::fields() {
  static constexpr std::array<FieldInfo, 6> kFields{{
      {"compute_units", "", 0, 4096,
       "compute units that run the kernel; 0 = all of the GPU's, as in the paper's baseline"},
      {"slice_bytes", "bytes", 32, 1073741824,
       "a step starts on a slice when that slice has arrived, as ring libraries pipeline (32 KiB: "
       "smaller slices gain nothing on chunks of 1 MB and more, see "
       "docs/measurements/topologies.md)"},
      {"request_bytes", "bytes", 32, 65536,
       "largest load or store, a work item of one wavefront group (assumption: 8 KiB)"},
      {"outstanding_bytes_per_cu", "bytes", 32, 1048576,
       "bytes of one compute unit being loaded, added or stored (assumption: 16 KiB, 1024 threads "
       "with one 16-byte load each)"},
      {"add_bytes_per_cu_cycle", "bytes", 1, 4096,
       "result bytes a compute unit adds per cycle (64 lanes of 4 bytes)"},
      {"slice_sync_ns", "ns", 0, 1e6,
       "from the last byte of a slice in memory to the first load that uses it: fence, flag, poll "
       "(assumption: 300)"},
  }};
  return kFields;
}

std::optional<std::string> CollectiveConfig::check() const {
  if (request_bytes > slice_bytes) {
    return "request_bytes: expected at most slice_bytes (" + std::to_string(slice_bytes) + ")";
  }
  if (slice_bytes % 4 != 0 || request_bytes % 4 != 0) {
    return "request_bytes: expected request_bytes and slice_bytes to be multiples of 4, so that no "
           "element is cut";
  }
  return std::nullopt;
}

}  // namespace t3
