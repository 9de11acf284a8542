// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_to_end.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace t3 {
namespace {

/// How much is simulated between two looks at progress and at the watchdog.
constexpr double kSliceUs = 20;

/// Parts that wait, and for which others.
class Picture {
 public:
  void add(const std::string& part, const std::string& holds, std::vector<std::string> waitsFor) {
    text_ += "\n  " + part;
    for (std::size_t i = 0; i < waitsFor.size(); ++i) {
      text_ += (i == 0 ? " waits for " : ", ") + waitsFor[i];
    }
    text_ += ": " + holds;
    waits_[part] = std::move(waitsFor);
  }

  std::string text() const {
    const std::string circle = findCircle();
    return text_ + (circle.empty() ? "" : "\n  circle: " + circle);
  }

 private:
  /// Depth first from every part; the first way that comes back to itself.
  std::string findCircle() const {
    std::vector<std::string> way;
    std::map<std::string, bool> done;
    for (const auto& [part, ignored] : waits_) {
      if (follow(part, way, done)) break;
    }
    std::string text;
    for (const std::string& part : way) text += (text.empty() ? "" : " -> ") + part;
    return text;
  }

  bool follow(const std::string& part, std::vector<std::string>& way,
              std::map<std::string, bool>& done) const {
    const auto seen = std::find(way.begin(), way.end(), part);
    if (seen != way.end()) {
      way.erase(way.begin(), seen);
      way.push_back(part);
      return true;
    }
    const auto entry = waits_.find(part);
    if (entry == waits_.end() || done[part]) return false;
    way.push_back(part);
    for (const std::string& next : entry->second) {
      if (follow(next, way, done)) return true;
    }
    way.pop_back();
    done[part] = true;
    return false;
  }

