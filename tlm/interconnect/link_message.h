// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tlm/transport/clock.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// One write on its way over a link: all that the far end needs to make a request of its own. Its
/// only pointer is `values`, which is valid during the call of `post`; the callee copies the
/// values. So the two ends may be in different processes.
struct LinkMessage {
  std::uint64_t number = 0;  ///< of the messages of this link, from 1
  Picoseconds arrival = 0;   ///< of the last bit, absolute
  bool lost = false;         ///< a planted fault: the receiving end drops it

  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  Traffic traffic;
  std::span<const unsigned char> values;  ///< empty: sizes only
};

/// Room in the receive buffer that is free again.
struct LinkCredit {
  Picoseconds arrival = 0;  ///< when the sending end knows of it, absolute
  std::uint64_t bytes = 0;
};

/// What the sending end sees of the receiving one. Messages come in order of arrival, at least a
/// link's latency ahead of it.
class LinkMessages {
 public:
  virtual ~LinkMessages() = default;
  virtual void post(const LinkMessage& message) = 0;
};

/// What the receiving end sees of the sending one. Credits come in order of arrival, a credit
/// latency ahead of it.
class LinkCredits {
 public:
  virtual ~LinkCredits() = default;
  virtual void post(const LinkCredit& credit) = 0;
};

}  // namespace t3
