// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/gpu/dma_engine.h"
#include "tlm/gpu/gemm_kernel.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/ingress.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/ring_collective.h"
#include "tlm/gpu/ring_path.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// What all parts of one GPU are told about the sublayer they work on.
struct GpuContext {
  GpuId gpu;
  const Tiling& tiling;
  std::uint32_t depth = 0;  ///< K of the sliced GEMM
  const MemoryLayout& layout;
  DataType dataType = DataType::Fp16;
  DataMode data = DataMode::Elided;
  PayloadPool& pool;
  std::vector<RingPath> rings;
};

/// One GPU: the GEMM on its compute array, the collective kernels that follow it, the DMA engine
/// that the tracker drives, and the entry of its neighbour's writes.
///
/// Of collective kernels and entries there is one for each ring that the fabric has; the kernels of
/// several rings run side by side and share the compute units.
///
/// Sockets to bind: `*.memory` of every part to the local memory's target, `*.egress` to the
/// outgoing link, the incoming link to `ingress.link`, the tracker's commands to `dma.trigger`.
class Gpu : public sc_core::sc_module {
 public:
  GemmKernel gemm;
  DmaEngine dma;
  std::vector<std::unique_ptr<RingCollective>> reduceScatter;
  std::vector<std::unique_ptr<RingCollective>> allGather;
  std::vector<std::unique_ptr<Ingress>> ingress;

  Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, const GpuContext& context);

  bool idle() const;
};

}  // namespace t3
