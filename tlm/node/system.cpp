// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/system.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/cluster.h"
#include "tlm/node/conservation.h"
#include "tlm/node/memory_report.h"
#include "tlm/node/program.h"
#include "tlm/node/reference.h"
#include "tlm/node/run_to_end.h"

namespace t3 {
namespace {

bool tracks(Mode mode) {
  return mode.kind != ModeKind::Sequential && mode.kind != ModeKind::CuSplit &&
         mode.kind != ModeKind::IdealOverlap;
}

SystemConfig configFor(Mode mode, SystemConfig config) {
  config.gpu.split_compute_units = mode.split_units;
  // What direct t3 stores from compute units, the bound sends with the DMA engine, which must not
  // be what limits it: as many engines as links.
  if (mode == Mode::IdealRsNmc && config.fabric.direct()) {
    for (std::uint32_t DmaConfig::*part :
         {&DmaConfig::channels, &DmaConfig::outstanding_reads, &DmaConfig::outstanding_bytes}) {
      config.gpu.dma.*part *= config.gpus - 1;
    }
  }
  return config;
}

/// t3-mca is t3 with MCA; every other mode has the arbitration that the scenario names.
HbmConfig memoryFor(Mode mode, const HbmConfig& config) {
  HbmConfig memory = config;
  if (mode == Mode::T3Mca) memory.arbitration = ArbitrationPolicy::Mca;
  return memory;
}

}  // namespace

struct System::Implementation {
  Implementation(const SystemConfig& config, Mode simulatedMode, TrackerKind tracker,
                 const RtlOptionsOf& rtl)
      : mode(simulatedMode),
        // Where nothing is tracked the tracker only has to be there; the twin costs least.
        cluster(configFor(mode, config), memoryFor(mode, config.hbm),
                tracks(mode) ? tracker : TrackerKind::Model, rtl),
        program(makeProgram(mode, cluster)) {
    if (!program->tracked()) return;
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
      cluster.node(g).hbm.watchUpdates(cluster.layout().output, cluster.tiling().outputBytes(),
                                       cluster.route().updatesPerElement());
    }
  }

