// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/built_in_collective.h"

#include <cstdint>

#include "testbench/collective/named_algorithms.h"
#include "tlm/collectives/route.h"

namespace t3 {
namespace {

Algorithm algorithmFor(const Promise& promise, const SystemConfig& config) {
  if (&promise == &kAllToAllPromise) return allToAll(config.gpus);
  if (&promise == &kBroadcastPromise) {
    const std::uint32_t places = config.fabric.reach(config.gpus).gpusPerNode;
    return broadcast(config.gpus, places != 0 ? places : config.gpus);
  }
  return config.makeRoute()->algorithm(promise);
}

}  // namespace

bool BuiltInCollective::knows(const Promise& promise) {
  return &promise != &kReducePromise && &promise != &kCustomPromise;
}

BuiltInCollective::BuiltInCollective(const Promise& promise, const SystemConfig& config)
    : algorithm_(algorithmFor(promise, config)), form_(algorithm_), meaning_(form_) {}

}  // namespace t3
