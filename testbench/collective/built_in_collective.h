// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// The algorithm of a collective that runs alone where nobody gives a file: what
/// `t3sim collective` writes for the links of a scenario. Reduce-scatter, all-gather and
/// all-reduce take the route of its sublayers (ring, two rings, direct); a broadcast goes along the
/// ring from GPU 0; in an all-to-all every GPU sends to every other one.
class BuiltInCollective {
 public:
  /// Whether there is one.
  static bool knows(const Promise& promise);

  /// `knows(promise)`, and at least two GPUs.
  BuiltInCollective(const Promise& promise, const SystemConfig& config);
  BuiltInCollective(const BuiltInCollective&) = delete;
  BuiltInCollective& operator=(const BuiltInCollective&) = delete;

  const AlgorithmForm& form() const { return form_; }
  const AlgorithmMeaning& meaning() const { return meaning_; }

 private:
  const Algorithm algorithm_;
  const AlgorithmForm form_;
  const AlgorithmMeaning meaning_;
};

}  // namespace t3
