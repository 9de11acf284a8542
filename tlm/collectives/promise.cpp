// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/promise.h"

#include <algorithm>
#include <array>
#include <utility>

namespace t3 {

namespace {

/// As "0-2,5".
std::string textOf(const GpuSet& gpus) {
  std::string text;
  for (const auto& [first, end] : gpus.ranges()) {
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (end != first + 1) text += "-" + std::to_string(end - 1);
  }
  return text;
}

}  // namespace

GpuSet::GpuSet(std::initializer_list<std::uint32_t> gpus) {
  for (const std::uint32_t gpu : gpus) {
    GpuSet one;
    one.ranges_.push_back({gpu, gpu + 1});
    add(one);
  }
}

GpuSet GpuSet::firstOf(std::uint32_t count) {
  GpuSet all;
  if (count != 0) all.ranges_.push_back({0, count});
  return all;
}

std::uint32_t GpuSet::count() const {
  std::uint32_t count = 0;
  for (const auto& [first, end] : ranges_) count += end - first;
  return count;
}

bool GpuSet::add(const GpuSet& other) {
  bool common = false;
  std::vector<Range> all;
  auto left = ranges_.begin();
  auto right = other.ranges_.begin();
  while (left != ranges_.end() || right != other.ranges_.end()) {
    const bool mine =
        right == other.ranges_.end() || (left != ranges_.end() && left->first < right->first);
    const Range next = mine ? *left++ : *right++;
    if (all.empty() || all.back().end < next.first) {
      all.push_back(next);
      continue;
    }
    common = common || next.first < all.back().end;
    all.back().end = std::max(all.back().end, next.end);
  }
  ranges_ = std::move(all);
  return common;
}

std::uint32_t Contributions::count() const {
  std::uint32_t count = 0;
  for (const Term& term : terms_) count += term.gpus.count();
  return count;
}

Contributions sum(const Contributions& a, const Contributions& b) {
  Contributions result;
  result.repeats_ = a.repeats_ || b.repeats_;
  auto left = a.terms_.begin();
  auto right = b.terms_.begin();
  while (left != a.terms_.end() || right != b.terms_.end()) {
    if (right == b.terms_.end() || (left != a.terms_.end() && left->chunk < right->chunk)) {
      result.terms_.push_back(*left++);
    } else if (left == a.terms_.end() || right->chunk < left->chunk) {
      result.terms_.push_back(*right++);
    } else {
      Contributions::Term& both = result.terms_.emplace_back(*left);
      result.repeats_ = both.gpus.add(right->gpus) || result.repeats_;
      ++left;
      ++right;
    }
  }
  return result;
}

std::string textOf(const Contributions& contributions) {
  constexpr std::size_t kMostTerms = 4;
  std::string text;
  std::size_t listed = 0;
  for (const Contributions::Term& term : contributions.terms()) {
    if (++listed > kMostTerms) {
      text += " and " + std::to_string(contributions.terms().size() - kMostTerms) + " more";
      break;
    }
    text += (text.empty() ? "" : " + ") + std::string("chunk ") + std::to_string(term.chunk) +
            (term.gpus.count() == 1 ? " of GPU " : " of GPUs ") + textOf(term.gpus);
  }
  if (contributions.repeats()) text += ", some of it more than once";
  return text;
}

namespace {

Contributions sumOfAll(std::uint32_t gpus, std::uint32_t /*perGpu*/, std::uint32_t /*gpu*/,
                       std::uint32_t chunk, std::uint32_t /*root*/) {
  return {chunk, GpuSet::firstOf(gpus)};
}

Contributions ownShare(std::uint32_t gpus, std::uint32_t perGpu, std::uint32_t gpu,
                       std::uint32_t chunk, std::uint32_t /*root*/) {
  return {gpu * perGpu + chunk, GpuSet::firstOf(gpus)};
}

Contributions gathered(std::uint32_t /*gpus*/, std::uint32_t perGpu, std::uint32_t /*gpu*/,
                       std::uint32_t chunk, std::uint32_t /*root*/) {
  return {chunk % perGpu, GpuSet{chunk / perGpu}};
}

Contributions transposed(std::uint32_t /*gpus*/, std::uint32_t perGpu, std::uint32_t gpu,
                         std::uint32_t chunk, std::uint32_t /*root*/) {
  return {gpu * perGpu + chunk % perGpu, GpuSet{chunk / perGpu}};
}

Contributions ofRoot(std::uint32_t /*gpus*/, std::uint32_t /*perGpu*/, std::uint32_t /*gpu*/,
                     std::uint32_t chunk, std::uint32_t root) {
  return {chunk, GpuSet{root}};
}

double once(std::uint32_t /*gpus*/) { return 1; }
double othersShare(std::uint32_t gpus) { return (gpus - 1.0) / gpus; }
double twice(std::uint32_t gpus) { return 2 * othersShare(gpus); }

}  // namespace

constinit const Promise kAllReducePromise = {
    .name = "allreduce", .result = sumOfAll, .busFactor = twice};
constinit const Promise kReduceScatterPromise = {.name = "reduce_scatter",
                                                 .outputIsShare = true,
                                                 .divides = true,
                                                 .result = ownShare,
                                                 .busFactor = othersShare};
constinit const Promise kAllGatherPromise = {.name = "allgather",
                                             .inputIsShare = true,
                                             .divides = true,
                                             .result = gathered,
                                             .busFactor = othersShare};
constinit const Promise kAllToAllPromise = {
    .name = "alltoall", .divides = true, .result = transposed, .busFactor = othersShare};
constinit const Promise kBroadcastPromise = {
    .name = "broadcast", .hasRoot = true, .result = ofRoot, .busFactor = once};
constinit const Promise kReducePromise = {
    .name = "reduce", .hasRoot = true, .onlyAtRoot = true, .result = sumOfAll, .busFactor = once};
constinit const Promise kCustomPromise = {.name = "custom"};

std::span<const Promise* const> Promise::table() {
  static constexpr std::array<const Promise*, 7> kTable = {
      &kAllReducePromise, &kReduceScatterPromise, &kAllGatherPromise, &kAllToAllPromise,
      &kBroadcastPromise, &kReducePromise,        &kCustomPromise};
  return kTable;
}

const Promise* Promise::named(const std::string& name) {
  for (const Promise* promise : table()) {
    if (name == promise->name) return promise;
  }
  return nullptr;
}

std::string Promise::names() {
  std::string names;
  for (const Promise* promise : table()) {
    names += (names.empty()               ? ""
              : promise == table().back() ? " or "
                                          : ", ") +
             std::string(promise->name);
  }
  return names;
}

}  // namespace t3
