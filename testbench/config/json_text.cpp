// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/json_text.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/parse_options.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"

namespace t3 {
namespace {

namespace json = boost::json;

json::parse_options lenientOptions() {
  json::parse_options options;
  options.allow_trailing_commas = true;
  return options;
}

/// Watches a parse: which objects and arrays are open, with their keys. Stops at the first key that
/// occurs twice in an object, or at the one with a dotted path that is looked for.
class Watcher {
 public:
  explicit Watcher(std::string wanted = "") : wanted_(std::move(wanted)) {}

  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

  /// Dotted path of the key at which it stopped, "" if there was none.
  const std::string& found() const { return found_; }
  bool inAny() const { return !open_.empty(); }
  bool inObject() const { return inAny() && open_.back().isObject; }
  /// A key has ended, and nothing has followed it.
  bool behindKey() const { return behindKey_; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return begin(true); }
  bool on_object_end(std::size_t, json::error_code&) { return end(); }
  bool on_array_begin(json::error_code&) { return begin(false); }
  bool on_array_end(std::size_t, json::error_code&) { return end(); }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    partial_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    partial_.append(part.data(), part.size());
    open_.back().key = std::exchange(partial_, "");
    behindKey_ = true;
    const bool isNew = open_.back().keys.insert(open_.back().key).second;
    if (isNew && wanted_.empty()) return true;
    std::string path;
    for (const Open& one : open_) {
      if (one.isObject) path += (path.empty() ? "" : ".") + one.key;
    }
    if (isNew && path != wanted_) return true;
    found_ = std::move(path);
    error = json::make_error_code(json::error::syntax);
    return false;
  }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code&) { return value(); }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return value(); }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return value(); }
  bool on_double(double, json::string_view, json::error_code&) { return value(); }
  bool on_bool(bool, json::error_code&) { return value(); }
  bool on_null(json::error_code&) { return value(); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  struct Open {
    bool isObject;
    std::set<std::string> keys = {};
    std::string key = {};  ///< the last one
  };

  bool begin(bool isObject) {
    open_.push_back({isObject});
    return value();
  }
  bool end() {
    open_.pop_back();
    return true;
  }
  bool value() {
    behindKey_ = false;
    return true;
  }

  std::string wanted_;
  std::vector<Open> open_;
  std::string partial_, found_;
  bool behindKey_ = false;
};

std::string lineText(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return "line " + std::to_string(std::count(before.begin(), before.end(), '\n') + 1);
}

std::string position(std::string_view text, std::size_t offset) {
  const std::size_t lineStart = text.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
  return lineText(text, offset) + ", column " + std::to_string(offset - lineStart + 1);
}

/// The same with blanks in place of comments. Boost.JSON would take comments, but neither one that
/// ends in **/ nor one in the last line of a file.
std::string withoutComments(std::string_view text) {
  std::string plain(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, plain.size()); ++i) {
      if (plain[i] != '\n') plain[i] = ' ';
    }
  };
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (quoted) {
      if (rest.front() == '\\') ++i;
      quoted = rest.front() != '"';
    } else if (rest.starts_with("//")) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      blank(i, end);
      i = end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) continue;
      blank(i, end + 2);
      i = end + 1;
    } else {
      quoted = rest.front() == '"';
    }
  }
  return plain;
}

constexpr std::string_view kBlank = " \t\r\n";

/// Whether these are \n or another one, or \u00e4.
bool isEscape(std::string_view letters) {
  if (letters.size() == 2) return letters.find_first_of("\"\\/bfnrt", 1) == 1;
  return letters.size() == 6 &&
         letters.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

/// The same where `at` lies in a string; nothing elsewhere.
std::optional<std::string> problemOfString(std::string_view text, std::size_t& at) {
  bool quoted = false;
  std::size_t escape = 0, length = 0;  // the last one
  for (std::size_t i = 0; i < at; ++i) {
    if (quoted && text[i] == '\\') {
      escape = i;
      length = text.substr(i).starts_with("\\u") ? 6 : 2;
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    }
  }
  if (!quoted) return std::nullopt;
  if (const auto letters = text.substr(escape, length);
      at <= escape + length && !isEscape(letters)) {
    at = escape;
    return "expected an escape such as \\n, \\\\ or \\u00e4, found " + inQuotes(letters);
  }
  if (at >= text.size()) return "expected a closing double quote, found the end";
  if (text[at] == '\n') return "expected a closing double quote, found the end of the line";
  if (static_cast<unsigned char>(text[at]) >= 0x20) return "";
  return "expected an escape such as \\t, found a control character";
}

std::string expectedBehind(std::string_view before, const Watcher& watcher) {
  const bool inObject = watcher.inObject();
  const std::string closing = inObject ? "'}'" : "']'";
  const std::size_t last = before.find_last_not_of(kBlank);
  const char token = last == std::string_view::npos ? ':' : before[last];
  if (token == ':') return "a value";
  if (token == '{' || (token == ',' && inObject)) return "a key in double quotes or " + closing;
  if (token == '[' || token == ',') return "a value or " + closing;
  if (!watcher.inAny()) return "the end of the file";
  return watcher.behindKey() ? "':' behind the key" : "',' or " + closing;
}

/// What is wrong at `at`, where the parser gave up, in a text without comments: what was expected
/// and what was found. Moves `at` to where that begins. "" if the parser knows better.
std::string problemAt(std::string_view text, std::size_t& at, const Watcher& watcher) {
  if (auto problem = problemOfString(text, at)) return *problem;
  constexpr std::string_view kEndsWord = " \t\r\n,:{}[]\"";
  const auto endsWord = [&](std::size_t i) {
    return i >= text.size() || kEndsWord.find(text[i]) != std::string_view::npos;
  };
  std::size_t begin = at;
  while (begin > 0 && !endsWord(begin - 1)) --begin;
  json::error_code noValue;
  json::parse(text.substr(begin, at - begin), noValue);
  if (!endsWord(at) || (begin < at && noValue)) at = begin;  // a word is wrong as a whole
  at = std::min(text.find_first_not_of(kBlank, at), text.size());
  if (text.substr(at).starts_with("/*")) return "expected '*/' behind this, found the end";
  std::size_t end = at;
  while (!endsWord(end)) ++end;
  const std::string found =
      at == text.size() ? "the end" : inQuotes(text.substr(at, std::max<std::size_t>(end - at, 1)));
  return "expected " + expectedBehind(text.substr(0, at), watcher) + ", found " + found;
}

bool isPlain(const json::value& value) { return !value.is_object() && !value.is_array(); }

void formatTo(std::string& out, const json::value& value, std::size_t indent, std::size_t used);

std::string oneLine(const json::value& value) {
  if (value.is_double()) return formatNumber(value.get_double());
  if (value.is_string()) return quotedJson(std::string_view(value.get_string()));
  if (isPlain(value)) return json::serialize(value);
  std::string out;
  if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) out += (out.empty() ? "" : ", ") + oneLine(element);
    return "[" + out + "]";
  }
  for (const auto& [key, element] : value.get_object()) {
    out += (out.empty() ? "" : ", ") + quotedJson(std::string_view(key)) + ": " + oneLine(element);
  }
  return out.empty() ? "{}" : "{ " + out + " }";
}

