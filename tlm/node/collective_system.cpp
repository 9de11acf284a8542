// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_system.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tlm/collectives/algorithm_error.h"
#include "tlm/collectives/promise.h"
#include "tlm/collectives/step_program.h"
#include "tlm/interconnect/switch.h"
#include "tlm/node/collective_data.h"
#include "tlm/node/collective_node.h"
#include "tlm/node/memory_report.h"
#include "tlm/node/run_to_end.h"

namespace t3 {
namespace {

/// The links of the fabric, whatever route the collectives of a sublayer take.
std::unique_ptr<const Route> linksOf(const SystemConfig& config) {
  const Reach reach = config.fabric.reach(config.gpus);
  return (reach.everyGpu ? kDirectRoute : kRingRoute).make(reach);
}

/// The ports by which one GPU reaches another.
std::vector<std::uint32_t> portsTo(const Route& links, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> ports;
  for (std::uint32_t p = 0; p < links.ports(); ++p) {
    if (links.peer(GpuId{from}, p) == GpuId{to}) ports.push_back(p);
  }
  return ports;
}

AlgorithmLayout layoutOf(const SystemConfig& config, const AlgorithmMeaning& meaning) {
  const HbmConfig& hbm = config.hbm;
  const std::uint64_t alignment = std::max<std::uint64_t>(
      1 << 20, std::uint64_t{hbm.channels} * hbm.bank_groups * hbm.page_bytes);
  return {meaning.buffers(), config.collective.chunkBytes(meaning.form().algorithm().chunks),
          alignment};
}

std::vector<StepProgram> programsOf(const SystemConfig& config, const AlgorithmMeaning& meaning,
                                    const AlgorithmLayout& layout, const Route& links) {
  (void)config;
  return makeStepPrograms(
      meaning, layout,
      {links.ports(), [&](std::uint32_t from, std::uint32_t to, std::uint32_t channel) {
         const auto ports = portsTo(links, from, to);
         return ports[channel % ports.size()];
       }});
}

/// Bytes of memory that a program uses.
std::uint64_t memoryOf(const StepProgram& program, const AlgorithmLayout& layout) {
  std::uint64_t end = layout.staging();
  for (const StepProgram::Arrival& arrival : program.arrivals) {
    end = std::max(end, arrival.destination + arrival.chunks * program.chunkBytes);
  }
  return end;
}

}  // namespace

struct CollectiveSystem::Implementation : RunSubject {
  Implementation(const SystemConfig& systemConfig, const AlgorithmMeaning& what)
      : config(systemConfig),
        meaning(what),
        route(linksOf(config)),
        layout(layoutOf(config, meaning)),
        programs(programsOf(config, meaning, layout, *route)),
        data(meaning, layout, config.collective.data_type, config.seed,
             [this](std::uint32_t gpu, tlm::tlm_command command, std::uint64_t address, void* bytes,
                    std::uint32_t count) {
               nodes[gpu]->debugAccess(command, address, bytes, count);
             }) {
    Agenda::ofSimulation().shuffle(config.order_seed);
    const std::uint32_t links = config.fabric.switched() ? 1 : route->ports();
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      nodes.push_back(std::make_unique<CollectiveNode>(("gpu" + std::to_string(g)).c_str(),
                                                       config.ofGpu(g), GpuId{g}, programs[g],
                                                       links, pool));
    }
    spans.resize(config.gpus);
    connect(links);
  }

