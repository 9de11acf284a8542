// SPDX-License-Identifier: Apache-2.0
// Method: the algorithm of a built-in route is read as somebody's own. What comes out is that
// route: ways, order, duties and updates of every chunk on every GPU; and the steps that follow
// from the ways alone keep the promise of their collective, as a check of all GPUs finds.
#include "tlm/collectives/algorithm_route.h"

#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/direct_route.h"
#include "tlm/collectives/promise.h"
#include "tlm/collectives/ring_route.h"
#include "tlm/collectives/two_level_route.h"

namespace t3::algorithm_route_test {
namespace {

/// An algorithm with the route that it is on the links of `BuiltIn`.
struct Read {
  Read(const Algorithm& what, std::unique_ptr<const Route> links, const Route& gather)
      : algorithm(what), form(algorithm), meaning(form), route(meaning, std::move(links), gather) {}

  Algorithm algorithm;
  AlgorithmForm form;
  AlgorithmMeaning meaning;
  AlgorithmRoute route;
};

template <typename BuiltIn>
std::unique_ptr<Read> read(const Promise& promise, const BuiltIn& route) {
  return std::make_unique<Read>(algorithmOf(route, promise), std::make_unique<BuiltIn>(route),
                                route);
}

void expectSameRoute(const Route& route, const Route& builtIn) {
  ASSERT_EQ(route.gpus(), builtIn.gpus());
  ASSERT_EQ(route.size().ports, builtIn.size().ports);
  ASSERT_EQ(route.chunks(), builtIn.chunks());
  EXPECT_EQ(route.size().kernels, builtIn.size().kernels);
  EXPECT_EQ(route.traits().direct, builtIn.traits().direct || route.gpus() == 2);
  EXPECT_EQ(mostUpdatesPerElement(route), mostUpdatesPerElement(builtIn));
  EXPECT_EQ(receivedChunks(route), receivedChunks(builtIn));
  EXPECT_TRUE(route.gpusAreAlike());
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    const GpuId gpu{g};
    for (std::uint32_t c = 0; c < route.chunks(); ++c) {
      const ChunkId chunk{c};
      SCOPED_TRACE("GPU " + std::to_string(g) + ", chunk " + std::to_string(c));
      EXPECT_EQ(route.owner(chunk), builtIn.owner(chunk));
      EXPECT_EQ(route.kernelOf(chunk), builtIn.kernelOf(chunk));
      EXPECT_EQ(route.duty(gpu, chunk), builtIn.duty(gpu, chunk));
      if (route.owner(chunk) != gpu) {
        EXPECT_EQ(route.port(gpu, chunk), builtIn.port(gpu, chunk));
      }
      if (route.duty(gpu, chunk) != Route::Duty::Sends) {
        EXPECT_EQ(route.updatesPerElement(gpu, chunk), builtIn.updatesPerElement(gpu, chunk));
      }
    }
    EXPECT_EQ(route.order(gpu), builtIn.order(gpu)) << g;
  }
}

/// Both halves, of which one or none is somebody's own.
void expectWhatItPromises(const Route& route) {
  for (const Promise* promise : {&kReduceScatterPromise, &kAllGatherPromise}) {
    const Algorithm algorithm = algorithmOf(route, *promise);
    EXPECT_NO_THROW({
      const AlgorithmForm form(algorithm);
      const AlgorithmMeaning meaning(form);
    }) << promise->name;
  }
}

TEST(AlgorithmRoute, OfARingIsTheRing) {
  for (const std::uint32_t gpus : {2U, 3U, 4U, 8U}) {
    const RingRoute ring(gpus);
    for (const Promise* promise : {&kReduceScatterPromise, &kAllReducePromise}) {
      const auto own = read(*promise, ring);
      expectSameRoute(own->route, ring);
      expectWhatItPromises(own->route);
      for (std::uint32_t g = 0; g < gpus; ++g) {
        EXPECT_EQ(own->route.groups(GpuId{g}), ring.groups(GpuId{g}));
      }
    }
  }
}

TEST(AlgorithmRoute, OfTwoRingsHasAKernelForEach) {
  const RingRoute rings(4, 2);
  const auto own = read(kReduceScatterPromise, rings);
  EXPECT_EQ(own->route.size().kernels, 2U);
  for (std::uint32_t c = 0; c < 8; ++c) {
    EXPECT_EQ(own->route.kernelOf(ChunkId{c}), rings.kernelOf(ChunkId{c}));
  }
  expectWhatItPromises(own->route);
}

TEST(AlgorithmRoute, OfAllPairsIsTheDirectRoute) {
  for (const std::uint32_t gpus : {2U, 3U, 4U, 8U}) {
    const DirectRoute direct(gpus);
    for (const Promise* promise : {&kReduceScatterPromise, &kAllReducePromise}) {
      const auto own = read(*promise, direct);
      expectSameRoute(own->route, direct);
      expectWhatItPromises(own->route);
    }
  }
}

TEST(AlgorithmRoute, OfTwoLevelsSumsWhereTheLevelsMeet) {
  const TwoLevelRoute levels(8, 4);
  for (const Promise* promise : {&kReduceScatterPromise, &kAllReducePromise}) {
    const auto own = read(*promise, levels);
    EXPECT_EQ(mostUpdatesPerElement(own->route), 3U);
    expectWhatItPromises(own->route);
  }
}

TEST(AlgorithmRoute, StepsAreThoseThatWereWrittenWhereTheySayTheCollective) {
  const RingRoute ring(4);
  const auto own = read(kAllReducePromise, ring);
  EXPECT_EQ(own->route.whole(kAllReducePromise), &own->meaning);
  EXPECT_EQ(own->route.whole(kReduceScatterPromise), nullptr);
  EXPECT_EQ(own->route.steps(kAllReducePromise, GpuId{2}).threadBlocks.size(),
            own->algorithm.gpus[2].threadBlocks.size());
}

TEST(AlgorithmRoute, WithAnOutputOfItsOwnItWorksInPlace) {
  Algorithm algorithm = test::ring(kAllReducePromise, 2);
  algorithm = test::exchange();
  algorithm.inPlace = false;
  for (AlgorithmGpu& gpu : algorithm.gpus) {
    auto& sends = gpu.threadBlocks[0].steps;
    sends[1].sourceBuffer = AlgorithmBuffer::Output;
  }
  const Read own(algorithm, std::make_unique<RingRoute>(2), RingRoute(2));
  EXPECT_NE(own.route.whole(kAllReducePromise), &own.meaning);
  EXPECT_TRUE(own.route.whole(kAllReducePromise)->buffers().inPlace());
}

TEST(AlgorithmRoute, OneGpuStandsForAllOnlyIfAllDoTheSame) {
  Algorithm algorithm = test::ring(kReduceScatterPromise, 4);
  EXPECT_TRUE(Read(algorithm, std::make_unique<RingRoute>(4), RingRoute(4)).route.gpusAreAlike());
  // GPU 3 has another thread block in front.
  AlgorithmThreadBlock idle;
  idle.steps = {test::step(kNop, 0, 0)};
  idle.steps[0].count = 0;
  algorithm.gpus[3].threadBlocks.push_back(idle);
  EXPECT_FALSE(Read(algorithm, std::make_unique<RingRoute>(4), RingRoute(4)).route.gpusAreAlike());
}

TEST(AlgorithmRoute, SumsOfOneGpuAloneAreRefused) {
  // GPU 0 makes both sums.
  Algorithm algorithm = test::emptyAlgorithm(kAllReducePromise, 2, 2);
  AlgorithmStep sends = test::step(kSend, 0, 0),
                receives = test::step(kReceiveReduceCopySend, 0, 0);
  sends.count = receives.count = 2;
  AlgorithmStep ends = test::step(kReceive, 0, 0);
  ends.count = 2;
  AlgorithmThreadBlock one, other;
  one.sendsTo = one.receivesFrom = 1;
  one.steps = {receives};
  other.sendsTo = other.receivesFrom = 0;
  other.steps = {sends, ends};
  algorithm.gpus[0].threadBlocks = {one};
  algorithm.gpus[1].threadBlocks = {other};
  EXPECT_THROW(Read(algorithm, std::make_unique<RingRoute>(2), RingRoute(2)), AlgorithmError);
}

TEST(AlgorithmRoute, WhatItLacksIsOneLine) {
  const Algorithm algorithm = test::direct(4);
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  EXPECT_EQ(AlgorithmRoute::check(meaning, 4, DirectRoute(4)), std::nullopt);
  EXPECT_EQ(AlgorithmRoute::check(meaning, 8, DirectRoute(8)),
            "gpus: expected 4, those of workload.collective, got 8");
  EXPECT_EQ(AlgorithmRoute::check(meaning, 4, RingRoute(4)),
            "fabric.topology: expected a link from GPU 0 to GPU 2, as the collective needs "
            "(fully-connected and switch have all links)");
}

}  // namespace
}  // namespace t3::algorithm_route_test
