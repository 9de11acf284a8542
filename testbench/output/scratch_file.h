// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace t3 {

/// A file of its own name beside another one, for a library that writes by name. It goes with this
/// object, or with an interrupt, unless `OutputFile::replaceWith` has given it its name.
class ScratchFile {
 public:
  /// In the directory of `target`. Throws std::runtime_error.
  explicit ScratchFile(const std::string& target);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// For a library that crashes where a disk is full: throws std::runtime_error unless `bytes` are
/// free on the one that `path` is, or will be, on.
void requireRoom(const std::string& path, std::uint64_t bytes);

}  // namespace t3
