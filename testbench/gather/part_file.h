// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace t3 {

/// Blocks of bytes in a temporary file without a name: it is gone with this process, however that
/// ends. In the directory for temporary files (TMPDIR). All throw std::runtime_error; after one
/// error all others throw the same.
class PartFile {
 public:
  PartFile();
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void append(std::span<const unsigned char> block);
  /// The blocks in order, each once; an empty one at the end.
  std::vector<unsigned char> next();

 private:
  [[noreturn]] void fail(const char* what);
  void expectNoError() const;

  int descriptor_;
  std::string error_;
  std::vector<std::size_t> sizes_;
  std::size_t taken_ = 0;
  std::uint64_t readAt_ = 0;
};

}  // namespace t3
