// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/algorithm_trees.h"
#include "tlm/collectives/route.h"

namespace t3 {

/// Which link an algorithm lacks, in one line that begins with a setting; empty if it has all.
std::optional<std::string> missingLink(const AlgorithmForm& form, const Route& links);

/// The route of an algorithm that somebody wrote, a reduce-scatter or an all-reduce, on the links
/// of a fabric. Which way sums go is read off its messages (AlgorithmTrees), the order of
/// production off the times of its steps (InputOrder). So whatever takes a route takes a file.
///
/// What the algorithm says kernels do as it is written (`whole`); collectives that are in it and
/// that it does not say, as the all-gather of an all-reduce, are steps along the same trees. A
/// reduce-scatter's all-gather is that of another route.
class AlgorithmRoute : public Route {
 public:
  /// What is wrong with it on so many GPUs with these links, in one line that begins with a
  /// setting; empty if a route can be made.
  static std::optional<std::string> check(const AlgorithmMeaning& meaning, std::uint32_t gpus,
                                          const Route& links);

  /// `check` has found nothing. `links`: whose ports are those of the fabric; `gather`: of the
  /// all-gather behind a reduce-scatter. `meaning` outlives the route. Throws AlgorithmError for an
  /// algorithm that is none of trees.
  AlgorithmRoute(const AlgorithmMeaning& meaning, std::unique_ptr<const Route> links,
                 const Route& gather, bool ownBlocks = false);

  GpuId owner(ChunkId chunk) const override { return GpuId{trees_.owner(chunk.value)}; }
  std::uint32_t kernelOf(ChunkId chunk) const override;
  GpuId peer(GpuId from, std::uint32_t port) const override { return links_->peer(from, port); }
  GpuId source(GpuId to, std::uint32_t port) const override { return links_->source(to, port); }
  bool leads(GpuId from, std::uint32_t port) const override { return links_->leads(from, port); }
  std::uint32_t port(GpuId from, ChunkId chunk) const override;
  std::vector<ChunkId> order(GpuId gpu) const override;
  std::vector<std::uint32_t> groups(GpuId gpu) const override { return orders_[gpu.value].groups; }
  bool gpusAreAlike() const override;
  Duty duty(GpuId gpu, ChunkId chunk) const override;
  std::uint32_t updatesPerElement(GpuId gpu, ChunkId chunk) const override;
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override;
  const AlgorithmMeaning* whole(const Promise& promise) const override;
  std::vector<ChunkId> numbering(const Promise& promise) const override;

 private:
  class Steps;
  using Hop = AlgorithmTrees::Hop;

  /// The algorithm with its output in the place of its input.
  struct InPlace {
    explicit InPlace(Algorithm one) : algorithm(std::move(one)), form(algorithm), meaning(form) {}
    Algorithm algorithm;
    AlgorithmForm form;
    AlgorithmMeaning meaning;
  };

  const AlgorithmTrees::Place& at(GpuId gpu, ChunkId chunk) const {
    return trees_.at(gpu.value, chunk.value);
  }
  void gatherAs(const Route& route);
  bool passesNothingOn() const;
  std::uint32_t countReceived() const;
  bool stepsAreAlike(std::uint32_t gpu) const;

  const std::unique_ptr<const Route> links_;
  std::unique_ptr<const InPlace> inPlace_;
  const AlgorithmMeaning* meaning_;  ///< in place
  const AlgorithmTrees trees_;
  std::optional<AlgorithmTrees> gather_;  ///< of another route, chunks by owner
  std::vector<InputOrder> orders_;
};

}  // namespace t3
