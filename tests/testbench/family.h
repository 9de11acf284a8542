// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace t3::test {

/// The children of a process, once there are any.
inline std::vector<pid_t> childrenOf(pid_t process) {
  const std::string path =
      "/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children";
  std::vector<pid_t> children;
  while (children.empty()) {
    std::ifstream file(path);
    if (!file) return children;
    for (pid_t child = 0; file >> child;) children.push_back(child);
    sched_yield();
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

}  // namespace t3::test
