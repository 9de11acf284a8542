// SPDX-License-Identifier: Apache-2.0
// The memory's channel model: first without SystemC, then as a TLM target.
#include <algorithm>
#include <array>
#include <random>
#include <systemc>

#include "testbench/commands/bench.h"
#include "testbench/commands/hbm_trace.h"
#include "testbench/config/spelling.h"
#include "tlm/hbm/hbm_stack.h"
#include "tlm/hbm/hbm_standard.h"
#include "tlm/hbm/trace_replay.h"
#include "tlm/transport/memory_port.h"

namespace t3 {
namespace {

constexpr double kRequests = 1e6;
constexpr std::uint32_t kOutstanding = 64;
constexpr std::uint64_t kSeed = 1;

enum class Pattern : std::uint8_t { Reads, Writes, Mix, Random };
constexpr std::array<Pattern, 4> kPatterns = {Pattern::Reads, Pattern::Writes, Pattern::Mix,
                                              Pattern::Random};
constexpr std::array<const char*, 4> kPatternNames = {"stream of reads", "stream of writes",
                                                      "stream, reads and writes in turn",
                                                      "random addresses, reads"};

std::vector<ReplayRequest> traceOf(Pattern pattern, std::size_t count, std::uint32_t bytes,
                                   std::uint64_t capacity) {
  std::mt19937_64 random(kSeed);
  std::vector<ReplayRequest> trace(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t place = pattern == Pattern::Random ? random() : i;
    trace[i].address = place % (capacity / bytes) * bytes;
    trace[i].bytes = bytes;
    const bool write = pattern == Pattern::Writes || (pattern == Pattern::Mix && i % 2 == 1);
    trace[i].kind = write ? DramCommandKind::Write : DramCommandKind::Read;
  }
  return trace;
}

/// One HBM2 pseudo channel: 64 bit, BL4, 16 GB/s.
HbmConfig onePseudoChannel() {
  HbmConfig config = kHbm2Pseudo.config;
  config.channels = 1;
  config.capacity_gib = 1;
  return config;
}

struct Measured {
  double requestsPerSecond = 0;
  ReplayResult result;
};

Measured replay(const HbmConfig& config, const std::vector<ReplayRequest>& trace,
                std::uint32_t outstanding, const BenchOptions& options) {
  Measured measured;
  const double seconds = medianOf(options.repeats, [&] {
    TraceReplay memory(config, outstanding);
    const double start = processorSeconds();
    measured.result = memory.run(trace);
    return processorSeconds() - start;
  });
  measured.requestsPerSecond = static_cast<double>(trace.size()) / seconds;
  return measured;
}

std::size_t amount(const BenchOptions& options, double standard) {
  return static_cast<std::size_t>(std::max(1000.0, standard * options.work));
}

const std::vector<BenchTable::Column> kSpeedColumns = {
    {"requests_per_s", "1/s", "requests simulated in a second of processor time", 1e6, "M/s"},
    {"bursts_per_s", "1/s", "bursts simulated in a second of processor time", 1e6, "M/s"},
    {"bandwidth_gb_s", "GB/s", "simulated: all bytes over the time to the last data", 1, "GB/s"},
    {"row_hit_rate", "", "simulated: bursts whose row was open or being opened", 1, ""},
    {"latency_p50_ns", "ns", "simulated: arrival to response, median", 1, "ns"}};

BenchTable streams(const HbmConfig& config, const std::string& name, const std::string& title,
                   std::uint32_t bytes, const BenchOptions& options) {
  const std::size_t count = amount(options, kRequests * 32 / bytes);
  BenchTable table{name,
                   title + ", " + std::to_string(count) + " requests of " + std::to_string(bytes) +
                       " B, " + std::to_string(kOutstanding) + " outstanding",
                   kSpeedColumns,
                   {}};
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    const Measured m = replay(config, traceOf(kPatterns[i], count, bytes, config.capacityBytes()),
                              kOutstanding, options);
    table.rows.push_back({kPatternNames[i],
                          {m.requestsPerSecond,
                           m.requestsPerSecond * static_cast<double>(m.result.statistics.bursts()) /
                               static_cast<double>(count),
                           m.result.bytesPerNs(), m.result.statistics.rowHitRate(),
                           static_cast<double>(m.result.latency.percentile(0.5)) * 1e-3}});
  }
  return table;
}

/// Shows whether the time per request grows with the depth of the queue.
BenchTable queueDepths(const BenchOptions& options) {
  const std::size_t count = amount(options, kRequests / 2);
  BenchTable table{"queue_depth",
                   "one HBM2 pseudo channel, " + std::to_string(count) +
                       " requests of 32 B, by depth of the DRAM queue (as many outstanding)",
                   {{"stream_ns", "ns", "processor time per request, stream of reads", 1, "ns"},
                    {"mix_ns", "ns", "the same, reads and writes in turn", 1, "ns"},
                    {"random_ns", "ns", "the same, random addresses", 1, "ns"}},
                   {}};
  for (const std::uint32_t depth : {16U, 32U, 64U, 128U, 256U, 512U}) {
    HbmConfig config = onePseudoChannel();
    config.dram_queue_bursts = depth;
    BenchTable::Row row{std::to_string(depth) + " bursts", {}};
    for (const Pattern pattern : {Pattern::Reads, Pattern::Mix, Pattern::Random}) {
      const auto trace = traceOf(pattern, count, 32, config.capacityBytes());
      row.values.push_back(1e9 / replay(config, trace, depth, options).requestsPerSecond);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Sends requests through TLM, `kWindow` at a time.
class Driver : public sc_core::sc_module, public MemoryClient {
 public:
  MemoryPort port;

  explicit Driver(const sc_core::sc_module_name& name) : sc_module(name), port("port", *this) {}

  void run(const std::vector<ReplayRequest>& trace) {
    trace_ = &trace;
    next_ = 0;
    while (next_ < std::min<std::size_t>(kWindow, trace.size())) sendNext();
    sc_core::sc_start();
  }

 private:
  static constexpr std::size_t kWindow = 1024;

  void sendNext() {
    const ReplayRequest& request = (*trace_)[next_++];
    const bool read = request.kind == DramCommandKind::Read;
    Payload& payload = pool_.allocate(read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                                      request.address, request.bytes, false);
    if (request.kind == DramCommandKind::Update) traffic(payload).operation = MemoryOperation::Add;
    port.send(payload);
  }
  void accepted(Payload&) override {}
  void completed(Payload&, Picoseconds) override {
    if (next_ < trace_->size()) sendNext();
  }

  PayloadPool pool_;
  const std::vector<ReplayRequest>* trace_ = nullptr;
  std::size_t next_ = 0;
};

BenchTable throughTlm(const BenchOptions& options) {
  constexpr std::uint32_t kBytes = 256;
  const HbmConfig config;
  HbmStack memory("memory", config, 1);
  Driver driver("driver");
  driver.port.socket.bind(memory.target);
  const std::size_t count = amount(options, kRequests / 2);
  BenchTable table{"tlm",
                   "through TLM: 32 channels of HBM2, " + std::to_string(count) +
                       " requests of 256 B, driver, payload pool and kernel included",
                   {{"requests_per_s", "1/s", "requests in a second of processor time", 1e6, "M/s"},
                    {"bursts_per_s", "1/s", "bursts in a second of processor time", 1e6, "M/s"}},
                   {}};
  const auto measure = [&](const char* name, const std::vector<ReplayRequest>& trace) {
    const double seconds = medianOf(options.repeats, [&] {
      const double start = processorSeconds();
      driver.run(trace);
      return processorSeconds() - start;
    });
    const double rate = static_cast<double>(count) / seconds;
    table.rows.push_back({name, {rate, rate * kBytes / config.burstBytes()}});
  };
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    auto trace = traceOf(kPatterns[i], count, kBytes, config.capacityBytes());
    measure(kPatternNames[i], trace);
    if (kPatterns[i] != Pattern::Writes) continue;
    for (ReplayRequest& request : trace) request.kind = DramCommandKind::Update;
    measure("stream of updates", trace);
  }
  return table;
}

}  // namespace

std::vector<BenchTable> benchMemory(const BenchOptions& options) {
  const HbmConfig pseudo = onePseudoChannel();
  return {streams(pseudo, "pseudo_channel", "one HBM2 pseudo channel (64 bit, BL4, 16 GB/s)", 32,
                  options),
          streams(pseudo, "pseudo_channel_256", "the same channel", 256, options),
          queueDepths(options), throughTlm(options)};
}

}  // namespace t3
