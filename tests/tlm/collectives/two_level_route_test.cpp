// SPDX-License-Identifier: Apache-2.0
// Method: routes over nodes of several shapes, walked on paper. Every copy of every chunk must
// reach its owner once, by links that there are. What the kernels do keeps its promise by
// `RouteAlgorithm.OfNodesIsRightForAnyShape`. Expectations follow from the definition: rings inside
// nodes, then through them.
#include "tlm/collectives/two_level_route.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tlm/collectives/collective.h"
#include "tlm/collectives/route.h"
#include "tlm/transport/payload.h"

namespace t3::two_level_route_test {
namespace {

constexpr std::uint32_t kRing = TwoLevelRoute::kRing, kRail = TwoLevelRoute::kRail;

struct Shape {
  std::uint32_t nodes, places;
};

/// Thread block by thread block.
std::vector<StepProgram::Step> stepsOf(const StepProgram& program) {
  std::vector<StepProgram::Step> all;
  for (const auto& steps : program.runs) all.insert(all.end(), steps.begin(), steps.end());
  std::ranges::stable_sort(all, {}, &StepProgram::Step::threadBlock);
  return all;
}

class TwoLevel : public testing::TestWithParam<Shape> {
 protected:
  std::uint32_t nodes() const { return GetParam().nodes; }
  std::uint32_t places() const { return GetParam().places; }
  std::uint32_t gpus() const { return nodes() * places(); }
  GpuId gpu(std::uint32_t node, std::uint32_t place) const {
    return GpuId{node % nodes() * places() + place % places()};
  }
  template <typename Visit>
  void forGpus(Visit visit) const {
    for (std::uint32_t g = 0; g < gpus(); ++g) visit(GpuId{g});
  }
  template <typename Visit>
  void forChunks(Visit visit) const {
    for (std::uint32_t c = 0; c < gpus(); ++c) visit(ChunkId{c});
  }

  StepProgram program(const Collective& collective, GpuId g) const {
    return collective.program(route_, Tiling({gpus(), 32, 2}, {1, 32, 1}, gpus()), layout_, g);
  }

  TwoLevelRoute route_{GetParam().nodes * GetParam().places, GetParam().places};
  MemoryLayout layout_ = [] {
    MemoryLayout layout;
    layout.output = 0x1000'0000;
    layout.receive = 0x2000'0000;
    layout.receiveStrideBytes = 0x1000;
    return layout;
  }();
};

TEST_P(TwoLevel, LinksAreRingsInNodesAndRailsThroughThem) {
  ASSERT_EQ(route_.size().ports, 2U);
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    for (std::uint32_t place = 0; place < places(); ++place) {
      const GpuId from = gpu(node, place);
      EXPECT_EQ(route_.peer(from, kRing), gpu(node, place + 1));
      EXPECT_EQ(route_.peer(from, kRail), gpu(node + 1, place));
      for (const std::uint32_t port : {kRing, kRail}) {
        EXPECT_EQ(route_.source(route_.peer(from, port), port), from);
      }
    }
  }
}

TEST_P(TwoLevel, ChunksOfAPlaceAreNeighboursAndEveryGpuOwnsOne) {
  std::set<std::uint32_t> owners;
  forChunks([&](ChunkId chunk) {
    const GpuId owner = route_.owner(chunk);
    EXPECT_EQ(owner, gpu(chunk.value % nodes(), chunk.value / nodes()));
    owners.insert(owner.value);
  });
  EXPECT_EQ(owners.size(), gpus());
}

TEST_P(TwoLevel, EveryCopyReachesTheOwnerOnceAndIsCountedOnItsWay) {
  forChunks([&](ChunkId chunk) {
    // A GPU's sum is complete when as much has come as it counts; then it goes on.
    std::map<std::uint32_t, std::uint32_t> came, copies;
    std::vector<GpuId> complete;
    const auto add = [&](GpuId at, std::uint32_t held) {
      copies[at.value] += held;
      if (++came[at.value] == route_.updatesPerElement(at, chunk)) complete.push_back(at);
    };
    const auto next = [&](GpuId from) { return route_.peer(from, route_.port(from, chunk)); };
    forGpus([&](GpuId g) { add(route_.duty(g, chunk) == Route::Duty::Sends ? next(g) : g, 1); });
    std::uint32_t kept = 0;
    while (!complete.empty()) {
      const GpuId from = complete.back();
      complete.pop_back();
      EXPECT_NE(route_.duty(from, chunk), Route::Duty::Sends);
      if (route_.duty(from, chunk) == Route::Duty::Keeps) {
        EXPECT_EQ(route_.owner(chunk), from);
        EXPECT_EQ(copies[from.value], gpus());
        ++kept;
      } else {
        add(next(from), copies[from.value]);
      }
    }
    EXPECT_EQ(kept, 1U);
    for (const auto& [g, count] : came) {
      EXPECT_EQ(count, route_.updatesPerElement(GpuId{g}, chunk)) << "GPU " << g;
      EXPECT_LE(count, mostUpdatesPerElement(route_));
    }
  });
}

TEST_P(TwoLevel, RailsCarryOnlySumsOfWholeNodes) {
  forGpus([&](GpuId from) {
    forChunks([&](ChunkId chunk) {
      if (route_.owner(chunk) == from) return;
      const bool samePlace = route_.owner(chunk).value % places() == from.value % places();
      EXPECT_EQ(route_.port(from, chunk), samePlace ? kRail : kRing);
      EXPECT_EQ(route_.updatesPerElement(from, chunk) == 3,
                samePlace && route_.owner(chunk) != route_.source(from, kRail));
    });
  });
}

TEST_P(TwoLevel, GpusProduceForTheFarthestNodeFirstAndTheOwnChunkLast) {
  forGpus([&](GpuId g) {
    const auto order = route_.order(g);
    ASSERT_EQ(order.size(), gpus());
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), gpus());
    EXPECT_EQ(route_.owner(order.back()), g);
    for (std::uint32_t i = 0; i < gpus(); ++i) {
      const GpuId owner = route_.owner(order[i]);
      const std::uint32_t node = g.value / places() + nodes() - 1 - i / places();
      EXPECT_EQ(owner.value / places(), node % nodes());
      EXPECT_EQ(route_.duty(g, order[i]) == Route::Duty::Sends, i % places() == 0);
    }
  });
}

