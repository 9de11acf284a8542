// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/options.h"

#include <boost/program_options/parsers.hpp>
#include <sstream>
#include <utility>

#include "testbench/config/quantity.h"

namespace t3 {
namespace {

namespace po = boost::program_options;

constexpr unsigned kHelpWidth = 80;

/// "--json" of "--json=FILE".
std::string withoutValue(const std::string& word) { return word.substr(0, word.find('=')); }

}  // namespace

Options::Options(std::string usage, std::string about)
    : usage_(std::move(usage)), about_(std::move(about)), description_("options", kHelpWidth) {
  addFlag("help,h", "print this");
}

void Options::add(const char* name, const char* argument, const std::string& help) {
  description_.add_options()(name, po::value<std::string>()->value_name(argument), help.c_str());
}

void Options::addRepeatable(const char* name, const char* argument, const std::string& help) {
  description_.add_options()(
      name, po::value<std::vector<std::string>>()->composing()->value_name(argument), help.c_str());
}

void Options::addFlag(const char* name, const std::string& help) {
  description_.add_options()(name, help.c_str());
}

void Options::addOptionalValue(const char* name, const char* argument, const char* alone,
                               const std::string& help) {
  description_.add_options()(
      name, po::value<std::string>()->implicit_value(alone, "")->value_name(argument),
      help.c_str());
}

void Options::parse(const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  const auto fail = [](const po::error_with_option_name& error, const std::string& problem) {
    throw ConfigError(error.get_option_name(), "", problem);
  };
  try {
    // No abbreviations: one that is unique today may be ambiguous after the next new option.
    const po::parsed_options parsed = po::command_line_parser(words)
                                          .options(description_)
                                          .style(style::unix_style & ~style::allow_guessing)
                                          .run();
    for (const po::option& option : parsed.options) {
      if (option.position_key < 0) {
        // A value was forgotten: else a file would get the name of an option.
        const bool apart = option.original_tokens.size() > 1;
        if (!apart || option.value.empty() || !knows(withoutValue(option.value.front()))) continue;
        throw ConfigError("--" + option.string_key, "",
                          "expected a value behind it, got " + inQuotes(option.value.front()));
      }
      if (!takesOperands_) {
        throw ConfigError("", "", "unexpected argument " + inQuotes(option.value.front()));
      }
      operands_.push_back(option.value.front());
    }
    po::store(parsed, values_);
  } catch (const po::unknown_option& unknown) {
    throw UnknownOption(withoutValue(unknown.get_option_name()), names());
  } catch (const po::multiple_occurrences& repeated) {
    fail(repeated, "expected once, given several times");
  } catch (const po::invalid_command_line_syntax& bad) {
    using Kind = po::invalid_syntax::kind_t;
    const bool flag = bad.kind() == Kind::extra_parameter;
    fail(bad, flag ? "expected no value" : "expected a value behind it, got none");
  } catch (const po::error& error) {
    throw ConfigError("", "", error.what());
  }
}

std::string Options::help() const {
  std::ostringstream text;
  text << "usage: " << usage_ << "\n\n" << about_ << "\n\n" << description_;
  return text.str();
}

void Options::offer(const std::string& name, std::vector<std::string> words) {
  offered_[name.empty() ? "" : "--" + name] = std::move(words);
}

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const auto& option : description_.options()) names.push_back("--" + option->long_name());
  return names;
}

bool Options::knows(const std::string& option) const {
  return option.starts_with("--") && description_.find_nothrow(option.substr(2), false) != nullptr;
}

bool Options::takesValue(const std::string& option) const {
  return knows(option) && description_.find(option.substr(2), false).semantic()->max_tokens() > 0;
}

bool Options::takesFile(const std::string& option) const {
  if (!takesValue(option)) return false;
  const std::string argument = description_.find(option.substr(2), false).semantic()->name();
  return argument.find("FILE") != std::string::npos || argument.find("DIR") != std::string::npos;
}

std::vector<std::string> Options::offered(const std::string& option) const {
  const auto found = offered_.find(option);
  return found == offered_.end() ? std::vector<std::string>{} : found->second;
}

bool Options::hasWithItsCompanions(const std::string& name) const {
  if (has(name.c_str())) return true;
  for (const auto& option : description_.options()) {
    if (option->long_name().starts_with(name + "-") && has(option->long_name().c_str())) {
      throw ConfigError("--" + option->long_name(), "", "expected --" + name + " FILE with it");
    }
  }
  return false;
}

std::optional<std::string> Options::value(const char* name) const {
  if (!has(name)) return std::nullopt;
  return values_[name].as<std::string>();
}

std::vector<std::string> Options::all(const char* name) const {
  if (!has(name)) return {};
  return values_[name].as<std::vector<std::string>>();
}

unsigned WholeNumber::operator()(const std::string& word, const std::string& option) const {
  auto number = numberFrom<unsigned>(word);
  if (const auto quantity = inUnit(word, unit); quantity && *quantity >= 0 && *quantity <= most) {
    number = static_cast<unsigned>(*quantity);
    if (*number != *quantity) number.reset();
  }
  if (number && *number >= least && *number <= most) return *number;
  const std::string inUnits = *unit == '\0' ? "" : " (" + alternatives(unitsLike(unit)) + ")";
  throw ConfigError(option, "",
                    "expected a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most) + inUnits + ", got " + inQuotes(word));
}

}  // namespace t3
