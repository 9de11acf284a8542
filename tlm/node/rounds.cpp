// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/rounds.h"

#include <algorithm>
#include <utility>

namespace t3 {

Rounds::Rounds(Fabric& fabric, Picoseconds launchLatency, std::uint32_t parts, Sends sends,
               Actions actions)
    : fabric_(fabric),
      launchLatency_(launchLatency),
      parts_(parts),
      sends_(std::move(sends)),
      actions_(std::move(actions)),
      gpus_(fabric.simulated()) {
  fabric.onReady(
      [this](std::uint32_t to, std::uint32_t from, std::uint32_t round, Picoseconds when) {
        of(to).flags[from] = {round, when};
        tryBegin(to);
      });
}

void Rounds::partOver(std::uint32_t gpu) {
  Gpu& one = of(gpu);
  if (++one.over < parts_) return;
  one.over = 0;
  ++one.round;
  one.readySince = now();
  actions_.ready(gpu, now() + launchLatency_);
  if (sends_) fabric_.tellReady(gpu, one.round);
  tryBegin(gpu);
}

void Rounds::tryBegin(std::uint32_t gpu) {
  Gpu& one = of(gpu);
  if (one.begun == one.round) return;
  Picoseconds begins = one.readySince + launchLatency_;
  const Route& links = fabric_.links();
  for (std::uint32_t port = 0; sends_ && port < links.ports(); ++port) {
    if (!sends_(gpu, port)) continue;
    const std::uint32_t peer = links.peer(GpuId{gpu}, port).value % fabric_.simulated();
    const Gpu::Flag flag = one.flags[peer];
    if (flag.round < one.round) return;
    begins = std::max(begins, flag.when);
  }
  one.begun = one.round;
  const Picoseconds waited = begins - (one.ended + launchLatency_);
  fabric_.at(gpu, begins, [this, gpu, waited] { actions_.begin(gpu, waited); });
}

}  // namespace t3
