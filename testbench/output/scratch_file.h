// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace t3 {

/// The name of a temporary file beside another one, for a library that writes to a file by name.
/// The file is removed with this object, and by an interrupt, unless `OutputFile::replaceWith` has
/// moved it.
class ScratchFile {
 public:
  /// In the directory of `target`. Throws std::runtime_error.
  explicit ScratchFile(const std::string& target);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string lock_, path_;
  int descriptor_;  ///< of `lock_`: shows others that the files are in use
};

/// Throws std::runtime_error unless `bytes` are free on the disk of `path`: for a library that
/// crashes when the disk is full.
void requireRoom(const std::string& path, std::uint64_t bytes);

}  // namespace t3
