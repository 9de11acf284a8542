// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tlm>
#include <typeinfo>
#include <vector>

#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

using Payload = tlm::tlm_generic_payload;

/// How a payload carries its `Traffic`. A target that does not know it sees a plain read or write.
struct TrafficExtension : tlm::tlm_extension<TrafficExtension>, Traffic {
  /// Only sizes move: the bytes behind the data pointer mean nothing (`values`).
  bool elided = false;
  std::uint64_t context{};  ///< the issuing initiator's own bookkeeping; nobody else reads it
  std::vector<unsigned char> storage;  ///< backs the payload's data pointer in checked mode

  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
};

/// A payload of a `PayloadPool`. Its extension is a part of it: memory that lies together is in the
/// caches together. Whoever does not know it finds the extension as the standard says.
class PooledPayload final : public Payload {
 public:
  explicit PooledPayload(tlm::tlm_mm_interface& pool) : Payload(&pool) {
    set_extension<TrafficExtension>(&traffic);
  }
  ~PooledPayload() override { clear_extension<TrafficExtension>(&traffic); }

 private:
  struct Extension : TrafficExtension {
    void free() override {}  ///< the payload does it
  };

 public:
  Extension traffic;
};

/// Memory manager. Payloads keep their data buffer across uses, so steady state allocates nothing.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;
  ~PayloadPool() override;

  /// A payload with one reference and a fresh extension; `bytes` > 0. `withData`: the bytes are its
  /// own, and zero. Otherwise it is `elided`, and they are `elidedBytes`: the data pointer always
  /// covers them (IEEE 1666-2011, 14.11).
  Payload& allocate(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                    bool withData);
  void free(Payload* payload) override;

  /// Payloads handed out and not yet returned; 0 when a simulation has drained.
  std::size_t inUse() const { return inUse_; }

 private:
  std::vector<std::unique_ptr<PooledPayload>> all_;
  std::vector<PooledPayload*> free_;
  std::size_t inUse_ = 0;
};

/// The extension of a payload, or null.
inline const TrafficExtension* trafficOf(const Payload& payload) {
  if (typeid(payload) == typeid(PooledPayload)) [[likely]]
    return &static_cast<const PooledPayload&>(payload).traffic;
  return payload.get_extension<TrafficExtension>();
}

/// The extension of a payload that came from a `PayloadPool`; a plain compute store or load for
/// anybody else's.
inline const TrafficExtension& traffic(const Payload& payload) {
  static const TrafficExtension plain;
  const TrafficExtension* extension = trafficOf(payload);
  return extension != nullptr ? *extension : plain;
}
/// Writable form; only for payloads with an extension.
inline TrafficExtension& traffic(Payload& payload) {
  return const_cast<TrafficExtension&>(*trafficOf(payload));
}

/// The bytes that a payload moves; null where only sizes move: it is `elided`, or somebody's
/// without a data pointer.
inline unsigned char* values(const Payload& payload) {
  const TrafficExtension* extension = trafficOf(payload);
  return extension != nullptr && extension->elided ? nullptr : payload.get_data_ptr();
}

/// What a write is on links: its length, or what a codec has made of it.
inline std::uint32_t bytesOnLinks(const Payload& write) {
  const std::uint32_t coded = traffic(write).coded;
  return coded != 0 ? coded : write.get_data_length();
}

/// Whether an answer is an error. A target of posted writes need not say that it did them.
inline bool hasFailed(const Payload& posted) {
  return posted.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE;
}

/// Bytes that all elided payloads share; a target may read and write them.
unsigned char* elidedBytes(std::uint32_t bytes);

/// Addresses between GPUs: the GPU in bits 40 and up, its local byte address below.
inline constexpr unsigned kLocalAddressBits = 40;
constexpr std::uint64_t globalAddress(GpuId gpu, std::uint64_t local) {
  return (std::uint64_t{gpu.value} << kLocalAddressBits) | local;
}
constexpr GpuId gpuOf(std::uint64_t address) {
  return GpuId{static_cast<std::uint32_t>(address >> kLocalAddressBits)};
}
constexpr std::uint64_t localAddress(std::uint64_t address) {
  return address & ((std::uint64_t{1} << kLocalAddressBits) - 1);
}

}  // namespace t3
