// SPDX-License-Identifier: Apache-2.0
// Result files are complete or absent. Method: look into the directory at each point of a file's
// life; provoke each reason why it cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/output/output_file.h"
#include "tests/testbench/refused.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::output_test {
namespace {

using testing::ElementsAre;

TEST(OutputFile, AppearsOnlyWhenCommittedAndComplete) {
  const test::TemporaryDirectory directory;
  {
    OutputFile file("--json", directory.path("a.json"));
    EXPECT_FALSE(std::filesystem::exists(directory.path("a.json")));
    EXPECT_EQ(directory.names().size(), 1U) << "its temporary file is in the same directory";
    file.commit("text");
    EXPECT_EQ(test::readFile(directory.path("a.json")), "text");
  }
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
}

TEST(OutputFile, WithoutCommitWhatWasThereStays) {
  const test::TemporaryDirectory directory;
  directory.write("a.json", "old");
  { OutputFile file("--json", directory.path("a.json")); }
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
  EXPECT_EQ(test::readFile(directory.path("a.json")), "old");
}

TEST(OutputFile, ReplacesAFileAndKeepsItsPermissions) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("a.json", "old and longer");
  chmod(path.c_str(), 0640);
  OutputFile("--json", path).commit("new");
  EXPECT_EQ(test::readFile(path), "new");
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(OutputFile, AFreshOneHasOrdinaryPermissions) {
  const test::TemporaryDirectory directory;
  const mode_t before = umask(022);
  OutputFile("--json", directory.path("a.json")).commit("x");
  umask(before);
  struct stat status = {};
  ASSERT_EQ(stat(directory.path("a.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST(OutputFile, FollowsASymbolicLink) {
  const test::TemporaryDirectory directory;
  directory.write("real.json", "old");
  std::filesystem::create_symlink("real.json", directory.path("link.json"));
  OutputFile("--json", directory.path("link.json")).commit("new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path("link.json")));
  EXPECT_EQ(test::readFile(directory.path("real.json")), "new");
}

TEST(OutputFile, RemovesWhatKilledProgramsLeftOfTheSameFileAndNothingElse) {
  const test::TemporaryDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    const OutputFile killed("--json", directory.path("a.json"));
    const ScratchFile scratch(directory.path("a.json"));
    std::ofstream(scratch.path()) << "of a library";
    std::ofstream(scratch.path() + ".hier") << "of the FST library";
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::vector<std::string> left = directory.names();
  ASSERT_EQ(left.size(), 4U) << "what the killed program left";

  const std::vector<std::string> others = {"a.json.t3-", "a.json.t3-12345", "a.json.t3-1234567",
                                           "aXjson.t3-123456", "b.json.t3-123456"};
  for (const std::string& other : others) directory.write(other, "kept");
  // Of the same name, but in use: two programs may write the same file, and the last one wins.
  const ScratchFile inUse(directory.path("a.json"));
  std::filesystem::remove(inUse.path());
  std::ofstream(inUse.path()) << "a library may replace the file";
  OutputFile file("--json", directory.path("a.json"));
  const std::vector<std::string> names = directory.names();
  EXPECT_THAT(names, testing::IsSupersetOf(others));
  for (const std::string& name : left) EXPECT_THAT(names, testing::Not(testing::Contains(name)));
  EXPECT_TRUE(std::filesystem::exists(inUse.path()));
  EXPECT_EQ(names.size(), others.size() + 3) << "two are in use, one of them with its lock";
}

TEST(OutputFile, MovesWithoutLosingItsTemporary) {
  const test::TemporaryDirectory directory;
  {
    OutputFile first("--json", directory.path("a.json"));
    OutputFile second(std::move(first));
    second.commit("moved");
  }
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
}

TEST(OutputFile, AnUnwritablePlaceIsAnErrorBeforeAnythingIsWritten) {
  const test::TemporaryDirectory directory;
  directory.write("file", "");
  for (const std::string& path : {directory.path("absent/a.json"), directory.path("file/a.json"),
                                  directory.path(), directory.path("new/"), std::string()}) {
    EXPECT_THROW(OutputFile("--json", path), ConfigError) << path;
  }
  EXPECT_THAT(directory.names(), ElementsAre("file"));
}

TEST(OutputFile, IsTakenAsLongAsItIsWritten) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("a.json");
  {
    OutputFile first("--json", path);
    OutputFile moved(std::move(first));
    for (const std::string& same : {path, directory.path("./a.json")}) {
      EXPECT_EQ(test::refusalOf([&] { const OutputFile second("--csv", same); }),
                "--csv: " + same + ": expected another file, --json writes this one");
    }
    moved.commit("one");
  }
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
  OutputFile("--json", path).commit("two");
  EXPECT_EQ(test::readFile(path), "two");
  const OutputFile null("--json", "/dev/null");
  OutputFile("--csv", "/dev/null").commit("has room for all");
}

TEST(OutputFile, IsTheSameFileByItsNameInTheDirectoryOfTheProgram) {
  const test::TemporaryDirectory directory;
  std::filesystem::current_path(directory.path());
  {
    const OutputFile file("--json", "a.json");
    EXPECT_THROW(OutputFile("--csv", "./a.json"), ConfigError);
    EXPECT_THROW(OutputFile("--csv", directory.path("a.json")), ConfigError);
  }
  std::filesystem::current_path("/");
}

TEST(ScratchFile, IsRefusedWhereLessThanItsBytesAreFree) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("a.fst");
  const std::uint64_t free = std::filesystem::space(directory.path(".")).available;
  EXPECT_NO_THROW(requireRoom(path, free / 2));
  try {
    requireRoom(path, free + (std::uint64_t{1} << 40));
    ADD_FAILURE() << "a TiB more than is free";
  } catch (const std::runtime_error& problem) {
    EXPECT_THAT(problem.what(), testing::StartsWith(path + ": cannot be written: less than "));
  }
}

TEST(OutputFile, WritesADeviceDirectly) {
  OutputFile("--json", "/dev/null").commit("gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, AFullDeviceIsAnErrorAtCommit) {
  ASSERT_TRUE(std::filesystem::is_character_file("/dev/full"));
  OutputFile file("--json", "/dev/full");
  EXPECT_THROW(file.commit("text"), std::runtime_error);
}

TEST(OutputFile, WithAHoleNeverAppears) {
  OutputFile file("--json", "/dev/full");
  EXPECT_THROW(file.append("what is lost"), std::runtime_error);
  EXPECT_THROW(file.append(""), std::runtime_error);
  EXPECT_THROW(file.commit(""), std::runtime_error) << "there might be room again";
}

}  // namespace
}  // namespace t3::output_test
