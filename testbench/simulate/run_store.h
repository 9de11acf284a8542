// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "testbench/simulate/worker.h"

namespace t3 {

/// Finished runs in a directory, one file each, so that an interrupted evaluation continues where
/// it stopped. A run is found again only if the sources of the model (build::kModelSha256),
/// scenario, mode and tracker are the same, and so is what an MSCCL file holds that the scenario
/// names: the file of the run holds all of them, and its name is a hash of them. A file that is not
/// as it was written, which a hash of all of it shows, is as none.
class RunStore {
 public:
  /// Makes the directory. Throws ConfigError naming `option` if that is not possible.
  RunStore(const std::string& option, const std::string& directory);

  std::optional<RunRecord> load(const WorkerJob& job) const;
  /// The file appears whole or not at all.
  void save(const WorkerJob& job, const RunRecord& record) const;

 private:
  std::string path(const std::string& identity) const;
  static std::string identityOf(const WorkerJob& job);

  std::string directory_;
};

}  // namespace t3
