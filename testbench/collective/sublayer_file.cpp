// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/sublayer_file.h"

#include <memory>
#include <vector>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/links_file.h"
#include "testbench/config/config_error.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"
#include "testbench/output/output_file.h"
#include "tlm/collectives/algorithm_error.h"
#include "tlm/collectives/promise.h"

namespace t3 {

void readScenarioFiles(SystemConfig& scenario) {
  readLinksFile(scenario);
  const std::string& path = scenario.workload.collective;
  scenario.algorithm.reset();
  if (path.empty()) {
    if (scenario.fabric.graph == nullptr) return;
    if (const auto problem = scenario.check()) throw ConfigError("", "", *problem);
    return;
  }
  keepInput("workload.collective", path);
  const auto file = std::make_shared<const CollectiveFile>(path, &kAllReducePromise);
  scenario.algorithm = {file, &file->meaning()};
  try {
    if (const auto problem = scenario.check()) throw ConfigError(path, "", *problem);
  } catch (const AlgorithmError& error) {
    throw ConfigError(path, lineOf(error), error.what());
  }
}

void requireReadableByJobs(const SystemConfig& scenario) {
  const std::string &links = scenario.fabric.links, &path = scenario.workload.collective;
  if (!links.empty()) requireReadableAgain("fabric.links", links);
  if (!path.empty()) requireReadableAgain("workload.collective", path);
}

void requireTakesFile(Mode mode, const std::string& option, const std::string& with) {
  if (mode.kind->takesFile) return;
  std::vector<std::string> able;
  for (const ModeKind* kind : ModeKind::table()) {
    if (kind->takesFile) able.emplace_back(kind->name);
  }
  throw ConfigError(
      option, "",
      "expected " + alternatives(able) + " with " + with + ", got " + inQuotes(spelling(mode)));
}

}  // namespace t3
