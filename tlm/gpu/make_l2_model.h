// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tlm/gpu/gemm_config.h"
#include "tlm/gpu/l2_model.h"

namespace t3 {

/// The model that `config.model` names, for blocks 0 … `blocks` - 1.
std::unique_ptr<L2Model> makeL2Model(const L2Config& config, std::uint32_t blocks);

}  // namespace t3
