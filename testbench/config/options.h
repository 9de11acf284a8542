// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {

/// The options of one command: which ones it knows, and which ones were given. All values are
/// texts; `value(name, read)` converts them, and an error is one line.
class Options {
 public:
  /// `usage` is the first line of the command's help, `about` the text below it.
  Options(std::string usage, std::string about);

  /// An option with a value; `argument` names it in the help.
  void add(const char* name, const char* argument, const std::string& help);
  void addRepeatable(const char* name, const char* argument, const std::string& help);
  void addFlag(const char* name, const std::string& help);
  /// An option whose value may be left out; it then has the value `alone`.
  void addOptionalValue(const char* name, const char* argument, const char* alone,
                        const std::string& help);

  /// Reads the words of the command line. Those that belong to no option become `operands`; without
  /// these they are refused. False if --help was among the words, and has been answered. Throws
  /// ConfigError.
  bool parse(const std::vector<std::string>& words, std::vector<std::string>* operands = nullptr);

  bool has(const char* name) const { return values_.count(name) != 0; }
  /// The same for an option with companions, whose names begin with its name and "-" (--wave and
  /// --wave-scope). Throws ConfigError if a companion was given without the option.
  bool hasWithItsCompanions(const std::string& name) const;
  std::optional<std::string> value(const char* name) const;
  /// The result of `read(value, "--name")`, if the option was given.
  template <typename Read>
  auto value(const char* name, Read read) const {
    using Result = decltype(read(std::string(), std::string()));
    const auto word = value(name);
    return word ? std::optional<Result>(read(*word, std::string("--") + name)) : std::nullopt;
  }
  std::vector<std::string> all(const char* name) const;

 private:
  std::string usage_, about_;
  boost::program_options::options_description description_;
  boost::program_options::variables_map values_;
};

/// The enumerator that is spelled `word`. Throws ConfigError naming `option`.
template <typename E>
E choiceOf(const std::string& word, const std::string& option) {
  if (const auto choice = fromSpelling<E>(word)) return *choice;
  throw ConfigError(option, "",
                    "expected " + alternatives(spellings<E>()) + ", got " + inQuotes(word));
}
/// Reads a whole number from `least` to `most`. Throws ConfigError naming `option`.
struct WholeNumber {
  unsigned least, most;

  unsigned operator()(const std::string& word, const std::string& option) const;
};

}  // namespace t3
