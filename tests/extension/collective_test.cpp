// SPDX-License-Identifier: Apache-2.0
// Method: a collective of this file's own, a broadcast, behind those of the baseline. Before it
// begins, the outputs of all GPUs but the root are overwritten with values that are no numbers, so
// that the sums are right only if the broadcast brings every byte.
#include "tlm/collectives/collective.h"

#include <gtest/gtest.h>

#include "tests/extension/checked_run.h"
#include "tlm/collectives/algorithm_maker.h"
#include "tlm/node/bounds.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"

namespace t3::collective_test {
namespace {

constexpr GpuId kRoot{0};
constexpr Phase kPhase = extraPhase(0);

/// The root's whole output, chunk by chunk, along the first port of every GPU to all others.
AlgorithmGpu broadcast(const Route& route, GpuId gpu) {
  AlgorithmMaker maker(kBroadcastPromise, route.chunks());
  const bool first = gpu == kRoot, last = route.peer(gpu, 0) == kRoot;
  const std::uint32_t block =
      maker.block(last ? std::nullopt : std::optional(route.peer(gpu, 0).value),
                  first ? std::nullopt : std::optional(route.source(gpu, 0).value));
  const StepKind& kind = first ? kSend : last ? kReceive : kReceiveCopySend;
  for (std::uint32_t c = 0; c < route.chunks(); ++c) maker.add(block, kind, c);
  return maker.take();
}

constexpr Collective kBroadcast{"broadcast", "bcast", kPhase, &kBroadcastPromise, broadcast};

void overwriteOutput(Machine& machine, std::uint32_t gpu) {
  if (GpuId{gpu} == kRoot) return;
  std::vector<unsigned char> nans(machine.outputs().front().tiling.outputBytes(), 0xff);
  machine.node(gpu).debugAccess(tlm::TLM_WRITE_COMMAND, machine.outputs().front().layout.output,
                                nans.data(), static_cast<std::uint32_t>(nans.size()));
}

/// The baseline, then the broadcast.
constexpr ModeKind kWithBroadcast{
    .name = "with-broadcast",
    .graph =
        [](const SystemConfig& config) {
          Graph graph = kSequential.graph(config);
          graph.add({"overwrite", extraPhase(2), SoftwareWork{overwriteOutput}, 1});
          addKernels(graph, kBroadcast, 1);
          return graph;
        },
    .bound = inTurn};

TEST(Extension, ACollectiveOfOnesOwnBringsItsBytesItsNamesAndItsBound) {
  const SystemConfig config = test::tinyTp4();
  const RunResult result = test::checkedRun(config, Mode{kWithBroadcast});

  const std::uint64_t output = test::outputBytes(config);
  const std::uint64_t others = config.gpus - 1;
  EXPECT_EQ(result.link_bytes, (2 + 1) * others * output);
  EXPECT_EQ(result.phases.back().name, "broadcast");
  EXPECT_EQ(result.time_ps, result.phases.back().end_ps);

  const PhaseFigures& figures = result.of(kPhase);
  EXPECT_EQ(figures.name, "broadcast");
  EXPECT_EQ(figures.dram_read, others * output / config.gpus) << "by all that send";
  EXPECT_EQ(figures.dram_write, others * output / config.gpus) << "at all that receive";
  EXPECT_EQ(test::memoryFigure(result, "bcast_read_bytes"), static_cast<double>(output));
  EXPECT_EQ(test::memoryFigure(result, "bcast_write_bytes"), 0) << "of the root";
  EXPECT_DOUBLE_EQ(figures.bound_ns, static_cast<double>(output) / 75 + 500);
  EXPECT_GT(figures.exposed_ns, figures.bound_ns);
  EXPECT_EQ(result.of(Phase::AllGather).dram_write, others * output / config.gpus)
      << "as without it";
}

}  // namespace
}  // namespace t3::collective_test
