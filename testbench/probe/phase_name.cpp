// SPDX-License-Identifier: Apache-2.0
#include "testbench/probe/phase_name.h"

#include <algorithm>
#include <vector>

#include "testbench/config/spelling.h"

namespace t3 {

const std::string& phaseName(Phase phase) {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = spellings<Phase>();
    names.emplace_back("collective");
    return names;
  }();
  return kNames[std::min(static_cast<std::size_t>(phase), kNames.size() - 1)];
}

}  // namespace t3
