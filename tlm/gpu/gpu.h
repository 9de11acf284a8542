// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/gpu/collective_kernel.h"
#include "tlm/gpu/dma_engine.h"
#include "tlm/gpu/gemm_kernel.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/ingress.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/route.h"
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
  const Route& route;
  std::uint32_t entries = 1;  ///< links that end at this GPU
};

/// One GPU: the GEMM on its compute array, the collective kernels that follow it, the DMA engine
/// that the tracker drives, and the entries of other GPUs' writes, one for each link that ends
/// here.
///
/// Where the route has several kernels of a collective they run side by side and share the compute
/// units.
///
/// Sockets to bind: `*.memory` of every part to the local memory's target, the ports of `*.egress`
/// to outgoing links, incoming links to `ingress`, the tracker's commands to `dma.trigger`.
class Gpu : public sc_core::sc_module {
 public:
  GemmKernel gemm;
  DmaEngine dma;
  std::vector<std::unique_ptr<CollectiveKernel>> reduceScatter;
  std::vector<std::unique_ptr<CollectiveKernel>> allGather;
  std::vector<std::unique_ptr<Ingress>> ingress;

  Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, const GpuContext& context);

  bool idle() const;
};

}  // namespace t3
