// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstdint>

namespace t3 {

/// Applies `change` to the pointer to each member of a struct that Boost.Describe knows, those of
/// its bases first.
template <typename Struct>
void forMembers(auto change) {
  namespace describe = boost::describe;
  using Members =
      describe::describe_members<Struct, describe::mod_public | describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto member) { change(member.pointer); });
}

/// Whether a counter is the most of any part of the machine, `Figures::kMost`. Others are sums.
template <typename Figures, typename Member>
constexpr bool isMost(Member member) {
  if constexpr (requires { Figures::kMost; }) return member == Figures::kMost;
  return false;
}

/// The counters of several parts of a machine as one.
template <typename Figures>
void addFigures(Figures& all, const Figures& part) {
  forMembers<Figures>([&](auto member) {
    all.*member =
        isMost<Figures>(member) ? std::max(all.*member, part.*member) : all.*member + part.*member;
  });
}

/// Those of `times` parts that are alike.
template <typename Figures>
void multiplyFigures(Figures& all, std::uint64_t times) {
  forMembers<Figures>([&](auto member) {
    if (!isMost<Figures>(member)) all.*member *= times;
  });
}

}  // namespace t3
