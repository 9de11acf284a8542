// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/simulation.h"

#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <string>
#include <systemc>

namespace t3 {
namespace {

double peakRssMb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;  // Linux counts KiB
}

RunResult failedWith(const std::string& error) {
  RunResult result;
  result.error = error;
  return result;
}

RunResult runSystem(const SystemConfig& scenario, Mode mode, TrackerKind tracker,
                    const std::function<void(double)>& progress, CommandTrace* commands) {
  try {
    System system(scenario, mode, tracker);
    if (commands != nullptr) {
      system.observeMemory(
          [commands](std::uint32_t gpu, const HbmConfig& memory) -> CommandObserver& {
            return commands->memory(gpu, memory);
          });
    }
    return system.run(progress);
  } catch (const sc_core::sc_report& report) {  // its what() is several lines
    return failedWith(std::string(report.get_msg_type()) + ": " + report.get_msg());
  } catch (const std::exception& problem) {
    return failedWith(problem.what());
  }
}

}  // namespace

RunRecord simulate(const SystemConfig& scenario, Mode mode, TrackerKind tracker,
                   const std::function<void(double)>& progress, CommandTrace* commands) {
  // Reports reach the record as text; SystemC's own copy on the terminal would be a second one.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);

  RunRecord record;
  record.mode = mode;
  record.tracker = tracker;
  const auto start = std::chrono::steady_clock::now();
  record.result = runSystem(scenario, mode, tracker, progress, commands);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  const Verification& verification = record.result.verification;
  if (record.result.error.empty() && verification.mismatches > 0) {
    record.result.error = std::to_string(verification.mismatches) + " of " +
                          std::to_string(verification.elements) +
                          " elements differ from the reference sum";
  }
  record.host.wall_s = wall.count();
  record.host.dram_bursts = record.result.dram_bursts;
  if (wall.count() > 0) {
    record.host.dram_bursts_per_s = static_cast<double>(record.result.dram_bursts) / wall.count();
  }
  record.host.peak_rss_mb = peakRssMb();
  return record;
}

}  // namespace t3
