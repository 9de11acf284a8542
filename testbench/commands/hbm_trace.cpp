// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/hbm_trace.h"

#include <algorithm>
#include <charconv>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"

namespace t3 {
namespace {

/// Later than any simulated time; with any clock it fits 64 bits in picoseconds.
constexpr std::int64_t kLastCycle = 1'000'000'000'000;
constexpr const char* kForm = "expected 0xADDRESS READ|WRITE|UPDATE CYCLE, got ";

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view nextWord(std::string_view& line) {
  std::size_t start = 0;
  while (start < line.size() && isBlank(line[start])) ++start;
  std::size_t end = start;
  while (end < line.size() && !isBlank(line[end])) ++end;
  const std::string_view word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

template <typename T>
bool parseNumber(std::string_view word, int base, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return error == std::errc() && end == word.data() + word.size();
}

bool parseKind(std::string_view word, DramCommandKind& kind) {
  if (word == "READ") {
    kind = DramCommandKind::Read;
  } else if (word == "WRITE") {
    kind = DramCommandKind::Write;
  } else if (word == "UPDATE") {
    kind = DramCommandKind::Update;
  } else {
    return false;
  }
  return true;
}

bool parseLine(std::string_view line, ReplayRequest& request) {
  const std::string_view address = nextWord(line);
  const std::string_view kind = nextWord(line);
  const std::string_view cycle = nextWord(line);
  return (address.starts_with("0x") || address.starts_with("0X")) &&
         parseNumber(address.substr(2), 16, request.address) && parseKind(kind, request.kind) &&
         parseNumber(cycle, 10, request.cycle) && request.cycle >= 0 && nextWord(line).empty();
}

}  // namespace

std::vector<ReplayRequest> parseRequestTrace(std::string_view text, const std::string& source,
                                             std::uint32_t bytes, std::uint64_t capacity) {
  std::vector<ReplayRequest> trace;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view rest = line;
    const std::string_view first = nextWord(rest);
    if (first.empty() || first.starts_with('#')) continue;
    const auto fail = [&](const std::string& problem) {
      throw ConfigError(source + ":" + std::to_string(number), "", problem);
    };
    ReplayRequest request;
    request.bytes = bytes;
    if (!parseLine(line, request)) fail(kForm + inQuotes(line));
    if (request.address >= capacity || bytes > capacity - request.address) {
      fail("expected an address below the memory's " + std::to_string(capacity >> 30) +
           " GiB (hbm.capacity_gib), got " + inQuotes(first));
    }
    if (request.cycle > kLastCycle) {
      fail("expected a CYCLE up to " + std::to_string(kLastCycle) + ", got " +
           std::to_string(request.cycle));
    }
    trace.push_back(request);
  }
  if (trace.empty()) throw ConfigError(source, "", "expected at least one request, found none");
  return trace;
}

std::vector<ReplayRequest> readRequestTrace(const std::string& path, std::uint32_t bytes,
                                            std::uint64_t capacity) {
  return parseRequestTrace(readTextFile(path), path, bytes, capacity);
}

}  // namespace t3
