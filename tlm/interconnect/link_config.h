// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/clock.h"
#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// One direction of a point-to-point link.
struct LinkConfig {
  double bandwidth_gb_s = 75.0;
  double latency_ns = 500.0;
  std::uint32_t header_bytes = 0;
  std::uint32_t packet_bytes = 256;
  double credit_latency_ns = -1;
  std::uint32_t buffer_bytes = 0;
  std::uint32_t input_buffer_bytes = 4096;
  bool gather_last = false;
  std::uint32_t lose_write = 0;

  double creditLatencyNs() const { return credit_latency_ns < 0 ? latency_ns : credit_latency_ns; }
  /// Of the packets that carry `bytes` bytes.
  std::uint64_t headersOf(std::uint64_t bytes) const {
    return (bytes + packet_bytes - 1) / packet_bytes * header_bytes;
  }
  /// What the wire carries for `bytes` of data: flags of their protocol and headers too. Of writes
  /// of at most `largest` bytes: at least that, because packets end where a write ends.
  std::uint64_t wireBytes(Protocol protocol, std::uint64_t bytes,
                          std::uint64_t largest = ~std::uint64_t{0}) const {
    const std::uint64_t flagged = bytesWithFlags(protocol, bytes);
    if (header_bytes == 0 || largest >= packet_bytes) return flagged + headersOf(flagged);
    const std::uint64_t most =
        std::min<std::uint64_t>(packet_bytes, bytesWithFlags(protocol, largest));
    return flagged + (flagged + most - 1) / most * header_bytes;
  }
  /// The least time from sending to arrival, of messages and of credits. Both take a picosecond at
  /// least: the last bit of a write is never sent at the time at which it was posted.
  Picoseconds lookahead() const {
    return std::max<Picoseconds>(1, picosecondsFromNs(std::min(latency_ns, creditLatencyNs())));
  }
  /// `buffer_bytes`, or where that is 0 what keeps the link at full rate: 256 KiB, or a round trip
  /// of latency and credit at the link's bandwidth plus 64 KiB for whole requests.
  std::uint64_t bufferBytes() const;

  static constexpr auto settings() {
    using C = LinkConfig;
    return std::tuple{
        T3_SETTING(bandwidth_gb_s, "GB/s", 0.001, 100000,
                   "raw bandwidth of one direction, 1e9 bytes per second (paper: 150 GB/s "
                   "bidirectional ring, read as 75 each way)"),
        T3_SETTING(latency_ns, "ns", 0, 1e6,
                   "from the last bit sent to the last bit delivered (paper: 500)"),
        T3_SETTING(header_bytes, "bytes", 0, 4096,
                   "overhead of each packet (0: the paper's figure is read as payload bandwidth)"),
        T3_SETTING(packet_bytes, "bytes", 1, 65536, "largest packet payload (assumption: 256)"),
        T3_SETTING(credit_latency_ns, "ns", -1, 1e6,
                   "from room in the receive buffer to the sender's knowledge of it; -1: as "
                   "latency_ns, credits travel the link's way back (assumption)"),
        T3_SETTING(
            buffer_bytes, "bytes", 0, 268435456,
            "receive buffer: payload bytes that may be sent and not yet be known to be taken. 0: "
            "enough for the full rate, (latency + credit latency) x bandwidth + 64 KiB, at least "
            "256 KiB (assumption)"),
        T3_SETTING(input_buffer_bytes, "bytes", 1, 16777216,
                   "per initiator, accepted and not yet sent; a larger request is accepted when it "
                   "is alone (assumption: 4 KiB)"),
        T3_SETTING(gather_last, "", 0, 0,
                   "a write of the all-gather is sent only when no initiator has another one to "
                   "send; true in t3-ag, where both are under way at the same time"),
        T3_SETTING(
            lose_write, "", 0, 4294967295,
            "the K-th write sent on each of a GPU's links is lost on the wire, and nobody sends it "
            "again: a fault to plant, for trying the checks and the debugging tools; 0: none")};
  }
  std::optional<std::string> check() const;
};

inline std::uint64_t LinkConfig::bufferBytes() const {
  if (buffer_bytes != 0) return buffer_bytes;
  constexpr std::uint64_t kRequests = std::uint64_t{64} << 10;
  constexpr std::uint64_t kLeast = std::uint64_t{256} << 10;
  const auto inFlight =
      static_cast<std::uint64_t>(std::ceil((latency_ns + creditLatencyNs()) * bandwidth_gb_s));
  return std::max(kLeast, inFlight + kRequests);
}

inline std::optional<std::string> LinkConfig::check() const {
  if (credit_latency_ns < 0 && credit_latency_ns != -1) {
    return "credit_latency_ns: expected -1 or at least 0";
  }
  if (buffer_bytes != 0 && buffer_bytes < packet_bytes) {
    return "buffer_bytes: expected 0 or at least packet_bytes (" + std::to_string(packet_bytes) +
           ")";
  }
  return std::nullopt;
}

}  // namespace t3
