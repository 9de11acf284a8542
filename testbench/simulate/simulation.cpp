// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/simulation.h"

#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <string>
#include <systemc>

#include "testbench/config/config_error.h"

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
                    const Observers& observers) {
  try {
    Wave* wave = observers.wave;
    System system(scenario, mode, tracker, [wave](std::uint32_t gpu) {
      return wave != nullptr ? wave->rtl("gpu" + std::to_string(gpu) + ".tracker") : RtlOptions{};
    });
    if (CommandTrace* commands = observers.commands; commands != nullptr) {
      system.observeMemory(
          [commands](std::uint32_t gpu, const HbmConfig& memory) -> CommandObserver& {
            return commands->memory(gpu, memory);
          });
    }
    RunWatch watch{observers.progress, observers.stop, {}, 0};
    if (wave != nullptr) {
      wave->begin();
      watch.sample = [wave] { wave->sample(); };
      watch.samplePeriod = wave->samplePeriod();
    }
    RunResult result = system.run(watch);
    if (wave != nullptr) wave->finish();  // while the models it draws are still there
    return result;
  } catch (const ConfigError&) {
    throw;
  } catch (const sc_core::sc_report& report) {  // its what() is several lines
    return failedWith(std::string(report.get_msg_type()) + ": " + report.get_msg());
  } catch (const std::exception& problem) {
    return failedWith(problem.what());
  }
}

}  // namespace

RunRecord simulate(const SystemConfig& scenario, Mode mode, TrackerKind tracker,
                   const Observers& observers) {
  // Reports reach the record as text; SystemC's own copy on the terminal would be a second one.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);

  RunRecord record;
  record.mode = mode;
  record.tracker = tracker;
  const auto start = std::chrono::steady_clock::now();
  record.result = runSystem(scenario, mode, tracker, observers);
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
