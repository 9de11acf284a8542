// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/judge.h"

#include <stdexcept>
#include <string>

#include "tlm/node/machine.h"
#include "tlm/tracker/register_text.h"

namespace t3 {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("conservation check failed: " + what);
}

/// Bytes that leave a place, or come to it, in all rounds.
class LinkBytes {
 public:
  LinkBytes(const Fabric& fabric, const LinkTraffic& traffic)
      : fabric_(fabric), traffic_(traffic) {}

  /// By the ports of a link, over all parts for which `counts(part)`.
  std::uint64_t sent(std::uint32_t gpu, std::uint32_t link, const auto& counts) const {
    return sum(
        counts, [&](std::uint32_t port) { return fabric_.wiring().linkOf(gpu, port) == link; },
        [&](std::uint32_t) { return GpuId{gpu}; });
  }
  std::uint64_t received(std::uint32_t gpu, std::uint32_t link, const auto& counts) const {
    return sum(
        counts, [&](std::uint32_t port) { return fabric_.wiring().entryOf(gpu, port) == link; },
        [&](std::uint32_t port) { return fabric_.wiring().ports().source(GpuId{gpu}, port); });
  }
  /// The least and the most that a link carries for what is sent by it.
  std::pair<std::uint64_t, std::uint64_t> coded(std::uint32_t gpu, std::uint32_t link,
                                                const SystemConfig& config) const {
    std::uint64_t least = 0, most = 0;
    for (const LinkTraffic::Part& part : traffic_.parts) {
      const std::uint64_t bytes =
          sent(gpu, link, [&](const LinkTraffic::Part& other) { return &other == &part; });
      const bool exact = part.wholeBlocks && (part.codec.bits() != 0 || !part.codec.on());
      least += part.codec.leastBytes(bytes, config.data);
      most += exact ? part.codec.codedBytes(bytes) : bytes;
    }
    return {least, most};
  }
  /// By way of a switch that answers loads and copies stores.
  std::uint64_t switched(std::uint32_t gpu,
                         std::uint64_t (CollectiveTraffic::*bytes)(GpuId) const) const {
    std::uint64_t all = 0;
    for (const LinkTraffic::Part& part : traffic_.parts) all += (part.bytes.*bytes)(GpuId{gpu});
    return all * traffic_.rounds;
  }

 private:
  std::uint64_t sum(const auto& counts, const auto& uses, const auto& from) const {
    std::uint64_t bytes = 0;
    for (const LinkTraffic::Part& part : traffic_.parts) {
      if (!counts(part)) continue;
      for (std::uint32_t port = 0; port < fabric_.wiring().ports().size().ports; ++port) {
        if (uses(port)) bytes += part.bytes.bytes(from(port), port);
      }
    }
    return bytes * traffic_.rounds;
  }

  const Fabric& fabric_;
  const LinkTraffic& traffic_;
};

using Part = LinkTraffic::Part;
bool every(const Part& /*part*/) { return true; }

void checkSent(const Machine& machine, const LinkBytes& bytes, std::uint32_t gpu,
               std::uint32_t link) {
  const Fabric& fabric = machine.fabric();
  const std::uint64_t toSend =
      bytes.sent(gpu, link, [](const Part& part) { return !part.copied; }) +
      bytes.sent(gpu, link, [](const Part& part) { return part.copied; }) /
          (fabric.wiring().ports().gpus() - 1) +
      bytes.switched(gpu, &CollectiveTraffic::toSwitch);
  const LinkStatistics& statistics = fabric.node(gpu).links[link]->statistics();
  const std::uint64_t sent = statistics.plainBytes;
  require(sent == toSend, "gpu" + std::to_string(gpu) + ", link " + std::to_string(link) +
                              ": sent " + std::to_string(sent) + " bytes, the collectives need " +
                              std::to_string(toSend));
  if (machine.config().merges()) return;  // which codes nothing
  const auto [least, most] = bytes.coded(gpu, link, machine.config());
  require(statistics.sentBytes >= least && statistics.sentBytes <= most,
          "gpu" + std::to_string(gpu) + ", link " + std::to_string(link) + ": carried " +
              std::to_string(statistics.sentBytes) + " bytes, the codecs make " +
              std::to_string(least) + (most == least ? "" : " to " + std::to_string(most)));
}

void checkReceived(const Fabric& fabric, const LinkBytes& bytes, std::uint32_t gpu,
                   std::uint32_t entry) {
  const std::uint64_t toReceive =
      bytes.received(gpu, entry, every) + bytes.switched(gpu, &CollectiveTraffic::fromSwitch);
  GpuNode& node = fabric.node(gpu);
  const std::uint64_t received = node.gpu.ingress[entry]->contributedBytes() +
                                 (node.switchLoads ? node.switchLoads->statistics().sumBytes : 0);
  require(received == toReceive, "gpu" + std::to_string(gpu) + ", link " + std::to_string(entry) +
                                     ": received " + std::to_string(received) +
                                     " bytes, the collectives need " + std::to_string(toReceive));
}