  void connect(std::uint32_t links) {
    if (config.fabric.switched()) {
      std::vector<LinkConfig> leaving;
      for (std::uint32_t g = 0; g < config.gpus; ++g) {
        leaving.push_back(config.ofGpu(g).link);
        leaving.back().lose_write = 0;  // one fault, on the way to the switch
      }
      fabricSwitch = std::make_unique<Switch>("switch", leaving, [](const Payload& payload) {
        return static_cast<int>(gpuOf(payload.get_address()).value);
      });
    }
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      for (std::uint32_t l = 0; l < links; ++l) {
        Link& link = *nodes[g]->links[l];
        if (fabricSwitch) {
          link.endsAt(*fabricSwitch, g);
          link.out.bind(fabricSwitch->ports[g]->in);
          fabricSwitch->links[g]->endsAt(*nodes[g], l);
          fabricSwitch->links[g]->out.bind(nodes[g]->ingress[l]->link);
        } else {
          CollectiveNode& peer = *nodes[route->peer(GpuId{g}, l).value];
          link.endsAt(peer, l);
          link.out.bind(peer.ingress[l]->link);
        }
      }
    }
  }

  // RunSubject
  void start() override {
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      const auto launch = [this, g] {
        spans[g].first = now();
        nodes[g]->kernel.launch([this, g](Picoseconds when) { spans[g].second = when; });
      };
      if (launchTime(g) == 0) {
        launch();
      } else {
        nodes[g]->host.post(launchTime(g), launch);
      }
    }
  }
  Picoseconds launchTime(std::uint32_t gpu) const {
    return picosecondsFromNs(config.overrides.groups[gpu].launch_delay_us.value_or(0) * 1e3);
  }
  bool finished() const override {
    return std::ranges::all_of(nodes, [](const auto& node) { return node->kernel.finished(); });
  }
  std::uint64_t heartbeat() const override {
    std::uint64_t beats = 0;
    for (const auto& node : nodes) {
      beats += node->host.posted() + node->hbm.statistics().bursts() + node->sentBytes();
    }
    return beats;
  }
  double fractionDone() const override {
    double done = 0, all = 0;
    for (const auto& node : nodes) {
      done += static_cast<double>(node->kernel.slicesDone());
      all += static_cast<double>(node->kernel.slicesToDo());
    }
    return all == 0 ? 1 : done / all;
  }
  Picoseconds lastStart() const {
    Picoseconds last = 0;
    for (std::uint32_t g = 0; g < config.gpus; ++g) last = std::max(last, launchTime(g));
    return last;
  }
  Watchdog watchdog() const override {
    return {picosecondsFromNs(config.watchdog_us * 1e3), lastStart(),
            [this] { return whoWaits(); }};
  }
  std::string whoWaits() const override {
    std::string text;
    for (const auto& node : nodes) {
      if (!node->kernel.finished()) text += "\n  " + node->kernel.describe();
    }
    return text;
  }

  void simulate(const RunWatch& watch) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets work from the end of elaboration on
    if (config.data == DataMode::Checked) {
      for (std::uint32_t g = 0; g < config.gpus; ++g) data.write(g, memoryOf(programs[g], layout));
    }
    runToEnd(*this, watch);
    checkConservation();
    verification.data = config.data;
    if (config.data != DataMode::Checked) return;
    for (std::uint32_t g = 0; g < config.gpus; ++g) data.compare(g, verification);
    if (verification.mismatches != 0) {
      throw std::runtime_error(std::to_string(verification.mismatches) + " of " +
                               std::to_string(verification.elements) +
                               " elements differ from what the collective promises");
    }
  }

  /// Nothing is left in any queue, and every link has carried what the algorithm sends on it.
  void checkConservation() const {
    const auto fail = [](std::uint32_t gpu, const std::string& text) {
      throw std::runtime_error("gpu" + std::to_string(gpu) + ": " + text);
    };
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      if (!nodes[g]->idle()) fail(g, "something is left in a queue at the end");
      std::vector<std::uint64_t> expected(nodes[g]->links.size());
      for (std::uint32_t p = 0; p < route->ports(); ++p) {
        expected[p % expected.size()] += programs[g].sentBytes[p];
      }
      for (std::size_t l = 0; l < expected.size(); ++l) {
        const Link& link = *nodes[g]->links[l];
        if (link.payloadBytes() == expected[l] && link.deliveredBytes() == expected[l]) continue;
        fail(g, "link " + std::to_string(l) + " sent " + std::to_string(link.payloadBytes()) +
                    " bytes and delivered " + std::to_string(link.deliveredBytes()) +
                    ", but the algorithm sends " + std::to_string(expected[l]));
      }
    }
    if (pool.inUse() != 0) {
      throw std::runtime_error(std::to_string(pool.inUse()) + " requests are held at the end");
    }
  }

  /// What the busiest link needs for its bytes.
  double boundNs() const {
    double bound = 0;
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      const double bandwidth =
          config.fabric.linkOf(config.ofGpu(g).link, config.gpus).bandwidth_gb_s;
      std::vector<std::uint64_t> bytes(nodes[g]->links.size());
      for (std::uint32_t p = 0; p < route->ports(); ++p) {
        bytes[p % bytes.size()] += programs[g].sentBytes[p];
      }
      const auto most = static_cast<double>(*std::ranges::max_element(bytes));
      bound = std::max(bound, most / bandwidth);
    }
    return bound;
  }

  RunResult report() {
    RunResult result;
    const char* name = meaning.form().algorithm().promise->name;
    PhaseSpan span{name, spans[0].first, 0, 0};
    std::vector<GpuFigures> figures;
    CollectiveFigures& collective = result.other(name);
    for (std::uint32_t g = 0; g < config.gpus; ++g) {
      const CollectiveNode& node = *nodes[g];
      const HbmStatistics& memory = node.hbm.statistics();
      span.start_ps = std::min(span.start_ps, spans[g].first);
      span.end_ps = std::max(span.end_ps, spans[g].second);
      GpuFigures& gpu = figures.emplace_back();
      gpu.gpu = g;
      gpu.phaseBytes = memory.phaseBytes;
      gpu.memory = memory.rows(node.hbm.config(), now());
      gpu.occupancy = memory.occupancy;
      gpu.overTime = memory.overTime;
      gpu.bursts = memory.bursts();
      gpu.rowHitRate = memory.rowHitRate();
      gpu.sentBytes = node.sentBytes();
      GpuResult& mine = result.per_gpu.emplace_back();
      mine.gpu = g;
      mine.link_bytes = gpu.sentBytes;
      mine.row_hit_rate = gpu.rowHitRate;
      result.link_bytes += gpu.sentBytes;
      result.dram_bursts += gpu.bursts;
      const auto& bytes = memory.phaseBytes[static_cast<std::size_t>(kCollectivePhase)];
      collective.dram_read += bytes[0];
      collective.dram_write += bytes[1];
    }
    collective.dram_read /= config.gpus;
    collective.dram_write /= config.gpus;
    result.time_ps = span.end_ps;
    collective.exposed_ns = static_cast<double>(result.time_ps) * 1e-3;
    collective.bound_ns = boundNs();
    result.bound_ns.total = collective.bound_ns;
    result.phases.push_back(span);
    result.memory = memoryReport(config.hbm.statistics_window_ns, figures);
    result.verification = verification;
    return result;
  }

  const SystemConfig config;
  const AlgorithmMeaning& meaning;
  const std::unique_ptr<const Route> route;
  const AlgorithmLayout layout;
  const std::vector<StepProgram> programs;
  PayloadPool pool;
  std::vector<std::unique_ptr<CollectiveNode>> nodes;
  std::unique_ptr<Switch> fabricSwitch;
  CollectiveData data;
  Verification verification;
  std::vector<std::pair<Picoseconds, Picoseconds>> spans;  ///< by GPU: start, end
};

