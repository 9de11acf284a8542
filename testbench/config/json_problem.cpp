// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/json_problem.h"

#include <algorithm>
#include <vector>

#include "testbench/config/spelling.h"

namespace t3 {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kDigits = "0123456789";

bool isOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// Takes digits away; false if there are none.
bool takeDigits(std::string_view& word) {
  const std::size_t count = std::min(word.find_first_not_of(kDigits), word.size());
  word.remove_prefix(count);
  return count > 0;
}

bool isJsonNumber(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  const bool zero = word.starts_with('0');
  if (zero) {
    word.remove_prefix(1);
  } else if (!takeDigits(word)) {
    return false;
  }
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    if (!takeDigits(word)) return false;
  }
  if (!word.empty() && isOneOf(word.front(), "eE")) {
    word.remove_prefix(1);
    if (!word.empty() && isOneOf(word.front(), "+-")) word.remove_prefix(1);
    if (!takeDigits(word)) return false;
  }
  return word.empty();
}

/// Whether these are \n or another one, or \u00e4.
bool isEscape(std::string_view letters) {
  if (letters.size() == 2) return isOneOf(letters[1], "\"\\/bfnrt");
  return letters.size() == 6 &&
         letters.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

/// Goes through the text word by word. It knows what may stand next, and in which objects and
/// arrays it is.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<JsonProblem> run() {
    while (!problem_) {
      skipBlanksAndComments();
      if (problem_) break;
      if (at_ == text_.size()) {
        if (next_ != Next::Nothing) unexpected("the end");
        break;
      }
      step();
    }
    return problem_;
  }

 private:
  enum class Next { Value, Element, Key, Colon, Separator, Nothing };

  bool inObject() const { return !open_.empty() && open_.back() == '{'; }
  std::string closing() const { return inObject() ? "'}'" : "']'"; }
  bool takesValue() const { return next_ == Next::Value || next_ == Next::Element; }

  std::string expected() const {
    switch (next_) {
      case Next::Value:
        return "a value";
      case Next::Element:
        return "a value or " + closing();
      case Next::Key:
        return "a key in double quotes or " + closing();
      case Next::Colon:
        return "':' behind the key";
      case Next::Separator:
        return "',' or " + closing();
      case Next::Nothing:
        return "the end of the file";
    }
    return "";
  }

  void fail(std::size_t offset, const std::string& wanted, const std::string& found) {
    problem_ = JsonProblem{offset, wanted, found};
  }
  void unexpected(const std::string& found) { fail(at_, expected(), found); }

  void valueEnds() { next_ = open_.empty() ? Next::Nothing : Next::Separator; }

  void skipBlanksAndComments() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (isOneOf(rest.front(), kBlank)) {
        ++at_;
      } else if (rest.starts_with("//")) {
        at_ += std::min(rest.find('\n'), rest.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = rest.find("*/", 2);
        if (end == std::string_view::npos) return fail(at_, "'*/' behind this", "the end");
        at_ += end + 2;
      } else {
        return;
      }
    }
  }

  void step() {
    const char c = text_[at_];
    if (c == '"' && (takesValue() || next_ == Next::Key)) return takeString();
    if (isOneOf(c, "{[") && takesValue()) {
      open_.push_back(c);
      next_ = c == '{' ? Next::Key : Next::Element;
      ++at_;
    } else if (isOneOf(c, "}]") && closes(c)) {
      open_.pop_back();
      valueEnds();
      ++at_;
    } else if (c == ':' && next_ == Next::Colon) {
      next_ = Next::Value;
      ++at_;
    } else if (c == ',' && next_ == Next::Separator) {
      next_ = inObject() ? Next::Key : Next::Element;
      ++at_;
    } else {
      takeWord();
    }
  }

  bool closes(char c) const {
    if (open_.empty() || open_.back() != (c == '}' ? '{' : '[')) return false;
    return next_ == Next::Key || next_ == Next::Element || next_ == Next::Separator;
  }

  void takeString() {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        const std::size_t length = text_.substr(i).starts_with("\\u") ? 6 : 2;
        if (!isEscape(text_.substr(i, length))) {
          return fail(i, "an escape such as \\n, \\\\ or \\u00e4",
                      inQuotes(text_.substr(i, length)));
        }
        i += length - 1;
      } else if (text_[i] == '"') {
        at_ = i + 1;
        if (next_ == Next::Key) {
          next_ = Next::Colon;
        } else {
          valueEnds();
        }
        return;
      } else if (text_[i] == '\n') {
        return fail(i, "a closing double quote", "the end of the line");
      } else if (static_cast<unsigned char>(text_[i]) < 0x20) {
        return fail(i, "an escape such as \\t", "a control character");
      }
    }
    fail(text_.size(), "a closing double quote", "the end");
  }

  void takeWord() {
    const std::string_view rest = text_.substr(at_);
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n,:{}[]\""), rest.size());
    const std::string_view word = rest.substr(0, std::max<std::size_t>(end, 1));
    const bool value = word == "true" || word == "false" || word == "null" || isJsonNumber(word);
    if (!value || !takesValue()) return unexpected(inQuotes(word));
    at_ += word.size();
    valueEnds();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<char> open_;
  Next next_ = Next::Value;
  std::optional<JsonProblem> problem_;
};

}  // namespace

std::optional<JsonProblem> findJsonProblem(std::string_view text) { return Scanner(text).run(); }

}  // namespace t3
