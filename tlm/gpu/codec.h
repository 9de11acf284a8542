// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/codec.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

// The values of a request, whose blocks begin with its first byte. The last block may be short.
//
//     block8, 6, 4   exponent E (8 bits) | 32 numbers q of b bits, two's complement, lowest first
//     lossless       map of planes (16 bits, lowest first) | planes of 32 bits that are not zero
//     threshold      map of values (32 bits) | values of 16 bits
//
// Blocks. E is the exponent field of the largest magnitude as a float, as in the OCP Microscaling
// formats (v1.0), of which block8 is MXINT8: a value is q x 2^(E - 127 - (b - 2)), with E at least
// 1. q is rounded to nearest, ties to even, and is at most 2^(b-1) - 1 in magnitude. fp16 has no
// smaller step than 2^-24, so q has none either. With an infinity or a NaN E is 255, and all values
// are NaNs. So decoding is exact, and what has been decoded codes to itself.
//
// Lossless. Bits of a value are read as a number, the one of the value before is subtracted modulo
// 2^16, and the difference d becomes 2d or -2d - 1, so that small ones have few bits. Plane i has
// bit i of all 32, as in MPC (Yang et al., CLUSTER 2015).

/// Codes the `bytes` bytes of values at `data` in place, and returns how many are left; `bytes`
/// itself where they would not be fewer. Then values stay as they are, but for those below a
/// threshold, which are zeros.
std::uint32_t encodeValues(const Codec& codec, DataType type, unsigned char* data,
                           std::uint32_t bytes);
/// Undoes it, where `coded` bytes have become of `bytes`.
void decodeValues(const Codec& codec, DataType type, unsigned char* data, std::uint32_t bytes,
                  std::uint32_t coded);

class RtlBlockCodec;
/// Codes what a write moves over links from now on: its `Traffic::coded`. Its length stays. Values
/// go through `rtl` if there is one.
void encode(const Codec& codec, Payload& write, RtlBlockCodec* rtl = nullptr);
/// The write moves plain values again.
void decode(const Codec& codec, Payload& write, RtlBlockCodec* rtl = nullptr);

/// The codec in a GPU's DMA engine, an encoder and a decoder.
///
///     GEMM's stores to other GPUs ─┐
///     DMA engine's writes ─────────┴► encoder ─► egress port ─► link ─► ingress ─► decoder ─►
///     memory
///
/// Timing. Each of the two takes `bytesPerCycle` bytes before the codec in a cycle, one request
/// after the other in the order in which they come, whichever link they are for; a request leaves
/// `latency` after its last byte was taken. Where requests wait for the encoder they stay where
/// they were: a slot of the GEMM, or the DMA engine's data buffer. The decoder takes a request only
/// when it is free.
class CodecEngine : public sc_core::sc_module, public Publisher {
 public:
  struct Timing {
    double clockMhz = 1000;
    double bytesPerCycle = 1;
    Picoseconds latency = 0;
  };
  struct Statistics {
    std::uint64_t encodedBytes = 0, sentBytes = 0;  ///< in front of the encoder, and behind it
    std::uint64_t decodedBytes = 0;                 ///< behind the decoder
  };

  CodecEngine(const sc_core::sc_module_name& name, const Codec& codec, const Timing& timing,
              CodecUnit unit = CodecUnit::Model);
  ~CodecEngine() override;

  const Codec& codec() const { return codec_; }
  /// Codes a write, which then goes to `port`.
  void send(Payload& write, MemoryPort& port);
  /// When the decoder takes a request; not ahead of now.
  Picoseconds takesAt() const { return std::max(decoderFree_, now()); }
  /// Takes one, at `takesAt`; returns when it leaves, plain.
  Picoseconds take(const Payload& coded);
  /// What it has taken moves plain values again.
  void decode(Payload& write) { t3::decode(codec_, write, rtl_.get()); }

  const Statistics& statistics() const { return statistics_; }
  /// What codes; null if the model does.
  const RtlBlockCodec* rtl() const { return rtl_.get(); }
  void publish(ValueList& list) const override;

 private:
  Picoseconds timeOf(const Payload& write) const;

  const Codec codec_;
  const Clock clock_;
  const Timing timing_;
  Picoseconds encoderFree_ = 0, decoderFree_ = 0;
  Statistics statistics_;
  TimedQueue<std::pair<Payload*, MemoryPort*>> encoding_;
  const std::unique_ptr<RtlBlockCodec> rtl_;
};

}  // namespace t3
