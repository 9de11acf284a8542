// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace t3 {

/// The spelling of an enumerator outside C++: RoundRobin is "round-robin", T3Mca "t3-mca".
std::string kebabCase(std::string_view camelCase);

/// How unlikely it is that `word` means `candidate`: the edit distance less the length of the
/// common prefix (beginnings are rarely mistyped, ends are often left out). Case does not count.
std::ptrdiff_t unlikeness(std::string_view word, std::string_view candidate);

/// Whether it is likely at all: `word` begins the candidate, or no more letters differ than agree
/// at the beginning, or at most a third differ.
bool isNear(std::string_view word, std::string_view candidate);

/// Its plural, else the near candidate that is least unlike `word`; of several, the first; "" if
/// none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// For an error: "; the nearest is 'gpus'", or "" if none is near.
std::string nearestNote(std::string_view word, const std::vector<std::string>& candidates);

/// "rtl, model or lockstep".
std::string alternatives(const std::vector<std::string>& words);

/// `text` made fit for a message of one line: cut if long, without control characters.
std::string shortened(std::string_view text);

/// The same in quotes.
std::string inQuotes(std::string_view text);

/// "1 byte", "2 bytes".
std::string counted(std::uint64_t count, const std::string& word);

/// The parts of `text` between separators: at least one; parts may be empty.
std::vector<std::string> split(const std::string& text, char separator);

/// The number that a whole text is; nothing if it is none, or does not fit.
template <typename T>
std::optional<T> numberFrom(std::string_view text, [[maybe_unused]] int base = 10) {
  T number{};
  const char* end = text.data() + text.size();
  std::from_chars_result parsed;
  if constexpr (std::is_integral_v<T>) {
    parsed = std::from_chars(text.data(), end, number, base);
  } else {
    parsed = std::from_chars(text.data(), end, number);
  }
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

/// The names of the rows of a table, or of those that its pointers point to.
template <typename Rows>
std::vector<std::string> namesOf(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(row)>>) {
      names.emplace_back(row->name);
    } else {
      names.emplace_back(row.name);
    }
  }
  return names;
}

template <typename T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;

/// All spellings of a described enum, in the order of its declaration.
template <DescribedEnum E>
std::vector<std::string> spellings() {
  std::vector<std::string> words;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>(
      [&](auto enumerator) { words.push_back(kebabCase(enumerator.name)); });
  return words;
}

template <DescribedEnum E>
std::string spelling(E value) {
  std::string word;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
    if (enumerator.value == value) word = kebabCase(enumerator.name);
  });
  return word;
}

template <DescribedEnum E>
std::optional<E> fromSpelling(std::string_view word) {
  std::optional<E> value;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
    if (kebabCase(enumerator.name) == word) value = enumerator.value;
  });
  return value;
}

/// Whether a text is valid UTF-8: no byte out of place, no overlong form, no surrogate.
bool isUtf8(std::string_view text);

/// The same text with U+FFFD in place of each byte that is none: names of files and labels may hold
/// any bytes, but the files that name them have to be valid.
std::string asUtf8(std::string_view text);

/// One paragraph in lines of at most `width` characters unless a word is longer, each indented.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent = "");

}  // namespace t3
