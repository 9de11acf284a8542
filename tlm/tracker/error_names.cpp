// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/error_names.h"

#include <array>
#include <utility>

#include "tlm/tracker/registers.h"

namespace t3 {

std::string errorNames(std::uint32_t errors) {
  namespace r = registers;
  static constexpr std::array<std::pair<std::uint32_t, const char*>, 11> kNames = {{
      {r::kErrorsOverrun, "overrun"},
      {r::kErrorsStray, "stray"},
      {r::kErrorsWeight, "weight"},
      {r::kErrorsOutside, "outside"},
      {r::kErrorsRowStray, "row stray"},
      {r::kErrorsRowOutside, "row outside"},
      {r::kErrorsArmedEarly, "armed early"},
      {r::kErrorsRowArmedEarly, "row armed early"},
      {r::kErrorsInUse, "in use"},
      {r::kErrorsLocked, "locked"},
      {r::kErrorsDamaged, "damaged"},
  }};
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if ((errors & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

}  // namespace t3
