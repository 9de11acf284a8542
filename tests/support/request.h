// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"

namespace t3::test {

/// A request as a target of a test sees it.
struct Request : Traffic {
  bool write = false;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  Picoseconds time = 0;  ///< when it was offered to a sink, or taken by a memory
  bool hasData = false;

  explicit Request(const Payload& payload)
      : Traffic(traffic(payload)),
        write(payload.is_write()),
        address(payload.get_address()),
        bytes(payload.get_data_length()),
        time(now()),
        hasData(values(payload) != nullptr) {}
  bool operator==(const Request&) const = default;
};

}  // namespace t3::test
