// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"

namespace t3 {

/// Collectives that run as kernels on compute units (the baseline).
struct CollectiveConfig {
  std::uint32_t compute_units = 0;                 ///< CUs that run the kernel; 0: all of the GPU
  std::uint32_t slice_bytes = 32768;               ///< unit of synchronisation between GPUs
  std::uint32_t request_bytes = 8192;              ///< largest load or store
  std::uint32_t outstanding_bytes_per_cu = 16384;  ///< loaded or being loaded, not yet stored
  std::uint32_t add_bytes_per_cu_cycle = 256;      ///< result bytes of the reduction
  double slice_sync_ns = 300.0;  ///< from the last byte of a slice to the first load that uses it

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(CollectiveConfig, (),
                      (compute_units, slice_bytes, request_bytes, outstanding_bytes_per_cu,
                       add_bytes_per_cu_cycle, slice_sync_ns))

}  // namespace t3
