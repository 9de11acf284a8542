// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/collectives/route.h"
#include "tlm/collectives/step_kernel.h"
#include "tlm/gpu/compute_array.h"
#include "tlm/gpu/consumer_plan.h"
#include "tlm/gpu/dma_engine.h"
#include "tlm/gpu/gemm_kernel.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/ingress.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/norm_kernel.h"
#include "tlm/gpu/row_arrivals.h"
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
  Collectives collectives;    ///< that run here; kernels of the first may run beside the GEMM
  std::uint32_t links = 1;    ///< that it sends on
  std::uint32_t entries = 1;  ///< links that end at this GPU
  const std::optional<ConsumerPlan>& consumer;
  bool norms = false;  ///< a norm comes before the all-gather
};

/// One GPU: the GEMM on its compute array, the kernels of the mode's collectives, the DMA engine
/// that the tracker drives, and one entry for each link that ends here, through which other GPUs
/// write.
///
/// If the route has several kernels of a collective, they run side by side and share the compute
/// units.
///
/// Sockets to bind: `*.memory` of every part to the local memory's target, the ports of `*.egress`
/// to outgoing links, incoming links to `ingress`, the tracker's commands to `dma.trigger`.
class Gpu : public sc_core::sc_module {
  std::shared_ptr<ComputeArray> array_;  ///< before the kernels that share it, in their order

 public:
  std::unique_ptr<NormKernel> norm;  ///< null where none comes before the all-gather
  GemmKernel gemm;
  std::unique_ptr<GemmKernel> consumer;  ///< null where nothing follows the all-gather
  DmaEngine dma;
  using Kernels = std::vector<std::unique_ptr<StepKernel>>;  ///< that run side by side
  PerCollective<Kernels> kernels;
  std::vector<std::unique_ptr<Ingress>> ingress;
  /// Of gathered rows, for a consumer beside the all-gather's kernels; else null.
  std::unique_ptr<RowArrivals> arrivals;

  Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, const GpuContext& context);

  bool idle() const;

 private:
  void addKernels(const GpuConfig& config, const GpuContext& context);
  void addReceiver(Phase phase, const Kernels& list);
  void addEntries(const GpuContext& context);

  /// By phase of a write that comes in: the kernels that wait for its slices, or null.
  std::array<const Kernels*, kPhases> receivers_{};
};

}  // namespace t3
