// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/part_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "testbench/output/interrupt.h"

namespace t3 {
PartFile::PartFile() {
  std::string path = (std::filesystem::temp_directory_path() / "t3-part-XXXXXX").string();
  const InterruptsHeld held;
  descriptor_ = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(path.c_str());
  unlink(path.c_str());
}

PartFile::~PartFile() { close(descriptor_); }

void PartFile::fail(const char* what) {
  error_ = "temporary file of a recording: " + std::string(what) + ": " + std::strerror(errno);
  throw std::runtime_error(error_);
}

void PartFile::expectNoError() const {
  if (!error_.empty()) throw std::runtime_error(error_);
}

void PartFile::append(std::span<const unsigned char> block) {
  expectNoError();
  if (block.empty()) return;
  sizes_.push_back(block.size());
  while (!block.empty()) {
    const ssize_t count = write(descriptor_, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot be written");
    block = block.subspan(static_cast<std::size_t>(count));
  }
}

std::vector<unsigned char> PartFile::next() {
  expectNoError();
  std::vector<unsigned char> block;
  if (taken_ == sizes_.size()) return block;
  block.resize(sizes_[taken_++]);
  for (std::size_t at = 0; at < block.size();) {
    const ssize_t count =
        pread(descriptor_, block.data() + at, block.size() - at, static_cast<off_t>(readAt_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("cannot be read");
    at += static_cast<std::size_t>(count);
    readAt_ += static_cast<std::uint64_t>(count);
  }
  return block;
}

}  // namespace t3