/// Where a switch adds: all that has come has left, by itself or in a sum.
void checkMerging(const Fabric& fabric, const LinkBytes& traffic, std::uint32_t gpu) {
  const std::string name = "switch, merge unit " + std::to_string(gpu) + ": ";
  const auto requireBytes = [&](std::uint64_t bytes, std::uint64_t expected, const char* what) {
    require(bytes == expected, name + std::to_string(bytes) + " bytes of " + what + ", expected " +
                                   std::to_string(expected));
  };
  const Switch& between = *fabric.switches().front();
  const MergeFigures merged = between.merges[gpu]->figures();
  requireBytes(merged.update_bytes,
               traffic.received(gpu, 0, [](const Part& part) { return part.added; }), "updates");
  const std::uint64_t loaded = traffic.switched(gpu, &CollectiveTraffic::sums);
  const std::uint64_t stored = traffic.switched(gpu, &CollectiveTraffic::fromSwitch) - loaded;
  const std::uint64_t written =
      traffic.received(gpu, 0, [](const Part& part) { return !part.added; });
  requireBytes(merged.write_bytes, written + stored, "plain writes");
  const LoadFigures& loads = between.loads[gpu]->figures();
  requireBytes(loads.answer_bytes, loaded * fabric.wiring().ports().gpus(), "answers");
  requireBytes(loads.sum_bytes, loaded, "sums of answers");
  requireBytes(between.merges[gpu]->addedBytes(), merged.update_bytes,
               "updates in sums that have left");
  requireBytes(between.links[gpu]->payloadBytes(),
               merged.sum_bytes + merged.write_bytes + loads.sum_bytes, "what left");
}

}  // namespace

void checkSums(const Machine& machine, std::uint32_t gpu, const OutputPlan& output,
               OutputBuffer buffer, const SumsRule& rule) {
  const std::string name = "gpu" + std::to_string(gpu) + ": ";
  const Route& route = machine.route();
  const HbmStack& memory = machine.node(gpu).hbm;
  const bool norms = output.layout.normed != 0;
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    const ChunkId chunk{c};
    const bool sums = sumsIn(route, GpuId{gpu}, chunk, buffer);
    const std::uint32_t updates = sums ? route.updatesPerElement(GpuId{gpu}, chunk) : 0;
    // With a norm its buffer is gathered, and the own rows are stored by the norm.
    const bool own = route.owner(chunk) == GpuId{gpu};
    const bool stored =
        rule.gathers && (norms ? buffer == OutputBuffer::Normed && (!own || !rule.ideal)
                               : buffer == OutputBuffer::Output && !own);
    for (const auto& [address, bytes] : output.areas(chunk, buffer)) {
      const std::string element = name + "an element of chunk " + std::to_string(c) + " was not ";
      require(memory.everyBurstUpdated(address, bytes, updates),
              element + "updated " + std::to_string(updates) + " times");
      require(!sums || !rule.clears || memory.everyBurstCleared(address, bytes, 1),
              element + "cleared once");
      require(memory.everyBurstArrived(address, bytes, stored ? 1 : 0),
              element + "stored " + (stored ? "once" : "by nobody"));
    }
    if (!sums || !memory.statistics().dropped) continue;
    const std::uint64_t left = route.gpus() - updates;
    const std::uint64_t toDrop = left * output.tiling.chunkBytes(chunk);
    const std::uint64_t dropped = memory.statistics().dropped->bytes;
    require(dropped == toDrop, name + "dropped " + std::to_string(dropped) + " bytes of updates, " +
                                   std::to_string(left) + " contributions have " +
                                   std::to_string(toDrop));
  }
}

void checkConservation(const Machine& machine, const LinkTraffic& traffic) {
  const Fabric& fabric = machine.fabric();
  const std::size_t unanswered = machine.requestsInUse();
  require(unanswered == 0, std::to_string(unanswered) + " requests were never answered");
  const LinkBytes bytes(fabric, traffic);
  const bool hasSwitch = fabric.own().front() == 0;  // of several processes the first
  for (std::uint32_t g = 0;
       machine.config().merges() && hasSwitch && g < fabric.wiring().simulated(); ++g) {
    checkMerging(fabric, bytes, g);
  }
  for (const std::uint32_t g : fabric.own()) {
    for (std::uint32_t l = 0; l < fabric.wiring().linkCount(g); ++l)
      checkSent(machine, bytes, g, l);
    for (std::uint32_t e = 0; e < fabric.wiring().entryCount(g); ++e)
      checkReceived(fabric, bytes, g, e);
  }
}

void checkTrackers(const Fabric& fabric) {
  for (const std::uint32_t g : fabric.own()) {
    const GpuNode& node = fabric.node(g);
    const TrackerStatistics tracker = node.tracker->statistics();
    const std::string name = "gpu" + std::to_string(g) + ": ";
    require(tracker.overrun == 0, name + "a block received more bytes than it has");
    require(tracker.stray == 0, name + "a block that was complete received an update");
    require(tracker.dropped == 0, name + "updates came while the tracker was being programmed");
    require(tracker.errors == 0, name + "the tracker reports " + errorNames(tracker.errors));
    const std::string fault = node.paper.faultAtEnd();
    require(fault.empty(), name + "by the paper's count of wavefront tiles, " + fault);
    require(tracker.taken == node.commands, name + std::to_string(tracker.taken) +
                                                " DMA commands were issued, " +
                                                std::to_string(node.commands) + " were programmed");
  }
}

void checkConservation(const Machine& machine) {
  if (!machine.executor().idle())
    require(false, "something is still queued at the end" + deadlockReport(machine, true));
  const bool merges = machine.config().merges();
  LinkTraffic traffic{.parts = {}, .rounds = machine.executor().rounds()};
  for (NodeId n = 0; n < machine.graph().nodes.size(); ++n) {
    const auto* work = machine.graph().nodes[n].as<CollectiveWork>();
    if (work == nullptr) continue;
    const Collective& collective = *work->collective;
    traffic.parts.push_back(
        {.bytes = {collective, machine.route(), machine.outputs()[work->output].tiling},
         .added = merges && work->tracked && collective.reduceScatters(),
         .copied = merges && work->tracked && collective.gathers(),
         .codec = machine.config().gpu.codec(work->tracked),
         .wholeBlocks = !machine.config().checkBlocks()});
  }
  checkConservation(machine, traffic);
  if (!machine.tracked().empty()) checkTrackers(machine.fabric());
}

}  // namespace t3
