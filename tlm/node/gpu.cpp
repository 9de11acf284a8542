// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu.h"

#include <algorithm>
#include <utility>

#include "tlm/node/collective_plan.h"
#include "tlm/transport/numbers.h"

namespace t3 {
namespace {

/// The part of the GPU that the GEMM uses.
GpuConfig forGemm(GpuConfig config) {
  config.compute_units -= config.split_compute_units;
  return config;
}

RequestMaker requestsOf(const GpuContext& context) {
  return {context.gpu, context.dataType, context.data, context.pool};
}

GemmShape shapeOf(const OutputPlan& output, GpuId gpu) {
  return {output.tiling, output.depths[gpu.value], output.layout};
}

ChunkPorts portsOf(const Route& route, GpuId gpu) {
  ChunkPorts ports{route.size().ports, {}};
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    ports.ofChunk.push_back(route.port(gpu, ChunkId{c}));
  }
  return ports;
}

std::unique_ptr<CodecEngine> makeCodec(const GpuConfig& config) {
  const Codec codec = config.codec(true);
  if (!codec.on()) return nullptr;
  return std::make_unique<CodecEngine>(
      "codec", codec,
      CodecEngine::Timing{config.clock_mhz, config.dma.codec_bytes_per_cycle,
                          picosecondsFromNs(config.dma.codec_latency_ns)},
      config.dma.codec_unit);
}

/// The collective whose kernels let a GEMM beside them begin, row by row.
std::optional<NodeId> gatheredBy(const Graph& graph, NodeId gemm) {
  const auto source = graph.source(Gate::Rows, gemm);
  return source && !graph.nodes[*source].tracked() ? source : std::nullopt;
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const SystemConfig& config, const GpuContext& context)
    : sc_module(name),
      array_(std::make_shared<ComputeArray>(forGemm(config.gpu))),
      codec(makeCodec(config.gpu)),
      nodes(makeComputeKernels(config.gpu, context)),
      dma("dma", config.gpu.dma, requestsOf(context),
          {.links = context.route.size().ports, .local = context.outputs.empty()}) {
  addConsumers(config.gpu, context);
  for (const Kernels& kernels : nodes) {
    if (kernels.gemm) kernels.gemm->guardUpdates(dma.zeros());
    if (kernels.gemm && codec) kernels.gemm->egress.encodeBy(*codec);
  }
  if (codec) {
    dma.egress.encodeBy(*codec);
    dma.gatherEgress.encodeBy(*codec);
  }
  addCollectives(config.gpu, context);
  addPlans(config, context);
  addEntries(config.gpu, context);
}

std::vector<StepWorker*> Gpu::Kernels::workers() const {
  std::vector<StepWorker*> list;
  for (const auto& step : steps) list.push_back(step.get());
  if (joins) list.push_back(joins.get());
  return list;
}

/// Those that need nothing of other GPUs. A norm takes free slots before a GEMM does.
std::vector<Gpu::Kernels> Gpu::makeComputeKernels(const GpuConfig& config,
                                                  const GpuContext& context) const {
  const std::vector<GraphNode>& list = context.graph.nodes;
  std::vector<Kernels> made(list.size());
  for (NodeId n = 0; n < list.size(); ++n) {
    const auto* work = list[n].as<RowsWork>();
    if (work == nullptr) continue;
    const OutputPlan& output = context.outputs[work->output];
    made[n].norm =
        std::make_unique<NormKernel>(context.graph.modelName(n).c_str(), config, output.tiling,
                                     output.layout, requestsOf(context), *array_);
  }
  for (NodeId n = 0; n < list.size(); ++n) {
    const auto* work = list[n].as<GemmWork>();
    if (work == nullptr || work->reads) continue;
    const OutputPlan& output = context.outputs[work->output];
    made[n].gemm = std::make_unique<GemmKernel>(
        context.graph.modelName(n).c_str(), forGemm(config), shapeOf(output, context.gpu),
        requestsOf(context), portsOf(context.route, context.gpu), GemmPlacement{.array = array_});
  }
  return made;
}

void Gpu::addConsumers(const GpuConfig& config, const GpuContext& context) {
  GpuConfig own = config;
  own.compute_units -= config.gather_compute_units;
  // Where a collective takes compute units, it does so from one of the two GEMMs.
  const bool split = config.split_compute_units != 0 || config.gather_compute_units != 0;
  const std::vector<GraphNode>& list = context.graph.nodes;
  for (NodeId n = 0; n < list.size(); ++n) {
    const auto* work = list[n].as<GemmWork>();
    if (work == nullptr || !work->reads) continue;
    const OutputPlan& output = context.outputs[work->output];
    const bool stores = work->stores != GemmWork::Stores::Cached;  // in other GPUs
    nodes[n].gemm = std::make_unique<GemmKernel>(
        context.graph.modelName(n).c_str(), own, shapeOf(output, context.gpu), requestsOf(context),
        stores ? portsOf(context.route, context.gpu) : ChunkPorts{.ports = 0},
        GemmPlacement{.array = split ? nullptr : array_, .phase = list[n].phase});
    const auto gather = gatheredBy(context.graph, n);
    if (!gather) continue;
    const OutputPlan& gathered = context.outputs[*work->reads];
    nodes[*gather].arrivals = std::make_unique<RowArrivals>(
        "arrivals", gathered.tiling, gathered.layout.gathered(),
        [gemm = nodes[n].gemm.get()](std::uint32_t tileRow) { gemm->release(tileRow); });
  }
}

void Gpu::addCollectives(const GpuConfig& config, const GpuContext& context) {
  const Route& route = context.route;
  const std::vector<GraphNode>& list = context.graph.nodes;
  for (std::uint32_t k = 0; k < route.size().kernels; ++k) {
    for (NodeId n = 0; n < list.size(); ++n) {
      const auto* work = list[n].as<CollectiveWork>();
      if (work == nullptr || work->collective == nullptr) continue;
      const Collective& collective = *work->collective;
      std::uint32_t units = config.collectiveUnits();
      if (config.split_compute_units != 0 && context.graph.source(Gate::Chunks, n)) {
        units = config.split_compute_units;
      }
      if (config.gather_compute_units != 0 && collective.gathers()) {
        units = config.gather_compute_units;
      }
      if (work->holdsUnits()) units = work->units;
      const OutputPlan& output = context.outputs[work->output];
      MemoryLayout layout = output.layout;
      if (collective.gathers()) layout.output = layout.gathered();
      StepProgram program = collective.program(route, output.tiling, layout, context.gpu, k);
      program.node = n;
      nodes[n].steps.push_back(std::make_unique<StepKernel>(
          numbered(context.graph.modelName(n), k).c_str(), std::move(program),
          sharedByKernels(config, units, route.size().kernels, k), 0, requestsOf(context)));
    }
  }
}

/// Collectives that have buffers of their own.
void Gpu::addPlans(const SystemConfig& config, const GpuContext& context) {
  for (NodeId n = 0; n < nodes.size(); ++n) {
    const CollectivePlan* plan = context.graph.planOf(n);
    if (plan == nullptr) continue;
    const std::string name = context.graph.modelName(n);
    if (plan->tracked()) {
      nodes[n].joins = std::make_unique<StepJoins>(name.c_str(), plan->program(context.gpu.value),
                                                   plan->grid(), dma);
    }
    for (std::uint32_t k = 0; k < plan->kernels(); ++k) {
      StepProgram program = plan->kernel(k, context.gpu.value);
      program.node = n;
      nodes[n].steps.push_back(std::make_unique<StepKernel>(
          numbered(name, k).c_str(), std::move(program),
          sharedByKernels(config.gpu, config.gpu.collectiveUnits(), plan->kernels(), k),
          config.collective.loop_bytes, requestsOf(context)));
    }
  }
}

void Gpu::addEntries(const GpuConfig& config, const GpuContext& context) {
  for (std::uint32_t entry = 0; entry < context.entries; ++entry) {
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", entry).c_str(), Ingress::kUsualDepth,
        [this, &graph = context.graph, kernel = context.route.size().kernelOf(entry)](
            const Payload& payload, Picoseconds when) {
          if (traffic(payload).tracked) return;  // the tracker counts it; no kernel waits for it
          arrived(payload, when, graph.planOf(traffic(payload).node) == nullptr, kernel);
        },
        IngressCodecs{codec.get(), config.codec(false)}));
    ingress.back()->guardUpdates(dma.zeros());
  }
}

/// What comes for a collective of the output is for the kernel of its link; else one of the workers
/// expects it.
void Gpu::arrived(const Payload& payload, Picoseconds when, bool byLink, std::uint32_t kernel) {
  const Kernels& kernels = nodes[traffic(payload).node];
  if (!byLink) {
    const std::vector<StepWorker*> workers = kernels.workers();
    const auto worker =
        std::ranges::find_if(workers, [&](const auto* one) { return one->expects(payload); });
    return (worker != workers.end() ? *worker : workers.front())->arrived(payload, when);
  }
  if (kernel < kernels.steps.size()) kernels.steps[kernel]->arrived(payload, when);
  if (!kernels.arrivals) return;
  kernels.arrivals->add(localAddress(payload.get_address()), payload.get_data_length(), when);
}

bool Gpu::idle() const {
  const auto idle = [](const auto& part) { return !part || part->idle(); };
  return dma.idle() && std::ranges::all_of(ingress, idle) &&
         std::ranges::all_of(nodes, [&](const Kernels& kernels) {
           return idle(kernels.norm) && idle(kernels.gemm) && idle(kernels.joins) &&
                  std::ranges::all_of(kernels.steps, idle);
         });
}

}  // namespace t3
