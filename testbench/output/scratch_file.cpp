// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/scratch_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "testbench/output/interrupt.h"
#include "testbench/output/temporary.h"

namespace t3 {
ScratchFile::ScratchFile(const std::string& target) {
  const InterruptsHeld held;
  descriptor_ = makeTemporary(target, lock_);
  if (descriptor_ < 0) {
    throw std::runtime_error(target + ": cannot be written: " + std::strerror(errno));
  }
  path_ = companions(lock_).front();
  for (const std::string& path : companions(lock_)) removeOnInterrupt(path);
}

ScratchFile::~ScratchFile() {
  std::vector<std::string> all = companions(lock_);
  all.push_back(lock_);
  for (const std::string& path : all) {
    unlink(path.c_str());
    forgetTemporary(path);
  }
  close(descriptor_);
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
