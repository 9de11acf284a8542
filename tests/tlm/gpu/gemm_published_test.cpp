// SPDX-License-Identifier: Apache-2.0
// Method: GEMMs that libraries were measured on, on GPUs with the same number of compute units and
// the same peak, each with a real memory stack of its own. The share of the peak they reach stands
// beside the published one. Prints the table of docs/measurements/gemm.md ("Held against published
// kernels").
//
// Sources: DeepBench, results/train/DeepBench_NV_V100.xlsx (V100 of a DGX-1, CUDA 10.1, fp16, N N;
// commit da81ba7); rocBLAS, Tensile/Logic/asm_full/arcturus/arcturus_Cijk_Ailk_Bjlk_HHS_BH.yaml
// (MI100, fp16 with fp32 sums; per cent of the peak; commit b520bc8). DeepBench measures with
// beta = 1: the kernel reads C as well. This model has beta = 0, so reading C is added in closed
// form: C at the bandwidth that refresh leaves, because the waves run in step and compute nothing
// meanwhile. Tensile's tuning sets no beta in these files; the same is assumed of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/tlm/gpu/gemm_bench.h"
#include "tlm/hbm/hbm_stack.h"

namespace t3::test::gemm_published_test {
namespace {

struct Machine {
  const char* name;
  std::uint32_t computeUnits;
  double clockMhz;
  std::uint64_t l2Bytes;
  std::uint32_t l2Ways;
};
constexpr Machine kV100{"V100", 80, 1530, 6 << 20, 24};
constexpr Machine kMi100{"MI100", 120, 1502, 8 << 20, 16};

struct Published {
  const Machine& machine;
  std::uint32_t rows, columns, depth;
  double share;  ///< of the peak, per cent
};

/// Rates of DeepBench over the 125.3 TFLOP/s of 80 x 512 multiply-adds at 1530 MHz.
constexpr std::size_t kQuickPoints = 3;  // the first of these
constexpr Published kPublished[] = {
    {kV100, 4096, 7000, 4096, 89.6},   {kMi100, 2048, 29000, 256, 42.3},
    {kMi100, 2048, 30592, 1024, 71.4}, {kV100, 3072, 24000, 1024, 74.8},
    {kV100, 6144, 24000, 2048, 84.7},  {kV100, 8448, 24000, 2816, 85.2},
    {kMi100, 2304, 12672, 4096, 84.7}, {kMi100, 2304, 12672, 8192, 90.5},
};

struct Kernel {
  Kernel(const Published& published, const std::string& name)
      : point(published),
        config(configOf(published.machine)),
        shape{published.rows, published.columns, published.depth, 1},
        tiling(tilingOf(config, shape, DataType::Fp16)),
        layout(layoutOf(config, shape, DataType::Fp16)),
        hbm((name + "_hbm").c_str(), HbmConfig{}, 1),
        link((name + "_link").c_str(), 0, 75),
        kernel(name.c_str(), config, {tiling, shape.depth, layout},
               {GpuId{0}, DataType::Fp16, DataMode::Elided, pool}) {
    kernel.memory.socket.bind(hbm.target);
    kernel.egress.port(0).socket.bind(link.target);
    kernel.launch(
        {.output = {}, .chunkOrder = {}, .done = [](Picoseconds) {}, .firstStageDone = {}});
  }
  static GpuConfig configOf(const Machine& machine) {
    GpuConfig config;
    config.compute_units = machine.computeUnits;
    config.clock_mhz = machine.clockMhz;
    config.l2.capacity_bytes = machine.l2Bytes;
    config.l2.ways = machine.l2Ways;
    return config;
  }

  double seconds() const { return static_cast<double>(kernel.statistics().end) * 1e-12; }
  /// Share of the peak, per cent, of a kernel that takes so long.
  double share(double time) const {
    const double flops = 2.0 * point.rows * point.columns * point.depth;
    const double peak =
        2.0 * config.compute_units * config.gemm.macs_per_cu_per_cycle * config.clock_mhz * 1e6;
    return 100 * flops / time / peak;
  }

  const Published& point;
  PayloadPool pool;
  GpuConfig config;
  Shape shape;
  Tiling tiling;
  MemoryLayout layout;
  HbmStack hbm;
  TestMemory link;
  GemmKernel kernel;
};

void expectPublishedShares(std::span<const Published> points) {
  std::vector<std::unique_ptr<Kernel>> runs;
  for (const Published& point : points) {
    runs.push_back(std::make_unique<Kernel>(point, "gemm" + std::to_string(runs.size())));
  }
  sc_core::sc_start();
  const HbmConfig memory;
  const double bandwidth =
      memory.peakBytesPerNs() * 1e9 * (1 - memory.timing.rfc_ns / memory.timing.refi_ns);
  std::printf(
      "| machine | rows x columns x K | simulated | with C read | published | prologue | late | "
      "sync | math | epilogue |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& run : runs) {
    const GemmStatistics& s = run->kernel.statistics();
    const double simulated = run->share(run->seconds());
    const double readC = static_cast<double>(run->tiling.outputBytes()) / bandwidth;
    const double withC = run->share(run->seconds() + readC);
    const auto part = [&](Picoseconds time) {
      return 100 * static_cast<double>(time) /
             (static_cast<double>(s.end) * run->config.compute_units);
    };
    std::printf(
        "| %s | %u x %u x %u | %.1f %% | %.1f %% | %.1f %% | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
        run->point.machine.name, run->point.rows, run->point.columns, run->point.depth, simulated,
        withC, run->point.share, part(s.prologueTime), part(s.lateTime), part(s.syncTime),
        part(s.mathTime), part(s.epilogueTime));
    EXPECT_GE(simulated, run->point.share) << run->point.depth;
    EXPECT_NEAR(withC, run->point.share, 4) << run->point.depth;
  }
}

TEST(GemmPublished, ReachesTheShareOfThePeakThatLibrariesReach) {
  expectPublishedShares(std::span(kPublished).first(kQuickPoints));
}

TEST(GemmPublishedLong, AllReachTheShareOfThePeakThatLibrariesReach) {
  expectPublishedShares(kPublished);
}

}  // namespace
}  // namespace t3::test::gemm_published_test
