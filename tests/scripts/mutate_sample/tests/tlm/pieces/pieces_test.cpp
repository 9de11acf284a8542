// SPDX-License-Identifier: Apache-2.0
#include "tlm/pieces/pieces.h"

int main() {
  const bool right = sample::pieces(0) == 0 && sample::pieces(8) == 1 && sample::pieces(9) == 2 &&
                     sample::kinds().size() == sample::kKinds;
  return right ? 0 : 1;
}
