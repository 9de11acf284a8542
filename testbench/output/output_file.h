// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "testbench/output/scratch_file.h"

namespace t3 {

/// The name of standard output where a file could be named.
inline constexpr const char* kStandardOutput = "-";

/// A result file that is either complete or not there. Opening it, before a long simulation, proves
/// that it can be written: the text goes to a temporary file in the same directory, which takes the
/// final name in one step at `commit`. Without commit, on an exception or an interrupt
/// (interrupt.h), the temporary file is removed and what was there before stays.
///
/// Standard output ("-"), a device or a pipe (/dev/stdout, /dev/null) is written directly.
///
/// While this object lives, no other one can be made for the same file: two results would overwrite
/// each other. /dev/null is an exception.
class OutputFile {
 public:
  /// Throws ConfigError naming `option` if `path` cannot be written or is in use.
  OutputFile(const std::string& option, const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// The file that will hold the result, symbolic links resolved.
  const std::string& path() const { return path_; }

  /// Writes a piece of the text; `commit` writes the last piece. Both throw std::runtime_error, for
  /// example when the disk is full; after one error they always throw.
  void append(std::string_view text);
  void commit(std::string_view text);
  /// Nothing will be written: removes what an earlier run left in this place. Whether there was
  /// something.
  bool removeOld();
  /// Commits a file that a library has written elsewhere; it is moved here.
  void replaceWith(const ScratchFile& whole);

 private:
  [[noreturn]] void fail();

  std::string path_, temporary_;
  int descriptor_ = -1;
  unsigned mode_ = 0;  ///< permissions of the finished file: those of the one it replaces
  bool direct_ = false;
  int error_ = 0;  ///< of a write that failed; the file is not complete and must not appear
};

/// Names a file that `option` reads: from now on a result in its place is refused.
void keepInput(const std::string& option, const std::string& path);

}  // namespace t3
