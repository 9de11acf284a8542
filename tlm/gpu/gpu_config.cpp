// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gpu_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> GpuConfig::fields() {
  static constexpr std::array kFields{
      FieldInfo{"clock_mhz", "MHz", 1, 100000,
                "clock of the compute units and the L2 (paper: 1.4 GHz)"},
      FieldInfo{"compute_units", "", 1, 4096, "compute units (paper: 80)"},
      FieldInfo{"kernel_launch_us", "us", 0, 1000,
                "from the end of one kernel to the first instruction of the next (assumption: 2, "
                "back-to-back launches on one stream)"},
  };
  return kFields;
}

}  // namespace t3
