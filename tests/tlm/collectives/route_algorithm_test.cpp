// SPDX-License-Identifier: Apache-2.0
// Method: the algorithms of the built-in routes, for many numbers of GPUs, are checked as those of
// files are. A run does not check them again and compiles them GPU by GPU; so what it takes for
// granted is compared with what the check finds.
#include <gtest/gtest.h>

#include "tlm/collectives/direct_route.h"
#include "tlm/collectives/promise.h"
#include "tlm/collectives/ring_route.h"
#include "tlm/collectives/step_program.h"
#include "tlm/collectives/two_level_route.h"

namespace t3::route_algorithm_test {
namespace {

void expectWhatItPromises(const Route& route) {
  const AlgorithmPorts ports{route.size().ports,
                             [&](std::uint32_t from, std::uint32_t to, std::uint32_t channel) {
                               return portTo(route, GpuId{from}, GpuId{to}, channel);
                             }};
  for (const Promise* promise : {&kReduceScatterPromise, &kAllGatherPromise, &kAllReducePromise}) {
    SCOPED_TRACE(std::string(promise->name) + " on " + std::to_string(route.gpus()) + " GPUs");
    const Algorithm algorithm = algorithmOf(route, *promise);
    const AlgorithmForm form(algorithm);
    const AlgorithmMeaning meaning(form);  // throws if it breaks the promise
    const StepLayout layout =
        StepLayout::of(meaning.buffers(), AlgorithmLayout(meaning.buffers(), 64, 64));
    const StepSource source{algorithm, meaning.buffers(), layout, ports};
    const auto checked = makeStepPrograms(source, meaning);
    for (std::uint32_t g = 0; g < route.gpus(); ++g) {
      const StepProgram trusted = makeStepProgram(source, g);
      EXPECT_EQ(trusted.runs, checked[g].runs) << "GPU " << g;
      EXPECT_EQ(trusted.arrivals, checked[g].arrivals) << "GPU " << g;
    }
  }
}

TEST(RouteAlgorithm, OfRingsIsRightForAnyNumberOfGpus) {
  for (const std::uint32_t gpus : {2U, 3U, 4U, 5U, 8U, 16U, 31U}) {
    for (const std::uint32_t rings : {1U, 2U, 4U}) expectWhatItPromises(RingRoute(gpus, rings));
  }
}

TEST(RouteAlgorithm, OfDirectLinksIsRightForAnyNumberOfGpus) {
  for (const std::uint32_t gpus : {2U, 3U, 4U, 5U, 8U, 16U}) {
    expectWhatItPromises(DirectRoute(gpus));
  }
}

TEST(RouteAlgorithm, OfNodesIsRightForAnyShape) {
  for (const auto& [nodes, places] : {std::pair{2U, 2U}, {2U, 4U}, {4U, 2U}, {3U, 3U}, {4U, 8U}}) {
    expectWhatItPromises(TwoLevelRoute(nodes * places, places));
  }
}

}  // namespace
}  // namespace t3::route_algorithm_test
