// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>
#include <boost/mp11/algorithm.hpp>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "testbench/config/spelling.h"

namespace t3 {

/// A plain struct with BOOST_DESCRIBE_STRUCT. Its JSON form is an object whose keys are the member
/// names in the order of the description.
template <typename T>
concept DescribedStruct =
    std::is_class_v<T> && boost::describe::has_describe_members<std::remove_const_t<T>>::value;

/// Calls `visit(name, member)` for each described member.
template <DescribedStruct T, typename Visit>
void forEachMember(T& object, Visit visit) {
  using Plain = std::remove_const_t<T>;
  boost::mp11::mp_for_each<boost::describe::describe_members<Plain, boost::describe::mod_public>>(
      [&](auto member) { visit(member.name, object.*member.pointer); });
}

namespace detail {

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

}  // namespace detail

/// A type with a spelling of its own: `spelling(value)` and `readSpelling(word, value)`.
template <typename T>
concept Spelled = requires(T& value, std::string_view word) {
  { spelling(value) } -> std::same_as<std::string>;
  { readSpelling(word, value) } -> std::same_as<bool>;
};

/// The JSON form of a described struct, a described enum (its spelling), a number, a boolean, a
/// text, a vector or an optional (null when empty).
template <typename T>
boost::json::value toJson(const T& object) {
  if constexpr (DescribedEnum<T> || Spelled<T>) {
    return boost::json::value(spelling(object));
  } else if constexpr (detail::kIsOptional<T>) {
    return object ? toJson(*object) : boost::json::value(nullptr);
  } else if constexpr (detail::kIsVector<T>) {
    boost::json::array array;
    for (const auto& element : object) array.push_back(toJson(element));
    return array;
  } else if constexpr (DescribedStruct<T>) {
    boost::json::object result;
    forEachMember(object, [&](const char* name, const auto& member) {
      result.emplace(name, toJson(member));
    });
    return result;
  } else {
    return boost::json::value(object);
  }
}

/// The inverse of `toJson`, for JSON that this program wrote itself: anything else throws
/// std::exception without a word for people. Settings are read by `readSettings` instead.
template <typename T>
T fromJson(const boost::json::value& value) {
  if constexpr (DescribedEnum<T>) {
    const auto result = fromSpelling<T>(std::string_view(value.as_string()));
    if (!result) throw std::invalid_argument("unknown enumerator");
    return *result;
  } else if constexpr (Spelled<T>) {
    T result;
    if (!readSpelling(std::string_view(value.as_string()), result)) {
      throw std::invalid_argument("unknown spelling");
    }
    return result;
  } else if constexpr (detail::kIsOptional<T>) {
    if (value.is_null()) return std::nullopt;
    return fromJson<typename T::value_type>(value);
  } else if constexpr (detail::kIsVector<T>) {
    T result;
    for (const boost::json::value& element : value.as_array()) {
      result.push_back(fromJson<typename T::value_type>(element));
    }
    return result;
  } else if constexpr (DescribedStruct<T>) {
    T result;
    forEachMember(result, [&](const char* name, auto& member) {
      member = fromJson<std::remove_reference_t<decltype(member)>>(value.at(name));
    });
    return result;
  } else {
    return boost::json::value_to<T>(value);
  }
}

}  // namespace t3
