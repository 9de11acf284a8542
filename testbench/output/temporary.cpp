// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "testbench/output/interrupt.h"

namespace t3 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".t3-";
constexpr std::string_view kRandom = "XXXXXX";

bool lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

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

}  // namespace

std::vector<std::string> companions(const std::string& path) {
  return {path + ".part", path + ".part.hier"};
}

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

}  // namespace t3