std::optional<std::string> CollectiveSystem::check(const SystemConfig& config,
                                                   const AlgorithmMeaning& meaning) {
  const AlgorithmForm& form = meaning.form();
  const std::unique_ptr<const Route> links = linksOf(config);
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    const std::uint32_t from = form.gpuOf(b);
    if (form.receiverOf(b) == AlgorithmForm::kNobody) continue;
    const std::uint32_t to = form.gpuOf(form.receiverOf(b));
    if (!portsTo(*links, from, to).empty()) continue;
    return "fabric.topology: expected a link from GPU " + std::to_string(from) + " to GPU " +
           std::to_string(to) +
           ", as the collective needs (fully-connected and switch have all links)";
  }
  const AlgorithmLayout layout = layoutOf(config, meaning);
  const std::uint64_t capacity = config.hbm.capacityBytes();
  if (layout.staging() <= capacity) {
    std::uint64_t most = 0;
    for (const StepProgram& program : programsOf(config, meaning, layout, *links)) {
      most = std::max(most, memoryOf(program, layout));
    }
    if (most <= capacity) return std::nullopt;
  }
  return "collective.bytes: expected buffers that fit into the memory of a GPU (" +
         std::to_string(config.hbm.capacity_gib) + " GiB), got " +
         std::to_string(config.collective.bytes) + " bytes";
}

CollectiveSystem::CollectiveSystem(const SystemConfig& config, const AlgorithmMeaning& meaning)
    : implementation_(std::make_unique<Implementation>(config, meaning)) {}

CollectiveSystem::~CollectiveSystem() = default;

void CollectiveSystem::observeMemory(
    const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor) {
  for (std::uint32_t g = 0; g < implementation_->config.gpus; ++g) {
    HbmStack& memory = implementation_->nodes[g]->hbm;
    memory.observe(&observerFor(g, memory.config()));
  }
}

RunResult CollectiveSystem::run(const RunWatch& watch) {
  Implementation& system = *implementation_;
  std::string error;
  try {
    system.simulate(watch);
  } catch (const sc_core::sc_report& report) {
    error = std::string(report.get_msg_type()) + " at " + report.get_time().to_string() + ": " +
            report.get_msg();
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  RunResult result = system.report();
  const double time = static_cast<double>(result.time_ps) * 1e-3;
  if (error.empty() && time < result.bound_ns.total) {
    error = "faster than its bound: " + std::to_string(time) + " ns < " +
            std::to_string(result.bound_ns.total) + " ns";
  }
  result.error = error;
  return result;
}

}  // namespace t3
