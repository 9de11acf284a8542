// SPDX-License-Identifier: Apache-2.0
// GPUs' kernels, on a ring or direct, with test memories, real links and real ingresses. Results
// are compared bit by bit with a sum in the route's order; traffic with the algorithm's counts;
// time with the closed form (N-1)(chunk / bandwidth + latency) where a step is one slice, and with
// the max-plus recurrence of a sliced pipeline where it is many. Both are written down here from
// the algorithm alone.
#include "tlm/collectives/step_kernel.h"

#include <Imath/half.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/seed.h"
#include "tests/support/sink.h"
#include "tests/support/test_memory.h"
#include "tests/tlm/collectives/algorithms.h"
#include "tlm/collectives/collective.h"
#include "tlm/collectives/direct_route.h"
#include "tlm/collectives/ring_route.h"
#include "tlm/gpu/elements.h"
#include "tlm/gpu/ingress.h"
#include "tlm/interconnect/link.h"

namespace t3::step_kernel_test {
namespace {

using t3::test::TestMemory;

struct Options {
  GpuConfig gpu;
  LinkConfig link;
  Tiling tiling{{512, 512, 2}, {128, 128, 8}, 4};
  DataMode mode = DataMode::Elided;
  Picoseconds memoryLatency = 300'000;
  double memoryRate = 1000;  // bytes per ns
  std::size_t memoryQueue = ~std::size_t{0};
  bool recording = false;  // of the memories' requests
  bool direct = false;     // a link from every GPU to every other
};

MemoryLayout layoutOf(const Tiling& tiling) {
  MemoryLayout layout;
  layout.output = 0x100000;
  layout.receive = 0x100000 + (tiling.outputBytes() + 0xFFFFF) / 0x100000 * 0x100000;
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) {
    layout.receiveStrideBytes = std::max(layout.receiveStrideBytes, tiling.chunkBytes(ChunkId{c}));
  }
  return layout;
}

std::unique_ptr<Route> routeOf(const Options& options) {
  if (options.direct) return std::make_unique<DirectRoute>(options.tiling.chunks());
  return std::make_unique<RingRoute>(options.tiling.chunks());
}

StepProgram program(const Collective& collective, std::uint32_t gpu, const Options& options) {
  return collective.program(*routeOf(options), options.tiling, layoutOf(options.tiling), GpuId{gpu},
                            0);
}

struct Node {
  Node(const std::string& name, std::uint32_t g, const Options& o, PayloadPool& pool)
      : memory((name + "_memory").c_str(), o.memoryLatency, o.memoryRate, o.memoryQueue,
               o.recording),
        reduceScatter((name + "_rs").c_str(), program(kReduceScatter, g, o), o.gpu, 0,
                      {GpuId{g}, DataType::Fp16, o.mode, pool}),
        allGather((name + "_ag").c_str(), program(kAllGather, g, o), o.gpu, 0,
                  {GpuId{g}, DataType::Fp16, o.mode, pool}),
        allReduce((name + "_ar").c_str(), program(kAllReduce, g, o), o.gpu, 0,
                  {GpuId{g}, DataType::Fp16, o.mode, pool}) {
    for (std::uint32_t p = 0; p < routeOf(o)->size().ports; ++p) {
      const std::string number = std::to_string(p);
      links.push_back(std::make_unique<Link>((name + "_link" + number).c_str(), o.link));
      for (StepKernel* kernel : {&reduceScatter, &allGather, &allReduce}) {
        kernel->egress.port(p).socket.bind(links[p]->in);
      }
      entries.push_back(std::make_unique<Ingress>(
          (name + "_in" + number).c_str(), 32, [this](const Payload& payload, Picoseconds when) {
            EXPECT_EQ(traffic(payload).stream, Stream::Communication);
            EXPECT_EQ(traffic(payload).operation, MemoryOperation::Store);
            EXPECT_FALSE(traffic(payload).tracked);
            if (!allReduce.idle()) return allReduce.arrived(payload, when);
            if (traffic(payload).phase == Phase::ReduceScatter) {
              reduceScatter.arrived(payload, when);
            }
            if (traffic(payload).phase == Phase::AllGather) allGather.arrived(payload, when);
          }));
      entries[p]->memory.socket.bind(memory.target);
    }
    for (StepKernel* kernel : {&reduceScatter, &allGather, &allReduce}) {
      kernel->memory.socket.bind(memory.target);
    }
  }

  std::uint64_t sent() const {
    std::uint64_t bytes = 0;
    for (const auto& link : links) bytes += link->payloadBytes();
    return bytes;
  }

  TestMemory memory;
  StepKernel reduceScatter, allGather, allReduce;
  std::vector<std::unique_ptr<Link>> links;
  std::vector<std::unique_ptr<Ingress>> entries;
  Picoseconds done = 0;  ///< when the last kernel launched was
};

struct Ring {
  explicit Ring(const Options& o)
      : options(o), gpus(o.tiling.chunks()), layout(layoutOf(o.tiling)) {
    for (std::uint32_t g = 0; g < gpus; ++g) {
      nodes.push_back(std::make_unique<Node>("gpu" + std::to_string(g), g, o, pool));
    }
    const std::unique_ptr<Route> route = routeOf(o);
    for (std::uint32_t g = 0; g < gpus; ++g) {
      for (std::uint32_t p = 0; p < route->size().ports; ++p) {
        nodes[g]->links[p]->out.bind(nodes[route->peer(GpuId{g}, p).value]->entries[p]->link);
      }
    }
  }

