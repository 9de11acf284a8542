// SPDX-License-Identifier: Apache-2.0
#include "testbench/validate/measurements.h"

#include <charconv>
#include <cmath>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "silicon_data.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

constexpr std::string_view kHeader = "collective,algorithm,file,bytes,time_us";

class Reader {
 public:
  explicit Reader(std::string source) : source_(std::move(source)) {}

  std::vector<Measurement> read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::vector<Measurement> all;
    while (std::getline(lines, line)) {
      ++line_;
      if (line.ends_with('\r')) line.pop_back();
      if (line_ == 1) {
        if (line != kHeader) fail("expected the line " + inQuotes(std::string(kHeader)));
      } else {
        all.push_back(measurement(line));
      }
    }
    if (all.empty()) throw ConfigError(source_, "", "expected a line of names and measured times");
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(source_, "line " + std::to_string(line_), problem);
  }

  template <typename T>
  T number(const std::string& word, const char* what) const {
    T value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc{} && end == word.data() + word.size();
    if (!whole || !(value > 0) || !std::isfinite(static_cast<double>(value))) {
      fail(std::string(what) + ": expected a " + (std::is_integral_v<T> ? "whole " : "") +
           "number above 0, got " + inQuotes(word));
    }
    return value;
  }

  Measurement measurement(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream in(line + ",");
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    if (words.size() != 5) fail("expected 5 fields, got " + std::to_string(words.size()));
    if (words[0] != "allgather") fail("collective: expected allgather, got " + inQuotes(words[0]));
    const auto algorithm = MeasuredAlgorithm::named(words[2]);
    if (!algorithm) {
      fail(
          "file: expected ag_ring_PROTOCOL_CHANNELS_INSTANCES or ag_allpair_PROTOCOL_x_INSTANCES, "
          "got " +
          inQuotes(words[2]));
    }
    const bool isRing = algorithm->kind == MeasuredAlgorithm::Kind::Ring;
    const std::string kind = isRing ? "ring" : "allpair";
    if (words[1] != kind) {
      fail("algorithm: expected " + kind + ", as the file's name says, got " + inQuotes(words[1]));
    }
    Measurement result{words[2], *algorithm, number<std::uint64_t>(words[3], "bytes"),
                       number<double>(words[4], "time_us")};
    if (!seen_.emplace(result.file, result.bytes).second) {
      fail("expected each file and size once, got " + result.file + " with " + words[3] +
           " bytes again");
    }
    return result;
  }

  const std::string source_;
  std::size_t line_ = 0;
  std::set<std::pair<std::string, std::uint64_t>> seen_;
};

}  // namespace

std::vector<Measurement> readMeasurements(const std::string& text, const std::string& source) {
  return Reader(source).read(text);
}

std::vector<Measurement> shippedMeasurements() {
  const std::string text(reinterpret_cast<const char*>(kSilicon0), sizeof kSilicon0);
  return readMeasurements(text, "data/silicon/mi300x-all-gather.csv");
}

}  // namespace t3
