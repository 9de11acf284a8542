// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstddef>
#include <span>

namespace t3 {

/// What a person needs to know about one setting. Every configuration struct is a plain aggregate
/// with defaults, described by BOOST_DESCRIBE_STRUCT, and has `static std::span<const FieldInfo>
/// fields()` with one row for each member that is not itself such a struct. The program reads,
/// writes, range-checks and documents settings from these two alone.
struct FieldInfo {
  const char* key;   ///< member name, which is the JSON key
  const char* unit;  ///< "ns", "MHz", "bytes", "" …
  double minimum;    ///< smallest legal value; for text, booleans and enums minimum = maximum = 0
  double maximum;
  const char* text;  ///< what it is, and the source of the default
};

/// Up to `Count` groups of settings of one kind, in which every value is a std::optional. Their
/// keys, `T::kKey` and a number, stand in the group around them; one in which nothing is set is not
/// written.
template <typename T, std::size_t Count>
struct NumberedGroups {
  std::array<T, Count> groups;
};

}  // namespace t3
