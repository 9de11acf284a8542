// SPDX-License-Identifier: Apache-2.0
// Method: a route of this file's own, and with it a collective algorithm, on the links of a ring:
// in the baseline and in t3, in one process and in two.
#include "tlm/collectives/route.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/extension/checked_run.h"
#include "tests/extension/two_processes.h"
#include "tlm/collectives/algorithm_maker.h"

namespace t3::route_test {
namespace {

/// One ring that turns backward: GPU g sends to g-1, and chunk c is summed on its way from c-1 over
/// c-2 … to c.
class BackwardRing : public Route {
 public:
  /// Not in fixed order: the reference sums in that of a forward ring. Operands are exact, for
  /// which any order does.
  explicit BackwardRing(std::uint32_t gpus) : Route({.gpus = gpus}) {}

  GpuId peer(GpuId from, std::uint32_t) const override { return ahead(from, gpus() - 1); }
  GpuId source(GpuId to, std::uint32_t) const override { return ahead(to, 1); }
  std::uint32_t port(GpuId, ChunkId) const override { return 0; }
  std::vector<ChunkId> order(GpuId gpu) const override {
    std::vector<ChunkId> chunks;
    for (std::uint32_t s = 1; s <= gpus(); ++s) chunks.push_back(upstream(gpu, s));
    return chunks;
  }
  Duty duty(GpuId gpu, ChunkId chunk) const override {
    if (owner(chunk) == gpu) return Duty::Keeps;
    return upstream(gpu, 1) == chunk ? Duty::Sends : Duty::Passes;
  }
  std::uint32_t updatesPerElement(GpuId, ChunkId) const override { return 2; }

  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override {
    AlgorithmMaker maker(promise, chunks());
    maker.addRing(maker.block(peer(gpu, 0).value, source(gpu, 0).value), gpus(),
                  [&](std::uint32_t distance) { return upstream(gpu, distance).value; });
    return maker.take();
  }

 private:
  GpuId ahead(GpuId gpu, std::uint32_t places) const {
    return GpuId{(gpu.value + places) % gpus()};
  }
  /// The chunk that ends at the GPU from which this one is `distance` places away.
  ChunkId upstream(GpuId gpu, std::uint32_t distance) const {
    return ChunkId{ahead(gpu, distance).value};
  }
};

constexpr CollectiveRoute kBackward{.name = "backward",
                                    .needs = RouteNeeds::Ring,
                                    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
                                      return std::make_unique<BackwardRing>(reach.gpus);
                                    }};

class OwnRoute : public testing::TestWithParam<Mode> {};

TEST_P(OwnRoute, CarriesEveryCollectiveToTheRightSums) {
  SystemConfig config = test::tinyTp4();
  config.fabric.collective = kBackward;
  const RunResult result = test::checkedRun(config, GetParam());
  EXPECT_EQ(result.link_bytes, 2 * (config.gpus - 1) * test::outputBytes(config));
}

class OwnRouteCut : public OwnRoute {};

TEST_P(OwnRouteCut, CarriesThemFromProcessToProcess) {
  SystemConfig config = test::tinyTp4();
  config.fabric.collective = kBackward;
  test::TwoProcesses processes([&](Peers& peers) {
    System system(config, GetParam(), TrackerKind::Rtl, {}, &peers);
    if (const RunResult part = system.run(); !part.error.empty()) {
      throw std::runtime_error(part.error);
    }
  });
  const RunResult result = test::checkedRun(config, GetParam(), TrackerKind::Rtl, &processes);
  EXPECT_EQ(result.link_bytes, 2 * (config.gpus - 1) * test::outputBytes(config));
}

std::string nameOf(const testing::TestParamInfo<Mode>& run) {
  std::string name = run.param.kind->name;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Extension, OwnRoute,
                         testing::Values(Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealRsNmc),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Extension, OwnRouteCut,
                         testing::Values(Mode::Sequential, Mode::T3, Mode::T3Mca), nameOf);

}  // namespace
}  // namespace t3::route_test
