// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace t3 {

/// The bytes of one stack, allocated page by page on first write. Untouched bytes read as zero.
class BackingStore {
 public:
  void read(std::uint64_t address, unsigned char* data, std::size_t bytes) const;
  void write(std::uint64_t address, const unsigned char* data, std::size_t bytes);

  /// Sets bytes to zero. Those that nobody has written are zeros already.
  void clear(std::uint64_t address, std::size_t bytes);

  static constexpr std::size_t kPageBytes = 64 * 1024;
  /// The bytes at `address`, allocated; valid to the end of the page. Accesses of the memory
  /// channels never cross one (check() bounds the channel interleave).
  unsigned char* at(std::uint64_t address);
  std::size_t pages() const { return pages_.size(); }

 private:
  const unsigned char* find(std::uint64_t address) const;

  std::unordered_map<std::uint64_t, std::unique_ptr<unsigned char[]>> pages_;
  mutable std::uint64_t lastKey_ = ~std::uint64_t{0};
  mutable unsigned char* lastPage_ = nullptr;
};

}  // namespace t3
