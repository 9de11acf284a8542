// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_system.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tlm/collectives/promise.h"
#include "tlm/node/collective_data.h"
#include "tlm/node/collective_node.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/fabric.h"
#include "tlm/node/failure_text.h"
#include "tlm/node/make_switch.h"
#include "tlm/node/run_end.h"
#include "tlm/node/run_to_end.h"
#include "tlm/node/run_windows.h"
#include "tlm/tracker/error_names.h"

namespace t3 {

struct CollectiveSystem::Implementation : RunSubject {
  Implementation(const SystemConfig& scenario, const AlgorithmMeaning& what, Mode mode,
                 TrackerKind tracker, const SystemRtl& rtl, Peers* others)
      : peers(others),
        config(mode.configured(scenario)),
        kind(*mode.kind),
        meaning(what),
        plan(config, meaning, kind.tracked),
        fabric(
            config, plan.linksPerGpu(),
            [this](std::uint32_t g, std::uint32_t l) {
              return plan.links().peer(GpuId{g}, l).value;
            },
            others),
        data(meaning, plan.layout(), config.collective.data_type, config.seed,
             [this](std::uint32_t gpu) { return memoryOf(*nodes[gpu]); }) {
    Agenda::ofSimulation().shuffle(config.order_seed);
    nodes.resize(config.gpus);
    spans.resize(config.gpus);
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      if (fabric.builds(g)) nodes[g] = makeNode(g, tracker, rtl);
      fabric.add(nodes[g].get());
    }
    fabric.connect();
  }

  std::unique_ptr<CollectiveNode> makeNode(std::uint32_t g, TrackerKind tracker,
                                           const SystemRtl& rtl) {
    const std::string name = "gpu" + std::to_string(g);
    std::optional<TrackerChoice> choice;
    if (plan.tracked()) choice = {tracker, rtl.tracker(g)};
    return std::make_unique<CollectiveNode>(name.c_str(), config.ofGpu(g), GpuId{g}, plan, choice,
                                            pool);
  }

  // RunSubject
  void start() override {
    for (const std::uint32_t g : fabric.own()) {
      const auto launch = [this, g] {
        spans[g].start = now();
        nodes[g]->launch([this, g](Picoseconds when) { spans[g].end = when; });
      };
      if (config.launchTime(g) == 0) {
        launch();
      } else {
        nodes[g]->host.post(config.launchTime(g), launch);
      }
    }
  }
  bool finished() const override {
    return std::ranges::all_of(fabric.own(),
                               [this](std::uint32_t g) { return nodes[g]->finished(); });
  }
  bool idle() const override { return fabric.idle(); }
  std::uint64_t heartbeat() const override {
    std::uint64_t beats = 0;
    for (const std::uint32_t g : fabric.own()) beats += nodes[g]->heartbeat();
    return beats;
  }
  Picoseconds lookahead() const override { return fabric.lookahead(); }
  double fractionDone() const override {
    double done = 0, all = 0;
    for (const std::uint32_t g : fabric.own()) {
      for (const auto& worker : nodes[g]->workers) {
        done += static_cast<double>(worker->slicesDone());
        all += static_cast<double>(worker->slicesToDo());
      }
    }
    return all == 0 ? 1 : done / all;
  }
  Watchdog watchdog() const override {
    return Watchdog(config, [this] { return whoWaits(); });
  }
  std::string whoWaits() const override {
    std::string text;
    for (const std::uint32_t g : fabric.own()) {
      for (const auto& worker : nodes[g]->workers) {
        if (!worker->finished()) text += "\n  " + worker->describe();
      }
    }
    return text;
  }

