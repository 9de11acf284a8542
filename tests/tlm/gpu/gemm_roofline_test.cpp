// SPDX-License-Identifier: Apache-2.0
// Method: GEMMs from far below to far above the ridge, each with a real memory stack of its own, in
// one simulation. The rate each reaches stands against what its math and its measured traffic
// allow. Prints the table of docs/measurements/gemm.md; with T3_ROOFLINE_SVG=FILE also draws it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/tlm/gpu/gemm_bench.h"
#include "tlm/hbm/hbm_stack.h"

namespace t3::test::gemm_roofline_test {
namespace {

enum class Expect { Compute, Memory, Writes, Between };

struct Point {
  const char* what;
  std::uint32_t rows, columns, depth;
  std::uint32_t tileRows, tileColumns;
  Expect expect;
};

// Full waves of 80 workgroups where math is to be the limit, so that quantisation does not hide it.
// `Writes`: the memory is idle until the L2 is full, and a workgroup waits for what it displaces.
// Two workgroups share a compute unit, so that one loads and multiplies while the other stores; the
// order is tuned (one row of tiles at a time), so that what leaves the L2 together shares DRAM
// rows. `Between`: neither limit alone, because loading the first operands and writing the last 16
// MB of output out of the L2 overlap with nothing.
constexpr Point kPoints[] = {
    {"tall, 16 columns", 40960, 16, 2048, 128, 16, Expect::Memory},
    {"tall, 32 columns", 40960, 32, 2048, 128, 32, Expect::Memory},
    {"tall, 64 columns", 40960, 64, 2048, 128, 64, Expect::Between},
    {"K = 16, 336 MB of output", 20480, 8192, 16, 128, 128, Expect::Writes},
    {"K = 16, all output", 5120, 8192, 16, 128, 128, Expect::Between},
    {"K = 32, all output", 5120, 8192, 32, 128, 128, Expect::Between},
    {"K = 64", 5120, 8192, 64, 128, 128, Expect::Between},
    {"K = 128", 5120, 4096, 128, 128, 128, Expect::Between},
    {"K = 256", 5120, 4096, 256, 128, 128, Expect::Between},
    {"K = 1024", 5120, 4096, 1024, 128, 128, Expect::Between},
    {"K = 4096", 2560, 4096, 4096, 128, 128, Expect::Compute},
    {"one wave, K = 8192", 1280, 1024, 8192, 128, 128, Expect::Compute},
};

struct Kernel {
  Kernel(const Point& p, const HbmConfig& memory, const std::string& name)
      : point(p),
        config(configFor(p)),
        tiling(tilingOf(config, shapeOf(p), DataType::Fp16)),
        layout(layoutOf(config, shapeOf(p), DataType::Fp16)),
        hbm((name + "_hbm").c_str(), memory, 1),
        link((name + "_link").c_str(), 0, 75),
        kernel(name.c_str(), config, {tiling, p.depth, layout},
               {GpuId{0}, DataType::Fp16, DataMode::Elided, pool}) {
    kernel.memory.socket.bind(hbm.target);
    kernel.egress.port(0).socket.bind(link.target);
    kernel.launch(
        {.output = {}, .chunkOrder = {}, .done = [](Picoseconds) {}, .firstStageDone = {}});
  }
  static Shape shapeOf(const Point& p) { return {p.rows, p.columns, p.depth, 1}; }
  static GpuConfig configFor(const Point& p) {
    GpuConfig config;
    config.gemm.tile_rows = p.tileRows;
    config.gemm.tile_columns = p.tileColumns;
    if (p.expect == Expect::Writes) {
      config.gemm.workgroups_per_cu = 2;
      // One row of tiles at a time, so that what leaves the L2 together shares DRAM rows.
      config.gemm.swizzle_rows = 0;
    }
    return config;
  }

  double seconds() const {
    return static_cast<double>(kernel.statistics().end - kernel.statistics().start) * 1e-12;
  }
  double bytes() const {
    const GemmStatistics& s = kernel.statistics();
    return static_cast<double>(s.readBytes + s.writeBackBytes);
  }
  double flops() const { return 2.0 * static_cast<double>(kernel.statistics().multiplyAdds); }
  double rate() const { return flops() / seconds(); }
  double intensity() const { return flops() / bytes(); }

