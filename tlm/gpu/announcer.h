// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/transport/probe.h"

namespace t3 {

/// A publisher whose parts announce events in its name.
class Announcer : public Publisher {
 public:
  using Publisher::announce;
};

}  // namespace t3
