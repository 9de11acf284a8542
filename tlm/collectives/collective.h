// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/promise.h"
#include "tlm/collectives/route.h"
#include "tlm/collectives/step_program.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What kernels on the compute units of all GPUs do together to the output: a constant row, from
/// which kernels, names of statistics, bounds and conservation follow. A mode names its
/// collectives. To add one, add one file.
struct Collective {
  const char* name;       ///< of its kernels, and of its time in reports: "reduce_scatter"
  const char* shortName;  ///< in the names of byte counts: "rs" in rs_read
  Phase phase;            ///< of its traffic: what arrives in this phase is meant for its kernels
  const Promise* promise;
  bool reduceScatters() const { return promise == &kReduceScatterPromise; }
  bool gathers() const { return promise == &kAllGatherPromise; }

  /// What a GPU does, in place in the chunks of the output; share g is of those that GPU g owns.
  AlgorithmGpu (*steps)(const Route& route, GpuId gpu);

  /// Of a GPU: all that it does, or what kernel number `kernel` does.
  StepProgram program(const Route& route, const Tiling& tiling, const MemoryLayout& layout,
                      GpuId gpu, std::optional<std::uint32_t> kernel = {}) const;
};

/// The sum of chunk c over all GPUs ends in the output of its owner.
extern const Collective kReduceScatter;
/// Chunk c is copied from its owner's output to all others.
extern const Collective kAllGather;
/// A reduce-scatter and then an all-gather, in one kernel: the step that keeps a slice of the sum
/// sends it as well.
extern const Collective kAllReduce;

using Collectives = std::span<const Collective* const>;

/// What most modes consist of.
inline constexpr std::array<const Collective*, 2> kReduceScatterAndAllGather = {&kReduceScatter,
                                                                                &kAllGather};

/// A value for each of some collectives, in their order.
template <typename T>
class PerCollective {
 public:
  struct Entry {
    const Collective* collective;
    T value{};
  };

  explicit PerCollective(Collectives collectives = {}) {
    entries_.reserve(collectives.size());
    for (const Collective* collective : collectives) entries_.push_back({collective});
  }

  const T* find(const Collective& collective) const {
    for (const Entry& entry : entries_) {
      if (entry.collective == &collective) return &entry.value;
    }
    return nullptr;
  }
  const T& of(const Collective& collective) const {
    const T* value = find(collective);
    if (value == nullptr) {
      throw std::logic_error(std::string(collective.name) + " is no collective of this mode");
    }
    return *value;
  }
  T& of(const Collective& collective) {
    return const_cast<T&>(std::as_const(*this).of(collective));
  }

  std::size_t size() const { return entries_.size(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

/// What a collective sends, in payload bytes: the closed form of bounds and checks. It follows from
/// the steps alone, so it also holds where no kernel moves the bytes, as in t3.
class CollectiveTraffic {
 public:
  CollectiveTraffic(const Collective& collective, const Route& route, const Tiling& tiling);
  /// Of as many GPUs that do nothing yet.
  CollectiveTraffic(std::uint32_t gpus, std::uint32_t ports)
      : bytes_(gpus, std::vector<std::uint64_t>(ports)), sums_(gpus), toAll_(gpus) {}
  /// Adds what a GPU sends by each port, or what its kernel does.
  void add(GpuId gpu, const std::vector<std::uint64_t>& sentBytes);
  void add(GpuId gpu, const StepProgram& kernel);

  std::uint64_t bytes(GpuId from, std::uint32_t port) const { return bytes_[from.value][port]; }

  // By way of a switch that adds and copies, beside that: each GPU answers whoever loads a sum,
  // and gets what each stores in all.
  std::uint64_t toSwitch(GpuId gpu) const;
  std::uint64_t fromSwitch(GpuId gpu) const;
  std::uint64_t sums(GpuId gpu) const { return sums_[gpu.value]; }  ///< of it, the sums

 private:
  std::vector<std::vector<std::uint64_t>> bytes_;  ///< [gpu][port of the route]
  std::vector<std::uint64_t> sums_, toAll_;        ///< by GPU: that it loads, and stores in all
};

// What collective libraries call NVLS: the switch between the GPUs adds and copies. A GPU loads
// each line of its chunk as the sum of what all GPUs have there, and stores it in all GPUs at once.
// Over its link to the switch go S + S/N bytes for an output of S bytes on N GPUs, and as many come
// back. Kernels wait for one another before they load (StepKernel).

extern const Collective kNvlsReduceScatter, kNvlsAllGather, kNvlsAllReduce;
/// Whether a collective is one of them.
inline bool servedBySwitch(const Collective& collective) {
  return &collective == &kNvlsReduceScatter || &collective == &kNvlsAllGather ||
         &collective == &kNvlsAllReduce;
}

/// One of these alone, on so many GPUs.
Algorithm nvlsAlgorithm(const Promise& promise, std::uint32_t gpus);

}  // namespace t3