  void simulate(const RunWatch& watch) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets work from the end of elaboration on
    for (const std::uint32_t g : fabric.own()) {
      if (config.data == DataMode::Checked) data.write(g, plan.memoryEnd(g));
      if (!plan.tracked()) continue;
      if (config.data == DataMode::Checked) clearAccumulators(g);
      nodes[g]->programTracker();
    }
    if (peers != nullptr) {
      runWindows(*this, fabric.cut(), *peers, watch);
    } else {
      runToEnd(*this, watch);
    }
    checkConservation();
  }

  void compare(Verification& verification) {
    verification.data = config.data;
    if (config.data != DataMode::Checked) return;
    for (const std::uint32_t g : fabric.own()) {
      data.compare(g, verification);
      if (plan.tracked()) checkAccumulators(g);
    }
  }

  /// Sums that are made in places of their own begin with zeros.
  void clearAccumulators(std::uint32_t gpu) {
    const TrackedProgram& program = plan.program(gpu);
    std::vector<unsigned char> zeros(program.chunkBytes);
    for (const TrackedProgram::Arrival& arrival : program.arrivals) {
      for (std::uint32_t c = 0; c < arrival.chunks && arrival.updates == 2; ++c) {
        nodes[gpu]->debugAccess(tlm::TLM_WRITE_COMMAND, arrival.address + c * program.chunkBytes,
                                zeros.data(), static_cast<std::uint32_t>(zeros.size()));
      }
    }
  }

  /// They end with zeros, ready for the next time, where a read leaves zeros behind.
  void checkAccumulators(std::uint32_t gpu) const {
    const TrackedProgram& program = plan.program(gpu);
    if (config.hbm.initial_value != InitialValue::InMemory) return;
    const DebugAccess memory = memoryOf(*nodes[gpu]);
    for (const TrackedProgram::Arrival& arrival : program.arrivals) {
      for (std::uint32_t c = 0; c < arrival.chunks && arrival.updates == 2; ++c) {
        const std::uint64_t address = arrival.address + c * program.chunkBytes;
        if (holdsZeros(memory, address, program.chunkBytes)) continue;
        throw std::runtime_error("gpu" + std::to_string(gpu) +
                                 ": an accumulator is not zero at the end");
      }
    }
  }

  /// The tracker has reported every block once, when it was due, and nothing else.
  void checkTracker(std::uint32_t gpu) const {
    if (const std::string fault = nodes[gpu]->paper.faultAtEnd(); !fault.empty()) {
      throw std::runtime_error("gpu" + std::to_string(gpu) +
                               ": by the paper's count of wavefront tiles, " + fault);
    }
    const TrackerStatistics tracker = nodes[gpu]->tracker->statistics();
    const std::uint64_t blocks = std::uint64_t{plan.program(gpu).rows} * plan.grid().slices();
    const std::uint64_t lost = tracker.untracked + tracker.dropped;
    if (tracker.taken == blocks && lost == 0 && tracker.errors == 0) return;
    throw std::runtime_error("gpu" + std::to_string(gpu) + ": the tracker reported " +
                             std::to_string(tracker.taken) + " of " + std::to_string(blocks) +
                             " blocks, " + std::to_string(lost) +
                             " updates were not counted; errors: " +
                             (tracker.errors == 0 ? "none" : errorNames(tracker.errors)));
  }

  /// Nothing is left in any queue, and every link has carried what the algorithm sends on it.
  void checkConservation() const {
    const auto fail = [](std::uint32_t gpu, const std::string& text) {
      throw std::runtime_error("gpu" + std::to_string(gpu) + ": " + text);
    };
    for (const std::uint32_t g : fabric.own()) {
      if (!nodes[g]->idle()) fail(g, "something is left in a queue at the end");
      if (plan.tracked()) checkTracker(g);
    }
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      const std::vector<std::uint64_t> expected = plan.linkBytes(g);
      for (std::uint32_t l = 0; l < expected.size(); ++l) {
        const auto check = [&](bool here, const char* what, std::uint64_t bytes) {
          if (!here || bytes == expected[l]) return;
          fail(g, "link " + std::to_string(l) + " " + what + " " + std::to_string(bytes) +
                      " bytes, but the algorithm sends " + std::to_string(expected[l]));
        };
        const Link* link = fabric.link(g, l);
        if (link == nullptr) continue;
        check(fabric.isOwn(g), "sent", link->payloadBytes());
        check(fabric.endsHere(g, l), "delivered", link->deliveredBytes());
      }
      if (config.merges() && fabric.own().front() == 0) checkSwitch(g);
    }
    if (const std::size_t held = pool.inUse() + fabric.requestsInUse(); held != 0) {
      throw std::runtime_error(std::to_string(held) + " requests are held at the end");
    }
  }

  /// A switch that adds has loaded and copied for a GPU what the algorithm says, and nothing else.
  void checkSwitch(std::uint32_t gpu) const {
    const Switch& between = *fabric.fabricSwitch();
    const LoadPort::Statistics& loads = between.loads[gpu]->statistics();
    const auto check = [gpu](const char* what, std::uint64_t bytes, std::uint64_t expected) {
      if (bytes == expected) return;
      throw std::runtime_error("switch, link " + std::to_string(gpu) + ": " +
                               std::to_string(bytes) + " bytes of " + what +
                               ", but the algorithm needs " + std::to_string(expected));
    };
    check("answers", loads.answerBytes, plan.sumBytes(gpu) * config.gpus);
    check("sums", loads.sumBytes, plan.sumBytes(gpu));
    check("what leaves", between.links[gpu]->payloadBytes(), plan.bytesFromSwitch(gpu));
  }

  /// What the busiest link needs for its bytes.
  double boundNs() const {
    double bound = 0;
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      const std::vector<std::uint64_t> bytes = plan.linkBytes(g);
      for (std::uint32_t l = 0; l < bytes.size(); ++l) {
        const LinkConfig link = config.fabric.linkOf(config.ofGpu(g).link, config.gpus, l);
        bound = std::max(bound, static_cast<double>(bytes[l]) / link.bandwidth_gb_s);
      }
      bound = std::max(bound, static_cast<double>(plan.bytesFromSwitch(g)) /
                                  config.ofGpu(g).link.bandwidth_gb_s);
    }
    return bound;
  }

  /// With the figures of the GPUs of this process; at process 0, of all.
  void gather(RunEnd& end) const {
    for (const std::uint32_t g : fabric.own()) {
      const CollectiveNode& node = *nodes[g];
      GpuFigures& gpu = end.gpus.emplace_back(figuresOf(node, g));
      gpu.history.emplace_back().collectives = {spans[g]};
    }
    end.gather(peers);
  }

  RunResult report(const std::vector<GpuFigures>& gpus) const {
    RunResult result;
    const char* name = meaning.form().algorithm().promise->name;
    PhaseSpan span{name, gpus.front().history.front().collectives.front().start, 0, 0};
    for (const GpuFigures& gpu : gpus) {
      const TimeSpan& own = gpu.history.front().collectives.front();
      span.start_ps = std::min(span.start_ps, own.start);
      span.end_ps = std::max(span.end_ps, own.end);
    }
    addGpus(gpus, plan.tracked(), result);
    if (config.merges()) result.summed = loadFigures(*fabric.fabricSwitch());
    result.time_ps = span.end_ps;
    result.bound_ns = boundNs();
    PhaseFigures& collective = result.of(kCollectivePhase);
    collective.name = name;
    collective.exposed_ns = nanoseconds(result.time_ps);
    collective.bound_ns = result.bound_ns;
    result.phases.push_back(span);
    return result;
  }

  Peers* const peers;
  const SystemConfig config;
  const ModeKind& kind;
  const AlgorithmMeaning& meaning;
  const CollectivePlan plan;
  PayloadPool pool;
  Fabric fabric;
  std::vector<std::unique_ptr<CollectiveNode>> nodes;  ///< by GPU; null for one of another process
  CollectiveData data;
  std::vector<TimeSpan> spans;  ///< of the collective, by GPU
};

