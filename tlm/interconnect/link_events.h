// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/transport/probe.h"

namespace t3 {

/// Where an end of a link says what happens: the link that it belongs to.
class LinkEvents : public Publisher {
 public:
  using Publisher::announce;
};

}  // namespace t3