  void drain() {
    sc_core::sc_start();
    EXPECT_EQ(pool.inUse(), 0u);
    for (const auto& node : nodes) {
      for (const StepKernel* kernel : {&node->reduceScatter, &node->allGather, &node->allReduce}) {
        EXPECT_TRUE(kernel->idle()) << kernel->describe();
      }
      for (const auto& link : node->links) EXPECT_TRUE(link->idle()) << link->describe();
      EXPECT_TRUE(node->memory.idle());
    }
  }
  Picoseconds reduceScatter() { return run(&Node::reduceScatter); }
  Picoseconds allGather() { return run(&Node::allGather); }
  Picoseconds allReduce() { return run(&Node::allReduce); }
  /// Launches a kernel on every GPU; returns the time of the slowest.
  Picoseconds run(StepKernel Node::*kernel) {
    const Picoseconds start = now();
    for (auto& node : nodes) {
      Node* self = node.get();
      (self->*kernel).launch([self](Picoseconds when) {
        EXPECT_EQ(when, now());
        self->done = when;
      });
    }
    drain();
    Picoseconds end = 0;
    for (const auto& node : nodes) {
      EXPECT_GT(node->done, start);
      end = std::max(end, node->done);
    }
    return end - start;
  }

  std::size_t elements() const { return options.tiling.outputBytes() / 2; }
  void fillRandom(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    partial.assign(gpus, std::vector<Imath::half>(elements()));
    for (std::uint32_t g = 0; g < gpus; ++g) {
      for (auto& value : partial[g]) {
        value = Imath::half(std::uniform_real_distribution<float>(-8, 8)(random));
      }
      nodes[g]->memory.write(layout.output, partial[g].data(), elements() * 2);
    }
  }
  std::vector<Imath::half> output(std::uint32_t gpu) {
    std::vector<Imath::half> values(elements());
    nodes[gpu]->memory.read(layout.output, values.data(), values.size() * 2);
    return values;
  }
  /// Chunk of an output element, from the tile grid.
  std::uint32_t chunkOf(std::size_t element) const {
    const Tiling& t = options.tiling;
    const auto row = static_cast<std::uint32_t>(element / t.columns());
    const auto column = static_cast<std::uint32_t>(element % t.columns());
    const std::uint32_t wg = row / t.tileRows() * t.tilesAcross() + column / t.tileColumns();
    return wg / (t.tiles() / gpus);
  }
  /// Rounded to fp16 after each addition: on a ring p[c+1] + p[c+2] + … + p[c], direct
  /// p[c] + p[c-1] + p[c-2] + ….
  Imath::half sum(std::size_t element) const {
    const std::uint32_t c = chunkOf(element);
    const auto term = [&](std::uint32_t i) {
      return partial[(options.direct ? c + gpus - i : c + 1 + i) % gpus][element];
    };
    Imath::half sum = term(0);
    for (std::uint32_t i = 1; i < gpus; ++i) {
      sum = Imath::half(static_cast<float>(sum) + static_cast<float>(term(i)));
    }
    return sum;
  }
  /// Bit by bit. `onlyOwn`: the own chunk is the sum, and nothing else of the output is touched.
  void expectSums(std::uint32_t gpu, bool onlyOwn) {
    const auto values = output(gpu);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Imath::half expected = onlyOwn && chunkOf(i) != gpu ? partial[gpu][i] : sum(i);
      ASSERT_EQ(values[i].bits(), expected.bits()) << "gpu " << gpu << " element " << i;
    }
  }
  std::uint64_t chunkBytes(std::uint32_t chunk) const {
    return options.tiling.chunkBytes(ChunkId{chunk % gpus});
  }

  Options options;
  std::uint32_t gpus;
  MemoryLayout layout;
  PayloadPool pool;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::vector<Imath::half>> partial;
};

/// Values, and every byte of traffic, of both collectives.
void expectCorrect(const Options& options, std::uint64_t seed) {
  Ring ring(options);
  const std::uint32_t n = ring.gpus;
  ring.fillRandom(seed);
  ring.reduceScatter();
  for (std::uint32_t g = 0; g < n; ++g) ring.expectSums(g, true);

  std::vector<std::uint64_t> reads, writes, sentBefore;
  for (std::uint32_t g = 0; g < n; ++g) {
    std::uint64_t read = ring.chunkBytes(g + n - 1), write = ring.chunkBytes(g), sent = 0;
    for (std::uint32_t s = 1; s < n; ++s) read += 2 * ring.chunkBytes(g + n - 1 - s);
    for (std::uint32_t s = 0; s + 1 < n; ++s) {
      write += ring.chunkBytes(g + 2 * n - 2 - s);  // what the previous GPU sends in step s
      sent += ring.chunkBytes(g + n - 1 - s);
    }
    const Node& node = *ring.nodes[g];
    EXPECT_EQ(node.memory.bytesRead(), read);
    EXPECT_EQ(node.memory.bytesWritten(), write);
    EXPECT_EQ(node.sent(), sent);
    EXPECT_EQ(node.links[0]->statistics().sentBytes, sent);
    EXPECT_EQ(node.reduceScatter.statistics().remoteStoreBytes, sent);
    EXPECT_EQ(node.reduceScatter.statistics().loadBytes, read);
    EXPECT_EQ(node.reduceScatter.statistics().arrivedBytes +
                  node.reduceScatter.statistics().localStoreBytes,
              write);
    reads.push_back(read);
    writes.push_back(write);
    sentBefore.push_back(sent);
  }

  ring.allGather();
  for (std::uint32_t g = 0; g < n; ++g) {
    ring.expectSums(g, false);
    std::uint64_t sent = 0, received = 0;
    for (std::uint32_t s = 0; s + 1 < n; ++s) {
      sent += ring.chunkBytes(g + n - s);
      received += ring.chunkBytes(g + n - 1 - s);
    }
    const Node& node = *ring.nodes[g];
    EXPECT_EQ(node.memory.bytesRead() - reads[g], sent);
    EXPECT_EQ(node.memory.bytesWritten() - writes[g], received);
    EXPECT_EQ(node.links[0]->statistics().sentBytes - sentBefore[g], sent);
  }
}

