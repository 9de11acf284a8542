// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace t3 {

/// The name of standard output where a file could be named.
inline constexpr const char* kStandardOutput = "-";

/// A temporary file beside `target`, for a library that writes to a file by name. It is removed
/// with this object, and by an interrupt, unless `OutputFile::replaceWith` has moved it.
class ScratchFile {
 public:
  /// Throws std::runtime_error.
  explicit ScratchFile(const std::string& target);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string lock_, path_;
  int descriptor_;  ///< of `lock_`: shows others that the files are in use
};

/// Throws std::runtime_error unless so much is free: some libraries crash when the disk is full.
void requireRoom(const std::string& path, std::uint64_t bytes);

/// A result file that is either complete or not there. Opening it, before a long simulation, proves
/// that it can be written: the text goes to a temporary file in the same directory, which `commit`
/// renames. Without commit, on an exception or an interrupt (interrupt.h), the temporary file is
/// removed and what was there before stays. What killed programs have left of the same file is
/// removed, too: temporary files that nobody holds locked.
///
/// Standard output ("-"), a device or a pipe (/dev/stdout, /dev/null) is written directly.
///
/// While this object lives, no other one can be made for the same file, but for /dev/null.
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
  void commit(std::string_view text = {});
  /// Text to be written, for who adds to it in small pieces and calls `writeIfLarge` after each.
  std::string& buffer() { return buffer_; }
  void writeIfLarge();
  /// Nothing will be written: removes what an earlier run left here. Whether there was something.
  bool removeOld();
  /// Commits a file that a library has written; it is moved here.
  void replaceWith(const ScratchFile& whole);

 private:
  [[noreturn]] void fail();
  void appear();

  std::string path_, temporary_, buffer_;
  int descriptor_ = -1;
  unsigned mode_ = 0;  ///< permissions of the finished file: those of the one it replaces
  bool direct_ = false;
  int error_ = 0;  ///< of a write that failed; the file is not complete and must not appear
};

/// A line of a CSV file, field by field.
class CsvLine {
 public:
  explicit CsvLine(std::string& text) : text_(text) {}
  ~CsvLine() { text_.back() = '\n'; }
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;

  void operator()(std::uint64_t number, int base = 10) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    if (base == 16) text_ += "0x";
    text_.append(digits.data(), end);
    text_ += ',';
  }
  void operator()(std::string_view word) {
    text_ += word;
    text_ += ',';
  }
  void nothing(std::size_t columns = 1) { text_.append(columns, ','); }
  void onlyIf(bool present, std::uint64_t number, int base = 10) {
    if (present) {
      (*this)(number, base);
    } else {
      nothing();
    }
  }

 private:
  std::string& text_;
};

/// Names a file that `option` reads: from now on a result in its place is refused.
void keepInput(const std::string& option, const std::string& path);

}  // namespace t3
