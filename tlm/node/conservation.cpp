// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/conservation.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "tlm/node/deadlock_report.h"
#include "tlm/tracker/error_names.h"

namespace t3 {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("conservation check failed: " + what);
}

/// What the collectives of a run bring over links.
struct LinkTraffic {
  struct Part {
    const Collective* collective;
    CollectiveTraffic bytes;
  };
  std::vector<Part> parts;
  bool adds = false;    ///< a switch adds what is reduced …
  bool copies = false;  ///< … and copies what is gathered

  LinkTraffic(const Cluster& cluster, const ModeKind& mode)
      : adds(cluster.config().merges() && mode.tracked),
        copies(cluster.config().merges() && mode.gathers) {
    for (const Collective* collective : cluster.collectives()) {
      parts.push_back({collective, {*collective, cluster.route(), cluster.tiling()}});
    }
  }
  /// Bytes of the ports of a link, over all collectives for which `counts(part)`; of those that the
  /// GPU sends, or of those that come to it.
  std::uint64_t sent(const Cluster& cluster, std::uint32_t gpu, std::uint32_t link,
                     const auto& counts) const {
    return sum(cluster, link, counts, [&](std::uint32_t) { return GpuId{gpu}; });
  }
  std::uint64_t received(const Cluster& cluster, std::uint32_t gpu, std::uint32_t link,
                         const auto& counts) const {
    return sum(cluster, link, counts,
               [&](std::uint32_t port) { return cluster.route().source(GpuId{gpu}, port); });
  }
  /// By way of a switch that answers loads and copies stores.
  std::uint64_t switched(const Cluster& cluster, std::uint32_t gpu,
                         std::uint64_t (CollectiveTraffic::*bytes)(GpuId) const) const {
    std::uint64_t all = 0;
    for (const Part& part : parts) all += (part.bytes.*bytes)(GpuId{gpu});
    return all * cluster.sublayers();
  }
  static bool every(const Part& /*part*/) { return true; }
  bool isCopied(const Part& part) const { return copies && part.collective == &kAllGather; }
  bool isAdded(const Part& part) const { return adds && part.collective == &kReduceScatter; }

 private:
  std::uint64_t sum(const Cluster& cluster, std::uint32_t link, const auto& counts,
                    const auto& from) const {
    std::uint64_t bytes = 0;
    for (const Part& part : parts) {
      if (!counts(part)) continue;
      for (std::uint32_t port = link; port < cluster.route().ports();
           port += cluster.linksPerGpu()) {
        bytes += part.bytes.bytes(from(port), port);
      }
    }
    return bytes * cluster.sublayers();
  }
};

void checkLink(const Cluster& cluster, const LinkTraffic& traffic, std::uint32_t gpu,
               std::uint32_t link) {
  const std::string name = "gpu" + std::to_string(gpu) + ", link " + std::to_string(link) + ": ";
  const auto copied = [&](const auto& part) { return traffic.isCopied(part); };
  const auto others = [&](const auto& part) { return !traffic.isCopied(part); };
  const std::uint64_t toSend = traffic.sent(cluster, gpu, link, others) +
                               traffic.sent(cluster, gpu, link, copied) / (cluster.gpus() - 1) +
                               traffic.switched(cluster, gpu, &CollectiveTraffic::toSwitch);
  const std::uint64_t toReceive = traffic.received(cluster, gpu, link, LinkTraffic::every) +
                                  traffic.switched(cluster, gpu, &CollectiveTraffic::fromSwitch);
  const GpuNode& node = cluster.node(gpu);
  const std::uint64_t sent = node.links[link]->payloadBytes();
  require(sent == toSend, name + "sent " + std::to_string(sent) + " bytes, the route needs " +
                              std::to_string(toSend));
  const std::uint64_t received = node.gpu.ingress[link]->contributedBytes() +
                                 (node.switchLoads ? node.switchLoads->statistics().sumBytes : 0);
  require(received == toReceive, name + "received " + std::to_string(received) +
                                     " bytes, the route needs " + std::to_string(toReceive));
}

