// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/spelling.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace t3 {
namespace {

bool isUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

char toLower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Characters to insert, remove or replace to make one word the other.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // of the Levenshtein table, one at a time
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (toLower(a[i]) == toLower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string kebabCase(std::string_view camelCase) {
  std::string word;
  for (const char c : camelCase) {
    if (isUpper(c) && !word.empty()) word += '-';
    word += toLower(c);
  }
  return word;
}

namespace {

std::ptrdiff_t commonPrefix(std::string_view word, std::string_view candidate) {
  const auto sameLetter = [](char a, char b) { return toLower(a) == toLower(b); };
  return std::mismatch(word.begin(), word.end(), candidate.begin(), candidate.end(), sameLetter)
             .first -
         word.begin();
}

}  // namespace

std::ptrdiff_t unlikeness(std::string_view word, std::string_view candidate) {
  return static_cast<std::ptrdiff_t>(editDistance(word, candidate)) - commonPrefix(word, candidate);
}

bool isNear(std::string_view word, std::string_view candidate) {
  constexpr std::size_t kBeginning = 2;
  // Both may be options.
  while (word.starts_with('-') && candidate.starts_with('-')) {
    word.remove_prefix(1);
    candidate.remove_prefix(1);
  }
  const auto prefix = static_cast<std::size_t>(commonPrefix(word, candidate));
  const std::size_t distance = editDistance(word, candidate);
  return (prefix == word.size() && prefix >= kBeginning) || distance <= prefix ||
         distance <= std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  for (const std::string& candidate : candidates) {
    const bool nearer = best.empty() || unlikeness(word, candidate) < unlikeness(word, best);
    if (nearer && isNear(word, candidate)) best = candidate;
  }
  return best;
}

std::string nearestNote(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : "; the nearest is " + inQuotes(near);
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result;
  for (const char c : text.substr(0, kLongest)) {
    result += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
  }
  return text.size() > kLongest ? result + "..." : result;
}

std::string inQuotes(std::string_view text) { return "'" + shortened(text) + "'"; }

}  // namespace t3
