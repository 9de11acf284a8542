// SPDX-License-Identifier: Apache-2.0
// Flips bits in the memories of the trackers' RTL while a small system runs with checked data, one
// bit in each run, and sorts how the runs end. Method: one simulation runs without a fault. At each
// chosen DRAM command it forks; the child flips a bit and runs on to the end. A memory is chosen by
// its kind, so that small ones get their share; three of four words are of slots that are
// not idle, where there are such.
//
//   rtl_fault_campaign [--preset tiny-tp4|tiny-pair-tp4] [--protection none|parity|secded]
//                      [--faults N] [--seed N] [--jobs N]
//
// `tiny-tp4` runs in mode t3-mca: no row is released. `tiny-pair-tp4` runs in mode t3-ag, where the
// second GEMM waits for rows.
//
// Exit 1 if memories are protected and a fault was neither corrected nor reported nor harmless.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "testbench/presets/presets.h"
#include "tests/faults/faulty_units.h"
#include "tlm/node/system.h"

namespace t3::faults {
namespace {

constexpr rlim_t kCpuSeconds = 60;  // of a run; none takes a tenth of it, however busy the machine

/// What runs while a bit is wrong.
struct Traffic {
  const char* preset;
  Mode mode;
  bool rows;
};
constexpr std::array kTraffic{Traffic{"tiny-tp4", Mode::T3Mca, false},
                              Traffic{"tiny-pair-tp4", Mode::T3Ag, true}};

/// What a child says of its run.
struct Report {
  std::uint32_t fault = 0;
  std::uint32_t errors = 0;
  std::uint64_t corrected = 0;
  std::uint64_t mismatches = 0, triggers = 0, releases = 0, linkBytes = 0;
  bool failed = false;
  char memory[96] = {};
  std::uint32_t word = 0, bit = 0, gpu = 0;
  char error[128] = {};
};

struct Options {
  const Traffic* traffic = kTraffic.data();
  Protection protection = Protection::Secded;
  std::uint32_t faults = 1000, seed = 1, jobs = 2;
};

/// u_trigger.u_slots.u_counts of a path; banks are all alike.
std::string kindOf(const std::string& path) {
  const std::size_t unit = path.find(".u_");
  std::string kind = path.substr(unit == std::string::npos ? 0 : unit + 1);
  if (const std::size_t bank = kind.find("gen_bank["); bank != std::string::npos)
    kind.erase(bank, kind.find(']', bank) + 2 - bank);
  if (kind.ends_with(".u_ram")) kind.erase(kind.size() - 6);
  return kind;
}

class Campaign : public CommandObserver {
 public:
  explicit Campaign(const Options& options) : options_(options), random_(options.seed) {}

  /// Runs it once to count the commands, then with the faults. The exit code.
  int run() {
    commands_ = countCommands();
    std::uniform_int_distribution<std::uint64_t> when(0, commands_ - 1);
    for (std::uint32_t i = 0; i < options_.faults; ++i) at_.push_back(when(random_));
    std::ranges::sort(at_);
    if (pipe(pipe_) != 0) return 2;
    const RunResult result = simulate();
    if (child_) say(result);
    while (running_ > 0) waitForOne();
    return sort(result);
  }

  void command(const DramCommand&) override {
    const std::uint64_t now = seen_++;
    while (!child_ && next_ < at_.size() && at_[next_] == now) fork();
  }

 private:
  RunResult simulate() {
    protect(options_.protection);
    const Traffic& traffic = *options_.traffic;
    SystemConfig config = findPreset(traffic.preset)->config;
    config.gpu.dma.channels = config.gpu.dma.queue_commands = 1;  // the others wait in the unit
    System system(config, traffic.mode, TrackerKind::Rtl);
    system.observeMemory(
        [this](std::uint32_t, const HbmConfig&) -> CommandObserver& { return *this; });
    RunResult result = system.run();
    if (child_) said_ = {.errors = errors(), .corrected = corrected()};
    return result;
  }

