// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include "testbench/collective/msccl_writer.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/collective/schedule_file.h"
#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/options.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"
#include "testbench/output/output_file.h"
#include "tlm/transport/index.h"

namespace t3 {
namespace {

constexpr WholeNumber kGpus{2, kMostGpus};

Options collectiveOptions() {
  Options options(
      "t3sim collective [NAME] [OPTIONS]",
      "Writes a collective algorithm, or that of a schedule of TE-CCL, as an MSCCL XML file,\n"
      "which `t3sim run --collective` runs. NAME is an algorithm's, or a schedule's path with\n"
      "a point or a slash. Without NAME, the names of all but these: the all-gathers of `t3sim "
      "validate`,\n"
      "ag_ring_PROTOCOL_CHANNELS_INSTANCES and ag_allpair_PROTOCOL_x_INSTANCES, and the\n"
      "copies beside a GEMM of docs/silicon-overlap.md, rs_bands_SENDS.");
  options.add("gpus", "N", "so many GPUs; default 8, or those of a schedule");
  options.add("as", "COLL",
              "of a schedule: allgather or alltoall, what it is (the default); reduce_scatter, an "
              "all-gather's way back; or allreduce, both");
  options.offer("as", {"allgather", "alltoall", "reduce_scatter", "allreduce"});
  options.add("write", "FILE", "the file, in place of standard output");
  options.offer("", algorithmNames());
  options.takeOperands();
  return options;
}

Algorithm algorithmOf(const Options& options, const std::string& word) {
  const bool isFile = word.find_first_of("./") != std::string::npos;
  const auto as = options.value("as");
  if (!isFile) {
    if (as) throw ConfigError("--as", "", "expected a schedule's path, got " + inQuotes(word));
    return algorithmNamed(word, options.value("gpus", kGpus).value_or(8));
  }
  const Promise* promise = as ? Promise::named(*as) : nullptr;
  if (as && promise == nullptr) {
    throw ConfigError("--as", "", "expected " + Promise::names() + ", got " + inQuotes(*as));
  }
  if (options.has("gpus")) {
    throw ConfigError("--gpus", "", "expected none: a schedule has a number of GPUs");
  }
  keepInput("NAME", word);
  return readSchedule(readTextFile(word), word, promise);
}

int runCollectiveCommand(const Options& options) {
  if (options.operands().empty()) {
    for (const char* name : {"gpus", "as", "write"}) {
      if (options.has(name)) throw ConfigError("", "", "expected NAME with --" + std::string(name));
    }
    for (const std::string& name : algorithmNames()) std::cout << name << '\n';
    return kDone;
  }
  if (options.operands().size() > 1) throw ConfigError("", "", "expected one NAME");
  const std::string text = mscclText(algorithmOf(options, options.operands().front()));
  if (const auto path = options.value("write")) {
    OutputFile("--write", *path).commit(text);
  } else {
    std::cout << text;
  }
  return kDone;
}

}  // namespace

Command collectiveCommand() {
  return {"collective", "a collective algorithm as a file", collectiveOptions,
          runCollectiveCommand};
}

}  // namespace t3
