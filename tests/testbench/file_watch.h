// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace t3::test {

/// Waits for what a program does in a directory.
class FileWatch {
 public:
  enum class What : std::uint32_t {
    Created = IN_CREATE,  ///< a file has appeared
    Written = IN_MODIFY,  ///< something was written into one
    Named = IN_MOVED_TO,  ///< one is complete, and has got its name
  };

  explicit FileWatch(const std::string& directory, What what = What::Created)
      : descriptor_(inotify_init1(IN_CLOEXEC)) {
    inotify_add_watch(descriptor_, directory.c_str(), static_cast<std::uint32_t>(what));
  }
  ~FileWatch() { close(descriptor_); }
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Returns when it has happened, since the watch began or the last call.
  void wait() const {
    alignas(inotify_event) char buffer[4096];
    ASSERT_GT(read(descriptor_, buffer, sizeof buffer), 0);
  }

 private:
  int descriptor_;
};

}  // namespace t3::test
