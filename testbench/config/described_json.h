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

/// A struct whose members can be visited: a configuration struct, a type that names its members, or
/// one with BOOST_DESCRIBE_STRUCT. Its JSON form is an object with the member names as keys.
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

template <typename T, template <typename...> class Of>
inline constexpr bool kIsA = false;
template <typename... Arguments, template <typename...> class Of>
inline constexpr bool kIsA<Of<Arguments...>, Of> = true;

template <typename T>
inline constexpr bool kIsVector = kIsA<T, std::vector>;
template <typename T>
inline constexpr bool kIsOptional = kIsA<T, std::optional>;
template <typename T>
inline constexpr bool kIsIfSet = kIsA<T, IfSet>;
template <typename T>
inline constexpr bool kIsChoice = kIsA<T, Choice>;

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

/// Without members that are null, or objects of nothing else: what is set of a struct of optionals.
inline boost::json::object onlySet(const boost::json::object& all) {
  boost::json::object some;
  for (const auto& [key, value] : all) {
    boost::json::value kept = value.is_object() ? onlySet(value.get_object()) : value;
    const bool nothing = kept.is_null() || (kept.is_object() && kept.get_object().empty());
    if (!nothing) some.emplace(key, std::move(kept));
  }
  return some;
}

/// "gpu", of numbered groups "gpu0", "gpu1" …
template <typename T>
requires kIsNumbered<T>
constexpr const char* keyOf() { return std::remove_cvref_t<decltype(T{}.groups[0])>::kKey; }

/// "gpu3"
template <typename Group>
std::string numberedKey(const Group&, std::size_t index) {
  return Group::kKey + std::to_string(index);
}

}  // namespace detail

/// A type with a spelling of its own: `spelling(value)` and `readSpelling(word, value)`.
template <typename T>
concept Spelled = requires(T& value, std::string_view word) {
  { spelling(value) } -> std::same_as<std::string>;
  { readSpelling(word, value) } -> std::same_as<bool>;
};

/// The JSON form of a described struct or enum (its spelling), a choice (the name of its row), a
/// number, a boolean, a text, a vector, an optional (null when empty), an IfSet (left out when
/// empty), numbered groups (only the values that are set), or JSON as it is.
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
        for (std::size_t i = 0; i < member.groups.size(); ++i) {
          boost::json::object group = detail::onlySet(toJson(member.groups[i]).as_object());
          if (!group.empty()) result.emplace(detail::numberedKey(member.groups[i], i), group);
        }
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
        for (std::size_t i = 0; i < member.groups.size(); ++i) {
          const auto* group =
              value.as_object().if_contains(detail::numberedKey(member.groups[i], i));
          if (group != nullptr)
            member.groups[i] = fromJson<std::remove_cvref_t<decltype(member.groups[i])>>(*group);
        }
      } else if (const auto* there = value.as_object().if_contains(name)) {
        member = fromJson<Member>(*there);
      } else if constexpr (!detail::kIsOptional<Member> && !DescribedStruct<Member>) {
        throw std::out_of_range(name);
      }
    });
    return result;
  } else {
    return boost::json::value_to<T>(value);
  }
}

}  // namespace t3
