// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_job.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

#include "tlm/collectives/promise.h"
#include "tlm/node/bound_parts.h"
#include "tlm/node/conservation.h"
#include "tlm/node/gemm_data.h"

namespace t3 {
namespace {

/// Of an algorithm alone: a write goes to the chunk that is to GPU 0 what its own is to the GPU for
/// which it was meant. It lies in one chunk, and is counted by the same number or tile.
class AlgorithmLoop : public Loop {
 public:
  /// `alike` outlives the loop.
  AlgorithmLoop(const sc_core::sc_module_name& name, const GpusAlike& alike)
      : Loop(name), alike_(alike) {}

 protected:
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_REQ) {
      const std::uint64_t address = payload.get_address();
      payload.set_address(alike_.asOfGpu0(gpuOf(address), localAddress(address)));
    }
    return Loop::forward(payload, phase, delay);
  }

 private:
  const GpusAlike& alike_;
};

/// Nothing but the collective.
Graph graphOf(bool tracked) {
  Graph graph;
  graph.add({"collective", kCollectivePhase, CollectiveWork{nullptr, tracked}});
  return graph;
}

}  // namespace

CollectiveJob::CollectiveJob(const SystemConfig& config, const AlgorithmMeaning& meaning, Mode mode,
                             TrackerKind tracker, const SystemRtl& rtl, const Peers* peers)
    : config_(mode.configured(config)),
      meaning_(meaning),
      plan_(config_, meaning, mode.kind->tracked),
      repeat_(config_.workload.repeat),
      graph_(graphOf(plan_.tracked())),
      fabric_(config_, plan_.links(), peers),
      nodes_(fabric_.simulated()),
      data_(meaning, plan_.layout(), config_.collective.data_type, config_.seed,
            [this](std::uint32_t gpu) { return memoryOf(node(gpu)); }),
      executor_(graph_, *this,
                {.rounds = repeat_,
                 .launchLatency = picosecondsFromNs(config_.gpu.kernel_launch_us * 1e3),
                 .tracks = plan_.tracked(),
                 .flags = true,
                 .fences = true}) {
  for (std::uint32_t g = 0; g < fabric_.simulated(); ++g) {
    if (fabric_.builds(g)) nodes_[g] = makeNode(g, tracker, rtl);
    fabric_.add(nodes_[g].get());
  }
  fabric_.connect(
      [this](const char* loop) { return std::make_unique<AlgorithmLoop>(loop, *plan_.alike()); },
      rtl.mergeUnits);
}

std::unique_ptr<CollectiveNode> CollectiveJob::makeNode(std::uint32_t gpu, TrackerKind tracker,
                                                        const SystemRtl& rtl) {
  std::optional<TrackerChoice> choice;
  if (plan_.tracked()) choice = {tracker, rtl.tracker(gpu), rtl.ownTracker};
  return std::make_unique<CollectiveNode>(("gpu" + std::to_string(gpu)).c_str(), config_.ofGpu(gpu),
                                          GpuId{gpu}, plan_, fabric_.linkCount(gpu),
                                          fabric_.entryCount(gpu), choice, pool_);
}

/// What goes by way of a switch that adds goes to all.
bool CollectiveJob::sends(std::uint32_t gpu, std::uint32_t port) const {
  return plan_.traffic().bytes(GpuId{gpu}, port) + plan_.traffic().toSwitch(GpuId{gpu}) != 0;
}

// ---- the run ----------------------------------------------------------------------------------

void CollectiveJob::prepare() {
  for (const std::uint32_t g : fabric_.own()) fillMemory(g);
}

void CollectiveJob::launch(std::uint32_t gpu, NodeId work) {
  executor_.begun(gpu, work);
  node(gpu).launch([this, gpu, work](Picoseconds when) { executor_.ended(gpu, work, when); });
}

void CollectiveJob::renew(std::uint32_t gpu, Picoseconds /*begins*/) {
  if (executor_.round(gpu) > 0) node(gpu).renew();
}

void CollectiveJob::roundOver(std::uint32_t gpu) {
  compare(gpu);
  fillMemory(gpu);
}

bool CollectiveJob::idle() const {
  return fabric_.idle() && std::ranges::all_of(fabric_.own(), [this](std::uint32_t g) {
           return !plan_.tracked() || node(g).driver->idle();
         });
}

double CollectiveJob::fractionDone() const {
  double done = 0, all = 0;
  for (const std::uint32_t g : fabric_.own()) {
    for (const auto& worker : node(g).workers) {
      const auto ofRound = static_cast<double>(worker->slicesToDo());
      all += ofRound * repeat_;
      done += executor_.round(g) * ofRound + static_cast<double>(worker->slicesDone());
    }
  }
  return all == 0 ? 1 : done / all;
}

Watchdog CollectiveJob::watchdog() const {
  return Watchdog(config_, [this] { return whoWaits(); });
}

std::string CollectiveJob::whoWaits() const {
  std::string text;
  for (const std::uint32_t g : fabric_.own()) {
    const std::string round = repeat_ == 1 ? ""
                                           : "round " + std::to_string(executor_.round(g) + 1) +
                                                 " of " + std::to_string(repeat_) + ": ";
    if (executor_.allEnded(g)) continue;
    if (executor_.round(g) > 0 && executor_.waitsToBegin(g)) {
      text += "\n  gpu" + std::to_string(g) + ": " + round +
              "waits until those to which it sends are ready for it";
      continue;
    }
    for (const auto& worker : node(g).workers) {
      if (!worker->finished()) text += "\n  " + round + worker->describe();
    }
  }
  return text;
}