Options wholeRows(std::uint32_t gpus) {
  Options options;
  options.mode = DataMode::Checked;
  options.tiling = Tiling{{gpus * 32, 96, 2}, {32, 32, 4}, gpus};
  options.gpu.collective.slice_bytes = 2048;
  options.gpu.collective.request_bytes = 512;
  return options;
}

/// N tiles across, three (or two) down: chunks are three (two) tiles, so they start and end inside
/// tile rows; the right and the lower edge are cut, so chunks differ in size, and rows are no
/// multiple of slice or request.
Options brokenRows(std::uint32_t gpus) {
  Options options;
  options.mode = DataMode::Checked;
  const std::uint32_t down = gpus == 3 ? 2 : 3;
  options.tiling = Tiling{{down * 16 - 5, gpus * 16 - 3, 2}, {16, 16, 4}, gpus};
  options.gpu.collective.slice_bytes = 300;
  options.gpu.collective.request_bytes = 52;
  return options;
}

class RingValues : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Gpus, RingValues, testing::Values(2, 3, 4, 5, 8, 16),
                         [](const auto& instance) {
                           return std::to_string(instance.param) + "Gpus";
                         });

TEST_P(RingValues, ChunksOfWholeRowsSumInRingOrderWithExactTraffic) {
  expectCorrect(wholeRows(GetParam()), test::seed(11));
}

TEST_P(RingValues, ChunksThatArePartOfATileRowToo) {
  expectCorrect(brokenRows(GetParam()), test::seed(12));
}

TEST(StepKernel, ChunksThatWrapAroundTileRowsAreReducedToo) {
  // 7 x 6 tiles in 3 chunks of 14: a chunk is two tile rows and a part of a third.
  Options options;
  options.mode = DataMode::Checked;
  options.tiling = Tiling{{6 * 16 - 1, 7 * 16 - 9, 2}, {16, 16, 4}, 3};
  options.gpu.collective.slice_bytes = 1000;
  options.gpu.collective.request_bytes = 400;
  expectCorrect(options, test::seed(13));
}

/// Little room and a slow memory everywhere.
Options squeezed() {
  Options options = wholeRows(4);
  options.gpu.collective = {.compute_units = 1,
                            .slice_bytes = 1024,
                            .request_bytes = 256,
                            .outstanding_bytes_per_cu = 600};
  options.link.buffer_bytes = 600;
  options.link.packet_bytes = 64;
  options.link.input_buffer_bytes = 256;
  options.memoryRate = 3;
  options.memoryQueue = 1;
  return options;
}

TEST(StepKernel, ResultsSurviveBackPressureEverywhere) {
  expectCorrect(squeezed(), test::seed(14));
}

// --- time ---------------------------------------------------------------------------------------

/// The whole output in bytes, cut into N chunks of one tile row each.
Options sized(std::uint32_t gpus, std::uint64_t outputBytes) {
  Options options;
  options.tiling = Tiling{{gpus * 64, static_cast<std::uint32_t>(outputBytes / (gpus * 64 * 2)), 2},
                          {64, 1024, 8},
                          gpus};
  return options;
}

struct RingTime {
  std::uint32_t gpus;
  std::uint64_t megabytes;
};
std::string nameOf(const testing::TestParamInfo<RingTime>& test) {
  return std::to_string(test.param.gpus) + "Gpus" + std::to_string(test.param.megabytes) + "MB";
}

/// No pipelining, a memory and synchronisation that cost (almost) nothing.
Options oneSlicePerStep(const RingTime& point) {
  Options options = sized(point.gpus, point.megabytes * 1'000'000);
  const std::uint64_t chunk = options.tiling.chunkBytes(ChunkId{0});
  options.gpu.collective.slice_bytes = 1 << 30;
  options.gpu.collective.request_bytes =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(chunk / 128, 256, 65536));
  options.gpu.collective.slice_sync_ns = 0;
  options.memoryLatency = 1000;
  options.memoryRate = 100'000;
  return options;
}

