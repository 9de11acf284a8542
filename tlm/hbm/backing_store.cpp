// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/backing_store.h"

#include <algorithm>
#include <cstring>

namespace t3 {

const unsigned char* BackingStore::find(std::uint64_t address) const {
  const std::uint64_t key = address / kPageBytes;
  if (key != lastKey_) {
    const auto found = pages_.find(key);
    if (found == pages_.end()) return nullptr;
    lastKey_ = key;
    lastPage_ = found->second.get();
  }
  return lastPage_ + address % kPageBytes;
}

unsigned char* BackingStore::at(std::uint64_t address) {
  const std::uint64_t key = address / kPageBytes;
  if (key != lastKey_) {
    auto& page = pages_[key];
    if (page == nullptr) page = std::make_unique<unsigned char[]>(kPageBytes);
    lastKey_ = key;
    lastPage_ = page.get();
  }
  return lastPage_ + address % kPageBytes;
}

void BackingStore::read(std::uint64_t address, unsigned char* data, std::size_t bytes) const {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    if (const unsigned char* source = find(address)) {
      std::memcpy(data, source, part);
    } else {
      std::memset(data, 0, part);
    }
    address += part;
    data += part;
    bytes -= part;
  }
}

void BackingStore::clear(std::uint64_t address, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    if (find(address) != nullptr) std::memset(at(address), 0, part);
    address += part;
    bytes -= part;
  }
}

void BackingStore::write(std::uint64_t address, const unsigned char* data, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    std::memcpy(at(address), data, part);
    address += part;
    data += part;
    bytes -= part;
  }
}

}  // namespace t3
