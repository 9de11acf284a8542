// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "testbench/collective/msccl_file.h"
#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_error.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

/// A collective from an MSCCL file, or a schedule of TE-CCL, that has been read and checked. Each
/// part refers to the one before.
class CollectiveFile {
 public:
  /// Throws ConfigError for the first thing that is wrong.
  /// `gathered`: what becomes of a schedule (readSchedule).
  explicit CollectiveFile(const std::string& path, const Promise* gathered = nullptr);
  /// The same of a text; errors name `source`.
  CollectiveFile(const std::string& text, const std::string& source);
  CollectiveFile(const CollectiveFile&) = delete;
  CollectiveFile& operator=(const CollectiveFile&) = delete;

  const std::string& path() const { return path_; }
  const Algorithm& algorithm() const { return algorithm_; }
  const AlgorithmMeaning& meaning() const { return *meaning_; }
  const MscclNotes& notes() const { return notes_; }

 private:
  void check();

  const std::string path_;
  MscclNotes notes_;
  const Algorithm algorithm_;
  std::unique_ptr<const AlgorithmForm> form_;
  std::unique_ptr<const AlgorithmMeaning> meaning_;
};

/// "line N" of the file, for a ConfigError; empty if the whole of it is wrong.
std::string lineOf(const AlgorithmError& error);

}  // namespace t3
