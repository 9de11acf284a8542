// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace t3 {

/// An index that cannot be mistaken for another kind of index: a `BankId` never converts to a
/// `ChannelId`, and neither converts to a plain integer without `.value`.
template <typename Tag>
struct StrongIndex {
  std::uint32_t value = 0;

  constexpr StrongIndex() = default;
  constexpr explicit StrongIndex(std::uint32_t index) : value(index) {}
  // clang-tidy takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  constexpr auto operator<=>(const StrongIndex&) const = default;
};

inline constexpr std::uint32_t kMostGpus = 1024;   ///< of a simulation
using GpuId = StrongIndex<struct GpuTag>;          ///< position in the fabric, 0 … N-1
using ChannelId = StrongIndex<struct ChannelTag>;  ///< memory channel of one stack
using BankGroupId = StrongIndex<struct BankGroupTag>;
using BankId = StrongIndex<struct BankTag>;  ///< bank of one channel, across bank groups
using WorkgroupId =
    StrongIndex<struct WorkgroupTag>;  ///< names an output tile, not a dispatch slot
using WavefrontId = StrongIndex<struct WavefrontTag>;  ///< position of a wavefront in its workgroup
using ChunkId = StrongIndex<struct ChunkTag>;          ///< 1/N of the output; chunk c ends at GPU c
using CommandId = StrongIndex<struct CommandTag>;      ///< slot of the tracker's DMA command table

}  // namespace t3

template <typename Tag>
struct std::hash<t3::StrongIndex<Tag>> {
  std::size_t operator()(t3::StrongIndex<Tag> index) const noexcept { return index.value; }
};
