// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/watchdog.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/node/graph.h"

namespace t3 {
namespace {

/// Of which the links deliver one after the other.
constexpr double kLargestWriteBytes = 65536 * 4;  // with flags and headers

/// All that a scenario lets somebody wait while nothing moves, in nanoseconds.
double latenciesNs(const SystemConfig& config) {
  double links = 0;
  const auto add = [&links](const LinkConfig& link) {
    links = std::max(
        links, link.latency_ns + link.creditLatencyNs() + kLargestWriteBytes / link.bandwidth_gb_s);
  };
  const LinkGraph* graph = config.fabric.graph.get();
  for (std::uint32_t w = 0; graph != nullptr && w < graph->wires().size(); ++w) {
    add(config.fabric.wireOf(config.link, w));
  }
  for (std::uint32_t g = 0; graph == nullptr && g < config.gpus; ++g) add(config.linkOf(g, 0));
  if (graph != nullptr) links *= 1 + graph->switches();  // of a way
  if (config.fabric.hasNodes()) {
    links +=
        2 * config.fabric.rail_latency_ns + kLargestWriteBytes / config.fabric.rail_bandwidth_gb_s;
  }
  const GpuConfig& gpu = config.gpu;
  double protocol = 0;
  for (const Protocol kind : {Protocol::Simple, Protocol::Ll, Protocol::Ll128}) {
    const ProtocolConfig& one = gpu.collective.of(kind);
    protocol = std::max(protocol, one.launch_us * 1e3 + one.sync_ns + one.slice_ns);
  }
  const double merging = config.merges() ? 3e3 * config.switched.merge_age_us : 0;
  double delay = 0;
  if (config.graph != nullptr) {
    for (const GraphNode& node : config.graph->byKernels.nodes) {
      if (const auto* work = node.as<DelayWork>()) delay = std::max(delay, nanoseconds(work->time));
    }
  }
  return delay + 2 * links + merging + protocol + gpu.kernel_launch_us * 1e3 +
         gpu.collective.slice_sync_ns + gpu.dma.command_latency_ns + gpu.dma.command_overhead_ns +
         config.tracker.register_access_ns + config.hbm.response_latency_ns +
         config.hbm.row_clear_ns;
}

}  // namespace

Watchdog::Watchdog(const SystemConfig& config, std::function<std::string()> whoWaits)
    : patience_(picosecondsFromNs(config.watchdog_us < 0 ? 1e6 + latenciesNs(config)
                                                         : config.watchdog_us * 1e3)),
      lastChange_(config.lastLaunch()),
      whoWaits_(std::move(whoWaits)) {}

void Watchdog::look(std::uint64_t beats, Picoseconds when) {
  if (beats != lastBeats_) {
    lastBeats_ = beats;
    lastChange_ = std::max(lastChange_, when);
  } else if (when > lastChange_ + patience_) {
    throw std::runtime_error("no progress since " + fromPicoseconds(lastChange_).to_string() +
                             ", longer than watchdog_us allows (" +
                             fromPicoseconds(patience_).to_string() +
                             "); raise it if a part is meant to be that slow" + whoWaits_());
  }
}

void Watchdog::deadlock() const {
  throw std::runtime_error("deadlock at " + sc_core::sc_time_stamp().to_string() +
                           ": nothing is left to happen" + whoWaits_());
}

void Watchdog::expectNotStuck(const std::string& why) const {
  if (why.empty()) return;
  throw std::runtime_error("stuck at " + sc_core::sc_time_stamp().to_string() + ": " + why +
                           whoWaits_());
}

}  // namespace t3
