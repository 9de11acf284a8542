// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/promise.h"

#include <array>

namespace t3 {
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
