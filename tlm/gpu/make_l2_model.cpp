// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/make_l2_model.h"

#include "tlm/gpu/l2_block.h"
#include "tlm/gpu/l2_line.h"

namespace t3 {

std::unique_ptr<L2Model> makeL2Model(const L2Config& config, std::uint32_t blocks) {
  switch (config.model) {
    case L2ModelKind::Block:
      return std::make_unique<L2Block>(config, blocks);
    case L2ModelKind::Line:
      return std::make_unique<L2Line>(config, blocks);
  }
  return nullptr;
}

}  // namespace t3
