// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

/// A collective from an MSCCL file that has been read and checked. Each part refers to the one
/// before.
class CollectiveFile {
 public:
  /// What it is to be simulated for: by itself, or behind a GEMM (AlgorithmBuffers,
  /// `sharesInWhole`).
  enum class For : std::uint8_t { Itself, Gemm };

  /// Throws ConfigError for the first thing that is wrong.
  explicit CollectiveFile(const std::string& path, For use = For::Itself);
  /// The same of a text; errors name `source`.
  CollectiveFile(const std::string& text, const std::string& source);
  CollectiveFile(const CollectiveFile&) = delete;
  CollectiveFile& operator=(const CollectiveFile&) = delete;

  const std::string& path() const { return path_; }
  const Algorithm& algorithm() const { return algorithm_; }
  const AlgorithmMeaning& meaning() const { return *meaning_; }

 private:
  void check(For use);

  const std::string path_;
  const Algorithm algorithm_;
  std::unique_ptr<const AlgorithmForm> form_;
  std::unique_ptr<const AlgorithmMeaning> meaning_;
};

}  // namespace t3
