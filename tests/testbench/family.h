// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace t3::test {

/// Between two looks at a process: what it waits for may need this core.
inline void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

/// The children of a process, once there are any.
inline std::vector<pid_t> childrenOf(pid_t process) {
  const std::string path =
      "/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children";
  std::vector<pid_t> children;
  while (children.empty()) {
    std::ifstream file(path);
    if (!file) return children;
    for (pid_t child = 0; file >> child;) children.push_back(child);
    if (children.empty()) pause();
  }
  return children;
}

/// Whether the process executes this program (and not yet, or no longer, something else).
inline bool runsT3sim(pid_t process) {
  std::error_code gone;
  const auto program =
      std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", gone);
  return !gone && std::filesystem::equivalent(program, T3SIM, gone);
}

/// Returns when the process has worked for so many seconds of processor time, or has ended.
inline void waitForWork(pid_t process, double seconds) {
  while (true) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string stat;
    std::getline(file, stat);
    // Its name may have spaces; behind it are the state and, 11 and 12 fields later, the clock
    // ticks.
    std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
    std::string state, field;
    long user = 0, system = 0;
    fields >> state;
    for (int skipped = 0; skipped < 10; ++skipped) fields >> field;
    if (!(fields >> user >> system) || state == "Z") return;
    if (static_cast<double>(user + system) >= seconds * static_cast<double>(sysconf(_SC_CLK_TCK))) {
      return;
    }
    pause();
  }
}

}  // namespace t3::test
