// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Which links a configuration has, and where each ends. There is a link for each port of a GPU,
/// one to the switch, or what the graph of links has.
///
/// With `simulated_gpus` = symmetric GPU 0 stands for all.
class Wiring {
 public:
  /// What leaves GPU g by port p of `ports` ends at its `peer`. Both arguments outlive the object.
  Wiring(const SystemConfig& config, const Route& ports);

  const Route& ports() const { return ports_; }
  /// GPUs 0 … simulated()-1 are simulated.
  std::uint32_t simulated() const { return config_.simulatedGpus(); }
  std::uint32_t index(std::uint32_t gpu) const { return gpu % simulated(); }
  std::uint32_t peer(std::uint32_t gpu, std::uint32_t port) const {
    return index(ports_.peer(GpuId{gpu}, port).value);
  }

  /// Of a GPU: links that it sends on, and links that end there.
  std::uint32_t linkCount(std::uint32_t gpu) const;
  std::uint32_t entryCount(std::uint32_t gpu) const;
  /// On which of its links a GPU sends by a port, and at which of its entries that arrives which
  /// its port's `source` sends.
  std::uint32_t linkOf(std::uint32_t gpu, std::uint32_t port) const {
    return config_.fabric.linkOfPort(gpu, port, linksPerGpu_);
  }
  std::uint32_t entryOf(std::uint32_t gpu, std::uint32_t port) const;
  /// Who sends to an entry of a GPU, and on which of its links.
  struct Sender {
    std::uint32_t gpu = 0, link = 0;

    // clang-tidy takes the 0 that the compiler compares with for a pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Sender&) const = default;
  };
  std::vector<Sender> sendersTo(std::uint32_t gpu, std::uint32_t entry) const;
  /// Where a link of a GPU ends, or one of a switch: at an entry of a GPU, or a port of a switch.
  struct End {
    std::uint32_t gpu = 0, place = 0;
    std::optional<std::uint32_t> switched = {};
  };
  End endOf(std::uint32_t gpu, std::uint32_t link) const;
  End endOfSwitch(std::uint32_t number, std::uint32_t link) const;

  /// From a GPU that sets a flag in the memory of the one at the other end of a port until that one
  /// sees it; at least a picosecond, as for all that links bring.
  Picoseconds flagLatency(std::uint32_t from, std::uint32_t port) const;
  /// As in Executor.
  Picoseconds lookahead() const { return simulated() == 1 ? 0 : config_.lookahead(linksPerGpu_); }

 private:
  End endOfWire(std::uint32_t wire) const;
  const LinkGraph* graph() const { return config_.fabric.graph.get(); }

  const SystemConfig& config_;
  const Route& ports_;
  const std::uint32_t linksPerGpu_;
};

}  // namespace t3