  const Point& point;
  PayloadPool pool;
  GpuConfig config;
  Tiling tiling;
  MemoryLayout layout;
  HbmStack hbm;
  TestMemory link;
  GemmKernel kernel;
};

double mathPeak(const GpuConfig& c) {
  return 2.0 * c.compute_units * c.gemm.macs_per_cu_per_cycle * c.gemm.sustainedShare() * 1e12 /
         static_cast<double>(Clock(c.clock_mhz).period());
}

void draw(const std::string& file, const std::vector<std::unique_ptr<Kernel>>& runs, double peak,
          double bandwidth) {
  constexpr double kLeft = 70, kTop = 20, kWidth = 560, kHeight = 320;
  const auto x = [&](double intensity) { return kLeft + kWidth * std::log10(intensity / 4) / 3; };
  const auto y = [&](double rate) { return kTop + kHeight * (1 - std::log10(rate / 1e12) / 2.2); };
  const auto text = [](double at, double up, const std::string& what, const char* anchor) {
    return "<text x=\"" + std::to_string(at) + "\" y=\"" + std::to_string(up) +
           "\" text-anchor=\"" + anchor + "\">" + what + "</text>\n";
  };
  std::ofstream svg(file);
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 400\" "
         "font-family=\"sans-serif\" font-size=\"12\">\n"
         "<rect width=\"660\" height=\"400\" fill=\"white\"/>\n";
  for (const double v : {4.0, 10.0, 100.0, 1000.0, 4000.0}) {
    svg << "<path d=\"M" << x(v) << " " << kTop << "V" << kTop + kHeight << "\" stroke=\"#ddd\"/>\n"
        << text(x(v), kTop + kHeight + 18, std::to_string(static_cast<int>(v)), "middle");
  }
  for (const double v : {1.0, 3.0, 10.0, 30.0, 100.0}) {
    svg << "<path d=\"M" << kLeft << " " << y(v * 1e12) << "H" << kLeft + kWidth
        << "\" stroke=\"#ddd\"/>\n"
        << text(kLeft - 8, y(v * 1e12) + 4, std::to_string(static_cast<int>(v)), "end");
  }
  svg << "<path d=\"M" << x(4) << " " << y(4 * bandwidth) << "L" << x(peak / bandwidth) << " "
      << y(peak) << "H" << kLeft + kWidth
      << "\" fill=\"none\" stroke=\"black\" stroke-width=\"1.5\"/>\n";
  for (const auto& run : runs) {
    svg << "<circle cx=\"" << x(run->intensity()) << "\" cy=\"" << y(run->rate())
        << "\" r=\"4\" fill=\"#06c\"><title>" << run->point.what << "</title></circle>\n";
  }
  svg << text(kLeft + kWidth / 2, kTop + kHeight + 40, "FLOP per byte of memory traffic", "middle")
      << "<text transform=\"translate(20 " << kTop + kHeight / 2
      << ") rotate(-90)\" text-anchor=\"middle\">TFLOP/s</text>\n</svg>\n";
}

TEST(GemmRoofline, ReachesTheLowerOfWhatMathAndMemoryAllow) {
  // The hash of the bank group costs these tall operands, rows of 4 KiB side by side, more than the
  // roofline allows for; those of channel and bank cost up to 5 % of the sequential rate that it
  // draws (docs/measurements/memory-bandwidth.md).
  HbmConfig memory;
  memory.group_hash = false;
  std::vector<std::unique_ptr<Kernel>> runs;
  for (const Point& point : kPoints) {
    runs.push_back(std::make_unique<Kernel>(point, memory, "gemm" + std::to_string(runs.size())));
  }
  sc_core::sc_start();
  const double peak = mathPeak(GpuConfig{});
  // What refresh leaves of the peak.
  const double bandwidth =
      memory.peakBytesPerNs() * 1e9 * (1 - memory.timing.rfc_ns / memory.timing.refi_ns);
  std::printf(
      "| GEMM | rows x columns x K | FLOP/B | math, us | traffic, us | measured, us | "
      "TFLOP/s | above the larger |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: "
      "|\n");
  for (const auto& run : runs) {
    const double math = run->flops() / mathPeak(run->config);
    const double traffic = run->bytes() / bandwidth;
    const double above = run->seconds() / std::max(math, traffic) - 1;
    std::printf("| %s | %u x %u x %u | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f %% |\n",
                run->point.what, run->point.rows, run->point.columns, run->point.depth,
                run->intensity(), math * 1e6, traffic * 1e6, run->seconds() * 1e6,
                run->rate() / 1e12, 100 * above);
    EXPECT_GE(above, 0.0) << run->point.what;
    if (run->point.expect == Expect::Compute) {
      EXPECT_GT(math, 2 * traffic) << run->point.what;
      EXPECT_LE(above, 0.03) << run->point.what;
    }
    if (run->point.expect == Expect::Writes) {
      EXPECT_GT(traffic, 1.5 * math) << run->point.what;
      EXPECT_LE(above, 0.08) << run->point.what;
    }
    if (run->point.expect == Expect::Memory) {
      EXPECT_GT(traffic, 1.5 * math) << run->point.what;
      EXPECT_LE(above, 0.05) << run->point.what;
    }
  }
  if (const char* file = std::getenv("T3_ROOFLINE_SVG")) draw(file, runs, peak, bandwidth);
}

}  // namespace
}  // namespace t3::test::gemm_roofline_test
