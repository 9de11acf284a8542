// SPDX-License-Identifier: Apache-2.0
// Method: every example of the pages in docs/ that shows a command ("$ t3sim …") and what it prints
// is run, in a directory of its own that has data/collectives/ and
// data/workloads/, and what the page shows is looked for in
// what it printed: line by line, where "…" stands for any text and, alone on a line, for any lines.
// It ends with exit code 1 if it printed an error or is a `diff` of files that differ, else with 0,
// and never with 2. A command that shows no output prepares the next one of its block.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/testbench/program.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::documented_test {
namespace {

constexpr std::string_view kAny = "…";

struct Example {
  std::string page;
  int line = 0;                                  ///< of the page
  std::vector<std::vector<std::string>> before;  ///< commands that run first
  std::vector<std::string> arguments;
  std::vector<std::string> shown;
};

std::vector<std::string> words(std::istringstream text) {
  std::vector<std::string> list;
  for (std::string word; text >> word;) list.push_back(word);
  return list;
}

void addExamplesOf(const std::filesystem::path& page, std::vector<Example>& examples) {
  std::ifstream file(page);
  bool open = false;     // an example's output follows
  bool command = false;  // its command goes on
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("```")) {
      open = command = false;
      continue;
    }
    const bool begins = line.starts_with("$ t3sim ");
    if (begins && open && examples.back().shown.empty()) {
      examples.back().before.push_back(std::exchange(examples.back().arguments, {}));
    } else if (begins) {
      examples.push_back({page.stem(), number, {}, {}, {}});
    }
    if (begins || command) {
      open = true;
      command = line.ends_with('\\');
      if (command) line.pop_back();
      for (const std::string& word : words(std::istringstream(line.substr(begins ? 8 : 0)))) {
        examples.back().arguments.push_back(word);
      }
    } else if (open) {
      examples.back().shown.push_back(line);
    }
  }
}

std::vector<Example> examplesOf(const char* folder) {
  std::vector<std::filesystem::path> pages;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".md") pages.push_back(file.path());
  }
  std::sort(pages.begin(), pages.end());
  std::vector<Example> examples;
  for (const std::filesystem::path& page : pages) addExamplesOf(page, examples);
  return examples;
}

/// Whether `text` is `pattern`, with any text for each "…" in it.
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t any = pattern.find(kAny);
  if (any == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, any))) return false;
  const std::string_view rest = pattern.substr(any + kAny.size());
  for (std::size_t from = any; from <= text.size(); ++from) {
    if (matches(rest, text.substr(from))) return true;
  }
  return false;
}

class Documented : public testing::TestWithParam<Example> {};

TEST_P(Documented, CommandPrintsWhatThePageShows) {
  const Example& example = GetParam();
  ASSERT_FALSE(example.shown.empty());
  const test::TemporaryDirectory directory;
  std::filesystem::current_path(directory.path());
  std::filesystem::create_directory("data");
  std::filesystem::create_directory_symlink(T3_COLLECTIVES, "data/collectives");
  std::filesystem::create_directory_symlink(T3_WORKLOADS, "data/workloads");
  for (const std::vector<std::string>& arguments : example.before) {
    test::mustRun(arguments);
  }
  const test::Outcome outcome = test::t3sim(example.arguments);
  std::vector<std::string> printed;
  std::istringstream text(outcome.output + outcome.error);
  for (std::string line; std::getline(text, line);) printed.push_back(line);

  std::size_t next = 0;
  bool skipping = true;  // the page may begin anywhere
  for (const std::string& line : example.shown) {
    if (line == kAny) {
      skipping = true;
      continue;
    }
    while (skipping && next < printed.size() && !matches(line, printed[next])) ++next;
    ASSERT_TRUE(next < printed.size() && matches(line, printed[next]))
        << "docs/" << example.page << ".md, example in line " << example.line << ", shows\n"
        << line << "\nt3sim printed\n"
        << outcome.output << outcome.error;
    skipping = false;
    ++next;
  }
  std::filesystem::current_path("/");
  const bool differ = example.arguments.front() == "diff";
  EXPECT_EQ(outcome.code, outcome.error.find("t3sim: ") == std::string::npos && !differ ? 0 : 1)
      << outcome.output << outcome.error;
}

INSTANTIATE_TEST_SUITE_P(Page, Documented, testing::ValuesIn(examplesOf(T3_DOCS)),
                         [](const auto& example) {
                           std::string name =
                               example.param.page + "_line_" + std::to_string(example.param.line);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace t3::documented_test
