// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/text_file.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

[[noreturn]] void cannotRead(const std::string& path) {
  throw ConfigError(path, "", std::string("cannot be read: ") + std::strerror(errno));
}

std::string allOf(std::FILE* file, const std::string& path) {
  std::string text;
  std::array<char, 65536> block;
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file)) {
    text.append(block.data(), count);
  }
  if (std::ferror(file) != 0) cannotRead(path);  // a directory opens, but cannot be read
  return text;
}

}  // namespace

std::string readBytes(const std::string& path) {
  static std::map<std::string, std::string> pipes;
  if (const auto known = pipes.find(path); known != pipes.end()) return known->second;
  if (path == kStandardInput) return pipes[path] = allOf(stdin, path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) cannotRead(path);
  std::string text = allOf(file.get(), path);
  struct stat status = {};
  if (fstat(fileno(file.get()), &status) == 0 && S_ISFIFO(status.st_mode)) pipes[path] = text;
  return text;
}

std::string readTextFile(const std::string& path) {
  std::string text = readBytes(path);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw ConfigError(path, "", "expected text in UTF-8, got UTF-16");
  }
  return text;
}

void requireReadableAgain(const std::string& option, const std::string& path) {
  struct stat status = {};
  const bool there = path != kStandardInput && stat(path.c_str(), &status) == 0;
  // Names below these mean another file in another process.
  const bool ofProcess = path.starts_with("/dev/") || path.starts_with("/proc/");
  if (path == kStandardInput || ofProcess || (there && !S_ISREG(status.st_mode))) {
    throw ConfigError(option, path,
                      "expected an ordinary file, because several processes read it, got what can "
                      "be read once or means something else in each of them");
  }
  if (!isUtf8(path)) {
    throw ConfigError(option, path, "expected a name in UTF-8, because processes are told of it");
  }
}

}  // namespace t3
