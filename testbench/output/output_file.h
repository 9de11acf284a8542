// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "testbench/output/scratch_file.h"

namespace t3 {

/// A result file that is either complete or not there. Opening it, before a long simulation, proves
/// that it can be written: the text goes to a temporary file in the same directory, which takes the
/// final name in one step at `commit`. Without commit, on an exception or an interrupt
/// (interrupt.h), the temporary file is removed and what was there before stays.
///
/// A device or pipe (/dev/stdout, /dev/null) is written directly.
///
/// As long as one of these lives, its file is taken: results that overwrite or interrupt each other
/// are of no use to anybody. (/dev/null takes all.)
class OutputFile {
 public:
  /// `option` names the culprit in errors. Throws ConfigError if `path` cannot be written, or is
  /// taken.
  OutputFile(const std::string& option, const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// The file that will hold the result, symbolic links resolved.
  const std::string& path() const { return path_; }

  /// Writes text that is long before its end is known, piece by piece, with `commit` for the last.
  /// Both throw std::runtime_error, e.g. when the disk is full; from then on always.
  void append(std::string_view text);
  void commit(std::string_view text);
  /// The same with what a library has written elsewhere, which is gone after that.
  void replaceWith(const ScratchFile& whole);

 private:
  [[noreturn]] void fail();

  std::string path_, temporary_;
  int descriptor_ = -1;
  unsigned mode_ = 0;  ///< permissions of the finished file: those of the one it replaces
  bool direct_ = false;
  int error_ = 0;  ///< after which the file has a hole and must not appear
};

/// A file that `option` reads: from now on no result of this program may take its place.
void keepInput(const std::string& option, const std::string& path);

}  // namespace t3
