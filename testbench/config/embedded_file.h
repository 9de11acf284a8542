// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace t3 {

/// A file of the source tree that is in the program (cmake/EmbedFiles.cmake).
struct EmbeddedFile {
  const char* name;  ///< without its folder
  const unsigned char* bytes;
  std::size_t size;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes), size}; }
};

}  // namespace t3
