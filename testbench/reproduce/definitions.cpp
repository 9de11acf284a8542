// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/definitions.h"

#include <array>
#include <utility>

namespace t3 {
namespace {

constexpr std::array<std::pair<const ModeKind*, const char*>, 10> kDefinitions = {{
    {&kSequential,
     "The GEMM, then a ring reduce-scatter and a ring all-gather, both as kernels on the compute "
     "units. All speedups are over this mode."},
    {&kNvls,
     "The GEMM, then one kernel that loads each line of its chunk as the sum of what all GPUs have "
     "there, which the switch makes, and stores it in all GPUs at once."},
    {&kCuSplit,
     "The overlap that needs no new hardware: the reduce-scatter kernel runs on K compute units "
     "while the GEMM has the others; then the all-gather kernel on all."},
    {&kAgSplit,
     "What software can do where a GEMM follows: sequential, but the all-gather kernel runs on K "
     "compute units while the second GEMM has the others, and works on the rows that are there."},
    {&kT3,
     "Output stores are updates that the memory adds; the track-and-trigger unit starts the DMA of "
     "each finished tile while the GEMM goes on; then the all-gather kernel. The memory serves "
     "compute and communication in turn."},
    {&kT3Mca,
     "t3, and the memory controllers serve first whom the sublayer waits for, the GEMM or the "
     "ring."},
    {&kT3Ag,
     "t3-mca, and the GEMM produces the first rows of all chunks first, so that the trackers drive "
     "the all-gather beside it as well: no kernel follows. They release rows to a norm and to a "
     "second GEMM."},
    {&kIdealOverlap,
     "Bound: GEMM and reduce-scatter of sequential overlap without disturbing each other; then the "
     "all-gather. No simulated machine."},
    {&kIdealRsNmc,
     "Bound: the GEMM of t3 and a reduce-scatter by DMA engines and near-memory adders, each "
     "alone; "
     "the longer one counts, then the all-gather."},
    {&kIdealAg,
     "Bound: the GEMM of t3-ag, and its reduce-scatter and all-gather on the links, each alone; "
     "the "
     "longer of computing and communicating counts."},
}};

}  // namespace

std::string definitionOf(const Mode& mode) {
  for (const auto& [kind, text] : kDefinitions) {
    if (Choice<ModeKind>(*kind) != mode.kind) continue;
    std::string meaning = text;
    if (const std::size_t number = meaning.find(" K "); kind->takesNumber) {
      meaning.replace(number + 1, 1, std::to_string(mode.number));
    }
    return meaning;
  }
  return "";
}

}  // namespace t3
