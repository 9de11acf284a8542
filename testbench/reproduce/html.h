// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace t3 {

/// `text` with the characters that are special in HTML replaced.
std::string escaped(const std::string& text);

/// Words and what they mean, as a list of definitions. Both are plain texts.
std::string definitionList(const std::vector<std::pair<std::string, std::string>>& terms);

/// A table of plain texts; it escapes them. The first cells of a row say what the row is of: its
/// headings. Columns with words are aligned to the left, all others to the right. Where the page is
/// too narrow, a row becomes a list; a table of many rows scrolls sideways in its own frame
/// instead.
class HtmlTable {
 public:
  enum class WhenNarrow { List, Scroll };

  HtmlTable(const std::string& caption, std::vector<std::string> heading, std::size_t rowHeadings,
            WhenNarrow whenNarrow = WhenNarrow::List)
      : caption_(escaped(caption)),
        heading_(std::move(heading)),
        rowHeadings_(rowHeadings),
        whenNarrow_(whenNarrow) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  bool hasWords(std::size_t column) const;

  std::string caption_;
  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
  std::size_t rowHeadings_;
  WhenNarrow whenNarrow_;
};

}  // namespace t3
