// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// One line of a report.
struct StatisticRow {
  std::string name;
  std::string description;
  std::string unit;
  double value = 0;
};
BOOST_DESCRIBE_STRUCT(StatisticRow, (), (name, description, unit, value))

inline constexpr std::size_t kStreams = 2;

/// Counts values in buckets an eighth of a power of two wide, so a percentile is right to 12.5%.
class LatencyHistogram {
 public:
  void add(Picoseconds latency) {
    ++counts_[bucketOf(latency)];
    ++samples_;
    if (latency > maximum_) maximum_ = latency;
  }
  std::uint64_t samples() const { return samples_; }
  Picoseconds maximum() const { return maximum_; }
  /// Upper edge of the bucket that holds the `fraction` quantile (0 … 1); 0 without samples.
  Picoseconds percentile(double fraction) const;

 private:
  static constexpr unsigned kSubBits = 3;
  static std::size_t bucketOf(Picoseconds latency) {
    if (latency < (1u << kSubBits)) return static_cast<std::size_t>(latency);
    const unsigned exponent = 63u - static_cast<unsigned>(std::countl_zero(latency));
    const auto mantissa =
        static_cast<std::size_t>(latency >> (exponent - kSubBits)) & ((1u << kSubBits) - 1u);
    return (std::size_t{exponent - kSubBits + 1} << kSubBits) | mantissa;
  }
  static Picoseconds upperEdge(std::size_t bucket);

  std::array<std::uint64_t, 62u << kSubBits> counts_{};
  std::uint64_t samples_ = 0;
  Picoseconds maximum_ = 0;
};

/// Bytes of [window], windows of one length from time 0 on.
using BytesOverTime = std::vector<PhaseBytes>;
/// So many windows show any run in enough detail, and take 6 MB.
inline constexpr std::size_t kMostWindows = 1 << 16;
/// Joins each pair of windows into one of twice the length.
void joinPairs(BytesOverTime& windows);

/// Updates that were not admitted, and their bytes.
struct DroppedUpdates {
  std::uint64_t updates = 0, bytes = 0;
};

/// What one stack has done since it was built. An update counts once, as a write.
struct HbmStatistics {
  HbmStatistics() = default;
  explicit HbmStatistics(const HbmConfig& config);

  PhaseNames phaseNames = kPhaseNames;
  PhaseBytes phaseBytes;
  ByNode<std::array<std::uint64_t, 2>> nodeBytes;  ///< the same: read, and written
  /// Commands by kind; a partly used burst is a column command like any other.
  std::array<std::uint64_t, kDramCommandKinds> commands{};
  std::uint64_t clearedBytes = 0;     ///< by banks: read-and-clears, clears, row clears
  std::uint64_t requests = 0;         ///< answered
  std::uint64_t pieces = 0;           ///< parts of requests on one channel
  std::uint64_t rowMisses = 0;        ///< activates of banks that were closed
  std::uint64_t rowConflicts = 0;     ///< activates of banks that were closed for them
  std::uint64_t forwardedBursts = 0;  ///< read from a queued write, without a command
  std::uint64_t mergedBursts = 0;     ///< written with those of another write, without a command
  std::uint64_t turnarounds = 0;      ///< changes of the data bus from writing to reading and back
  std::optional<DroppedUpdates> dropped;  ///< none where all are admitted
  std::array<LatencyHistogram, kStreams> latency;
  /// Pieces that entered a DRAM queue of which so many bursts were waiting.
  std::vector<std::uint64_t> occupancy;
  std::vector<std::uint64_t> channelBursts;
  /// Bytes served by [window]; a window is `windowLength` long:
  /// `statistics_window_ns`, doubled each time that there would be more than `kMostWindows`.
  BytesOverTime overTime;
  Picoseconds windowLength = 0;
  std::vector<StatisticRow> arbitration;  ///< what the policy says of itself
  Picoseconds lastData = 0;               ///< end of the last data transfer

  /// A piece of a request has been served.
  void served(Phase phase, NodeId node, bool write, std::uint32_t bytes, Picoseconds dataEnd) {
    phaseBytes[phase][write ? 1 : 0] += bytes;
    nodeBytes[node][write ? 1 : 0] += bytes;
    ++pieces;
    lastData = std::max(lastData, dataEnd);
    // Pieces are served nearly in order of time: the window is almost always the last one's.
    if (dataEnd - windowStart_ >= windowLength) openWindow(dataEnd);
    overTime[windowIndex_][phase][write ? 1 : 0] += bytes;
  }

  /// Banks have set so many bytes to zero.
  void cleared(std::uint32_t bytes, Picoseconds end) {
    clearedBytes += bytes;
    lastData = std::max(lastData, end);
  }

  std::uint64_t bytes(Phase phase, bool write) const { return phaseBytes[phase][write ? 1 : 0]; }
  std::uint64_t bursts() const {
    return commands[indexOf(DramCommandKind::Read)] + commands[indexOf(DramCommandKind::Write)] +
           commands[indexOf(DramCommandKind::Update)] +
           commands[indexOf(DramCommandKind::ReadClear)] +
           commands[indexOf(DramCommandKind::Clear)];
  }
  /// Bursts that found their row open (or being opened). Each activate is for one that did not.
  std::uint64_t rowHits() const { return bursts() - std::min(bursts(), rowMisses + rowConflicts); }
  double rowHitRate() const {
    return bursts() == 0 ? 0.0 : static_cast<double>(rowHits()) / static_cast<double>(bursts());
  }
  /// The value that the arbitration policy reports under this name; 0 if it has none such.
  double ofArbitration(std::string_view name) const;
  /// All of it as rows; rates are over `elapsed`.
  std::vector<StatisticRow> rows(const HbmConfig& config, Picoseconds elapsed) const;

 private:
  void openWindow(Picoseconds dataEnd);

  Picoseconds windowStart_ = 0;  ///< of the window of `overTime` that was used last
  std::size_t windowIndex_ = 0;
};

}  // namespace t3
