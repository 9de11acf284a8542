// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {

/// An option that the command does not have; another one may.
class UnknownOption : public ConfigError {
 public:
  /// `names` are those that it has.
  UnknownOption(const std::string& name, const std::vector<std::string>& names)
      : ConfigError(name, "", "unknown option" + nearestNote(name, names)),
        name_(name),
        resembles_(!nearest(name, names).empty()) {}

  const std::string& name() const { return name_; }
  /// Whether it resembles one of those.
  bool resembles() const { return resembles_; }

 private:
  std::string name_;
  bool resembles_;
};

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

  /// From here on words that belong to no option are operands; else they are refused.
  void takeOperands() { takesOperands_ = true; }
  bool takesOperands() const { return takesOperands_; }

  /// Words that a shell completes the value of `--name` to, among others; operands if `name` is "".
  void offer(const std::string& name, std::vector<std::string> words);

  /// Throws ConfigError, for an unknown option UnknownOption.
  void parse(const std::vector<std::string>& words);
  /// What --help prints.
  std::string help() const;

  // Of options by their names as they are typed, with --.
  std::vector<std::string> names() const;
  bool knows(const std::string& option) const;
  bool takesValue(const std::string& option) const;
  /// Whether the value is the name of a file or directory.
  bool takesFile(const std::string& option) const;
  std::vector<std::string> offered(const std::string& option) const;

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
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  std::string usage_, about_;
  bool takesOperands_ = false;
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>> offered_;
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

/// Reads a whole number, which may have a unit ("4KiB") if `unit` is one. Throws ConfigError.
struct WholeNumber {
  unsigned least, most;
  const char* unit = "";

  unsigned operator()(const std::string& word, const std::string& option) const;
};

}  // namespace t3