std::optional<std::string> CollectiveSystem::check(const SystemConfig& config,
                                                   const AlgorithmMeaning& meaning, Mode mode) {
  try {
    const CollectivePlan plan(mode.configured(config), meaning, mode.kind->tracked);
    return std::nullopt;
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
}

CollectiveSystem::CollectiveSystem(const SystemConfig& config, const AlgorithmMeaning& meaning,
                                   Mode mode, TrackerKind tracker, const SystemRtl& rtl,
                                   Peers* peers)
    : implementation_(
          std::make_unique<Implementation>(config, meaning, mode, tracker, rtl, peers)) {}

CollectiveSystem::~CollectiveSystem() = default;

void CollectiveSystem::observeMemory(
    const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor) {
  for (const std::uint32_t g : implementation_->fabric.own()) {
    HbmStack& memory = implementation_->nodes[g]->hbm;
    memory.observe(&observerFor(g, memory.config()));
  }
}

RunResult CollectiveSystem::run(const RunWatch& watch) {
  Implementation& system = *implementation_;
  RunEnd end;
  try {
    system.simulate(watch);
    system.compare(end.verification);
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
               std::to_string(verification.elements) +
               " elements differ from what the collective promises");
    }
    result = system.report(end.gpus);
    result.verification = verification;
    const double time = nanoseconds(result.time_ps);
    if (end.failures.empty() && time < result.bound_ns) {
      end.fail("faster than its bound: " + std::to_string(time) + " ns < " +
               std::to_string(result.bound_ns) + " ns");
    }
  }
  result.error = end.error();
  return result;
}

}  // namespace t3