class RingTimes : public testing::TestWithParam<RingTime> {};
const auto kSizes =
    testing::Values(RingTime{2, 6}, RingTime{4, 6}, RingTime{8, 6}, RingTime{16, 6},
                    RingTime{64, 6}, RingTime{2, 48}, RingTime{8, 48}, RingTime{16, 48},
                    RingTime{2, 192}, RingTime{4, 192}, RingTime{8, 192});
const auto kLargest = testing::Values(RingTime{64, 48}, RingTime{16, 192}, RingTime{64, 192});
INSTANTIATE_TEST_SUITE_P(Sizes, RingTimes, kSizes, nameOf);
INSTANTIATE_TEST_SUITE_P(Long, RingTimes, kLargest, nameOf);

TEST_P(RingTimes, OneSlicePerStepTakesTheClosedForm) {
  // The textbook's (N-1)(chunk / bandwidth + latency).
  Ring ring(oneSlicePerStep(GetParam()));
  const auto chunk = static_cast<double>(ring.chunkBytes(0));
  const double expected = (ring.gpus - 1) * (chunk * 1000 / 75 + 500'000);
  EXPECT_NEAR(static_cast<double>(ring.reduceScatter()), expected, 0.03 * expected);
  EXPECT_NEAR(static_cast<double>(ring.allGather()), expected, 0.03 * expected);
}

TEST_P(RingTimes, SlicesPipelineAsTheirRecurrenceSays) {
  // Default settings, memory of 1 TB/s and 300 ns. Slice k of step s leaves when slice k-1 has
  // left and slice k of step s-1 has arrived and been loaded; all GPUs are alike.
  Options options = sized(GetParam().gpus, GetParam().megabytes * 1'000'000);
  const CollectiveConfig& c = options.gpu.collective;
  const std::uint64_t chunk = options.tiling.chunkBytes(ChunkId{0});
  const auto wire = [](double bytes) { return bytes * 1000 / 75; };
  const double request = std::min<double>(c.request_bytes, static_cast<double>(chunk));
  const double load = 300'000 + 2 * request;  // memory latency and two requests at 1 byte per ps
  const double arrive = 500'000 + 300'000 + request + c.slice_sync_ns * 1000;
  const std::size_t slices = (chunk + c.slice_bytes - 1) / c.slice_bytes;
  std::vector<double> ready(slices, 0);
  double lineFree = 0;
  for (std::uint32_t s = 0; s + 1 < GetParam().gpus; ++s) {
    for (std::size_t k = 0; k < slices; ++k) {
      const double bytes = std::min<double>(
          c.slice_bytes, static_cast<double>(chunk) - static_cast<double>(k) * c.slice_bytes);
      lineFree = std::max(lineFree, ready[k] + load) + wire(bytes);
      ready[k] = lineFree + arrive;
    }
  }
  Ring ring(options);
  const double gather = ready.back();
  // The reduce-scatter's last step loads, adds and stores what has arrived, at the memory's rate.
  const double last = std::min<double>(c.slice_bytes, static_cast<double>(chunk));
  const double scatter = ready.back() + load + last * 3 + 300'000;
  EXPECT_NEAR(static_cast<double>(ring.reduceScatter()), scatter, 0.03 * scatter);
  EXPECT_NEAR(static_cast<double>(ring.allGather()), gather, 0.03 * gather);
  if (chunk > 1'000'000) {
    // Latency is hidden: the link carries N-1 chunks without a gap.
    const double bound = (ring.gpus - 1) * wire(static_cast<double>(chunk));
    EXPECT_NEAR(gather, bound + arrive + load, 0.03 * bound);
    EXPECT_GE(gather, bound);
  }
}

TEST(StepKernel, TimeIsTheSameForEveryGpu) {
  Ring ring(sized(8, 6'000'000));
  ring.reduceScatter();
  for (const auto& node : ring.nodes) EXPECT_EQ(node->done, ring.nodes[0]->done);
}

TEST(StepKernel, ASlowMemorySetsThePace) {
  // 3N-1 chunks pass through a memory of 40 bytes per ns; the link would take N-1 at 75.
  Options options = sized(4, 6'000'000);
  options.memoryRate = 40;
  Ring ring(options);
  const double bound = 11 * static_cast<double>(ring.chunkBytes(0)) / 40 * 1000;
  const auto time = static_cast<double>(ring.reduceScatter());
  EXPECT_GE(time, bound);
  EXPECT_LE(time, 1.10 * bound);
}

TEST(StepKernel, BytesInFlightStayWithinTheRegistersOfTheComputeUnits) {
  Options options = sized(4, 6'000'000);
  options.gpu.collective.compute_units = 3;
  Ring ring(options);
  ring.reduceScatter();
  for (const auto& node : ring.nodes) {
    // Requests of two copies of 8192 bytes fill the registers to the last byte.
    EXPECT_EQ(node->reduceScatter.statistics().peakOutstandingBytes, 3u * 16384);
  }
}

TEST(StepKernel, TheAddersLimitTheRateWhenTheyAreSlow) {
  Options options = sized(2, 6'000'000);
  options.gpu.collective.compute_units = 8;
  options.gpu.collective.add_bytes_per_cu_cycle = 1;  // 8 bytes per 714 ps: 11.2 GB/s
  Ring ring(options);
  const double adding = static_cast<double>(ring.chunkBytes(0)) * 714 / 8;
  const auto time = static_cast<double>(ring.reduceScatter());
  EXPECT_GE(time, adding);
  EXPECT_LE(time, adding * 1.05);
}

// --- all-reduce ---------------------------------------------------------------------------------

/// Values and traffic of an all-reduce.
void expectAllReduced(const Options& options, std::uint64_t seed) {
  Ring ring(options);
  const std::uint32_t n = ring.gpus;
  ring.fillRandom(seed);
  ring.allReduce();
  for (std::uint32_t g = 0; g < n; ++g) {
    ring.expectSums(g, false);
    // Reduce-scatter: step 0 reads one copy of chunk g-1, steps 1 … N-1 two of g-1-s; all-gather:
    // chunks g-1 … g-N+2 are read to be passed on. Written: what the previous GPU sends (all
    // chunks but its own, then all but this GPU's) and the own sum.
    std::uint64_t read = ring.chunkBytes(g + n - 1), sent = 0, received = 0;
    for (std::uint32_t s = 1; s < n; ++s) read += 2 * ring.chunkBytes(g + n - 1 - s);
    for (std::uint32_t s = 1; s + 1 < n; ++s) read += ring.chunkBytes(g + n - s);
    for (std::uint32_t c = 0; c < n; ++c) {
      if (c != g) sent += ring.chunkBytes(c);
      if (c != (g + 1) % n) sent += ring.chunkBytes(c);
      if (c != (g + n - 1) % n) received += ring.chunkBytes(c);
      if (c != g) received += ring.chunkBytes(c);
    }
    const Node& node = *ring.nodes[g];
    EXPECT_EQ(node.memory.bytesRead(), read);
    EXPECT_EQ(node.memory.bytesWritten(), received + ring.chunkBytes(g));
    EXPECT_EQ(node.sent(), sent);
    EXPECT_EQ(node.allReduce.statistics().arrivedBytes, received);
    EXPECT_EQ(node.allReduce.statistics().localStoreBytes, ring.chunkBytes(g));
  }
}

TEST_P(RingValues, AnAllReduceGivesEveryGpuTheSumWithExactTraffic) {
  expectAllReduced(wholeRows(GetParam()), test::seed(21));
}

TEST_P(RingValues, AnAllReduceOfChunksThatArePartOfATileRowToo) {
  expectAllReduced(brokenRows(GetParam()), test::seed(22));
}

class AllReduceTimes : public testing::TestWithParam<RingTime> {};
INSTANTIATE_TEST_SUITE_P(Sizes, AllReduceTimes,
                         testing::Values(RingTime{2, 6}, RingTime{8, 6}, RingTime{64, 6},
                                         RingTime{4, 48}, RingTime{16, 48}, RingTime{8, 192}),
                         nameOf);

TEST_P(AllReduceTimes, OneSlicePerStepTakesTheClosedForm) {
  Ring ring(oneSlicePerStep(GetParam()));
  const auto chunk = static_cast<double>(ring.chunkBytes(0));
  const double expected = 2 * (ring.gpus - 1) * (chunk * 1000 / 75 + 500'000);
  EXPECT_NEAR(static_cast<double>(ring.allReduce()), expected, 0.03 * expected);
}

TEST_P(AllReduceTimes, SlicesKeepTheLinkBusyThroughout) {
  Options options = sized(GetParam().gpus, GetParam().megabytes * 1'000'000);
  const auto chunk = static_cast<double>(options.tiling.chunkBytes(ChunkId{0}));
  Ring ring(options);
  const double bound = 2 * (ring.gpus - 1) * chunk * 1000 / 75 + 500'000;
  const auto time = static_cast<double>(ring.allReduce());
  EXPECT_GE(time, bound);
  if (chunk > 1'000'000) {
    EXPECT_LE(time, 1.03 * bound);
  }
}

// --- direct ------------------------------------------------------------------------------------

/// Values and traffic of the direct collectives.
void expectDirectCorrect(Options options, std::uint64_t seed) {
  options.direct = true;
  Ring ring(options);
  const std::uint32_t n = ring.gpus;
  ring.fillRandom(seed);
  ring.reduceScatter();
  for (std::uint32_t g = 0; g < n; ++g) {
    ring.expectSums(g, true);
    // Reads the others' chunks to send them, and N copies of its own; the others write N-1.
    const Node& node = *ring.nodes[g];
    const std::uint64_t others = ring.elements() * 2 - ring.chunkBytes(g);
    EXPECT_EQ(node.memory.bytesRead(), others + n * ring.chunkBytes(g));
    EXPECT_EQ(node.memory.bytesWritten(), n * ring.chunkBytes(g));
    EXPECT_EQ(node.sent(), others);
    for (std::uint32_t p = 0; p + 1 < n; ++p) {
      EXPECT_EQ(node.links[p]->payloadBytes(), ring.chunkBytes(g + 1 + p));
    }
  }
  ring.allGather();
  for (std::uint32_t g = 0; g < n; ++g) {
    ring.expectSums(g, false);
    // The own chunk is read once, however many GPUs it goes to.
    const Node& node = *ring.nodes[g];
    const std::uint64_t others = ring.elements() * 2 - ring.chunkBytes(g);
    EXPECT_EQ(node.memory.bytesRead(), others + (n + 1) * ring.chunkBytes(g));
    EXPECT_EQ(node.memory.bytesWritten(), n * ring.chunkBytes(g) + others);
    EXPECT_EQ(node.sent(), others + (n - 1) * ring.chunkBytes(g));
  }
}

TEST_P(RingValues, DirectChunksOfWholeRowsAreSummedByTheirOwner) {
  expectDirectCorrect(wholeRows(GetParam()), test::seed(31));
}

TEST_P(RingValues, DirectChunksThatArePartOfATileRowToo) {
  expectDirectCorrect(brokenRows(GetParam()), test::seed(32));
}

TEST_P(RingValues, ADirectAllReduceGivesEveryGpuTheSum) {
  Options options = brokenRows(GetParam());
  options.direct = true;
  Ring ring(options);
  const std::uint32_t n = ring.gpus;
  ring.fillRandom(test::seed(33));
  ring.allReduce();
  for (std::uint32_t g = 0; g < n; ++g) {
    ring.expectSums(g, false);
    const std::uint64_t others = ring.elements() * 2 - ring.chunkBytes(g);
    EXPECT_EQ(ring.nodes[g]->memory.bytesRead(), others + n * ring.chunkBytes(g));
    EXPECT_EQ(ring.nodes[g]->memory.bytesWritten(), others + n * ring.chunkBytes(g));
  }
}

TEST(StepKernel, DirectResultsSurviveBackPressureEverywhere) {
  expectDirectCorrect(squeezed(), test::seed(34));
}

// 64 GPUs have 4,032 links. With 48 MB each carries 23 slices: a pipeline, as with 192.
using DirectTimes = RingTimes;
INSTANTIATE_TEST_SUITE_P(Sizes, DirectTimes, kSizes, nameOf);
INSTANTIATE_TEST_SUITE_P(Long, DirectTimes, kLargest, nameOf);

TEST_P(DirectTimes, LinksThatShareTheBandwidthTakeAsLongAsARing) {
  // Default settings but for the links, each with 1/(N-1) of 75 GB/s.
  Options options = sized(GetParam().gpus, GetParam().megabytes * 1'000'000);
  options.direct = true;
  options.link.bandwidth_gb_s = 75.0 / (GetParam().gpus - 1);
  Ring ring(options);
  const auto chunk = static_cast<double>(ring.chunkBytes(0));
  const double bound = (ring.gpus - 1) * chunk * 1000 / 75 + 500'000;
  const auto scatter = static_cast<double>(ring.reduceScatter());
  const auto gather = static_cast<double>(ring.allGather());
  EXPECT_GE(scatter, bound);
  EXPECT_GE(gather, bound);
  // At the ends of the pipeline the links are idle. The first request of every link is loaded; the
  // last ones are stored at their owner and synchronised, and then the last slice's copies are
  // loaded, added and stored: four times 300 ns of memory and its 1 byte per ps, and 300 ns.
  const CollectiveConfig& c = options.gpu.collective;
  const double requests = (ring.gpus - 1.0) * std::min<double>(c.request_bytes, chunk);
  const double slices = (ring.gpus + 1.0) * std::min<double>(c.slice_bytes, chunk);
  EXPECT_LE(scatter, 1.02 * bound + 1'500'000 + 2 * requests + slices);
  EXPECT_LE(gather, 1.01 * bound + 900'000);
}

// --- chunks announced by a producer -------------------------------------------------------------

TEST(StepKernel, AStepWaitsForItsOwnCopyAndForTheSynchronisation) {
  Options options = sized(4, 6'000'000);
  options.recording = true;
  Ring ring(options);
  for (std::uint32_t g = 0; g < 4; ++g) {
    StepKernel& kernel = ring.nodes[g]->reduceScatter;
    kernel.launch({}, StepKernel::LocalCopies::Announced);
  }
  sc_core::sc_start(50, sc_core::SC_US);
  for (const auto& node : ring.nodes) EXPECT_EQ(node->memory.bytesRead(), 0U);
  EXPECT_THAT(ring.nodes[0]->reduceScatter.describe(),
              testing::AllOf(testing::HasSubstr("step 0 waits for the own copy of chunk 3"),
                             testing::ContainsRegex("; [0-9]+ slices have not arrived")));
  const Picoseconds announced = now() + 2'000'000;
  // In ring order, one every 100 us: longer than a chunk takes on the wire.
  for (std::uint32_t g = 0; g < 4; ++g) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      ring.nodes[g]->reduceScatter.localCopyReady(ChunkId{(g + 7 - i) % 4},
                                                  announced + i * 100'000'000);
    }
  }
  ring.drain();
  for (std::uint32_t g = 0; g < 4; ++g) {
    for (const auto& request : ring.nodes[g]->memory.requests()) {
      if (request.write) continue;
      ASSERT_GE(request.time, announced + request.step * 100'000'000 + 300'000);
    }
    EXPECT_EQ(ring.nodes[g]->memory.requests().front().time, announced + 300'000);
  }
}

// --- neighbours that are not in step ------------------------------------------------------------

TEST(StepKernel, WhatArrivesBeforeTheLaunchIsKept) {
  Options options;
  options.mode = DataMode::Checked;
  options.tiling = Tiling{{4 * 32, 96, 2}, {32, 32, 4}, 4};
  Ring ring(options);
  ring.fillRandom(test::seed(15));
  for (std::uint32_t g = 0; g < 4; ++g) {
    if (g != 2) ring.nodes[g]->reduceScatter.launch({});
  }
  sc_core::sc_start(1, sc_core::SC_MS);
  EXPECT_FALSE(ring.nodes[3]->reduceScatter.idle());
  EXPECT_THAT(ring.nodes[3]->reduceScatter.describe(),
              testing::HasSubstr("step 1 waits for slice 0 of another GPU"));
  Picoseconds end = 0;
  ring.nodes[2]->reduceScatter.launch([&](Picoseconds when) { end = when; });
  ring.drain();
  EXPECT_GT(end, 1'000'000'000u);
  for (std::uint32_t g = 0; g < 4; ++g) {
    ring.expectSums(g, true);
  }
}

TEST(StepKernel, ASumWaitsForTheSlowerOfItsTwoLoads) {
  PayloadPool pool;
  Options options;
  options.tiling = Tiling{{2 * 16, 64, 2}, {16, 64, 4}, 2};  // chunks of 2 KiB, one request
  const MemoryLayout layout = layoutOf(options.tiling);
  options.gpu.collective.slice_sync_ns = 0;
  test::Sink memory("memory"), remote("remote");
  memory.delay = [&](const Payload& payload) -> Picoseconds {
    return payload.get_address() < layout.receive ? 900'000 : 100'000;
  };
  StepKernel kernel("kernel", program(kReduceScatter, 0, options), options.gpu, 0,
                    {GpuId{0}, DataType::Fp16, DataMode::Elided, pool});
  kernel.memory.socket.bind(memory.target);
  kernel.egress.port(0).socket.bind(remote.target);
  Payload& payload = pool.allocate(tlm::TLM_WRITE_COMMAND, layout.receive, 2048, false);
  kernel.launch({});
  kernel.arrived(payload, 5'000'000);
  payload.release();
  sc_core::sc_start();
  EXPECT_TRUE(kernel.idle());
  // 2 KiB over 80 x 256 bytes per 714 ps: 71.4 ps of adding.
  const auto stores = [](const test::Sink& sink) {
    std::vector<Picoseconds> times;
    for (const test::Request& request : sink.arrivals) {
      if (request.write) times.push_back(request.time);
    }
    return times;
  };
  EXPECT_THAT(stores(memory), testing::ElementsAre(5'000'000 + 900'000 + 72));
  EXPECT_THAT(stores(remote), testing::ElementsAre(900'000));
}

TEST(StepKernel, AGatherMayStartWhileANeighbourStillReduces) {
  // GPU 1 is launched late; every GPU gathers as soon as its own chunk is reduced. A gathered chunk
  // must not overtake the partial sums it replaces.
  Options options;
  options.mode = DataMode::Checked;
  options.tiling = Tiling{{4 * 32, 96, 2}, {32, 32, 4}, 4};
  options.gpu.collective.slice_bytes = 512;
  options.gpu.collective.request_bytes = 512;
  Ring ring(options);
  ring.fillRandom(test::seed(16));
  const auto start = [&](std::uint32_t g) {
    Node* node = ring.nodes[g].get();
    node->reduceScatter.launch([node](Picoseconds) { node->allGather.launch({}); });
  };
  for (const std::uint32_t g : {0u, 2u, 3u}) start(g);
  sc_core::sc_start(10, sc_core::SC_US);
  start(1);
  ring.drain();
  for (std::uint32_t g = 0; g < 4; ++g) {
    ring.expectSums(g, false);
  }
}

TEST(StepKernel, MayBeLaunchedAgain) {
  Ring ring(sized(4, 1'000'000));
  const Picoseconds first = ring.reduceScatter();
  EXPECT_EQ(ring.reduceScatter(), first);
  EXPECT_EQ(ring.allGather(), ring.allGather());
}

TEST(StepKernelErrors, ALaunchOfARunningKernel) {
  Ring ring(sized(4, 100'000));
  StepKernel& kernel = ring.nodes[0]->reduceScatter;
  kernel.launch({});
  EXPECT_THROW(kernel.launch({}), sc_core::sc_report);
}

// --- thread blocks of their own -----------------------------------------------------------------

/// One GPU of two, whose loads and stores take 100 ns: four chunks of 1 KiB, in place. A thread
/// block takes 1 ns for a byte and 1,000 ns for a slice; flags take 500 ns.
class OwnBlocks {
 public:
  OwnBlocks(std::vector<std::vector<AlgorithmStep>> blocks, std::uint64_t loopBytes,
            std::uint32_t windowBytes = 32, std::uint32_t slices = 0)
      : loopBytes_(loopBytes) {
    Algorithm algorithm = test::emptyAlgorithm(kCustomPromise, 2, 4);
    for (std::vector<AlgorithmStep>& steps : blocks) {
      const bool sends =
          std::ranges::any_of(steps, [](const AlgorithmStep& one) { return one.kind->sends; });
      AlgorithmThreadBlock& block = algorithm.gpus[0].threadBlocks.emplace_back();
      if (sends) {
        block.sendsTo = 1;
        AlgorithmStep receive = test::step(kReceive, 0, 0);
        receive.count = steps.front().count;
        algorithm.gpus[1].threadBlocks.push_back(test::receiver(0, {receive}));
      }
      block.steps = std::move(steps);
    }
    const AlgorithmForm form(algorithm);
    const AlgorithmMeaning meaning(form);
    const StepLayout layout =
        StepLayout::of(meaning.buffers(), AlgorithmLayout(meaning.buffers(), 1024, 256));
    const AlgorithmPorts ports{1, [](std::uint32_t, std::uint32_t, std::uint32_t) { return 0U; }};
    program_ = makeStepProgram(
        {algorithm, meaning.buffers(), layout, ports, Phase::ReduceScatter, true}, meaning, 0);
    gpu_.collective.thread_blocks = ThreadBlocks::Own;
    gpu_.collective.simple = {.sync_ns = 500,
                              .block_gb_s = 1,
                              .window_bytes = windowBytes,
                              .slice_ns = 1000,
                              .slices = slices};
  }

  /// When it has stored all, here or elsewhere, in ns.
  Picoseconds run() {
    PayloadPool pool;
    test::Sink memory("memory"), remote("remote");
    memory.delay = [](const Payload&) -> Picoseconds { return 100'000; };
    StepKernel kernel("kernel", program_, gpu_, loopBytes_,
                      {GpuId{0}, DataType::Fp16, DataMode::Elided, pool});
    kernel.memory.socket.bind(memory.target);
    kernel.egress.port(0).socket.bind(remote.target);
    Picoseconds end = 0;
    kernel.launch([&](Picoseconds when) { end = when; });
    sc_core::sc_start();
    EXPECT_TRUE(kernel.idle());
    return end / 1000;
  }

 private:
  StepProgram program_;
  GpuConfig gpu_;
  const std::uint64_t loopBytes_;
};

/// The first `count` chunks leave in one step.
Picoseconds sendTime(std::uint32_t count, std::uint64_t loopBytes, std::uint32_t windowBytes = 32,
                     std::uint32_t slices = 0) {
  AlgorithmStep send = test::step(kSend, 0, 0);
  send.count = count;
  return OwnBlocks({{send}}, loopBytes, windowBytes, slices).run();
}

TEST(StepKernel, ALocalStepCostsAPassThroughMemoryAndNoSlice) {
  EXPECT_EQ(OwnBlocks({{test::step(kCopy, 1, 0)}}, 4096).run(), 100 + 1024 + 100);
}

TEST(StepKernel, ALocalSumCostsAPassForEachChunkThatItLoads) {
  const std::vector<AlgorithmStep> steps = {test::step(kReduce, 1, 0), test::step(kReduce, 2, 0),
                                            test::step(kReduce, 3, 0)};
  const Picoseconds time = OwnBlocks({steps}, 4096).run();
  EXPECT_GE(time, 100 + 4 * 1024 + 100);
  EXPECT_LE(time, 100 + 4 * 1024 + 100 + 1) << "adding";
}

TEST(StepKernel, AStepThatSendsPaysForItsSlice) { EXPECT_EQ(sendTime(1, 4096), 100 + 1000 + 1024); }

TEST(StepKernel, ChunksThatALoopHoldsShareTheSliceOfTheirStep) {
  EXPECT_EQ(sendTime(4, 4096), 100 + 1000 + 4 * 1024);
}

TEST(StepKernel, TwoChunksOfALoopShareASlice) {
  EXPECT_EQ(sendTime(4, 2048), 100 + 2 * (1000 + 2 * 1024));
}

TEST(StepKernel, SlicesAreThoseOfAllChunksThatALoopHolds) {
  EXPECT_EQ(sendTime(4, 2048, 32, 1), 100 + 2 * (1000 + 2 * 1024));
}

TEST(StepKernel, AFewChunksLessThanALoopHoldsHaveShorterSlices) {
  EXPECT_EQ(sendTime(3, 4096, 32, 2), 100 + 2 * 1000 + 3 * 1024);
}

TEST(StepKernel, ChunksThatFillALoopPayForASliceEach) {
  EXPECT_EQ(sendTime(4, 1024), 100 + 4 * (1000 + 1024));
}

TEST(StepKernel, ALoopThatIsAByteTooShortForTwoChunksHoldsOne) {
  EXPECT_EQ(sendTime(4, 2047), 100 + 4 * (1000 + 1024));
}

TEST(StepKernel, ChunksThatALoopHoldsShareWindows) {
  EXPECT_EQ(sendTime(3, 4096, 2048), 100 + 1000 + 2 * 2048);
}

TEST(StepKernel, ChunksThatFillALoopTakeWholeWindowsEach) {
  EXPECT_EQ(sendTime(3, 1024, 2048), 100 + 3 * (1000 + 2048));
}

// The first has ended after 1,224 ns. The flag costs a slice, 1,000 ns, and is seen 500 ns later.
TEST(StepKernel, AnotherThreadBlockIsToldByAFlag) {
  const std::vector<AlgorithmStep> first = {test::firstStep(kCopy, 1, 0)};
  EXPECT_EQ(OwnBlocks({first, {test::stepAfter(0, kCopy, 0, 2)}}, 4096).run(), 1224 + 1500 + 1224);
}

}  // namespace
}  // namespace t3::step_kernel_test
