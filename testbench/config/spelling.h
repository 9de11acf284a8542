// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace t3 {

/// The spelling of an enumerator outside C++: RoundRobin is "round-robin", T3Mca "t3-mca".
std::string kebabCase(std::string_view camelCase);

/// How unlikely it is that `word` was meant to be `candidate`: the edit distance less the length of
/// the common prefix (beginnings are rarely mistyped, ends are often left out). Upper and lower
/// case count as equal.
std::ptrdiff_t unlikeness(std::string_view word, std::string_view candidate);

/// Whether it is likely at all: `word` is the beginning of the candidate, as many letters agree
/// from the beginning as differ behind them, or at most a third differ.
bool isNear(std::string_view word, std::string_view candidate);

/// The near candidate that is least unlike `word`; of several, the first; "" if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// For an error: "; the nearest is 'gpus'", or "" if none is near.
std::string nearestNote(std::string_view word, const std::vector<std::string>& candidates);

/// "rtl, model or lockstep".
std::string alternatives(const std::vector<std::string>& words);

/// `text` made fit for a message of one line: cut if long, without control characters.
std::string shortened(std::string_view text);

/// The same in quotes.
std::string inQuotes(std::string_view text);

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

}  // namespace t3