  /// In a process of its own, because SystemC's kernel runs once.
  std::uint64_t countCommands() {
    int ends[2];
    if (pipe(ends) != 0) std::exit(2);
    if (::fork() == 0) {
      simulate();
      if (write(ends[1], &seen_, sizeof seen_) != sizeof seen_) _exit(2);
      _exit(0);
    }
    std::uint64_t counted = 0;
    if (read(ends[0], &counted, sizeof counted) != sizeof counted) std::exit(2);
    wait(nullptr);
    return counted;
  }

  void fork() {
    while (running_ >= options_.jobs) waitForOne();
    const auto fault = static_cast<std::uint32_t>(next_++);
    random_.seed(options_.seed * 1'000'003ULL + fault);
    const pid_t process = ::fork();
    if (process < 0) std::exit(2);
    if (process > 0) {
      processes_[process] = fault;
      ++running_;
      return;
    }
    child_ = true;
    report_.fault = fault;
    const rlimit limit{kCpuSeconds, kCpuSeconds};
    if (setrlimit(RLIMIT_CPU, &limit) != 0) _exit(2);
    // What the RTL's assertions print is not what the unit says.
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(2);
    flip();
  }

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  void flip() {
    report_.gpu = static_cast<std::uint32_t>(below(units()));
    std::map<std::string, std::vector<Memory>> kinds;
    for (Memory& memory : memories(report_.gpu)) kinds[kindOf(memory.name)].push_back(memory);
    const std::size_t chosen = below(kinds.size());
    auto kind = kinds.begin();
    std::advance(kind, static_cast<std::ptrdiff_t>(chosen));
    const Memory& memory = kind->second[below(kind->second.size())];
    const std::vector<std::uint32_t> used = memory.unusual();
    const bool any = used.empty() || below(4) == 0;
    report_.word = any ? static_cast<std::uint32_t>(below(memory.words)) : used[below(used.size())];
    report_.bit = static_cast<std::uint32_t>(below(memory.bits));
    std::strncpy(report_.memory, kind->first.c_str(), sizeof report_.memory - 1);
    memory.flip(report_.word, report_.bit);
  }

  [[noreturn]] void say(const RunResult& result) {
    report_.errors = said_.errors;
    report_.corrected = said_.corrected;
    report_.mismatches = result.verification.mismatches;
    report_.triggers = result.tracker_stats.triggers;
    report_.releases = result.tracker_stats.releases;
    report_.linkBytes = result.link_bytes;
    report_.failed = !result.error.empty();
    std::strncpy(report_.error, result.error.c_str(), sizeof report_.error - 1);
    static_assert(sizeof report_ < 4096, "written at once");
    _exit(write(pipe_[1], &report_, sizeof report_) == sizeof report_ ? 0 : 2);
  }

  void waitForOne() {
    int status = 0;
    const pid_t process = wait(&status);
    if (process < 0) std::exit(2);
    --running_;
    if (status == 0) {
      Report report;
      if (read(pipe_[0], &report, sizeof report) != sizeof report) std::exit(2);
      reports_.push_back(report);
    } else {
      lost_.push_back(processes_[process]);
    }
    processes_.erase(process);
  }

