// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tlm/transport/codec.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// encodeValues and decodeValues of tlm/gpu/codec.h for the block formats, by the RTL of
/// docs/block-codec.md. Its cycles take no simulated time: that is CodecEngine's, which counts
/// the same ones.
class RtlBlockCodec {
 public:
  virtual ~RtlBlockCodec() = default;
  virtual std::uint32_t encodeValues(const Codec& codec, DataType type, unsigned char* data,
                                     std::uint32_t bytes) = 0;
  virtual void decodeValues(const Codec& codec, DataType type, unsigned char* data,
                            std::uint32_t bytes, std::uint32_t coded) = 0;

  /// Blocks that left the RTL, and those of them that were compared with the model's.
  struct Statistics {
    std::uint64_t encoded = 0, decoded = 0, compared = 0;
  };
  const Statistics& statistics() const { return statistics_; }

 protected:
  Statistics statistics_;
};

/// `compared`: with tlm/gpu/codec.h, and the run ends with an error report "t3/codec" where they
/// differ. `name` is whose it is in messages.
std::unique_ptr<RtlBlockCodec> makeRtlBlockCodec(const std::string& name, bool compared);

}  // namespace t3