/// Plain values, and arrays and objects of plain values, stand on one line if they fit.
bool fitsOneLine(const json::value& value, std::size_t column) {
  constexpr std::size_t kWidth = 100;
  if (isPlain(value)) return true;
  const auto plain = [](const auto& element) {
    if constexpr (requires { element.value(); }) {
      return isPlain(element.value());
    } else {
      return isPlain(element);
    }
  };
  const bool flat = value.is_array() ? std::ranges::all_of(value.get_array(), plain)
                                     : std::ranges::all_of(value.get_object(), plain);
  return flat && column + oneLine(value).size() <= kWidth;
}

void formatTo(std::string& out, const json::value& value, std::size_t indent, std::size_t used) {
  if (fitsOneLine(value, indent + used)) {
    out += oneLine(value);
    return;
  }
  const std::string inner(indent + 2, ' ');
  const char* separator = "\n";
  const bool isArray = value.is_array();
  out += isArray ? '[' : '{';
  if (isArray) {
    for (const json::value& element : value.get_array()) {
      out += separator + inner;
      formatTo(out, element, indent + 2, 1);
      separator = ",\n";
    }
  } else {
    for (const auto& [key, element] : value.get_object()) {
      const std::string name = quotedJson(std::string_view(key)) + ": ";
      out.append(separator).append(inner).append(name);
      formatTo(out, element, indent + 2, name.size() + 1);
      separator = ",\n";
    }
  }
  out += '\n' + std::string(indent, ' ') + (isArray ? ']' : '}');
}

}  // namespace

json::value parseJsonText(std::string_view given, const std::string& source) {
  const std::string text = withoutComments(given);
  json::error_code error;
  json::basic_parser<Watcher> parser(lenientOptions());
  std::size_t at = parser.write_some(false, text.data(), text.size(), error);
  if (!error && at < text.size()) error = json::make_error_code(json::error::extra_data);
  if (!error) return json::parse(text, {}, lenientOptions());
  if (text.find_first_not_of(kBlank) == std::string_view::npos) {
    throw ConfigError(source, "", "expected JSON, found nothing");
  }
  std::string problem;
  if (const std::string& key = parser.handler().found(); !key.empty()) {
    problem = key + ": key occurs twice";
  } else if (error != json::error::too_deep) {
    problem = problemAt(text, at, parser.handler());
  }
  if (problem.empty()) problem = "expected JSON, found " + error.message();
  throw ConfigError(source, position(text, at), problem);
}

json::value parseJsonFile(const std::string& path) {
  return parseJsonText(readTextFile(path), path);
}

JsonFile::JsonFile(const std::string& file)
    : path(file), text(readTextFile(file)), value(parseJsonText(text, file)) {}

std::string JsonFile::placeOf(const std::string& key) const {
  if (key.empty()) return path;
  const std::string plain = withoutComments(text);
  json::error_code error;
  json::basic_parser<Watcher> finder(lenientOptions(), key);
  const std::size_t consumed = finder.write_some(false, plain.data(), plain.size(), error);
  return finder.handler().found().empty() ? path : path + ": " + lineText(plain, consumed);
}

std::string formatNumber(double value) {
  // JSON has no infinities; nothing this program reports is one.
  if (!std::isfinite(value)) return "null";
  const double magnitude = std::abs(value);
  const bool plain = value == 0 || (magnitude >= 1e-6 && magnitude < 1e16);
  std::array<char, 64> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer.data(), result.ptr);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string quotedJson(std::string_view text) {
  const std::string valid = asUtf8(text);
  return json::serialize(json::string(valid.data(), valid.size()));
}

std::string formatJson(const json::value& value) {
  std::string out;
  formatTo(out, value, 0, 0);
  return out + '\n';
}

}  // namespace t3