  int sort(const RunResult& result) {
    if (!result.error.empty()) {
      std::fprintf(stderr, "without a fault: %s\n", result.error.c_str());
      return 2;
    }
    const TrackerTotals& stats = result.tracker_stats;
    if (options_.traffic->rows != (stats.releases > 0)) {
      std::fprintf(stderr, "%llu rows released\n", static_cast<unsigned long long>(stats.releases));
      return 2;
    }
    std::map<std::string, std::map<std::string, std::uint32_t>> outcomes;
    std::uint32_t silent = 0;
    std::ranges::sort(reports_, {}, &Report::fault);
    for (const Report& report : reports_) {
      const bool good = !report.failed && report.mismatches == 0 &&
                        report.triggers == result.tracker_stats.triggers &&
                        report.releases == result.tracker_stats.releases &&
                        report.linkBytes == result.link_bytes;
      const char* outcome = report.errors != 0     ? "reported"
                            : !good                ? "SILENT"
                            : report.corrected > 0 ? "corrected"
                                                   : "harmless";
      ++outcomes[report.memory][outcome];
      ++outcomes["all"][outcome];
      if (good || report.errors != 0) continue;
      if (++silent <= 20) {
        std::printf("silent: fault %u at command %llu: GPU %u, %s, word %u, bit %u: %s\n",
                    report.fault, static_cast<unsigned long long>(at_[report.fault]), report.gpu,
                    report.memory, report.word, report.bit,
                    report.failed ? report.error : "wrong sum");
      }
    }
    for (const std::uint32_t fault : lost_) std::printf("silent: fault %u: no end\n", fault);
    silent += static_cast<std::uint32_t>(lost_.size());
    std::printf("%-32s %9s %9s %9s %9s\n", "memory", "corrected", "reported", "harmless", "SILENT");
    const auto row = [&](const std::string& name) {
      std::printf("%-32s %9u %9u %9u %9u\n", name.c_str(), outcomes[name]["corrected"],
                  outcomes[name]["reported"], outcomes[name]["harmless"], outcomes[name]["SILENT"]);
    };
    for (const auto& [name, counts] : std::map(outcomes))
      if (name != "all") row(name);
    row("all");
    std::printf("%zu faults, %zu without an end, %.1f %% silent\n", reports_.size() + lost_.size(),
                lost_.size(), 100.0 * silent / static_cast<double>(at_.size()));
    if (options_.protection == Protection::None) return 0;
    const bool noticed = outcomes["all"]["corrected"] + outcomes["all"]["reported"] > 0;
    if (!noticed) std::printf("no fault was corrected or reported: is the protection there?\n");
    return silent > 0 || !noticed ? 1 : 0;
  }

  struct Said {
    std::uint32_t errors = 0;
    std::uint64_t corrected = 0;
  };

  Options options_;
  std::mt19937_64 random_;
  std::uint64_t commands_ = 0, seen_ = 0;
  std::vector<std::uint64_t> at_;  ///< command at which each fault happens
  std::size_t next_ = 0;
  int pipe_[2] = {};
  bool child_ = false;
  std::uint32_t running_ = 0;
  Report report_;
  Said said_;
  std::map<pid_t, std::uint32_t> processes_;
  std::vector<Report> reports_;
  std::vector<std::uint32_t> lost_;
};

[[noreturn]] void usage() {
  std::fputs(
      "rtl_fault_campaign [--preset tiny-tp4|tiny-pair-tp4] [--protection none|parity|secded]\n"
      "                   [--faults N] [--seed N] [--jobs N]\n",
      stderr);
  std::exit(2);
}

Options optionsOf(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) usage();
    const std::string value = argv[i + 1];
    if (name == "--preset") {
      const auto named = [&value](const Traffic& traffic) { return value == traffic.preset; };
      const auto found = std::ranges::find_if(kTraffic, named);
      if (found == kTraffic.end()) usage();
      options.traffic = &*found;
      continue;
    }
    if (name == "--protection") {
      if (value == "none") {
        options.protection = Protection::None;
      } else if (value == "parity") {
        options.protection = Protection::Parity;
      } else if (value != "secded") {
        usage();
      }
      continue;
    }
    char* end = nullptr;
    const auto number = static_cast<std::uint32_t>(std::strtoul(value.c_str(), &end, 10));
    if (*end != '\0' || number == 0) usage();
    if (name == "--faults") {
      options.faults = number;
    } else if (name == "--seed") {
      options.seed = number;
    } else if (name == "--jobs") {
      options.jobs = number;
    } else {
      usage();
    }
  }
  return options;
}

}  // namespace
}  // namespace t3::faults

int sc_main(int argc, char** argv) {
  const auto options = t3::faults::optionsOf(argc, argv);
  return t3::faults::Campaign(options).run();
}
