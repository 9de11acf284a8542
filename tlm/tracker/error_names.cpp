// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/error_names.h"

#include <array>
#include <utility>

#include "tlm/tracker/registers.h"

namespace t3 {

std::string errorNames(std::uint32_t errors) {
  namespace r = registers;
  static constexpr std::array<std::pair<std::uint32_t, const char*>, 13> kNames = {{
      {r::kErrorsOverrun, "overrun"},
      {r::kErrorsStray, "stray"},
      {r::kErrorsBytes, "bytes"},
      {r::kErrorsBorder, "border"},
      {r::kErrorsArmedEarly, "armed early"},
      {r::kErrorsUnasked, "unasked"},
      {r::kErrorsBadRecord, "bad record"},
      {r::kErrorsWrapped, "wrapped"},
      {r::kErrorsRestarted, "restarted"},
      {r::kErrorsLocked, "locked"},
      {r::kErrorsStrayRow, "stray row"},
      {r::kErrorsRowArmedEarly, "row armed early"},
      {r::kErrorsDamaged, "damaged"},
  }};
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if ((errors & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

}  // namespace t3
