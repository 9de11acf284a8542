// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/hbm_statistics.h"

#include <boost/describe/enum_to_string.hpp>
#include <cmath>
#include <utility>

namespace t3 {

Picoseconds LatencyHistogram::upperEdge(std::size_t bucket) {
  if (bucket < (1u << kSubBits)) return bucket;
  const auto exponent = static_cast<unsigned>(bucket >> kSubBits) + kSubBits - 1;
  const Picoseconds mantissa = (bucket & ((1u << kSubBits) - 1u)) | (1u << kSubBits);
  return ((mantissa + 1) << (exponent - kSubBits)) - 1;
}

Picoseconds LatencyHistogram::percentile(double fraction) const {
  if (samples_ == 0) return 0;
  const auto wanted =
      static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(samples_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= wanted && counts_[bucket] > 0) return std::min(upperEdge(bucket), maximum_);
  }
  return maximum_;
}

void joinPairs(BytesOverTime& windows) {
  for (std::size_t w = 1; w < windows.size(); ++w) {
    windows[w / 2] += std::exchange(windows[w], {});
  }
  windows.resize((windows.size() + 1) / 2);
}

HbmStatistics::HbmStatistics(const HbmConfig& config)
    : occupancy(config.dram_queue_bursts + 1),
      channelBursts(config.channels),
      overTime(1),
      windowLength(picosecondsFromNs(config.statistics_window_ns)) {}

void HbmStatistics::openWindow(Picoseconds dataEnd) {
  while (dataEnd / windowLength >= kMostWindows) {
    joinPairs(overTime);
    windowLength *= 2;
  }
  windowIndex_ = static_cast<std::size_t>(dataEnd / windowLength);
  windowStart_ = windowIndex_ * windowLength;
  if (windowIndex_ >= overTime.size()) overTime.resize(windowIndex_ + 1);
}

double HbmStatistics::ofArbitration(std::string_view name) const {
  for (const StatisticRow& row : arbitration) {
    if (row.name == name) return row.value;
  }
  return 0;
}

std::vector<StatisticRow> HbmStatistics::rows(const HbmConfig& config, Picoseconds elapsed) const {
  std::vector<StatisticRow> rows;
  const auto put = [&](std::string name, std::string description, std::string unit, auto value) {
    rows.push_back(
        {std::move(name), std::move(description), std::move(unit), static_cast<double>(value)});
  };
  const double ns = nanoseconds(elapsed);
  constexpr std::array<const char*, 2> directions{"read", "write"};
  double total = 0;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    if (phaseNames[phase] == nullptr) continue;
    for (std::size_t direction = 0; direction < 2; ++direction) {
      const auto value = phaseBytes.values[phase][direction];
      total += static_cast<double>(value);
      put(std::string(phaseNames[phase]) + "_" + directions[direction] + "_bytes",
          std::string("bytes ") + (direction == 0 ? "read" : "written or updated") +
              " in this phase",
          "bytes", value);
    }
  }
  const double peak = config.peakBytesPerNs();
  put("bandwidth", "all bytes over the elapsed time", "GB/s", ns > 0 ? total / ns : 0);
  // The slot of a clear stays empty.
  const std::uint64_t carried = bursts() - commands[indexOf(DramCommandKind::Clear)];
  const double busyNs = static_cast<double>(carried) * config.burstClocks() / config.clock_mhz *
                        1e3 / config.channels;
  put("bus_utilisation", "time the data buses carry bursts, mean over channels", "",
      ns > 0 ? busyNs / ns : 0);
  put("peak_bandwidth", "data bus width times data rate", "GB/s", peak);
  put("requests", "requests answered", "", requests);
  put("pieces", "parts of requests, each on one channel", "", pieces);
  put("bursts", "bursts read, written, updated or cleared", "", bursts());
  put("row_hits", "bursts whose row was open or being opened", "bursts", rowHits());
  put("row_misses", "bursts for which a closed bank was activated", "bursts", rowMisses);
  put("row_conflicts", "bursts for which a bank was activated that was closed for another row",
      "bursts", rowConflicts);
  put("forwarded_bursts", "bursts that queued writes answered, without a command", "bursts",
      forwardedBursts);
  put("merged_bursts", "bursts written by the commands of a queued write to them", "bursts",
      mergedBursts);
  put("cleared_bytes", "bytes that banks have set to zero by themselves", "bytes", clearedBytes);
  put("turnarounds", "changes of direction of the data buses", "", turnarounds);
  if (dropped) {
    put("dropped_updates", "updates that came after workload.contributions others", "",
        dropped->updates);
    put("dropped_bytes", "their bytes", "bytes", dropped->bytes);
  }

  const HbmEnergy& energy = config.energy;
  const double burstBits = config.burstBytes() * 8.0;
  const std::array<double, kDramCommandKinds> pj{energy.activate_pj,
                                                 0,
                                                 0,
                                                 energy.read_pj_per_bit * burstBits,
                                                 energy.write_pj_per_bit * burstBits,
                                                 energy.update_pj_per_bit * burstBits,
                                                 energy.refresh_nj * 1e3,
                                                 energy.refresh_nj * 1e3 / config.banks,
                                                 energy.read_clear_pj_per_bit * burstBits,
                                                 energy.clear_pj_per_bit * burstBits,
                                                 energy.row_clear_pj};
  // How long each keeps its bank from the next column command or, where it is one, row cycle.
  const double columnNs = config.timing.ccd_l_clocks / config.clock_mhz * 1e3;
  const double updateNs = columnNs * config.update_ccd_l_factor;
  const std::array<double, kDramCommandKinds> bankNs{
      0, 0, 0, columnNs, columnNs, updateNs, 0, 0, updateNs, updateNs, config.row_clear_ns};
  for (std::size_t kind = 0; kind < kDramCommandKinds; ++kind) {
    const std::string name =
        boost::describe::enum_to_string(static_cast<DramCommandKind>(kind), "");
    put("commands_" + name, name + " commands on all channels", "", commands[kind]);
    put("energy_" + name, "energy of the " + name + " commands (docs/hbm.md, parameters)", "uJ",
        static_cast<double>(commands[kind]) * pj[kind] * 1e-6);
    if (bankNs[kind] == 0) continue;
    put("bank_time_" + name, "time for which the " + name + " commands hold their banks", "us",
        static_cast<double>(commands[kind]) * bankNs[kind] * 1e-3);
  }
  constexpr std::array<const char*, kStreams> streams{"compute", "communication"};
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    const LatencyHistogram& histogram = latency[stream];
    const std::string prefix = std::string("latency_") + streams[stream];
    put(prefix + "_p50", "arrival to response, median", "ns",
        nanoseconds(histogram.percentile(0.5)));
    put(prefix + "_p95", "arrival to response, 95th percentile", "ns",
        nanoseconds(histogram.percentile(0.95)));
    put(prefix + "_p99", "arrival to response, 99th percentile", "ns",
        nanoseconds(histogram.percentile(0.99)));
    put(prefix + "_max", "arrival to response, longest", "ns", nanoseconds(histogram.maximum()));
  }
  std::uint64_t entries = 0, weighted = 0;
  for (std::size_t i = 0; i < occupancy.size(); ++i) {
    entries += occupancy[i];
    weighted += occupancy[i] * i;
  }
  put("dram_queue_occupancy", "bursts in the DRAM queue when another piece enters, mean", "bursts",
      entries == 0 ? 0.0 : static_cast<double>(weighted) / static_cast<double>(entries));
  rows.insert(rows.end(), arbitration.begin(), arbitration.end());
  return rows;
}

}  // namespace t3
