// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/options.h"

#include <boost/program_options/parsers.hpp>
#include <charconv>
#include <iostream>
#include <utility>

namespace t3 {
namespace {

namespace po = boost::program_options;

constexpr unsigned kHelpWidth = 80;

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

bool Options::parse(const std::vector<std::string>& words, std::vector<std::string>* operands) {
  namespace style = po::command_line_style;
  try {
    // No abbreviations: one that is unique today may be ambiguous after the next new option.
    const po::parsed_options parsed = po::command_line_parser(words)
                                          .options(description_)
                                          .style(style::unix_style & ~style::allow_guessing)
                                          .run();
    for (const po::option& option : parsed.options) {
      if (option.position_key < 0) continue;
      if (operands == nullptr) {
        throw ConfigError("", "", "unexpected argument " + inQuotes(option.value.front()));
      }
      operands->push_back(option.value.front());
    }
    po::store(parsed, values_);
  } catch (const po::unknown_option& unknown) {
    std::vector<std::string> names;
    for (const auto& option : description_.options()) names.push_back("--" + option->long_name());
    const std::string given = unknown.get_option_name();
    throw ConfigError(given, "", "unknown option; the nearest is " + nearest(given, names));
  } catch (const po::error& error) {
    throw ConfigError("", "", error.what());
  }
  if (!has("help")) return true;
  std::cout << "usage: " << usage_ << "\n\n" << about_ << "\n\n" << description_;
  return false;
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
  unsigned number = 0;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < least || number > most) {
    throw ConfigError(option, "",
                      "expected a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most) + ", got " + inQuotes(word));
  }
  return number;
}

}  // namespace t3
