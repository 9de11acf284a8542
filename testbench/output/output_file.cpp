// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/text_file.h"
#include "testbench/output/interrupt.h"
#include "testbench/parallel/mpi_launch.h"

namespace t3 {
namespace {

namespace fs = std::filesystem;

// ---- temporary files ----------------------------------------------------------------------------

constexpr std::string_view kMark = ".t3-";
constexpr std::string_view kRandom = "XXXXXX";

bool lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

/// Files that a library may make beside the temporary file `path`: its result, and what the FST
/// library keeps beside that. It may replace them, so they are not the one that is locked.
std::vector<std::string> companions(const std::string& path) {
  return {path + ".part", path + ".part.hier"};
}

/// Removes files made for the same target by programs that are gone.
void removeStale(const std::string& target) {
  const fs::path file(target);
  const std::string stem = file.filename().string() + std::string(kMark);
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code ignored;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(stem) && name.size() == stem.size() + kRandom.size()) {
      found.push_back(entry.path().string());
    }
  }
  for (const std::string& path : found) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;  // gone by now, or somebody else's
    if (lock(descriptor)) {
      for (const std::string& other : companions(path)) unlink(other.c_str());
      unlink(path.c_str());
    }
    close(descriptor);
  }
}

/// Makes an empty file beside `target` and puts its name into `path`. Returns its descriptor, or -1
/// with errno. The file is locked as long as the descriptor is open, and removed by an interrupt
/// until `forgetTemporary`.
int makeTemporary(const std::string& target, std::string& path) {
  removeStale(target);
  const InterruptsHeld held;
  while (true) {
    path = target + std::string(kMark) + std::string(kRandom);
    const int descriptor = mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) return descriptor;
    struct stat status = {};
    // Another program may have taken it for a stale one before it was locked. Where the file system
    // knows no locks, no stale file can be told, and none is removed.
    const bool mine = lock(descriptor) || errno != EWOULDBLOCK;
    if (mine && fstat(descriptor, &status) == 0 && status.st_nlink == 1) {
      removeOnInterrupt(path);
      return descriptor;
    }
    close(descriptor);
  }
}

// ---- names --------------------------------------------------------------------------------------

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
  const auto name = fs::weakly_canonical(fs::absolute(path, unresolved), unresolved);
  return unresolved ? "" : name.string();
}

constexpr const char* kNullDevice = "/dev/null";  // several results may go there

}  // namespace

ScratchFile::ScratchFile(const std::string& target) {
  const InterruptsHeld held;
  descriptor_ = makeTemporary(target, lock_);
  if (descriptor_ < 0) {
    throw std::runtime_error(target + ": cannot be written: " + std::strerror(errno));
  }
  path_ = companions(lock_).front();
  for (const std::string& path : companions(lock_)) removeOnInterrupt(path);
}

ScratchFile::~ScratchFile() {
  std::vector<std::string> all = companions(lock_);
  all.push_back(lock_);
  for (const std::string& path : all) {
    unlink(path.c_str());
    forgetTemporary(path);
  }
  close(descriptor_);
}

void requireRoom(const std::string& path, std::uint64_t bytes) {
  const fs::path directory = fs::absolute(path).parent_path();
  std::error_code unknown;
  const fs::space_info space = fs::space(directory, unknown);
  if (unknown || space.available >= bytes) return;
  throw std::runtime_error(path + ": cannot be written: less than " + std::to_string(bytes >> 20) +
                           " MiB are free in " + directory.string());
}

OutputFile::OutputFile(const std::string& option, const std::string& path) : path_(path) {
  if (path.empty()) throw ConfigError(option, "", "expected a file name");
  const bool standard = path == kStandardOutput;
  struct stat status = {};
  const bool exists = !standard && stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) cannotWrite(option, path, EISDIR);
  // /dev/stdout may be an ordinary file that the shell has open, which must not be replaced.
  direct_ = standard || (exists && (!S_ISREG(status.st_mode) || path.starts_with("/dev/")));
  if (const std::string name = nameOf(path); !direct_ && !name.empty()) path_ = name;
  if (const auto other = claims().find(path_); other != claims().end()) {
    throw ConfigError(option, path, "expected another file, " + other->second + " this one");
  }
  if (standard) {
    descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  } else if (direct_) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  } else {
    // Checked, because renaming would replace even a read-only file.
    if (exists && access(path.c_str(), W_OK) != 0) cannotWrite(option, path, errno);
    if (path.ends_with('/')) cannotWrite(option, path, EISDIR);
    mode_ = exists ? status.st_mode & 07777 : ordinaryMode();
    descriptor_ = makeTemporary(path_, temporary_);
  }
  if (descriptor_ < 0) cannotWrite(option, path, errno);
  if (path != kNullDevice) claims().emplace(path_, option + " writes");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::exchange(other.path_, "")),
      temporary_(std::move(other.temporary_)),
      buffer_(std::move(other.buffer_)),
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

void OutputFile::writeIfLarge() {
  constexpr std::size_t kLarge = 1 << 20;
  if (buffer_.size() < kLarge) return;
  append(buffer_);
  buffer_.clear();
}

void OutputFile::commit(std::string_view text) {
  append(buffer_);
  buffer_.clear();
  append(text);
  if (direct_) return;
  if (fchmod(descriptor_, mode_) != 0) fail();
  appear();
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
  appear();
}

void OutputFile::appear() {
  const InterruptsHeld held;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  forgetTemporary(temporary_);
  close(std::exchange(descriptor_, -1));
}

void OutputFile::fail() {
  error_ = errno;
  throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
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

}  // namespace t3
