// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/programs/repeated.h"

#include <algorithm>

namespace t3 {

Repeated::Repeated(Cluster& cluster) : Program(cluster), gpus_(cluster.simulated()) {
  cluster.expectSublayers(cluster.config().workload.repeat);
}

void Repeated::start() {
  const auto tracksNoMore = [this](std::uint32_t g) {
    if (tracks() && !cluster_.atLastSublayer(g)) setUpAgain(g);
  };
  const auto ended = [this](std::uint32_t g) {
    gpu(g).ended = now();
    if (!cluster_.atLastSublayer(g)) partOver(g);
  };
  cluster_.watch({.begins = {}, .tracksNoMore = tracksNoMore, .ended = ended});
  cluster_.onReady(
      [this](std::uint32_t to, std::uint32_t from, std::uint32_t sublayer, Picoseconds when) {
        gpu(to).flags[from] = {sublayer, when};
        tryBegin(to);
      });
  for (const std::uint32_t g : cluster_.own()) prepare(g);
  for (const std::uint32_t g : cluster_.own()) {
    renew(g, cluster_.config().launchTime(g));
    cluster_.launch(g, [this, g] { begin(g); });
  }
}

void Repeated::partOver(std::uint32_t number) {
  Gpu& one = gpu(number);
  if (++one.over < (tracks() ? 2U : 1U)) return;
  one.over = 0;
  ready(number);
}

void Repeated::ready(std::uint32_t number) {
  gpu(number).readySince = now();
  cluster_.nextSublayer(number);
  cluster_.tell(&Cluster::Milestones::begins, number);
  renew(number, now() + cluster_.launchLatency());
  if (tracks()) cluster_.tellReady(number);
  tryBegin(number);
}

void Repeated::tryBegin(std::uint32_t number) {
  Gpu& one = gpu(number);
  const std::uint32_t sublayer = cluster_.sublayer(number);
  if (one.begun == sublayer) return;
  Picoseconds begins = one.readySince + cluster_.launchLatency();
  const Route& route = cluster_.route();
  for (std::uint32_t port = 0; tracks() && port < route.ports(); ++port) {
    const std::uint32_t peer = route.peer(GpuId{number}, port).value % cluster_.simulated();
    const Gpu::Flag flag = one.flags[peer];
    if (flag.sublayer < sublayer) return;
    begins = std::max(begins, flag.when);
  }
  one.begun = sublayer;
  cluster_.progress(number).waited = begins - (one.ended + cluster_.launchLatency());
  cluster_.at(number, begins, [this, number] { begin(number); });
}

void Repeated::summarise(RunResult& result) const {
  Program::summarise(result);
  const std::uint32_t times = cluster_.sublayers() - 1;
  if (times == 0) return;
  double waited = 0;
  for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
    Picoseconds ofGpu = 0;
    for (const GpuProgress& sublayer : cluster_.history(g)) ofGpu += sublayer.waited;
    waited += nanoseconds(ofGpu);
  }
  result.setup.wait_ns = waited / cluster_.simulated() / times;
}

}  // namespace t3