TEST_P(TwoLevel, EveryGpuDoesWhatGpu0DoesWithOtherChunks) {
  forGpus([&](GpuId g) {
    const auto order = route_.order(g), mineOrder = route_.order(GpuId{0});
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(route_.asOfGpu0(order[i], g), mineOrder[i]);
    }
    for (const Collective* collective : {&kReduceScatter, &kAllGather, &kAllReduce}) {
      const auto other = stepsOf(program(*collective, g));
      const auto mine = stepsOf(program(*collective, GpuId{0}));
      ASSERT_EQ(other.size(), mine.size());
      for (std::size_t s = 0; s < mine.size(); ++s) {
        EXPECT_EQ(route_.asOfGpu0(ChunkId{other[s].shape}, g), ChunkId{mine[s].shape});
        EXPECT_EQ(other[s].arrivals, mine[s].arrivals);
      }
    }
    forChunks([&](ChunkId chunk) {
      const ChunkId mine = route_.asOfGpu0(chunk, g);
      EXPECT_EQ(route_.duty(g, chunk), route_.duty(GpuId{0}, mine));
      EXPECT_EQ(route_.updatesPerElement(g, chunk), route_.updatesPerElement(GpuId{0}, mine));
      if (route_.owner(chunk) == g) {
        EXPECT_EQ(mine, ChunkId{0});
      } else {
        EXPECT_EQ(route_.port(g, chunk), route_.port(GpuId{0}, mine));
      }
    });
  });
}

TEST_P(TwoLevel, PortsSendWhatTheDefinitionSays) {
  for (const Collective* collective : {&kReduceScatter, &kAllGather}) {
    forGpus([&](GpuId g) {
      std::map<std::uint32_t, std::uint32_t> sent;
      for (const StepProgram::Step& step : stepsOf(program(*collective, g))) {
        for (const StepProgram::Send& send : step.sends) ++sent[send.port];
      }
      EXPECT_EQ(sent[kRing], nodes() * (places() - 1));
      EXPECT_EQ(sent[kRail], nodes() - 1);
    });
  }
}

TEST(TwoLevelRoute, NodesAreWhole) {
  for (const auto& [gpus, places] : {std::pair{8U, 0U}, {8U, 1U}, {8U, 8U}, {8U, 3U}, {4U, 8U}}) {
    EXPECT_THROW(TwoLevelRoute(gpus, places), std::invalid_argument) << gpus << " " << places;
  }
  EXPECT_NO_THROW(TwoLevelRoute(8, 4));
}

INSTANTIATE_TEST_SUITE_P(Shapes, TwoLevel,
                         testing::Values(Shape{2, 2}, Shape{2, 4}, Shape{4, 2}, Shape{3, 3},
                                         Shape{3, 5}, Shape{8, 8}),
                         [](const auto& shape) {
                           return "Nodes" + std::to_string(shape.param.nodes) + "Places" +
                                  std::to_string(shape.param.places);
                         });

}  // namespace
}  // namespace t3::two_level_route_test
