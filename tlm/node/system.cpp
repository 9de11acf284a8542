// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/system.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/checked_data.h"
#include "tlm/node/cluster.h"
#include "tlm/node/cluster_run.h"
#include "tlm/node/conservation.h"
#include "tlm/node/failure_text.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/make_switch.h"
#include "tlm/node/program.h"
#include "tlm/node/run_end.h"
#include "tlm/node/run_to_end.h"
#include "tlm/node/run_windows.h"

namespace t3 {
struct System::Implementation {
  Implementation(const SystemConfig& config, Mode simulatedMode, TrackerKind tracker,
                 const SystemRtl& rtl, Peers* others)
      : peers(others),
        mode(simulatedMode),
        kind(mode.simulated()),
        // A mode that tracks nothing still has trackers; the twin is the cheapest.
        cluster(mode.configured(config), kind.tracked ? tracker : TrackerKind::Model, rtl,
                mode.collectives(config), others),
        data(cluster),
        program(kind.program(cluster)) {
    if (config.workload.repeat > 1 && !kind.repeats && !kind.ideal) {
      throw std::invalid_argument(std::string("workload.repeat: expected 1, because mode ") +
                                  kind.name + " runs one sublayer, got " +
                                  std::to_string(config.workload.repeat));
    }
    if (kind.tracked) {
      for (const std::uint32_t g : cluster.own()) {
        watch(g, OutputBuffer::Output);
        watch(g, OutputBuffer::Accumulation);
        if (config.workload.norms()) watch(g, OutputBuffer::Normed);
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
    const Route& route = cluster.route();
    HbmStack& memory = cluster.node(g).hbm;
    memory.watchUpdates(cluster.layout().base(buffer), cluster.tiling().outputBytes(),
                        route.mostUpdatesPerElement(), uncleared ? Start::Uncleared : Start::Free);
    for (std::uint32_t c = 0; c < route.chunks(); ++c) {
      if (!route.sums(GpuId{g}, ChunkId{c}, buffer)) continue;
      const std::uint32_t updates = route.updatesPerElement(GpuId{g}, ChunkId{c});
      if (updates == route.mostUpdatesPerElement()) continue;
      for (const auto& [address, bytes] : cluster.areas(ChunkId{c}, buffer)) {
        memory.expectUpdates(address, bytes, updates);
      }
    }
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
    for (const std::uint32_t g : cluster.own()) data.writeOperands(g);
    ClusterRun subject(cluster, *program);
    if (peers != nullptr) return runWindows(subject, cluster.fabric().cut(), *peers, watch);
    runToEnd(subject, watch);
  }

  /// The next kernel needs zeros in the accumulation buffer. Sums of checked data show whether they
  /// are there.
  void checkBufferIsZero() {
    if (!clears() || cluster.config().data != DataMode::Checked) return;
    std::vector<unsigned char> bytes(cluster.tiling().outputBytes());
    for (const std::uint32_t g : cluster.own()) {
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
      add("norm", [](const GpuProgress& gpu) { return gpu.norm; });
      for (const Collective* collective : cluster.collectives()) {
        add(collective->name,
            [&](const GpuProgress& gpu) { return gpu.collectives.of(*collective); });
      }
      add("consumer", [](const GpuProgress& gpu) { return gpu.consumer; });
    }
  }

  /// With the figures of the GPUs of this process; at process 0, of all.
  void gather(RunEnd& end) {
    for (const std::uint32_t g : cluster.own()) end.gpus.push_back(figuresOf(cluster, g));
    end.gather(peers);
    for (const GpuFigures& gpu : end.gpus) {
      if (!cluster.fabric().isOwn(gpu.result.gpu)) adoptHistory(cluster, gpu);
    }
  }

  RunResult report(const std::vector<GpuFigures>& gpus) const {
    RunResult result;
    program->summarise(result);
    addPhases(result);
    for (const Collective* collective : cluster.collectives()) {
      result.of(collective->phase).name = collective->name;
    }
    addGpus(gpus, kind.tracked, result);
    for (const GpuFigures& gpu : gpus) {
      if (kind.tracked) addSetup(gpu.setup, result.setup);
    }
    // In a symmetric run one GPU stands for all of them.
    const std::uint32_t alike = cluster.gpus() / cluster.simulated();
    if (cluster.config().merges()) {
      result.merged = mergeFigures(*cluster.fabric().fabricSwitch());
      *result.merged *= alike;
      result.summed = loadFigures(*cluster.fabric().fabricSwitch());
      if (result.summed) *result.summed *= alike;
    }
    result.link_bytes *= alike;
    result.tracker_stats *= alike;
    const std::uint32_t repeat = cluster.config().workload.repeat;
    if (cluster.sublayers() < repeat) countAgain(result, repeat);
    return result;
  }

  Peers* const peers;
  const Mode mode;
  const ModeKind& kind;  ///< that is simulated
  Cluster cluster;
  CheckedData data;
  std::unique_ptr<Program> program;
};

System::System(const SystemConfig& config, Mode mode, TrackerKind tracker, const SystemRtl& rtl,
               Peers* peers)
    : implementation_(std::make_unique<Implementation>(config, mode, tracker, rtl, peers)) {}

System::~System() = default;

void System::observeMemory(
    const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor) {
  Cluster& cluster = implementation_->cluster;
  for (const std::uint32_t g : cluster.own()) {
    HbmStack& memory = cluster.node(g).hbm;
    memory.observe(&observerFor(g, memory.config()));
  }
}

RunResult System::run(const RunWatch& watch) {
  Implementation& system = *implementation_;
  RunEnd end;
  try {
    system.simulate(watch);
    checkConservation(system.cluster, system.kind, system.clears());
    system.checkBufferIsZero();
    for (const std::uint32_t g : system.cluster.own()) system.data.compare(g);
    end.verification = system.data.verification();
  } catch (const PeerFailed&) {  // the one that failed says why
  } catch (const std::exception& failure) {
    end.fail(failureText(failure));
  }
  system.gather(end);
  RunResult result;
  if (system.peers == nullptr || system.peers->self() == 0) {
    const Verification& verification = end.verification;
    if (verification.mismatches != 0) {
      end.fail(std::to_string(verification.mismatches) + " of " +
               std::to_string(verification.elements) + " elements differ from the reference");
    }
    result = system.report(end.gpus);
    if (system.mode.kind->finish != nullptr && end.failures.empty())
      system.mode.kind->finish(result);
    addBounds(system.cluster.config(), system.mode, result);
    if (end.failures.empty()) {
      if (std::string below = belowClosedForm(result); !below.empty()) end.fail(std::move(below));
    }
    result.verification = verification;
  }
  result.error = end.error();
  return result;
}

}  // namespace t3