  void simulate(const RunWatch& watch) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets work from the end of elaboration on
    writeOperands();
    runToEnd(cluster, *program, watch);
  }

  void writeOperands() {
    const SystemConfig& config = cluster.config();
    if (config.data != DataMode::Checked) return;
    const Tiling& tiling = cluster.tiling();
    const std::uint32_t depth = config.workload.depth;
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
      operands.push_back(randomOperands(config.seed, GpuId{g}, tiling.rows(), tiling.columns(),
                                        depth, config.workload.data_type,
                                        cluster.route().sumsInFixedOrder() ? 0 : cluster.gpus()));
      const auto store = [&](std::uint64_t base, std::vector<std::uint16_t>& values) {
        for (std::size_t row = 0; row < values.size() / depth; ++row) {
          cluster.node(g).debugAccess(tlm::TLM_WRITE_COMMAND,
                                      base + row * cluster.layout().operandPitchBytes,
                                      values.data() + row * depth, depth * 2);
        }
      };
      store(cluster.layout().operandA, operands[g].a);
      store(cluster.layout().operandB, operands[g].b);
    }
  }

  Verification verify() {
    const SystemConfig& config = cluster.config();
    Verification result;
    result.data = config.data;
    if (config.data != DataMode::Checked) return result;
    const Tiling& tiling = cluster.tiling();
    const std::vector<std::uint16_t> expected =
        ringReference(operands, tiling, config.workload.depth, config.workload.data_type);
    std::vector<std::uint16_t> row(tiling.columns());
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
      for (std::uint32_t r = 0; r < tiling.rows(); ++r) {
        cluster.node(g).debugAccess(tlm::TLM_READ_COMMAND,
                                    cluster.layout().output + r * tiling.pitchBytes(), row.data(),
                                    static_cast<std::uint32_t>(tiling.pitchBytes()));
        for (std::uint32_t c = 0; c < tiling.columns(); ++c) {
          result.mismatches += row[c] != expected[std::size_t{r} * tiling.columns() + c] ? 1 : 0;
        }
        result.elements += tiling.columns();
      }
    }
    return result;
  }

  /// Each phase from the first GPU that starts it to the last that ends it.
  void addPhases(RunResult& result) const {
    const auto add = [&](const char* name, Picoseconds GpuProgress::*start,
                         Picoseconds GpuProgress::*end) {
      PhaseSpan span{name, std::numeric_limits<Picoseconds>::max(), 0};
      for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
        span.start_ps = std::min(span.start_ps, cluster.progress(g).*start);
        span.end_ps = std::max(span.end_ps, cluster.progress(g).*end);
      }
      if (span.end_ps != 0) result.phases.push_back(span);
    };
    add("zeroing", &GpuProgress::zeroStart, &GpuProgress::zeroed);
    add("gemm", &GpuProgress::gemmStart, &GpuProgress::gemmEnd);
    add("reduce_scatter", &GpuProgress::reduceStart, &GpuProgress::reduceEnd);
    add("all_gather", &GpuProgress::gatherStart, &GpuProgress::gatherEnd);
  }

  RunResult report() const {
    RunResult result;
    program->summarise(result);
    addPhases(result);
    result.bound_ns = closedFormBound(cluster.config(), cluster.route(), cluster.tiling(), mode);
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
      const GpuNode& node = cluster.node(g);
      const HbmStatistics& memory = node.hbm.statistics();
      GpuResult gpu;
      gpu.gpu = g;
      gpu.gemm_end_ps = cluster.progress(g).gemmEnd;
      gpu.reduce_scatter_end_ps = cluster.progress(g).reduceEnd;
      gpu.all_gather_end_ps = cluster.progress(g).gatherEnd;
      gpu.dram_bytes = dramBytes(memory.phaseBytes);
      gpu.link_bytes = node.sentBytes();
      gpu.mca_threshold = node.hbm.mcaThreshold();
      gpu.row_hit_rate = memory.rowHitRate();
      gpu.zeroed_ps = cluster.progress(g).zeroed;
      gpu.store_zero_wait_ps = node.gpu.gemm.statistics().zeroWait;
      for (const auto& ingress : node.gpu.ingress) gpu.ingress_zero_wait_ps += ingress->zeroWait();
      result.link_bytes += gpu.link_bytes;
      result.dram_bursts += memory.bursts();
      for (std::uint64_t DramBytes::*kind :
           {&DramBytes::gemm_read, &DramBytes::gemm_write, &DramBytes::rs_read,
            &DramBytes::rs_write, &DramBytes::ag_read, &DramBytes::ag_write}) {
        result.dram_bytes.*kind += gpu.dram_bytes.*kind;
      }
      result.per_gpu.push_back(gpu);
      if (program->tracked()) addTracker(node.tracker->statistics(), result.tracker_stats);
    }
    for (std::uint64_t DramBytes::*kind :
         {&DramBytes::gemm_read, &DramBytes::gemm_write, &DramBytes::rs_read, &DramBytes::rs_write,
          &DramBytes::ag_read, &DramBytes::ag_write}) {
      result.dram_bytes.*kind /= cluster.simulated();
    }
    // What a symmetric run leaves out is what it simulates.
    const std::uint32_t alike = cluster.gpus() / cluster.simulated();
    result.link_bytes *= alike;
    for (std::uint64_t TrackerTotals::*total :
         {&TrackerTotals::updates, &TrackerTotals::triggers, &TrackerTotals::stall_cycles,
          &TrackerTotals::overflow_events, &TrackerTotals::spill_bytes,
          &TrackerTotals::rtl_cycles}) {
      result.tracker_stats.*total *= alike;
    }
    result.memory = memoryReport(cluster);
    return result;
  }

  static void addTracker(const TrackerStatistics& tracker, TrackerTotals& totals) {
    totals.updates += tracker.updates;
    totals.triggers += tracker.triggers;
    totals.peak_entries = std::max<std::uint64_t>(totals.peak_entries, tracker.peak_entries);
    totals.stall_cycles += tracker.stall_cycles;
    totals.overflow_events += tracker.evictions;
    totals.spill_bytes += tracker.spill_bytes;
    totals.rtl_cycles += tracker.rtl_cycles;
  }

  const Mode mode;
  Cluster cluster;
  std::unique_ptr<Program> program;
  std::vector<Operands> operands;  ///< checked mode only
};

System::System(const SystemConfig& config, Mode mode, TrackerKind tracker, const RtlOptionsOf& rtl)
    : implementation_(std::make_unique<Implementation>(config, mode, tracker, rtl)) {}

System::~System() = default;

void System::observeMemory(
    const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor) {
  Cluster& cluster = implementation_->cluster;
  for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
    HbmStack& memory = cluster.node(g).hbm;
    memory.observe(&observerFor(g, memory.config()));
  }
}

RunResult System::run(const RunWatch& watch) {
  Implementation& system = *implementation_;
  std::string error;
  Verification verification;
  try {
    system.simulate(watch);
    checkConservation(system.cluster, system.program->tracked());
    verification = system.verify();
    if (verification.mismatches != 0) {
      error = std::to_string(verification.mismatches) + " of " +
              std::to_string(verification.elements) + " elements differ from the reference";
    }
  } catch (const sc_core::sc_report& report) {
    error = std::string(report.get_msg_type()) + " at " + report.get_time().to_string() + ": " +
            report.get_msg();
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  RunResult result = system.report();
  if (system.mode == Mode::IdealOverlap && error.empty()) result = idealOverlapOf(result);
  result.verification = verification;
  result.error = error;
  return result;
}

RunResult idealOverlapOf(const RunResult& sequential) {
  RunResult result = sequential;
  const PhaseNs& phases = sequential.phase_ns;
  const double hidden = std::min(phases.gemm, phases.reduce_scatter);
  result.time_ps = sequential.time_ps - picosecondsFromNs(hidden);
  result.phase_ns.reduce_scatter = phases.reduce_scatter - hidden;
  result.phase_ns.gemm = phases.gemm;
  const BoundNs& bound = sequential.bound_ns;
  result.bound_ns.total = bound.total - std::min(bound.gemm, bound.reduce_scatter);
  return result;
}

}  // namespace t3
