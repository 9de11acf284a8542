// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ranges>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "tlm/transport/figures.h"

namespace t3 {

/// Values on their way to another process of the same program: plain ones as they lie in memory,
/// strings and vectors with their length in front, described structs member by member. First in,
/// first out.
class Parcel {
 public:
  Parcel() = default;
  explicit Parcel(std::vector<unsigned char> bytes) : bytes_(std::move(bytes)) {}

  std::span<const unsigned char> bytes() const { return bytes_; }
  bool empty() const { return taken_ == bytes_.size(); }
  void clear() {
    bytes_.clear();
    taken_ = 0;
  }

  void putBytes(std::span<const unsigned char> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::span<const unsigned char> takeBytes(std::size_t count) {
    if (bytes_.size() - taken_ < count) throw std::logic_error("a parcel ends too early");
    return {bytes_.data() + std::exchange(taken_, taken_ + count), count};
  }

  template <typename T>
  void put(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      putBytes({reinterpret_cast<const unsigned char*>(&value), sizeof(T)});
    } else if constexpr (requires { typename T::value_type; }) {
      put(value.size());
      if constexpr (kIsPlainRun<T>) {
        putBytes(bytesOf(value));
      } else {
        for (const auto& element : value) put(element);
      }
    } else {
      forMembers<T>([&](auto member) { put(value.*member); });
    }
  }

  template <typename T>
  T take() {
    T value{};
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::memcpy(&value, takeBytes(sizeof(T)).data(), sizeof(T));
    } else if constexpr (requires { typename T::value_type; }) {
      value.resize(take<std::size_t>());
      if constexpr (kIsPlainRun<T>) {
        std::ranges::copy(takeBytes(bytesOf(value).size()), bytesOf(value).begin());
      } else {
        for (auto& element : value) element = take<typename T::value_type>();
      }
    } else {
      forMembers<T>([&](auto member) {
        auto& place = value.*member;
        place = take<std::remove_reference_t<decltype(place)>>();
      });
    }
    return value;
  }

 private:
  /// Plain values that lie one behind the other.
  template <typename T>
  static constexpr bool kIsPlainRun =
      std::ranges::contiguous_range<T>&& std::is_trivially_copyable_v<typename T::value_type>;
  template <typename T>
  static auto bytesOf(T& run) {
    using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
    return std::span<Byte>{reinterpret_cast<Byte*>(run.data()),
                           run.size() * sizeof(typename T::value_type)};
  }

  std::vector<unsigned char> bytes_;
  std::size_t taken_ = 0;
};

}  // namespace t3
