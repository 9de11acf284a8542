// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/system.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/checked_data.h"
#include "tlm/node/cluster.h"
#include "tlm/node/conservation.h"
#include "tlm/node/memory_report.h"
#include "tlm/node/program.h"
#include "tlm/node/run_to_end.h"

namespace t3 {
struct System::Implementation {
  Implementation(const SystemConfig& config, Mode simulatedMode, TrackerKind tracker,
                 const RtlOptionsOf& rtl)
      : mode(simulatedMode),
        kind(mode.simulated()),
        // A mode that tracks nothing still has trackers; the twin is the cheapest.
        cluster(mode.configured(config), kind.tracked ? tracker : TrackerKind::Model, rtl,
                kind.collectives),
        data(cluster),
        program(kind.program(cluster)) {
    if (config.workload.repeat > 1 && !kind.repeats && !kind.ideal) {
      throw std::invalid_argument(std::string("workload.repeat: expected 1, because mode ") +
                                  kind.name + " runs one sublayer, got " +
                                  std::to_string(config.workload.repeat));
    }
    if (kind.tracked) {
      for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
        watch(g, OutputBuffer::Output);
        watch(g, OutputBuffer::Accumulation);
      }
    }
    cluster.watch({.begins = [this](std::uint32_t g) { data.writeOperands(g); },
                   .tracksNoMore = [this](std::uint32_t g) { sentOn(g); },
                   .ended = [this](std::uint32_t g) { ended(g); }});
  }

  /// The memory counts the updates of a sublayer.
  void watch(std::uint32_t g, OutputBuffer buffer) {
    using Start = UpdateLedger::Start;
    const bool uncleared = clears() && buffer == OutputBuffer::Output;
    cluster.node(g).hbm.watchUpdates(cluster.layout().base(buffer), cluster.tiling().outputBytes(),
                                     cluster.route().updatesPerElement(),
                                     uncleared ? Start::Uncleared : Start::Free);
  }

  /// What the next sublayer overwrites is checked as soon as it is complete. The last sublayer's is
  /// checked at the end of the run.
  void sentOn(std::uint32_t g) {
    if (cluster.atLastSublayer(g)) return;
    checkThenWatch(g, OutputBuffer::Accumulation);
  }
  void ended(std::uint32_t g) {
    if (cluster.atLastSublayer(g)) return;
    data.compare(g);
    if (kind.tracked) checkThenWatch(g, OutputBuffer::Output);
  }
  void checkThenWatch(std::uint32_t g, OutputBuffer buffer) {
    try {
      checkSums(cluster, g, buffer, kind, clears());
    } catch (const std::exception& failure) {
      SC_REPORT_ERROR("t3/node", failure.what());
    }
    watch(g, buffer);
  }

  /// The memory clears what is summed there. A bound gets its zeros for free.
  bool clears() const {
    return kind.tracked && !kind.ideal &&
           cluster.config().hbm.initial_value == InitialValue::InMemory;
  }

