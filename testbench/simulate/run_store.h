// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "testbench/simulate/worker.h"

namespace t3 {

/// Finished runs in a directory, one file each, so that an interrupted evaluation continues where
/// it stopped. A run is found again only if the sources of the model (build::kModelSha256),
/// scenario, mode, tracker and the files that the scenario names are the same: all that is in the
/// file, whose name is a hash of it. A file that is not as it was written, which another hash
/// shows, is ignored.
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
