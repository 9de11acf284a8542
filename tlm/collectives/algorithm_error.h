// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// What is wrong with an algorithm, in one line: "GPU 3, thread block 1, step 0: expected …".
class AlgorithmError : public std::runtime_error {
 public:
  AlgorithmError(std::uint32_t line, const std::string& text)
      : std::runtime_error(text), line_(line) {}
  AlgorithmError(std::uint32_t line, const AlgorithmPlace& place, const std::string& text)
      : AlgorithmError(line, place.text() + ": " + text) {}

  std::uint32_t line() const { return line_; }  ///< of the file; 0: of the whole

 private:
  std::uint32_t line_;
};

}  // namespace t3
