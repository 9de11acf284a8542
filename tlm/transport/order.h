// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace t3 {

/// Where the action that happens now stands among those of its time in the order of the agenda
/// (agenda.h); 0 outside of all actions. Of the actions of several places, whoever is next in each
/// of them, the least is the first of all: whether one process simulates them or several.
std::uint64_t orderNow();

}  // namespace t3
