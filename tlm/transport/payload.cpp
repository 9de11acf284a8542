// SPDX-License-Identifier: Apache-2.0
#include "tlm/transport/payload.h"

#include <array>
#include <bit>

namespace t3 {

tlm::tlm_extension_base* TrafficExtension::clone() const { return new TrafficExtension(*this); }

void TrafficExtension::copy_from(const tlm::tlm_extension_base& other) {
  *this = static_cast<const TrafficExtension&>(other);
}

PayloadPool::~PayloadPool() = default;

Payload& PayloadPool::allocate(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                               bool withData) {
  if (free_.empty()) {
    all_.push_back(std::make_unique<PooledPayload>(*this));
    free_.push_back(all_.back().get());
  }
  PooledPayload& payload = *free_.back();
  free_.pop_back();
  ++inUse_;

  TrafficExtension& extension = payload.traffic;
  auto storage = std::move(extension.storage);
  extension = TrafficExtension{};
  extension.storage = std::move(storage);
  extension.elided = !withData;
  if (withData) extension.storage.assign(bytes, 0);

  payload.acquire();
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(withData ? extension.storage.data() : elidedBytes(bytes));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return payload;
}

void PayloadPool::free(Payload* payload) {
  --inUse_;
  free_.push_back(static_cast<PooledPayload*>(payload));
}

unsigned char* elidedBytes(std::uint32_t bytes) {
  // One buffer for each power of two, because payloads on their way keep their pointers.
  static std::array<std::unique_ptr<unsigned char[]>, 33> buffers;
  const auto size = static_cast<std::size_t>(std::bit_width(bytes - 1));
  if (buffers[size] == nullptr) {
    buffers[size] = std::make_unique<unsigned char[]>(std::size_t{1} << size);
  }
  return buffers[size].get();
}

}  // namespace t3
