// SPDX-License-Identifier: Apache-2.0
#include "testbench/wave/wave.h"

#include <array>
#include <string_view>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

constexpr std::array<std::pair<const char*, EventKind>, 3> kTriggers = {
    {{"trigger", EventKind::Trigger},
     {"stall", EventKind::Stall},
     {"mismatch", EventKind::Difference}}};
constexpr std::string_view kCommandTrigger = "command:";

WaveTrigger triggerOf(const std::string& word, const std::string& option) {
  for (const auto& [name, kind] : kTriggers) {
    if (word == name) return {kind, {}};
  }
  if (word.starts_with(kCommandTrigger)) {
    const std::string_view digits = std::string_view(word).substr(kCommandTrigger.size());
    const auto number = numberFrom<std::uint64_t>(digits);
    if (number) return {EventKind::CommandBegin, number};
  }
  throw ConfigError(option, "",
                    "expected trigger, stall, mismatch or command:K, got " + inQuotes(word));
}

}  // namespace

void addWaveOptions(Options& options) {
  options.add("wave", "FILE",
              "write a waveform, .fst or .vcd, with a view for GTKWave beside it: a.gtkw of a.fst, "
              "a.vcd.gtkw of a.vcd");
  options.add("wave-scope", "LIST",
              "what it shows, with commas, e.g. gpu3.tracker,gpu3.hbm.ch7 or *.link; default gpu0");
  options.add("wave-window", "FROM:TO",
              "of this time only, e.g. 1.2ms:1.4ms, 50us: or :1ms; a number without a unit is ns");
  options.add("wave-from", "EVENT",
              "from the first of these on: trigger, stall, mismatch or command:K");
  options.add("wave-last", "TIME",
              "only that much before the end, a failure or an interrupt, e.g. 20us");
  options.add("wave-sample", "TIME", "how often values that are not RTL are read; default 10ns");
  options.offer("wave-scope", usualScopes());
  std::vector<std::string> triggers;
  for (const auto& [name, kind] : kTriggers) triggers.emplace_back(name);
  triggers.emplace_back(kCommandTrigger);
  options.offer("wave-from", std::move(triggers));
}

std::optional<WaveOptions> waveOptionsOf(const Options& options) {
  if (!options.hasWithItsCompanions("wave")) return std::nullopt;
  WaveOptions wave;
  wave.path = *options.value("wave");
  if (!wave.path.ends_with(".fst") && !wave.path.ends_with(".vcd")) {
    throw ConfigError("--wave", "",
                      "expected a name that ends in .fst or .vcd, got " + inQuotes(wave.path));
  }
  wave.scopes = options.value("wave-scope", listOf).value_or(wave.scopes);
  wave.window = options.value("wave-window", windowOf).value_or(wave.window);
  wave.from = options.value("wave-from", triggerOf);
  wave.keep = options.value("wave-last", durationOf);
  if (wave.keep && options.has("wave-window")) {
    throw ConfigError("--wave-last", "", "expected no --wave-window with it");
  }
  wave.samplePeriod = options.value("wave-sample", durationOf).value_or(wave.samplePeriod);
  return wave;
}

}  // namespace t3
