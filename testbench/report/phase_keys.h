// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "tlm/transport/traffic.h"

// Found by toJson: times and bytes by phase as objects with the keys of "t3sim/1". Other phases are
// rows of `other_collectives`.

namespace t3 {

inline constexpr std::array kTimeKeys = {"gemm", "reduce_scatter", "all_gather", "norm",
                                         "consumer"};
inline constexpr std::array<std::array<const char*, 2>, kTimeKeys.size()> kByteKeys = {
    {{"gemm_read", "gemm_write"},
     {"rs_read", "rs_write"},
     {"ag_read", "ag_write"},
     {"norm_read", "norm_write"},
     {"consumer_read", "consumer_write"}}};

template <typename Times>
requires std::same_as<std::remove_const_t<Times>, ByPhase<double>>
void visitMembers(Times& times, auto visit) {
  for (std::size_t phase = 0; phase < kTimeKeys.size(); ++phase) {
    visit(kTimeKeys[phase], times.values[phase]);
  }
}

template <typename Bytes>
requires std::same_as<std::remove_const_t<Bytes>, PhaseBytes>
void visitMembers(Bytes& bytes, auto visit) {
  for (std::size_t phase = 0; phase < kByteKeys.size(); ++phase) {
    visit(kByteKeys[phase][0], bytes.values[phase][0]);
    visit(kByteKeys[phase][1], bytes.values[phase][1]);
  }
}

}  // namespace t3