// ---- data -------------------------------------------------------------------------------------

/// With the inputs. Sums that are made in places of their own begin with zeros.
void CollectiveJob::fillMemory(std::uint32_t gpu) {
  if (config_.data != DataMode::Checked) return;
  data_.write(gpu, plan_.memoryEnd(gpu));
  for (const auto& [address, bytes] : plan_.accumulators(gpu)) {
    std::vector<unsigned char> zeros(bytes);
    node(gpu).debugAccess(tlm::TLM_WRITE_COMMAND, address, zeros.data(),
                          static_cast<std::uint32_t>(bytes));
  }
}

/// Places of sums end with zeros, ready for the next time, where a read leaves zeros behind.
void CollectiveJob::compare(std::uint32_t gpu) {
  verification_.data = config_.data;
  if (config_.data != DataMode::Checked) return;
  data_.compare(gpu, verification_);
  if (config_.hbm.initial_value != InitialValue::InMemory) return;
  for (const auto& [address, bytes] : plan_.accumulators(gpu)) {
    if (holdsZeros(memoryOf(node(gpu)), address, bytes)) continue;
    const std::string text =
        "gpu" + std::to_string(gpu) + ": an accumulator is not zero at the end";
    SC_REPORT_ERROR("t3/node", text.c_str());
  }
}

Verification CollectiveJob::compare() {
  for (const std::uint32_t g : fabric_.own()) compare(g);
  return verification_;
}

void CollectiveJob::check() {
  if (!idle()) throw std::runtime_error("something is left in a queue at the end" + whoWaits());
  checkConservation(fabric_, {.parts = {{.bytes = plan_.traffic()}}, .rounds = repeat_},
                    pool_.inUse() + fabric_.requestsInUse());
  if (!plan_.tracked()) return;
  for (const std::uint32_t g : fabric_.own()) {
    if (node(g).tracker->statistics().untracked == 0) continue;
    throw std::runtime_error("gpu" + std::to_string(g) + ": updates came that no region counts");
  }
  checkTrackers(fabric_, [this](std::uint32_t gpu) {
    return std::uint64_t{plan_.program(gpu).rows} * plan_.grid().slices() * repeat_;
  });
}

// ---- figures ----------------------------------------------------------------------------------

GpuFigures CollectiveJob::figures(std::uint32_t gpu) const {
  GpuFigures figures = figuresOf(node(gpu), gpu);
  for (const Executor::Round& round : executor_.history(gpu)) {
    if (round.nodes.front().end == 0) break;
    figures.history.push_back({{}, {}, round.waited});
    figures.history.back().phases[kCollectivePhase] = round.nodes.front();
  }
  return figures;
}

void CollectiveJob::report(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  const char* name = meaning_.form().algorithm().promise->name;
  // Those of a run that failed which all GPUs have ended.
  std::size_t rounds = repeat_;
  for (const GpuFigures& gpu : gpus) rounds = std::min(rounds, gpu.history.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const TimeSpan span = spanOf(gpus, round, kCollectivePhase);
    result.phases.push_back({name, span.start, span.end, round});
    if (repeat_ > 1) {
      SublayerSpan& sublayer = result.sublayers.emplace_back();
      sublayer.start_ps = span.start;
      sublayer.end_ps = span.end;
      sublayer.phase_ns[kCollectivePhase] = nanoseconds(span.end - result.time_ps);
    }
    result.time_ps = span.end;
  }
  addSteady(gpus, result);
  PhaseFigures& collective = result.of(kCollectivePhase);
  collective.name = name;
  collective.exposed_ns = nanoseconds(result.time_ps);
  collective.bound_ns = result.bound_ns = boundNs();
}

/// What the busiest link needs for its bytes in all rounds, and the launches between them.
double CollectiveJob::boundNs() const {
  constexpr std::uint32_t kLeastOfManyLoads = 256;  // a request of a step that adds many
  const CollectiveConfig& kernels = config_.gpu.collective;
  const Protocol protocol =  // DMA engines send no flags
      plan_.tracked() ? Protocol::Simple : meaning_.form().algorithm().protocol;
  const std::uint32_t largest =
      plan_.tracked()
          ? config_.gpu.dma.read_bytes
          : std::max({kernels.request_bytes, kLeastOfManyLoads, kernels.of(protocol).window_bytes});
  double bound = 0;
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t g = 0; g < config_.gpus; ++g) {
    const auto own = linkBytes(config_, plan_.links(), GpuId{g}, plan_.traffic());
    if (config_.fabric.graph == nullptr || g == 0) {
      bytes = own;
    } else {  // all use the same wires
      std::ranges::transform(bytes, own, bytes.begin(), std::plus<>{});
    }
    bound =
        std::max(bound, wireNs(config_, g,
                               onWire(config_, GpuId{g}, bytes, plan_.traffic(), protocol, largest),
                               repeat_));
  }
  return bound + (repeat_ - 1) * config_.gpu.kernel_launch_us * 1e3;
}

}  // namespace t3
