// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/gpus_alike.h"

#include <algorithm>
#include <iterator>

namespace t3 {

/// Pairs the places of GPU `gpu` with those of GPU 0, step by step. The first that does not fit
/// makes all calls false.
class GpusAlike::Comparison {
 public:
  Comparison(GpusAlike& alike, std::uint32_t gpu)
      : chunkBytes_(alike.chunkBytes_), places_(alike.places_[gpu]) {}

  /// `chunks` that follow one another: here, and at GPU 0.
  bool pair(std::uint64_t here, std::uint64_t there, std::uint32_t chunks = 1) {
    for (std::uint32_t c = 0; c < chunks; ++c) {
      const std::uint64_t offset = c * chunkBytes_;
      const bool known = !places_.emplace(here + offset, there + offset).second;
      if (known && places_.at(here + offset) != there + offset) return false;
      const bool taken = !taken_.emplace(there + offset, here + offset).second;
      if (taken && taken_.at(there + offset) != here + offset) return false;
    }
    return true;
  }
  bool pair(const std::optional<ChunkPlace>& here, const std::optional<ChunkPlace>& there) {
    return here.has_value() == there.has_value() && (!here || pair(here->address, there->address));
  }

  bool kernels(const StepProgram& here, const StepProgram& there) {
    const auto arrivals = [this](const auto& one, const auto& other) {
      return one.expected == other.expected &&
             pair(one.destination.address, other.destination.address);
    };
    const auto steps = [this](const StepProgram::Step& one, const StepProgram::Step& other) {
      return one.threadBlock == other.threadBlock && one.number == other.number && !one.loadsSum &&
             !other.loadsSum && one.arrivals == other.arrivals &&
             one.dependencies == other.dependencies && pair(one.store, other.store) &&
             std::ranges::equal(one.loads, other.loads,
                                [this](const ChunkPlace& a, const ChunkPlace& b) {
                                  return pair(a.address, b.address);
                                }) &&
             std::ranges::equal(one.sends, other.sends, [](const auto& a, const auto& b) {
               return a.port == b.port && a.arrival == b.arrival && !a.toAll && !b.toAll;
             });
    };
    return std::ranges::equal(here.arrivals, there.arrivals, arrivals) &&
           std::ranges::equal(here.runs, there.runs, [&](const auto& one, const auto& other) {
             return std::ranges::equal(one, other, steps);
           });
  }

  bool tracked(const TrackedProgram& here, const TrackedProgram& there) {
    using Transfer = std::optional<TrackedProgram::Transfer>;
    const auto arrivals = [this](const auto& one, const auto& other) {
      return one.chunks == other.chunks && one.updates == other.updates && one.row == other.row &&
             pair(one.address, other.address, one.chunks);
    };
    const auto transfers = [this](const Transfer& one, const Transfer& other,
                                  std::uint32_t chunks) {
      if (!one || !other) return one.has_value() == other.has_value();
      if (one->clears != other->clears || one->triggered != other->triggered ||
          one->local.has_value() != other->local.has_value() ||
          one->remote.has_value() != other->remote.has_value()) {
        return false;
      }
      const auto writes = [](const DmaWrite& a, const DmaWrite& b) {
        return a.operation == b.operation && a.row == b.row && a.port == b.port;
      };
      return pair(one->source, other->source, chunks) &&
             (!one->local || (writes(*one->local, *other->local) &&
                              pair(one->local->destination, other->local->destination, chunks))) &&
             (!one->remote || writes(*one->remote, *other->remote));
    };
    const auto steps = [&](const auto& one, const auto& other) {
      return one.chunks == other.chunks && one.arrival == other.arrival &&
             std::ranges::equal(one.dependencies, other.dependencies,
                                [](const auto& a, const auto& b) {
                                  return a.threadBlock == b.threadBlock && a.step == b.step;
                                }) &&
             transfers(one.before, other.before, one.chunks) &&
             transfers(one.after, other.after, one.chunks);
    };
    return std::ranges::equal(here.arrivals, there.arrivals, arrivals) &&
           std::ranges::equal(here.threadBlocks, there.threadBlocks,
                              [&](const auto& one, const auto& other) {
                                return std::ranges::equal(one, other, steps);
                              });
  }

 private:
  const std::uint64_t chunkBytes_;
  std::map<std::uint64_t, std::uint64_t>& places_;
  std::map<std::uint64_t, std::uint64_t> taken_;  ///< the other way round
};

std::optional<GpusAlike> GpusAlike::of(const std::vector<std::vector<StepProgram>>& kernels,
                                       std::uint64_t chunkBytes) {
  const auto gpus = static_cast<std::uint32_t>(kernels.front().size());
  GpusAlike alike(gpus, chunkBytes);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    Comparison comparison(alike, g);
    for (const auto& kernel : kernels) {
      if (!comparison.kernels(kernel[g], kernel.front())) return std::nullopt;
    }
  }
  // Receivers are known now: what is sent to them is alike, too.
  const auto seen = [&alike](const StepProgram::Send& send) {
    const std::uint64_t address = send.destination.address;
    return alike.asOfGpu0(gpuOf(address), localAddress(address));
  };
  for (const auto& kernel : kernels) {
    for (const StepProgram& program : kernel) {
      for (std::size_t r = 0; r < program.runs.size(); ++r) {
        for (std::size_t s = 0; s < program.runs[r].size(); ++s) {
          if (!std::ranges::equal(program.runs[r][s].sends, kernel.front().runs[r][s].sends, {},
                                  seen, seen)) {
            return std::nullopt;
          }
        }
      }
    }
  }
  return alike;
}

std::optional<GpusAlike> GpusAlike::of(const std::vector<TrackedProgram>& programs) {
  GpusAlike alike(static_cast<std::uint32_t>(programs.size()), programs.front().chunkBytes);
  for (std::uint32_t g = 0; g < programs.size(); ++g) {
    Comparison comparison(alike, g);
    if (!comparison.tracked(programs[g], programs.front())) return std::nullopt;
  }
  const auto seen = [&alike](const TrackedProgram::Step& step) -> std::optional<std::uint64_t> {
    if (!step.after || !step.after->remote) return std::nullopt;
    const std::uint64_t address = step.after->remote->destination;
    return alike.asOfGpu0(gpuOf(address), localAddress(address));
  };
  for (const TrackedProgram& program : programs) {
    for (std::size_t b = 0; b < program.threadBlocks.size(); ++b) {
      if (!std::ranges::equal(program.threadBlocks[b], programs.front().threadBlocks[b], {}, seen,
                              seen)) {
        return std::nullopt;
      }
    }
  }
  return alike;
}

std::uint64_t GpusAlike::asOfGpu0(GpuId gpu, std::uint64_t local) const {
  const auto& [here, there] = *std::prev(places_[gpu.value].upper_bound(local));
  return there + (local - here);
}

}  // namespace t3
