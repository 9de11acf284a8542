// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/fabric_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> FabricConfig::fields() {
  static constexpr std::array<FieldInfo, 1> kFields{{
      {"topology", "", 0, 0,
       "ring: every GPU sends to the next (the paper's); bidirectional-ring: two rings that turn "
       "against each other, each with a link of its own and half of every chunk (docs/fabric.md)"},
  }};
  return kFields;
}

}  // namespace t3
