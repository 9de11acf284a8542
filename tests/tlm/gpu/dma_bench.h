// SPDX-License-Identifier: Apache-2.0
// A DMA engine between a test memory and test memories that stand for the links.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/source.h"
#include "tests/support/test_memory.h"
#include "tlm/gpu/dma_engine.h"
#include "tlm/gpu/memory_layout.h"

namespace t3::test {

inline constexpr GpuId kSelf{2}, kNext{3};

/// The tracker's side of the command stream.
struct TriggerSource : Source {
  using Source::Source;
  void send(const TriggerMessage& message) {
    write(message.command.value, std::as_bytes(std::span(&message, 1)));
  }
};

struct DmaOptions {
  DmaConfig dma;
  Tiling tiling{{300, 200, 2}, {128, 64, 8}, 1};  // 3 x 4 tiles, lower and right edge cut
  Picoseconds memoryLatency = 300'000;
  double memoryRate = 1000;  // bytes per ns
  Picoseconds linkLatency = 0;
  double linkRate = 75;
  std::size_t linkQueue = 4;
  DataMode mode = DataMode::Elided;
  double railRate = 0;  // of a second port; 0: there is none
};

struct DmaBench {
  explicit DmaBench(const DmaOptions& s)
      : setup(s),
        memory("local", s.memoryLatency, s.memoryRate),
        link("remote", s.linkLatency, s.linkRate, s.linkQueue),
        triggers("triggers", pool),
        dma("dma", s.dma, {kSelf, DataType::Fp16, s.mode, pool},
            {.links = s.railRate == 0 ? 1U : 2U, .local = true}) {
    dma.memory.socket.bind(memory.target);
    dma.egress.port(0).socket.bind(link.target);
    triggers.port.socket.bind(dma.trigger);
    if (s.railRate == 0) return;
    rail = std::make_unique<TestMemory>("rail", s.linkLatency, s.railRate, s.linkQueue);
    dma.egress.port(1).socket.bind(rail->target);
  }
  static MemoryLayout layout() {
    MemoryLayout layout;
    layout.output = 0x300000;
    layout.accumulation = 0x900000;
    return layout;
  }
  /// Into the same place of another GPU's output.
  static DmaWrite update(GpuId to = kNext, std::uint32_t port = 0) {
    return {.destination = globalAddress(to, layout().output),
            .operation = MemoryOperation::Add,
            .row = 0,
            .port = port};
  }
  DmaTransfer transfer(TileRange tiles) const {
    return {
        .tiling = &setup.tiling, .tiles = tiles, .source = layout().output, .remote = {update()}};
  }
  void program(std::uint32_t command, TileRange tiles) {
    dma.program(CommandId{command}, transfer(tiles));
  }
  static TriggerMessage message(std::uint32_t command) { return {CommandId{command}}; }
  void run() {
    sc_core::sc_start();
    EXPECT_TRUE(dma.idle()) << dma.describe();
    EXPECT_TRUE(triggers.port.idle());
    EXPECT_EQ(pool.inUse(), 0u);
    EXPECT_EQ(dma.statistics().readBytes, dma.statistics().sentBytes);
    EXPECT_EQ(dma.statistics().commandsTaken, dma.statistics().commandsFinished);
  }
  /// Every byte of `tiles` read once and sent once, as its own wavefront tile, nothing else.
  void expectExactlyOnce(const std::vector<TileRange>& tiles) {
    using Ids = std::pair<std::uint32_t, std::uint32_t>;
    std::map<std::uint64_t, Ids> owner;  // element address -> wavefront tile
    const Tiling& t = setup.tiling;
    for (const TileRange& range : tiles) {
      for (std::uint32_t wg = range.first; wg < range.end(); ++wg) {
        const Rectangle tile = t.tile(WorkgroupId{wg});
        for (std::uint32_t r = 0; r < tile.rows; ++r) {
          for (std::uint32_t c = 0; c < tile.columns; ++c) {
            const std::uint64_t element =
                (std::uint64_t{tile.row} + r) * t.columns() + tile.column + c;
            owner[layout().output + element * 2] = {wg, r / 16};  // 128 rows / 8 wavefronts
          }
        }
      }
    }
    std::map<std::uint64_t, unsigned> reads, sends;
    for (const auto& request : memory.requests()) {
      ASSERT_FALSE(request.write);
      ASSERT_EQ(request.stream, Stream::Communication);
      ASSERT_EQ(request.phase, Phase::ReduceScatter);
      ASSERT_FALSE(request.tracked);
      for (std::uint32_t i = 0; i < request.bytes; i += 2) {
        ++reads[request.address + i];
        ASSERT_EQ(owner[request.address + i],
                  Ids(request.workgroup.value, request.wavefront.value));
      }
    }
    for (const auto& request : link.requests()) {
      ASSERT_TRUE(request.write);
      ASSERT_EQ(request.stream, Stream::Communication);
      ASSERT_EQ(request.phase, Phase::ReduceScatter);
      ASSERT_EQ(request.operation, MemoryOperation::Add);
      ASSERT_TRUE(request.tracked);
      ASSERT_EQ(request.source, kSelf);
      ASSERT_EQ(gpuOf(request.address), kNext);
      for (std::uint32_t i = 0; i < request.bytes; i += 2) {
        const std::uint64_t local = localAddress(request.address) + i;
        ++sends[local];
        ASSERT_EQ(owner[local], Ids(request.workgroup.value, request.wavefront.value));
      }
    }
    EXPECT_EQ(reads.size(), owner.size());
    EXPECT_EQ(sends.size(), owner.size());
    for (const auto& [address, count] : reads) ASSERT_EQ(count, 1u);
    for (const auto& [address, count] : sends) ASSERT_EQ(count, 1u);
  }

  DmaOptions setup;
  PayloadPool pool;
  TestMemory memory, link;
  std::unique_ptr<TestMemory> rail;
  TriggerSource triggers;
  DmaEngine dma;
};

}  // namespace t3::test