  void simulate(const RunWatch& watch) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets work from the end of elaboration on
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) data.writeOperands(g);
    runToEnd(cluster, *program, watch);
  }

  /// The next kernel needs zeros in the accumulation buffer. Sums of checked data show whether they
  /// are there.
  void checkBufferIsZero() {
    if (!clears() || cluster.config().data != DataMode::Checked) return;
    std::vector<unsigned char> bytes(cluster.tiling().outputBytes());
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
      cluster.node(g).debugAccess(tlm::TLM_READ_COMMAND, cluster.layout().accumulation,
                                  bytes.data(), static_cast<std::uint32_t>(bytes.size()));
      const auto left = bytes.size() - static_cast<std::size_t>(std::ranges::count(bytes, 0));
      if (left == 0) continue;
      throw std::runtime_error("gpu" + std::to_string(g) + ": " + std::to_string(left) +
                               " bytes of the accumulation buffer are not zero at the end");
    }
  }

  /// Each phase from the first GPU that starts it to the last that ends it, sublayer by sublayer.
  void addPhases(RunResult& result) const {
    std::uint32_t sublayer = 0;
    const auto add = [&](const char* name, const auto& ofGpu) {
      PhaseSpan span{name, std::numeric_limits<Picoseconds>::max(), 0, sublayer};
      for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
        if (sublayer >= cluster.history(g).size()) continue;
        const TimeSpan& part = ofGpu(cluster.history(g)[sublayer]);
        span.start_ps = std::min(span.start_ps, part.start);
        span.end_ps = std::max(span.end_ps, part.end);
      }
      if (span.end_ps != 0) result.phases.push_back(span);
    };
    for (; sublayer < cluster.sublayers(); ++sublayer) {
      add("zeroing", [](const GpuProgress& gpu) { return gpu.zeroing; });
      add("gemm", [](const GpuProgress& gpu) { return gpu.gemm; });
      for (const Collective* collective : cluster.collectives()) {
        add(collective->name,
            [&](const GpuProgress& gpu) { return gpu.collectives.of(*collective); });
      }
    }
  }

  RunResult report() const {
    RunResult result;
    program->summarise(result);
    addPhases(result);
    addOtherBytes(cluster, result);
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
      const GpuNode& node = cluster.node(g);
      const HbmStatistics& memory = node.hbm.statistics();
      GpuResult gpu;
      gpu.gpu = g;
      const GpuProgress& progress = cluster.progress(g);
      const auto endOf = [&](const Collective& collective) {
        const TimeSpan* span = progress.collectives.find(collective);
        return span != nullptr ? span->end : 0;
      };
      gpu.gemm_end_ps = progress.gemm.end;
      gpu.reduce_scatter_end_ps = endOf(kReduceScatter);
      gpu.all_gather_end_ps = endOf(kAllGather);
      gpu.dram_bytes = dramBytes(memory.phaseBytes);
      gpu.link_bytes = node.sentBytes();
      gpu.mca_threshold = memory.ofArbitration("mca_threshold");
      gpu.row_hit_rate = memory.rowHitRate();
      gpu.zeroed_ps = progress.zeroing.end;
      gpu.store_zero_wait_ps = node.gpu.gemm.statistics().zeroWait;
      for (const auto& ingress : node.gpu.ingress) gpu.ingress_zero_wait_ps += ingress->zeroWait();
      result.link_bytes += gpu.link_bytes;
      result.dram_bursts += memory.bursts();
      for (std::uint64_t DramBytes::*field :
           {&DramBytes::gemm_read, &DramBytes::gemm_write, &DramBytes::rs_read,
            &DramBytes::rs_write, &DramBytes::ag_read, &DramBytes::ag_write}) {
        result.dram_bytes.*field += gpu.dram_bytes.*field;
      }
      result.per_gpu.push_back(gpu);
      if (kind.tracked) {
        addTracker(node.tracker->statistics(), result.tracker_stats);
        addSetup(node.driver.setup(), result.setup);
      }
    }
    for (std::uint64_t DramBytes::*field :
         {&DramBytes::gemm_read, &DramBytes::gemm_write, &DramBytes::rs_read, &DramBytes::rs_write,
          &DramBytes::ag_read, &DramBytes::ag_write}) {
      result.dram_bytes.*field /= cluster.simulated();
    }
    // In a symmetric run one GPU stands for all of them.
    const std::uint32_t alike = cluster.gpus() / cluster.simulated();
    result.link_bytes *= alike;
    for (std::uint64_t TrackerTotals::*total :
         {&TrackerTotals::updates, &TrackerTotals::triggers, &TrackerTotals::stall_cycles,
          &TrackerTotals::overflow_events, &TrackerTotals::spill_bytes,
          &TrackerTotals::rtl_cycles}) {
      result.tracker_stats.*total *= alike;
    }
    result.memory = memoryReport(cluster);
    const std::uint32_t repeat = cluster.config().workload.repeat;
    if (cluster.sublayers() < repeat) countAgain(result, repeat);
    return result;
  }

  /// Of the GPU that takes longest.
  static void addSetup(const TrackerSetup& setup, SetupFigures& figures) {
    const auto ns = [](Picoseconds time) { return static_cast<double>(time) * 1e-3; };
    figures.register_accesses = std::max(figures.register_accesses, setup.accesses);
    figures.first_ns = std::max(figures.first_ns, ns(setup.first));
    figures.again_ns = std::max(figures.again_ns, ns(setup.again));
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
  const ModeKind& kind;  ///< that is simulated
  Cluster cluster;
  CheckedData data;
  std::unique_ptr<Program> program;
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
    checkConservation(system.cluster, system.kind, system.clears());
    system.checkBufferIsZero();
    for (std::uint32_t g = 0; g < system.cluster.simulated(); ++g) system.data.compare(g);
    verification = system.data.verification();
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
  if (system.mode.kind->finish != nullptr && error.empty()) system.mode.kind->finish(result);
  addBounds(system.cluster.config(), *system.mode.kind, result);
  if (error.empty()) error = belowClosedForm(system.cluster.config(), result);
  result.verification = verification;
  result.error = error;
  return result;
}

}  // namespace t3
