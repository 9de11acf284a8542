// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/bench.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "testbench/build_info.h"
#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/options.h"
#include "testbench/output/output_file.h"
#include "testbench/output/terminal.h"
#include "testbench/reproduce/machine.h"

/// The table of parts: one line each.
#define T3_BENCH_PARTS(PART) PART(hbm)

namespace t3 {

#define T3_DECLARE(name) BenchPart name##Bench();
T3_BENCH_PARTS(T3_DECLARE)
#undef T3_DECLARE

double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double medianOf(unsigned repeats, const std::function<double()>& measure) {
  std::vector<double> values;
  for (unsigned i = 0; i < repeats; ++i) values.push_back(measure());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

namespace {

namespace json = boost::json;

std::span<const BenchPart> parts() {
#define T3_CALL(name) name##Bench(),
  static const std::array table = {T3_BENCH_PARTS(T3_CALL)};
#undef T3_CALL
  return table;
}

std::vector<std::string> partNames() {
  std::vector<std::string> names;
  for (const BenchPart& part : parts()) names.push_back(part.name);
  return names;
}

const BenchPart& partOf(const std::string& name) {
  for (const BenchPart& part : parts()) {
    if (part.name == name) return part;
  }
  throw ConfigError("bench", "",
                    "unknown part " + inQuotes(name) + "; there is " + alternatives(partNames()));
}

double workOf(const std::string& word, const std::string& option) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || *end != '\0' || !(value > 0 && value <= 1000)) {
    throw ConfigError(option, "", "expected a number above 0, up to 1000, got " + inQuotes(word));
  }
  return value;
}

/// Runs a part in a child process and returns its tables.
std::vector<BenchTable> runApart(const BenchPart& part, const BenchOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("bench: no pipe");
  std::cout.flush();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("bench: no process");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);   // an interrupt ends the parent
    if (getppid() != parent) _exit(1);  // before the line above
    close(ends[0]);
    std::string text;
    try {
      text = json::serialize(toJson(part.run(options)));
    } catch (const std::exception& problem) {
      std::cerr << "t3sim: bench " << part.name << ": " << problem.what() << std::endl;
    }
    std::FILE* out = fdopen(ends[1], "wb");
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
    _exit(text.empty() ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 65536> block;
  while (true) {
    const ssize_t count = read(ends[0], block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error(std::string("bench ") + part.name + " failed");
  return fromJson<std::vector<BenchTable>>(json::parse(text));
}

Options benchOptions() {
  std::string about = "Measures the simulator's own speed, all parts or those named:\n\n";
  for (const BenchPart& part : parts()) {
    std::string name = part.name;
    name.resize(10, ' ');
    about += "  " + name + part.summary + '\n';
  }
  about += "\nTimes are processor time of one core, the median of the repeats.";
  Options options("t3sim bench [PART...] [OPTIONS]", about);
  options.add("repeats", "N", "of each measurement; default 3");
  options.add("work", "FACTOR", "of the standard amount of work; default 1, 0.01 for a quick look");
  options.add("json", "FILE", "write the tables as JSON, schema t3sim-bench/1");
  options.addFlag("quiet", "print no tables");
  options.takeOperands();
  options.offer("", partNames());
  return options;
}

int runBench(const Options& options) {
  const std::vector<std::string>& names = options.operands();
  BenchOptions amount;
  amount.repeats = options.value("repeats", WholeNumber{1, 1024}).value_or(amount.repeats);
  amount.work = options.value("work", workOf).value_or(amount.work);
  std::vector<const BenchPart*> chosen;
  for (const std::string& name : names) chosen.push_back(&partOf(name));
  if (chosen.empty()) {
    for (const BenchPart& part : parts()) chosen.push_back(&part);
  }
  std::optional<OutputFile> file;
  if (const auto path = options.value("json")) file.emplace("--json", *path);

  json::array results;
  for (const BenchPart* part : chosen) {
    json::array tables;
    for (const BenchTable& table : runApart(*part, amount)) {
      if (!options.has("quiet")) std::cout << textOf(table, tableColumns()) << std::flush;
      tables.push_back(jsonOf(table));
    }
    results.push_back({{"part", part->name}, {"tables", std::move(tables)}});
  }
  if (file) {
    file->commit(formatJson(
        {{"schema", "t3sim-bench/1"},
         {"build",
          {{"version", build::kVersion}, {"commit", build::kCommit}, {"dirty", build::kDirty}}},
         {"processor", processorName()},
         {"repeats", amount.repeats},
         {"work", amount.work},
         {"parts", std::move(results)}}));
  }
  return kDone;
}

}  // namespace

Command benchCommand() {
  return {"bench", "simulation speed of each part", benchOptions, runBench};
}

}  // namespace t3
