// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/options.h"
#include "testbench/output/output_file.h"
#include "tlm/transport/index.h"

namespace t3 {
namespace {

constexpr WholeNumber kGpus{2, kMostGpus};

Options collectiveOptions() {
  Options options(
      "t3sim collective [NAME] [OPTIONS]",
      "Writes a collective algorithm as an MSCCL XML file, which `t3sim run --collective`\n"
      "runs. Without NAME, the names of all but these: the all-gathers of `t3sim validate`,\n"
      "ag_ring_PROTOCOL_CHANNELS_INSTANCES and ag_allpair_PROTOCOL_x_INSTANCES, and the\n"
      "copies beside a GEMM of docs/silicon-overlap.md, rs_bands_SENDS.");
  options.add("gpus", "N", "so many GPUs; default 8");
  options.add("write", "FILE", "the file, in place of standard output");
  options.offer("", algorithmNames());
  options.takeOperands();
  return options;
}

int runCollectiveCommand(const Options& options) {
  if (options.operands().empty()) {
    for (const char* name : {"gpus", "write"}) {
      if (options.has(name)) throw ConfigError("", "", "expected NAME with --" + std::string(name));
    }
    for (const std::string& name : algorithmNames()) std::cout << name << '\n';
    return kDone;
  }
  if (options.operands().size() > 1) throw ConfigError("", "", "expected one NAME");
  const std::string text = mscclText(
      algorithmNamed(options.operands().front(), options.value("gpus", kGpus).value_or(8)));
  OutputFile("--write", options.value("write").value_or(kStandardOutput)).commit(text);
  return kDone;
}

}  // namespace

Command collectiveCommand() {
  return {"collective", "a collective algorithm as a file", collectiveOptions,
          runCollectiveCommand};
}

}  // namespace t3
