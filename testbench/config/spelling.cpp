// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/spelling.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <numeric>
#include <sstream>

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

std::ptrdiff_t commonPrefix(std::string_view word, std::string_view candidate) {
  const auto sameLetter = [](char a, char b) { return toLower(a) == toLower(b); };
  return std::mismatch(word.begin(), word.end(), candidate.begin(), candidate.end(), sameLetter)
             .first -
         word.begin();
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
  const std::string plural = std::string(word) + "s";
  if (std::ranges::find(candidates, plural) != candidates.end()) return plural;
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

std::string counted(std::uint64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream words(text + separator);
  for (std::string word; std::getline(words, word, separator);) parts.push_back(word);
  return parts;
}

std::string inQuotes(std::string_view text) { return "'" + shortened(text) + "'"; }

namespace {

/// Bytes of the character at the front; 0 if there is none.
std::size_t lengthOf(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

}  // namespace

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = lengthOf(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string asUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = lengthOf(text);
    valid += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::istringstream words(text);
  std::string out, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + '\n';
      line.clear();
    }
    line += (line.empty() ? indent : " ") + word;
  }
  return out + line + '\n';
}

}  // namespace t3
