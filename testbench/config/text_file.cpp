// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/text_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "testbench/config/config_error.h"

namespace t3 {

std::string readTextFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  std::string text;
  std::array<char, 65536> block;
  bool failed = file == nullptr;
  while (!failed) {
    const std::size_t count = std::fread(block.data(), 1, block.size(), file.get());
    if (count == 0) break;
    text.append(block.data(), count);
  }
  failed = failed || std::ferror(file.get()) != 0;  // a directory opens, but cannot be read
  if (failed) throw ConfigError(path, "", std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

}  // namespace t3
