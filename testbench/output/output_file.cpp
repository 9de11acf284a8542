// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/text_file.h"
#include "testbench/output/interrupt.h"
#include "testbench/output/temporary.h"
#include "testbench/parallel/mpi_launch.h"

namespace t3 {
namespace {

[[noreturn]] void cannotWrite(const std::string& option, const std::string& path, int error) {
  throw ConfigError(option, path, std::string("cannot be written: ") + std::strerror(error));
}

/// Permissions of a file that a plain open() would have made.
unsigned ordinaryMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// Files that are in use, by path, and what uses them: "--json writes".
std::map<std::string, std::string>& claims() {
  static std::map<std::string, std::string> list;
  return list;
}

/// The absolute name of a file without symbolic links, "" if it cannot be found out.
std::string nameOf(const std::string& path) {
  std::error_code unresolved;
  const auto name =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, unresolved), unresolved);
  return unresolved ? "" : name.string();
}

constexpr const char* kNullDevice = "/dev/null";  // several results may go there

}  // namespace

OutputFile::OutputFile(const std::string& option, const std::string& path) : path_(path) {
  if (path.empty()) throw ConfigError(option, "", "expected a file name");
  if (path == kStandardOutput) {
    direct_ = true;
    if (const auto other = claims().find(path_); other != claims().end()) {
      throw ConfigError(option, path, "expected another file, " + other->second + " this one");
    }
    descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) cannotWrite(option, path, errno);
    claims().emplace(path_, option + " writes");
    return;
  }
  struct stat status = {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) cannotWrite(option, path, EISDIR);
  // /dev/stdout may be an ordinary file that the shell has open, which must not be replaced.
  direct_ = exists && (!S_ISREG(status.st_mode) || path.starts_with("/dev/"));
  if (const std::string name = nameOf(path); !direct_ && !name.empty()) path_ = name;
  if (const auto other = claims().find(path_); other != claims().end()) {
    throw ConfigError(option, path, "expected another file, " + other->second + " this one");
  }
  if (direct_) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) cannotWrite(option, path, errno);
    if (path != kNullDevice) claims().emplace(path_, option + " writes");
    return;
  }
  // Checked, because renaming would replace even a read-only file.
  if (exists && access(path.c_str(), W_OK) != 0) cannotWrite(option, path, errno);
  if (path.ends_with('/')) cannotWrite(option, path, EISDIR);
  mode_ = exists ? status.st_mode & 07777 : ordinaryMode();
  descriptor_ = makeTemporary(path_, temporary_);
  if (descriptor_ < 0) cannotWrite(option, path, errno);
  claims().emplace(path_, option + " writes");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::exchange(other.path_, "")),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      mode_(other.mode_),
      direct_(other.direct_),
      error_(other.error_) {}

OutputFile::~OutputFile() {
  claims().erase(path_);
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (direct_) return;
  unlink(temporary_.c_str());
  forgetTemporary(temporary_);
}

void OutputFile::append(std::string_view text) {
  if (error_ != 0) {
    errno = error_;
    fail();
  }
  while (!text.empty()) {
    const ssize_t count = write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void OutputFile::commit(std::string_view text) {
  append(text);
  if (direct_) return;
  if (fchmod(descriptor_, mode_) != 0) fail();
  const InterruptsHeld held;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  forgetTemporary(temporary_);
  close(std::exchange(descriptor_, -1));
}

bool OutputFile::removeOld() { return !direct_ && unlink(path_.c_str()) == 0; }

void OutputFile::replaceWith(const ScratchFile& whole) {
  if (direct_) {
    std::ifstream input(whole.path(), std::ios::binary);
    std::array<char, 65536> block;
    while (input.read(block.data(), block.size()) || input.gcount() > 0) {
      append({block.data(), static_cast<std::size_t>(input.gcount())});
    }
    return;
  }
  if (chmod(whole.path().c_str(), mode_) != 0) fail();
  if (rename(whole.path().c_str(), temporary_.c_str()) != 0) fail();
  const InterruptsHeld held;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  forgetTemporary(temporary_);
  close(std::exchange(descriptor_, -1));
}

void keepInput(const std::string& option, const std::string& path) {
  if (mpiLaunch().count > 1) requireReadableAgain(option, path);
  if (path == kStandardInput) {
    const auto [other, isNew] = claims().emplace("standard input", option + " reads");
    if (isNew || other->second == option + " reads") return;
    throw ConfigError(option, path, "expected a file, " + other->second + " standard input");
  }
  if (const std::string name = nameOf(path); !name.empty()) {
    claims().emplace(name, option + " reads");
  }
}

void OutputFile::fail() {
  error_ = errno;
  throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
}

}  // namespace t3
