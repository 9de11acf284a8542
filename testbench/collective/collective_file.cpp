// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/collective_file.h"

#include "testbench/collective/msccl_file.h"
#include "testbench/config/config_error.h"
#include "tlm/collectives/algorithm_error.h"

namespace t3 {

CollectiveFile::CollectiveFile(const std::string& path, For use)
    : path_(path), algorithm_(readMscclFile(path)) {
  check(use);
}

CollectiveFile::CollectiveFile(const std::string& text, const std::string& source)
    : path_(source), algorithm_(readMscclText(text, source)) {
  check(For::Itself);
}

void CollectiveFile::check(For use) {
  try {
    form_ = std::make_unique<const AlgorithmForm>(algorithm_);
    meaning_ = std::make_unique<const AlgorithmMeaning>(*form_, use == For::Gemm);
  } catch (const AlgorithmError& error) {
    const std::uint32_t line = error.line();
    throw ConfigError(path_, line == 0 ? "" : "line " + std::to_string(line), error.what());
  }
}

}  // namespace t3
