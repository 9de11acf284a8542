// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/collectives/step_joins.h"
#include "tlm/collectives/step_kernel.h"
#include "tlm/gpu/codec.h"
#include "tlm/gpu/compute_array.h"
#include "tlm/gpu/dma_engine.h"
#include "tlm/gpu/gemm_kernel.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/ingress.h"
#include "tlm/gpu/norm_kernel.h"
#include "tlm/gpu/row_arrivals.h"
#include "tlm/node/graph.h"
#include "tlm/node/output_plan.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// What all parts of one GPU are told about their work.
struct GpuContext {
  GpuId gpu;
  const Graph& graph;
  const std::vector<OutputPlan>& outputs;
  DataType dataType = DataType::Fp16;
  DataMode data = DataMode::Elided;
  PayloadPool& pool;
  const Route& route;
  std::uint32_t links = 1;    ///< that it sends on
  std::uint32_t entries = 1;  ///< links that end at this GPU
};

/// One GPU: for each node of the graph the kernels that carry it out, the DMA engine that the
/// tracker drives, and one entry for each link that ends here, through which other GPUs write.
///
/// If the route has several kernels of a collective, they run side by side and share the compute
/// units.
///
/// It announces when nodes of the graph begin and end.
///
/// Sockets to bind: `*.memory` of every part to the local memory's target, the ports of `*.egress`
/// to outgoing links, incoming links to `ingress`, the tracker's commands to `dma.trigger`.
class Gpu : public sc_core::sc_module, public Publisher {
  std::shared_ptr<ComputeArray> array_;  ///< before the kernels that share it, in their order

 public:
  std::unique_ptr<CodecEngine> codec;  ///< if it has one
  /// Of a node, what its work needs.
  struct Kernels {
    std::unique_ptr<NormKernel> norm;
    std::unique_ptr<GemmKernel> gemm;
    std::vector<std::unique_ptr<StepKernel>> steps;  ///< that run side by side
    std::unique_ptr<StepJoins> joins;                ///< of a collective alone that trackers drive
    /// Of rows that these gather, for a GEMM beside them.
    std::unique_ptr<RowArrivals> arrivals;

    /// Of a collective: who does its steps.
    std::vector<StepWorker*> workers() const;
  };
  std::vector<Kernels> nodes;  ///< by node of the graph
  DmaEngine dma;
  std::vector<std::unique_ptr<Ingress>> ingress;

  Gpu(const sc_core::sc_module_name& name, const SystemConfig& config, const GpuContext& context);

  /// That its kernels share.
  ComputeArray& array() { return *array_; }
  const ComputeArray& array() const { return *array_; }
  bool idle() const;

 private:
  std::vector<Kernels> makeComputeKernels(const GpuConfig& config, const GpuContext& context) const;
  void addConsumers(const GpuConfig& config, const GpuContext& context);
  void addCollectives(const GpuConfig& config, const GpuContext& context);
  void addPlans(const SystemConfig& config, const GpuContext& context);
  void addEntries(const GpuConfig& config, const GpuContext& context);
  void arrived(const Payload& payload, Picoseconds when, bool byLink, std::uint32_t kernel);
};

}  // namespace t3
