// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/hbm_trace.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"

namespace t3 {
namespace {

/// Later than any simulated time; with any clock it fits 64 bits in picoseconds.
constexpr std::int64_t kLastCycle = 1'000'000'000'000;
constexpr const char* kForms =
    "expected ADDRESS READ|WRITE|UPDATE [CYCLE] (as DRAMsim3, DRAMSim2 and Ramulator), CYCLE: "
    "read|write ADDRESS (DRAMSys) or LD|ST ADDRESS (Ramulator 2), got ";

struct KindName {
  std::string_view name;
  DramCommandKind kind;
};
constexpr std::array<KindName, 11> kKindNames{{
    {"READ", DramCommandKind::Read},
    {"WRITE", DramCommandKind::Write},
    {"UPDATE", DramCommandKind::Update},
    {"R", DramCommandKind::Read},  // Ramulator
    {"W", DramCommandKind::Write},
    {"LD", DramCommandKind::Read},  // Ramulator 2
    {"ST", DramCommandKind::Write},
    {"P_MEM_RD", DramCommandKind::Read},  // DRAMSim2, its traces named k6
    {"P_MEM_WR", DramCommandKind::Write},
    {"P_FETCH", DramCommandKind::Read},
    {"IFETCH", DramCommandKind::Read},  // DRAMSim2, its traces named mase
}};

struct Compression {
  std::string_view begin, tool;
};
constexpr std::array<Compression, 4> kCompressions{{
    {"\x1f\x8b", "gunzip"},
    {"\x28\xb5\x2f\xfd", "unzstd"},
    {"\xfd"
     "7zXZ",
     "unxz"},
    {"BZh", "bunzip2"},
}};

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
  const auto number = numberFrom<T>(word, base);
  value = number.value_or(value);
  return number.has_value();
}

bool parseKind(std::string_view word, DramCommandKind& kind) {
  std::string upper(word);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const KindName& known : kKindNames) {
    if (known.name != upper) continue;
    kind = known.kind;
    return true;
  }
  return false;
}

/// `base` is that of an address without 0x.
bool parseAddress(std::string_view word, int base, std::uint64_t& address) {
  const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  if (hexadecimal) word.remove_prefix(2);
  return parseNumber(word, hexadecimal ? 16 : base, address);
}

bool parseCycle(std::string_view word, Cycles& cycle) {
  return parseNumber(word, 10, cycle) && cycle >= 0;
}

/// DRAMSys: `CYCLE: [(BYTES)] read|write ADDRESS`.
bool parseTimeFirst(std::string_view cycle, std::string_view line, ReplayRequest& request) {
  std::string_view kind = nextWord(line);
  if (kind.starts_with('(') && kind.ends_with(')')) {
    if (!parseNumber(kind.substr(1, kind.size() - 2), 10, request.bytes)) return false;
    kind = nextWord(line);
  }
  const std::string_view address = nextWord(line);
  return parseCycle(cycle.substr(0, cycle.size() - 1), request.cycle) &&
         parseKind(kind, request.kind) && parseAddress(address, 16, request.address) &&
         nextWord(line).empty();
}

bool parseLine(std::string_view line, ReplayRequest& request) {
  const std::string_view first = nextWord(line);
  if (first.ends_with(':')) return parseTimeFirst(first, line, request);
  const std::string_view second = nextWord(line);
  if (parseKind(first, request.kind)) {  // Ramulator 2
    return parseAddress(second, 10, request.address) && nextWord(line).empty();
  }
  const std::string_view cycle = nextWord(line);
  return parseAddress(first, 16, request.address) && parseKind(second, request.kind) &&
         (cycle.empty() || parseCycle(cycle, request.cycle)) && nextWord(line).empty();
}

}  // namespace

std::vector<ReplayRequest> readRequestTrace(const std::string& source, std::uint32_t bytes,
                                            std::uint64_t capacity) {
  const std::string whole = readTextFile(source);
  std::string_view text = whole;
  for (const auto& [begin, tool] : kCompressions) {
    if (!text.starts_with(begin)) continue;
    throw ConfigError(
        source, "",
        "expected a request trace, got a compressed file (" + std::string(tool) + " it)");
  }
  if (text.find('\0') != text.npos) {
    throw ConfigError(source, "", "expected a request trace in text, got a binary file");
  }
  if (source.ends_with(".rstl")) {
    throw ConfigError(source, "",
                      "expected times from the start (a .stl trace of DRAMSys), got times from one "
                      "request to the next");
  }
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
    if (!parseLine(line, request)) fail(kForms + inQuotes(line));
    if (request.bytes == 0 || request.bytes > kMostRequestBytes) {
      fail("expected 1 to " + std::to_string(kMostRequestBytes) + " bytes in parentheses, got " +
           std::to_string(request.bytes));
    }
    if (request.address >= capacity || request.bytes > capacity - request.address) {
      fail("expected " + std::to_string(request.bytes) + " bytes within the memory's " +
           std::to_string(capacity) + " bytes (hbm.capacity_gib), got " + inQuotes(line));
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

}  // namespace t3