  std::string text_;
  std::map<std::string, std::vector<std::string>> waits_;
};

std::string withoutName(const std::string& description) {
  const std::size_t colon = description.find(": ");
  return colon == std::string::npos ? description : description.substr(colon + 2);
}

/// The first lines of `text` as further ones of a line of the picture.
std::string firstLines(const std::string& text) {
  constexpr int kLines = 4;
  std::istringstream lines(text);
  std::string result;
  std::string line;
  for (int count = 0; count < kLines && std::getline(lines, line); ++count) {
    result += "\n      " + line;
  }
  return result;
}

/// "", or `what` and the first workgroup of each of some blocks of tiles.
std::string blocks(const char* what, const auto& firstTiles) {
  constexpr std::size_t kShown = 4;
  if (firstTiles.empty()) return "";
  std::string text = what;
  std::size_t shown = 0;
  for (const WorkgroupId workgroup : firstTiles) {
    if (shown == kShown) break;
    text += (shown++ == 0 ? "workgroup " : ", ") + std::to_string(workgroup.value);
  }
  const std::size_t more = firstTiles.size() - shown;
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

/// The links that leave a switch, and whom they wait for.
void addSwitch(Picture& picture, const Switch& fabric) {
  if (fabric.idle()) return;
  std::vector<std::string> names;
  std::size_t busy = 0;
  for (std::size_t g = 0; g < fabric.links.size(); ++g) {
    if (fabric.links[g]->idle()) continue;
    ++busy;
    names.push_back("gpu" + std::to_string(g) + ".ingress");
  }
  picture.add("switch", std::to_string(busy) + " links that leave it are not empty",
              std::move(names));
}

void addGpu(Picture& picture, const Cluster& cluster, std::uint32_t g) {
  const GpuNode& node = cluster.node(g);
  const GpuProgress& progress = cluster.progress(g);
  const auto nameOf = [](std::uint32_t gpu, const std::string& part, std::uint32_t number = 0) {
    return "gpu" + std::to_string(gpu) + "." + part +
           (number == 0 ? "" : "_" + std::to_string(number));
  };
  const auto name = [&](const std::string& part, std::uint32_t number = 0) {
    return nameOf(g, part, number);
  };
  const auto simulated = [&](GpuId gpu) { return gpu.value % cluster.simulated(); };
  using Names = std::vector<std::string>;
  /// What somebody with these two ports waits for.
  const auto waits = [&](const MemoryPort& memory, const auto& egress) {
    Names names;
    if (!memory.idle()) names.push_back(name("memory"));
    if (egress.idle()) return names;
    for (std::uint32_t l = 0; l < cluster.linksPerGpu(); ++l) {
      if (!node.links[l]->idle()) names.push_back(name("link", l));
    }
    return names;
  };
  const auto requests = [](const MemoryPort& memory, const auto& egress) {
    return std::to_string(memory.waiting() + memory.inFlight()) + " requests at the memory, " +
           std::to_string(egress.waiting() + egress.inFlight()) + " at the link";
  };

  if (progress.gatherEnd == 0) {
    Names names;
    if (progress.gemmEnd == 0) {
      names.push_back(name("gemm"));
    } else if (!progress.ownBlocksLeft.empty()) {
      names.push_back(name("tracker"));
    } else {
      const auto unfinished = [&](const char* part, const auto& kernels) {
        for (std::uint32_t k = 0; k < kernels.size(); ++k) {
          if (!kernels[k]->idle()) names.push_back(name(part, k));
        }
      };
      unfinished("reduce_scatter", node.gpu.reduceScatter);
      unfinished("all_gather", node.gpu.allGather);
    }
    picture.add(name("software"), "the whole sum is not there", std::move(names));
  }
  if (!node.gpu.gemm.idle()) {
    picture.add(name("gemm"),
                std::to_string(static_cast<int>(100 * node.gpu.gemm.progress())) + "% done, " +
                    requests(node.gpu.gemm.memory, node.gpu.gemm.egress),
                waits(node.gpu.gemm.memory, node.gpu.gemm.egress));
  }
  if (!node.gpu.dma.idle()) {
    picture.add(name("dma"), withoutName(node.gpu.dma.describe()),
                waits(node.gpu.dma.memory, node.gpu.dma.egress));
  }
  const Route& route = cluster.route();
  /// GPUs whose kernels, or links, this one waits for.
  const auto senders = [&](std::uint32_t link) {
    std::set<std::uint32_t> gpus;
    for (std::uint32_t port = link; port < route.ports(); port += cluster.linksPerGpu()) {
      gpus.insert(simulated(route.source(GpuId{g}, port)));
    }
    return gpus;
  };
  const auto addCollective = [&](const char* part, std::uint32_t k,
                                 const CollectiveKernel& kernel) {
    if (kernel.idle()) return;
    Names names = waits(kernel.memory, kernel.egress);
    if (names.empty()) {
      for (std::uint32_t l = 0; l < cluster.linksPerGpu(); ++l) {
        if (route.kernelOf(l) != k) continue;
        for (const std::uint32_t sender : senders(l)) names.push_back(nameOf(sender, part, k));
      }
    }
    picture.add(name(part, k), withoutName(kernel.describe()), std::move(names));
  };
  for (std::uint32_t k = 0; k < route.kernels(); ++k) {
    addCollective("reduce_scatter", k, *node.gpu.reduceScatter[k]);
    addCollective("all_gather", k, *node.gpu.allGather[k]);
  }
  for (std::uint32_t r = 0; r < cluster.linksPerGpu(); ++r) {
    if (!node.links[r]->idle()) {
      picture.add(name("link", r), withoutName(node.links[r]->describe()),
                  {cluster.fabricSwitch() != nullptr
                       ? "switch"
                       : nameOf(simulated(route.peer(GpuId{g}, r)), "ingress", r)});
    }
    if (!node.gpu.ingress[r]->idle()) {
      const MemoryPort& memory = node.gpu.ingress[r]->memory;
      const bool zeros = memory.idle();  // it refuses only for zeros then
      picture.add(name("ingress", r),
                  std::to_string(memory.waiting() + memory.inFlight()) + " writes at the memory" +
                      (zeros ? ", one held back" : ""),
                  {zeros ? name("zeros") : name("memory")});
    }
  }
  if (!node.gpu.dma.zeros().complete()) {
    picture.add(name("zeros"), "not all written", {name("dma")});
  }
  if (!node.hbm.idle()) {
    Names names;
    if (!node.tracker->idle()) names.push_back(name("tracker"));
    picture.add(name("memory"), "requests without answer", std::move(names));
  }
  const std::vector<WorkgroupId> untriggered = node.gpu.dma.untriggered();
  if (!progress.ownBlocksLeft.empty() || !untriggered.empty()) {
    // Updates come from the own GEMM, and from other GPUs.
    Names names;
    if (!node.gpu.gemm.idle()) names.push_back(name("gemm"));
    for (std::uint32_t r = 0; r < cluster.linksPerGpu(); ++r) {
      if (!node.gpu.ingress[r]->idle()) names.push_back(name("ingress", r));
      for (const std::uint32_t previous : senders(r)) {
        const GpuNode& sender = cluster.node(previous);
        if (!sender.links[r]->idle()) {
          names.push_back(nameOf(previous, "link", r));
        } else if (!sender.gpu.dma.idle()) {
          names.push_back(nameOf(previous, "dma"));
        } else if (!sender.gpu.dma.untriggered().empty()) {
          names.push_back(nameOf(previous, "tracker"));
        }
      }
    }
    picture.add(name("tracker"),
                "updates are missing" + blocks("; in the own chunk: ", progress.ownBlocksLeft) +
                    blocks("; DMA commands not issued: ", untriggered) +
                    firstLines(node.tracker->waiting()),
                std::move(names));
  }
}

}  // namespace

std::string whoWaits(const Cluster& cluster) {
  Picture picture;
  for (std::uint32_t g = 0; g < cluster.simulated(); ++g) addGpu(picture, cluster, g);
  if (cluster.fabricSwitch() != nullptr) addSwitch(picture, *cluster.fabricSwitch());
  return picture.text();
}

void runToEnd(Cluster& cluster, Program& program, const RunWatch& watch) {
  program.start();
  const sc_core::sc_time slice(kSliceUs, sc_core::SC_US);
  sc_core::sc_time step = slice;
  if (watch.sample && watch.samplePeriod < toPicoseconds(slice)) {
    step = fromPicoseconds(watch.samplePeriod);
  }
  sc_core::sc_time nextLook = slice;
  const Picoseconds patience = picosecondsFromNs(cluster.config().watchdog_us * 1e3);
  std::uint64_t lastBeat = cluster.heartbeat();
  Picoseconds lastChange = 0;
  for (std::uint32_t g = 0; g < cluster.gpus(); ++g) {  // waiting for a late GPU is no hang
    lastChange = std::max(lastChange, cluster.launchTime(g));
  }
  while (true) {
    if (!sc_core::sc_pending_activity()) {
      if (cluster.finished()) return;
      if (cluster.idle() && program.resume()) continue;
      throw std::runtime_error("deadlock at " + sc_core::sc_time_stamp().to_string() +
                               ": nothing is left to happen" + whoWaits(cluster));
    }
    // SystemC does not move time towards an event that lies beyond the step.
    sc_core::sc_start(std::max(step, sc_core::sc_time_to_pending_activity()),
                      sc_core::SC_EXIT_ON_STARVATION);
    if (watch.sample) watch.sample();
    if (sc_core::sc_time_stamp() >= nextLook) {
      nextLook = sc_core::sc_time_stamp() + slice;
      if (watch.progress) watch.progress(cluster.fractionDone());
      if (watch.stop && watch.stop()) {
        throw std::runtime_error("stopped at " + sc_core::sc_time_stamp().to_string() +
                                 whoWaits(cluster));
      }
    }
    if (const std::uint64_t beat = cluster.heartbeat(); beat != lastBeat) {
      lastBeat = beat;
      lastChange = std::max(lastChange, now());
    } else if (now() > lastChange + patience) {
      throw std::runtime_error("no progress since " + fromPicoseconds(lastChange).to_string() +
                               whoWaits(cluster));
    }
  }
}

}  // namespace t3
