// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "testbench/output/interrupt.h"

namespace t3 {
namespace {

/// The file that the FST library keeps beside a file that it writes.
std::string companion(const std::string& path) { return path + ".hier"; }

}  // namespace

ScratchFile::ScratchFile(const std::string& target) : path_(target + ".XXXXXX") {
  const InterruptsHeld held;
  const int descriptor = mkostemp(path_.data(), O_CLOEXEC);
  if (descriptor < 0) {
    throw std::runtime_error(target + ": cannot be written: " + std::strerror(errno));
  }
  close(descriptor);
  removeOnInterrupt(path_);
  removeOnInterrupt(companion(path_));
}

ScratchFile::~ScratchFile() {
  for (const std::string& path : {path_, companion(path_)}) {
    unlink(path.c_str());
    forgetTemporary(path);
  }
}

void requireRoom(const std::string& path, std::uint64_t bytes) {
  const std::filesystem::path directory = std::filesystem::absolute(path).parent_path();
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(directory, unknown);
  if (unknown || space.available >= bytes) return;
  throw std::runtime_error(path + ": cannot be written: less than " + std::to_string(bytes >> 20) +
                           " MiB are free in " + directory.string());
}

}  // namespace t3
