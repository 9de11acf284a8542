// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_memory.h"
#include "tlm/gpu/gemm_kernel.h"

namespace t3::test {

/// Sizes of one sliced GEMM.
struct Shape {
  std::uint32_t rows = 0, columns = 0, depth = 0, chunks = 1;
};

inline Tiling tilingOf(const GpuConfig& config, const Shape& shape, DataType type) {
  return {{shape.rows, shape.columns, bytesOf(type)},
          {config.gemm.tile_rows, config.gemm.tile_columns, config.gemm.wavefronts},
          shape.chunks};
}

inline MemoryLayout layoutOf(const GpuConfig& config, const Shape& shape, DataType type) {
  const auto up = [](std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
  };
  constexpr std::uint64_t kMiB = 1 << 20;
  MemoryLayout layout;
  layout.operandPitchBytes =
      up(std::uint64_t{shape.depth} * bytesOf(type), config.gemm.operand_pitch_align_bytes);
  layout.operandA = 0;
  layout.operandB = up(layout.operandA + shape.rows * layout.operandPitchBytes, kMiB);
  layout.output = up(layout.operandB + shape.columns * layout.operandPitchBytes, kMiB);
  layout.end = up(layout.output + std::uint64_t{shape.rows} * shape.columns * bytesOf(type), kMiB);
  return layout;
}

/// How fast a test's memory or link is.
struct Speed {
  Picoseconds latency = 100'000;
  double bytesPerNs = 1000;
  std::size_t queueDepth = 256;
};

/// One kernel between a memory and a link of its own.
class GemmBench {
 public:
  PayloadPool pool;
  GpuConfig config;
  Shape shape;
  Tiling tiling;
  MemoryLayout layout;
  TestMemory memory;
  TestMemory link;
  GemmKernel kernel;
  std::vector<Picoseconds> doneAt, firstStageAt;

  GemmBench(const std::string& name, const GpuConfig& gpuConfig, const Shape& gemmShape,
            Speed memorySpeed = {}, Speed linkSpeed = {}, DataMode mode = DataMode::Elided,
            DataType type = DataType::Fp16, bool recording = true)
      : config(gpuConfig),
        shape(gemmShape),
        tiling(tilingOf(gpuConfig, gemmShape, type)),
        layout(layoutOf(gpuConfig, gemmShape, type)),
        memory((name + "_memory").c_str(), memorySpeed.latency, memorySpeed.bytesPerNs,
               memorySpeed.queueDepth, recording),
        link((name + "_link").c_str(), linkSpeed.latency, linkSpeed.bytesPerNs,
             linkSpeed.queueDepth, recording),
        kernel(name.c_str(), config, {tiling, shape.depth, layout}, {GpuId{3}, type, mode, pool}) {
    kernel.memory.socket.bind(memory.target);
    kernel.egress.port(0).socket.bind(link.target);
  }

  void launch(OutputMap output, std::vector<ChunkId> chunks = {}) {
    kernel.launch({.output = std::move(output),
                   .chunkOrder = std::move(chunks),
                   .done = [this](Picoseconds when) { doneAt.push_back(when); },
                   .firstStageDone = [this] { firstStageAt.push_back(now()); }});
  }

  /// All tiles mapped alike, run to the end; the time the kernel took.
  Picoseconds run(void (OutputMap::*map)(TileRange)) {
    OutputMap output;
    (output.*map)({0, tiling.tiles()});
    launch(std::move(output));
    sc_core::sc_start();
    return kernel.statistics().end - kernel.statistics().start;
  }
};

/// A GPU small enough for tests that look at every byte.
inline GpuConfig smallGpu() {
  GpuConfig config;
  config.compute_units = 4;
  config.gemm.tile_rows = 32;
  config.gemm.tile_columns = 32;
  config.gemm.wavefronts = 4;
  config.gemm.k_step = 32;
  config.l2.capacity_bytes = 1 << 20;
  return config;
}

}  // namespace t3::test
