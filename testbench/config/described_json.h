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
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "testbench/config/spelling.h"
#include "tlm/transport/choice.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// A configuration struct (field_info.h).
template <typename T>
concept ConfigStruct = requires {
  std::remove_const_t<T>::settings();
};

/// A type that names its members itself: `visitMembers(object, visit)`.
template <typename T>
concept VisitedStruct = requires(T& object) {
  visitMembers(object, [](const char*, const auto&) {});
};

/// A configuration struct, a type that names its members, or another plain struct with
/// BOOST_DESCRIBE_STRUCT. Its JSON form is an object whose keys are the member names in the order
/// of the description.
template <typename T>
concept DescribedStruct = ConfigStruct<T> || VisitedStruct<T> ||
    (std::is_class_v<T>&& boost::describe::has_describe_members<std::remove_const_t<T>>::value);

/// Calls `visit(name, member)` for each described member.
template <DescribedStruct T, typename Visit>
void forEachMember(T& object, Visit visit) {
  using Plain = std::remove_const_t<T>;
  if constexpr (ConfigStruct<T>) {
    std::apply([&](const auto&... row) { (visit(row.info.key, object.*row.member), ...); },
               kSettings<Plain>);
  } else if constexpr (VisitedStruct<T>) {
    visitMembers(object, visit);
  } else {
    boost::mp11::mp_for_each<boost::describe::describe_members<Plain, boost::describe::mod_public>>(
        [&](auto member) { visit(member.name, object.*member.pointer); });
  }
}

/// A member that is left out of the JSON form while it is empty; a plain optional is null there.
template <typename T>
struct IfSet : std::optional<T> {
  using std::optional<T>::optional;
  IfSet(std::optional<T> value) : std::optional<T>(std::move(value)) {}
};

namespace detail {

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <typename T>
inline constexpr bool kIsIfSet = false;
template <typename T>
inline constexpr bool kIsIfSet<IfSet<T>> = true;

template <typename T>
inline constexpr bool kIsChoice = false;
template <typename Row>
inline constexpr bool kIsChoice<Choice<Row>> = true;

template <typename T>
inline constexpr bool kIsNumbered = false;
template <typename T, std::size_t Count>
inline constexpr bool kIsNumbered<NumberedGroups<T, Count>> = true;

}  // namespace detail

template <typename T>
boost::json::value toJson(const T& object);
template <typename T>
T fromJson(const boost::json::value& value);

namespace detail {

/// A struct of optionals as an object that has only the keys that are set.
template <DescribedStruct T>
boost::json::object setValues(const T& group) {
  boost::json::object result;
  forEachMember(group, [&](const char* name, const auto& member) {
    if constexpr (DescribedStruct<std::remove_cvref_t<decltype(member)>>) {
      const boost::json::object inner = setValues(member);
      if (!inner.empty()) result.emplace(name, inner);
    } else {
      if (member) result.emplace(name, toJson(*member));
    }
  });
  return result;
}

template <DescribedStruct T>
T fromSetValues(const boost::json::object& values) {
  T group;
  forEachMember(group, [&](const char* name, auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    const boost::json::value* value = values.if_contains(name);
    if (value == nullptr) return;
    if constexpr (DescribedStruct<Member>) {
      member = fromSetValues<Member>(value->as_object());
    } else {
      member = fromJson<typename Member::value_type>(*value);
    }
  });
  return group;
}

/// "gpu", of numbered groups "gpu0", "gpu1" …
template <typename T>
requires kIsNumbered<T>
constexpr const char* keyOf() { return std::remove_cvref_t<decltype(T{}.groups[0])>::kKey; }

/// "gpu3"
template <typename T>
std::string numberedKey(std::size_t index) {
  return T::kKey + std::to_string(index);
}

template <typename T, std::size_t Count>
void writeNumbered(boost::json::object& into, const NumberedGroups<T, Count>& numbered) {
  for (std::size_t i = 0; i < Count; ++i) {
    const boost::json::object values = setValues(numbered.groups[i]);
    if (!values.empty()) into.emplace(numberedKey<T>(i), values);
  }
}

template <typename T, std::size_t Count>
void readNumbered(const boost::json::object& from, NumberedGroups<T, Count>& numbered) {
  for (std::size_t i = 0; i < Count; ++i) {
    const boost::json::value* values = from.if_contains(numberedKey<T>(i));
    if (values != nullptr) numbered.groups[i] = fromSetValues<T>(values->as_object());
  }
}

}  // namespace detail

/// A type with a spelling of its own: `spelling(value)` and `readSpelling(word, value)`.
template <typename T>
concept Spelled = requires(T& value, std::string_view word) {
  { spelling(value) } -> std::same_as<std::string>;
  { readSpelling(word, value) } -> std::same_as<bool>;
};

/// The JSON form of a described struct, a described enum (its spelling), a choice (the name of its
/// row), a number, a boolean, a text, a vector, an optional (null when empty), an IfSet (left out
/// when empty), numbered groups (only the values that are set), or a JSON object as it is.
template <typename T>
boost::json::value toJson(const T& object) {
  if constexpr (DescribedEnum<T> || Spelled<T>) {
    return boost::json::value(spelling(object));
  } else if constexpr (detail::kIsChoice<T>) {
    return boost::json::value(std::string_view(object->name));
  } else if constexpr (detail::kIsOptional<T>) {
    return object ? toJson(*object) : boost::json::value(nullptr);
  } else if constexpr (detail::kIsVector<T>) {
    boost::json::array array;
    for (const auto& element : object) array.push_back(toJson(element));
    return array;
  } else if constexpr (DescribedStruct<T>) {
    boost::json::object result;
    forEachMember(object, [&](const char* name, const auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      if constexpr (detail::kIsNumbered<Member>) {
        detail::writeNumbered(result, member);
      } else if constexpr (detail::kIsIfSet<Member>) {
        if (member) result.emplace(name, toJson(*member));
      } else {
        result.emplace(name, toJson(member));
      }
    });
    return result;
  } else {
    return boost::json::value(object);
  }
}

/// The inverse of `toJson`, for JSON that this program wrote itself: anything else throws
/// std::exception with a text that is not meant for users. Settings are read by `readSettings`.
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
  } else if constexpr (detail::kIsChoice<T>) {
    const auto* row = T::find(std::string_view(value.as_string()));
    if (row == nullptr) throw std::invalid_argument("unknown choice");
    return *row;
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
      using Member = std::remove_reference_t<decltype(member)>;
      if constexpr (detail::kIsNumbered<Member>) {
        detail::readNumbered(value.as_object(), member);
      } else {
        member = fromJson<Member>(value.at(name));
      }
    });
    return result;
  } else {
    return boost::json::value_to<T>(value);
  }
}

}  // namespace t3
