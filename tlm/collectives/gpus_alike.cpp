// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/gpus_alike.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace t3 {

/// Pairs the places of a GPU with those of GPU 0, step by step.
class GpusAlike::Comparison {
 public:
  Comparison(GpusAlike& alike, std::uint32_t gpu)
      : chunkBytes_(alike.chunkBytes_), places_(alike.places_[gpu]) {}

  /// Each place of GPU 0 belongs to one place here.
  bool oneToOne() const {
    std::set<std::uint64_t> there;
    for (const auto& [here, place] : places_) there.insert(place);
    return there.size() == places_.size();
  }

  bool kernels(const StepProgram& here, const StepProgram& there) {
    const auto arrivals = [this](const auto& one, const auto& other) {
      return one.expected == other.expected &&
             pair(one.destination.address, other.destination.address);
    };
    const auto steps = [this](const StepProgram::Step& one, const StepProgram::Step& other) {
      return one.threadBlock == other.threadBlock && one.number == other.number &&
             one.arrivals == other.arrivals && one.dependencies == other.dependencies &&
             pair(one.store, other.store) &&
             std::ranges::equal(one.loads, other.loads,
                                [this](const ChunkPlace& a, const ChunkPlace& b) {
                                  return pair(a.address, b.address);
                                }) &&
             std::ranges::equal(one.sends, other.sends, [](const auto& a, const auto& b) {
               return a.port == b.port && a.arrival == b.arrival;
             });
    };
    return std::ranges::equal(here.arrivals, there.arrivals, arrivals) &&
           std::ranges::equal(here.runs, there.runs, [&](const auto& one, const auto& other) {
             return std::ranges::equal(one, other, steps);
           });
  }

  bool tracked(const TrackedProgram& here, const TrackedProgram& there) {
    const auto arrivals = [this](const auto& one, const auto& other) {
      return one.chunks == other.chunks && one.updates == other.updates && one.row == other.row &&
             pair(one.address, other.address, one.chunks);
    };
    const auto writes = [](const DmaWrite& a, const DmaWrite& b) {
      return a.operation == b.operation && a.row == b.row && a.port == b.port;
    };
    using Transfer = std::optional<DmaTransfer>;
    const auto transfers = [&](const Transfer& one, const Transfer& other, std::uint32_t chunks) {
      if (!one || !other) return one.has_value() == other.has_value();
      if (one->clears != other->clears || one->triggered != other->triggered ||
          one->local.has_value() != other->local.has_value()) {
        return false;
      }
      return pair(one->source, other->source, chunks) &&
             (!one->local || (writes(*one->local, *other->local) &&
                              pair(one->local->destination, other->local->destination, chunks))) &&
             std::ranges::equal(one->remote, other->remote, writes);
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
  /// `chunks` that follow one another: here, and at GPU 0. False if they belong to others.
  bool pair(std::uint64_t here, std::uint64_t there, std::uint32_t chunks = 1) {
    for (std::uint64_t offset = 0; offset < chunks * chunkBytes_; offset += chunkBytes_) {
      const auto entry = places_.emplace(here + offset, there + offset).first;
      if (entry->second != there + offset) return false;
    }
    return true;
  }
  bool pair(const std::optional<ChunkPlace>& here, const std::optional<ChunkPlace>& there) {
    return here.has_value() == there.has_value() && (!here || pair(here->address, there->address));
  }

  const std::uint64_t chunkBytes_;
  std::map<std::uint64_t, std::uint64_t>& places_;
};

namespace {

/// Where a GPU sends, step by step: global addresses.
std::vector<std::uint64_t> destinations(const StepProgram& program) {
  std::vector<std::uint64_t> addresses;
  for (const StepProgram::Run& run : program.runs) {
    for (const StepProgram::Step& step : run) {
      for (const StepProgram::Send& send : step.sends)
        addresses.push_back(send.destination.address);
    }
  }
  return addresses;
}
std::vector<std::uint64_t> destinations(const TrackedProgram& program) {
  std::vector<std::uint64_t> addresses;
  for (const auto& steps : program.threadBlocks) {
    for (const TrackedProgram::Step& step : steps) {
      if (!step.after) continue;
      for (const DmaWrite& to : step.after->remote) addresses.push_back(to.destination);
    }
  }
  return addresses;
}

}  // namespace

/// What GPUs send goes to places that are alike. All receivers have been compared.
template <typename Program>
bool GpusAlike::sendAlike(const std::vector<Program>& programs) const {
  const auto seen = [this](std::uint64_t address) {
    return asOfGpu0(gpuOf(address), localAddress(address));
  };
  return std::ranges::all_of(programs, [&](const Program& program) {
    return std::ranges::equal(destinations(program), destinations(programs.front()), {}, seen,
                              seen);
  });
}

std::optional<GpusAlike> GpusAlike::of(const std::vector<std::vector<StepProgram>>& kernels,
                                       std::uint64_t chunkBytes) {
  const auto gpus = static_cast<std::uint32_t>(kernels.front().size());
  GpusAlike alike(gpus, chunkBytes);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    Comparison comparison(alike, g);
    for (const auto& kernel : kernels) {
      if (!comparison.kernels(kernel[g], kernel.front())) return std::nullopt;
    }
    if (!comparison.oneToOne()) return std::nullopt;
  }
  const bool send = std::ranges::all_of(
      kernels, [&alike](const auto& kernel) { return alike.sendAlike(kernel); });
  return send ? std::optional(std::move(alike)) : std::nullopt;
}

std::optional<GpusAlike> GpusAlike::of(const std::vector<TrackedProgram>& programs) {
  GpusAlike alike(static_cast<std::uint32_t>(programs.size()), programs.front().chunkBytes);
  for (std::uint32_t g = 0; g < programs.size(); ++g) {
    Comparison comparison(alike, g);
    if (!comparison.tracked(programs[g], programs.front()) || !comparison.oneToOne()) {
      return std::nullopt;
    }
  }
  return alike.sendAlike(programs) ? std::optional(std::move(alike)) : std::nullopt;
}

std::uint64_t GpusAlike::asOfGpu0(GpuId gpu, std::uint64_t local) const {
  const auto& [here, there] = *std::prev(places_[gpu.value].upper_bound(local));
  return there + (local - here);
}

}  // namespace t3
