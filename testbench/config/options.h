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

/// The options of one command: what can be said, and what was. All values are texts; the functions
/// below turn them into what they mean, with errors of one line.
class Options {
 public:
  /// `usage` is the first line of the command's help, `about` the text below it.
  Options(std::string usage, std::string about);

  /// An option with a value; `argument` names it in the help.
  void add(const char* name, const char* argument, const std::string& help);
  void addRepeatable(const char* name, const char* argument, const std::string& help);
  void addFlag(const char* name, const std::string& help);
  /// An option that may stand alone and then counts as given with `alone`.
  void addOptionalValue(const char* name, const char* argument, const char* alone,
                        const std::string& help);

  /// Reads the words of the command line. False if --help was among them, and has been answered.
  /// Throws ConfigError.
  bool parse(const std::vector<std::string>& words);

  bool has(const char* name) const { return values_.count(name) != 0; }
  /// The same for an option that others, called like it and "-", say more about. Throws ConfigError
  /// if one of them was given without it.
  bool hasWithItsCompanions(const std::string& name) const;
  std::optional<std::string> value(const char* name) const;
  /// What `read(value, "--name")` makes of it, if it was given.
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

/// One of an enumeration's spellings; `option` names the culprit in errors, here and below.
template <typename E>
E choiceOf(const std::string& word, const std::string& option) {
  if (const auto choice = fromSpelling<E>(word)) return *choice;
  throw ConfigError(option, "",
                    "expected " + alternatives(spellings<E>()) + ", got " + inQuotes(word));
}
/// Reads a whole number in that range.
struct WholeNumber {
  unsigned least, most;

  unsigned operator()(const std::string& word, const std::string& option) const;
};

}  // namespace t3
