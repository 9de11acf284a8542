// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/programs/repeated.h"

namespace t3 {

Repeated::Repeated(Cluster& cluster) : Program(cluster) {
  cluster.expectSublayers(cluster.config().workload.repeat);
}

void Repeated::start() {
  Rounds::Sends stores;  // by all ports
  if (tracks()) stores = [](std::uint32_t, std::uint32_t) { return true; };
  rounds_.emplace(
      cluster_.fabric(), cluster_.launchLatency(), tracks() ? 2 : 1, stores,
      Rounds::Actions{.ready = [this](std::uint32_t g, Picoseconds begins) { ready(g, begins); },
                      .begin =
                          [this](std::uint32_t g, Picoseconds waited) {
                            cluster_.progress(g).waited = waited;
                            begin(g);
                          }});
  const auto tracksNoMore = [this](std::uint32_t g) {
    if (tracks() && !cluster_.atLastSublayer(g)) setUpAgain(g);
  };
  const auto ended = [this](std::uint32_t g) {
    rounds_->ended(g);
    if (!cluster_.atLastSublayer(g)) rounds_->partOver(g);
  };
  cluster_.watch({.begins = {}, .tracksNoMore = tracksNoMore, .ended = ended});
  for (const std::uint32_t g : cluster_.own()) prepare(g);
  for (const std::uint32_t g : cluster_.own()) {
    renew(g, cluster_.config().launchTime(g));
    cluster_.launch(g, [this, g] { begin(g); });
  }
}

void Repeated::ready(std::uint32_t gpu, Picoseconds begins) {
  cluster_.nextSublayer(gpu);
  cluster_.tell(&Cluster::Milestones::begins, gpu);
  renew(gpu, begins);
}

}  // namespace t3
