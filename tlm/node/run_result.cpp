// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_result.h"

#include <algorithm>

namespace t3 {

CollectiveFigures& RunResult::other(const char* name) {
  const auto found = std::ranges::find(other_collectives, name, &CollectiveFigures::name);
  if (found != other_collectives.end()) return *found;
  other_collectives.push_back({.name = name});
  return other_collectives.back();
}

}  // namespace t3
