// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "rtl_test/random.h"
#include "rtl_test/simulated.h"
#include "rtl_test/wave_view.h"

namespace t3::rtl_test {

std::uint64_t testSeed(std::uint64_t fallback) {
  const char* given = std::getenv("T3_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : fallback;
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test->test_suite_name()) + "." + test->name();
  testing::Test::RecordProperty("seed", std::to_string(seed));
  std::cout << "seed " << seed << ", repeat with: T3_TEST_SEED=" << seed
            << " <executable> --gtest_filter=" << name << "\n";
  return seed;
}

std::uint64_t testRounds(std::uint64_t fallback) {
  const char* given = std::getenv("T3_TEST_ROUNDS");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : fallback;
}

namespace {

std::string waveFile;  // of --wave
int drawn = 0;
std::uint64_t drawing = 0;             // time of the waveform
std::optional<std::uint64_t> failure;  // of the model that is drawn

/// Notes where the first failure is in the waveform.
class NoteFailure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed() && !failure) failure = drawing;
  }
};

/// Where T3_ARTIFACTS names a folder: a test that fails is run once more, which draws it, and what
/// it printed (its seed and how to repeat it among that) is kept beside the waveform.
class KeepArtifacts : public testing::EmptyTestEventListener {
 public:
  KeepArtifacts(std::string program, std::filesystem::path folder)
      : program_(std::move(program)), folder_(std::move(folder)) {}

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::string file = name;
    std::replace(file.begin(), file.end(), '/', '_');
    const std::string base = folder_ / file;
    std::filesystem::create_directories(folder_);
    const std::string command =
        "'" + program_ + "' '--gtest_filter=" + name + "' '--wave=" + base + ".fst'";
    std::ofstream(base + ".txt") << "repeat with: " << command << "\n" << std::flush;
    const std::string again = "T3_ARTIFACTS= " + command + " >>'" + base + ".txt' 2>&1";
    // Fails as the test did; that is known.
    if (std::system(again.c_str()) == -1) std::cerr << "cannot run " << again << "\n";
    std::cout << "drawn in " << base << ".fst, told in " << base << ".txt: gtkwave '" << base
              << ".gtkw'\n";
  }

  std::string program_;
  std::filesystem::path folder_;
};

}  // namespace

std::string nextWaveFile() {
  if (waveFile.empty()) return {};
  if (++drawn == 1) return waveFile;
  std::filesystem::path path = waveFile;
  return path.replace_filename(path.stem().string() + "-" + std::to_string(drawn) + ".fst");
}

void drawingAt(std::uint64_t time) {
  if (time == 0) failure.reset();
  drawing = time;
}

void finishDrawing(const std::string& file) { writeView(file, failure); }

/// Takes --wave FILE out of the arguments; false, with one line, if it is not what was expected.
bool takeWave(int& argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--wave" && i + 1 < argc) {
      waveFile = argv[++i];
    } else if (argument.starts_with("--wave")) {
      waveFile = argument.starts_with("--wave=") ? argument.substr(7) : "";
    } else {
      argv[kept++] = argv[i];
      continue;
    }
    if (waveFile.ends_with(".fst")) continue;
    std::cerr << argv[0] << ": --wave: expected a name that ends in .fst, got '" << waveFile
              << "'\n";
    return false;
  }
  argc = kept;
  return true;
}

}  // namespace t3::rtl_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!t3::rtl_test::takeWave(argc, argv)) return 2;
  testing::UnitTest::GetInstance()->listeners().Append(new t3::rtl_test::NoteFailure);
  const char* artifacts = std::getenv("T3_ARTIFACTS");
  if (artifacts != nullptr && *artifacts != '\0') {
    testing::UnitTest::GetInstance()->listeners().Append(
        new t3::rtl_test::KeepArtifacts(argv[0], artifacts));
  }
  return RUN_ALL_TESTS();
}
