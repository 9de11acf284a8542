// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace t3::faults {

/// The mistakes of planted.toml, in its order.
enum class Mistake : int {
  None,
  ForwardsToANeighbour,
  SendsEarly,
  NeverSends,
  SendsTwice,
  SaysSpoiled,
  SaysRowSpoiled,
  ReleasesEarly,
  NeverTakes,
  Miscounts,
  NeverInterrupts,
  Asserts,
  GrantsEverybody
};

/// Every unit that is made from now on has it.
void plant(Mistake mistake);

}  // namespace t3::faults
