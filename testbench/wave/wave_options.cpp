// SPDX-License-Identifier: Apache-2.0
#include "testbench/wave/wave_options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream words(text + separator);
  for (std::string word; std::getline(words, word, separator);) parts.push_back(word);
  return parts;
}

/// Names of the shorter one, from the left, that agree.
bool agree(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i] && a[i] != "*" && b[i] != "*") return false;
  }
  return true;
}

WaveTrigger triggerOf(const std::string& word) {
  static constexpr std::array<std::pair<const char*, EventKind>, 4> kEvents = {
      {{"trigger", EventKind::Trigger},
       {"overflow", EventKind::Spill},
       {"stall", EventKind::Stall},
       {"mismatch", EventKind::Difference}}};
  for (const auto& [name, kind] : kEvents) {
    if (word == name) return {kind, {}};
  }
  static const std::string kCommand = "command:";
  if (word.starts_with(kCommand)) {
    std::uint64_t number = 0;
    const char* end = word.data() + word.size();
    const auto parsed = std::from_chars(word.data() + kCommand.size(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) return {EventKind::CommandBegin, number};
  }
  throw ConfigError(
      "--wave-from", "",
      "expected trigger, overflow, stall, mismatch or command:K, got " + inQuotes(word));
}

}  // namespace

bool liesIn(const std::string& name, const std::string& scope) {
  const auto names = split(name, '.');
  const auto wanted = split(scope, '.');
  return wanted.size() <= names.size() && agree(names, wanted);
}

bool overlaps(const std::string& name, const std::string& scope) {
  return agree(split(name, '.'), split(scope, '.'));
}

Picoseconds timeOf(const std::string& word, const std::string& option) {
  static constexpr std::array<std::pair<const char*, double>, 5> kUnits = {
      {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  double number = 0;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, number);
  for (const auto& [unit, picoseconds] : kUnits) {
    const bool good = parsed.ec == std::errc() && std::string(parsed.ptr, end) == unit &&
                      number >= 0 && number * picoseconds < 9e18;
    if (good) return static_cast<Picoseconds>(std::llround(number * picoseconds));
  }
  throw ConfigError(option, "", "expected a time such as 1.2ms or 50us, got " + inQuotes(word));
}

void addWaveOptions(Options& options) {
  options.add("wave", "FILE", "write a waveform, .fst or .vcd, with a view for GTKWave beside it");
  options.add("wave-scope", "LIST",
              "what it shows, with commas, e.g. gpu3.tracker,gpu3.hbm.ch7 or *.link; default gpu0");
  options.add("wave-window", "FROM:TO", "of this time only, e.g. 1.2ms:1.4ms, 50us: or :1ms");
  options.add("wave-from", "EVENT",
              "from the first of these on: trigger, overflow, stall, mismatch or command:K");
  options.add("wave-last", "TIME", "only that much before the end, a failure or an interrupt");
  options.add("wave-sample", "TIME", "how often values that are not RTL are read; default 10ns");
}

std::optional<WaveOptions> waveOptionsOf(const Options& options) {
  if (!options.has("wave")) {
    for (const char* other :
         {"wave-scope", "wave-window", "wave-from", "wave-last", "wave-sample"}) {
      if (options.has(other)) {
        throw ConfigError(std::string("--") + other, "", "expected --wave FILE with it");
      }
    }
    return std::nullopt;
  }
  WaveOptions wave;
  wave.path = *options.value("wave");
  if (!wave.path.ends_with(".fst") && !wave.path.ends_with(".vcd")) {
    throw ConfigError("--wave", "",
                      "expected a name that ends in .fst or .vcd, got " + inQuotes(wave.path));
  }
  if (const auto list = options.value("wave-scope")) {
    wave.scopes = split(*list, ',');
    for (const std::string& scope : wave.scopes) {
      if (scope.empty()) throw ConfigError("--wave-scope", "", "expected names between commas");
    }
  }
  if (const auto window = options.value("wave-window")) {
    const auto ends = split(*window, ':');
    if (ends.size() != 2 || window->size() < 2) {
      throw ConfigError("--wave-window", "",
                        "expected FROM:TO, e.g. 1.2ms:1.4ms, got " + inQuotes(*window));
    }
    if (!ends[0].empty()) wave.first = timeOf(ends[0], "--wave-window");
    if (!ends[1].empty()) wave.last = timeOf(ends[1], "--wave-window");
    if (wave.first >= wave.last) {
      throw ConfigError("--wave-window", "",
                        "expected an end after the beginning, got " + inQuotes(*window));
    }
  }
  if (const auto event = options.value("wave-from")) wave.from = triggerOf(*event);
  if (const auto last = options.value("wave-last")) wave.keep = timeOf(*last, "--wave-last");
  if (const auto period = options.value("wave-sample")) {
    wave.samplePeriod = timeOf(*period, "--wave-sample");
  }
  for (const auto& [option, time] : {std::pair{"--wave-last", wave.keep.value_or(1)},
                                     std::pair{"--wave-sample", wave.samplePeriod}}) {
    if (time == 0) throw ConfigError(option, "", "expected more than 0");
  }
  return wave;
}

}  // namespace t3