/// Where a switch adds: all that has come has left, by itself or in a sum.
void checkMerging(const Cluster& cluster, const LinkTraffic& traffic, std::uint32_t gpu) {
  const std::string name = "switch, merge unit " + std::to_string(gpu) + ": ";
  const auto requireBytes = [&](std::uint64_t bytes, std::uint64_t expected, const char* what) {
    require(bytes == expected, name + std::to_string(bytes) + " bytes of " + what + ", expected " +
                                   std::to_string(expected));
  };
  const MergePort::Bytes& bytes = cluster.fabric().fabricSwitch()->merges[gpu]->bytes();
  const auto added = [&](const auto& part) { return traffic.isAdded(part); };
  const auto others = [&](const auto& part) { return !traffic.isAdded(part); };
  requireBytes(bytes.updates, traffic.received(cluster, gpu, 0, added), "updates");
  const std::uint64_t loaded = traffic.switched(cluster, gpu, &CollectiveTraffic::sums);
  const std::uint64_t stored =
      traffic.switched(cluster, gpu, &CollectiveTraffic::fromSwitch) - loaded;
  requireBytes(bytes.writes, traffic.received(cluster, gpu, 0, others) + stored, "plain writes");
  const LoadPort::Statistics& loads = cluster.fabric().fabricSwitch()->loads[gpu]->statistics();
  requireBytes(loads.answerBytes, loaded * cluster.gpus(), "answers");
  requireBytes(loads.sumBytes, loaded, "sums of answers");
  requireBytes(bytes.added, bytes.updates, "updates in sums that have left");
  requireBytes(cluster.fabric().fabricSwitch()->links[gpu]->payloadBytes(),
               bytes.sums + bytes.writes + loads.sumBytes, "what left");
}

void checkTracker(const Cluster& cluster, std::uint32_t gpu) {
  const TrackerStatistics tracker = cluster.node(gpu).tracker->statistics();
  const std::string name = "gpu" + std::to_string(gpu) + ": ";
  require(tracker.overrun == 0, name + "a block received more bytes than it has");
  require(tracker.stray == 0, name + "a block that was complete received an update");
  require(tracker.dropped == 0, name + "updates came while the tracker was being programmed");
  require(tracker.errors == 0, name + "the tracker reports " + errorNames(tracker.errors));
  const std::string fault = cluster.node(gpu).paper.faultAtEnd();
  require(fault.empty(), name + "by the paper's count of wavefront tiles, " + fault);
}

}  // namespace

void checkSums(const Cluster& cluster, std::uint32_t gpu, OutputBuffer buffer, const ModeKind& mode,
               bool clears) {
  const std::string name = "gpu" + std::to_string(gpu) + ": ";
  const Route& route = cluster.route();
  const HbmStack& memory = cluster.node(gpu).hbm;
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    const ChunkId chunk{c};
    const bool sums = route.sums(GpuId{gpu}, chunk, buffer);
    const std::uint32_t updates = sums ? route.updatesPerElement(GpuId{gpu}, chunk) : 0;
    // With a norm its buffer is gathered, and the own rows are stored by the norm.
    const bool norms = cluster.config().workload.norms();
    const bool own = route.owner(chunk) == GpuId{gpu};
    const bool stored =
        mode.gathers && (norms ? buffer == OutputBuffer::Normed && (!own || !mode.ideal)
                               : buffer == OutputBuffer::Output && !own);
    for (const auto& [address, bytes] : cluster.areas(chunk, buffer)) {
      const std::string element = name + "an element of chunk " + std::to_string(c) + " was not ";
      require(memory.everyBurstUpdated(address, bytes, updates),
              element + "updated " + std::to_string(updates) + " times");
      require(!sums || !clears || memory.everyBurstCleared(address, bytes, 1),
              element + "cleared once");
      require(memory.everyBurstArrived(address, bytes, stored ? 1 : 0),
              element + "stored " + (stored ? "once" : "by nobody"));
    }
  }
}

void checkConservation(const Cluster& cluster, const ModeKind& mode, bool clears) {
  if (!cluster.idle())
    require(false, "something is still queued at the end" + deadlockReport(cluster, true));
  const std::size_t unanswered = cluster.requestsInUse();
  require(unanswered == 0, std::to_string(unanswered) + " requests were never answered");
  const LinkTraffic traffic(cluster, mode);
  const bool hasSwitch = cluster.own().front() == 0;  // of several processes the first
  if (cluster.config().merges() && hasSwitch) {
    for (std::uint32_t g = 0; g < cluster.simulated(); ++g) checkMerging(cluster, traffic, g);
  }
  std::uint64_t issued = 0;
  for (const std::uint32_t g : cluster.own()) {
    for (std::uint32_t l = 0; l < cluster.linksPerGpu(); ++l) checkLink(cluster, traffic, g, l);
    if (!mode.tracked) continue;
    checkTracker(cluster, g);
    for (const OutputBuffer buffer : {OutputBuffer::Output, OutputBuffer::Accumulation}) {
      checkSums(cluster, g, buffer, mode, clears);
    }
    if (cluster.config().workload.norms())
      checkSums(cluster, g, OutputBuffer::Normed, mode, clears);
    issued += cluster.node(g).tracker->statistics().taken;
  }
  require(issued == cluster.commandsProgrammed(),
          std::to_string(issued) + " DMA commands were issued, " +
              std::to_string(cluster.commandsProgrammed()) + " were programmed");
}

}  // namespace t3
