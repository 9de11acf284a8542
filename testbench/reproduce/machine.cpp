// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/machine.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>

#include "testbench/report/text.h"

namespace t3 {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  uname(&system);
  return system.machine;
}

std::string machineText() {
  utsname system{};
  uname(&system);
  struct sysinfo memory {};
  sysinfo(&memory);
  const double gib = static_cast<double>(memory.totalram) * memory.mem_unit / (1 << 30);
  return std::string(system.nodename) + ", " + processorName() + ", " +
         std::to_string(std::thread::hardware_concurrency()) + " cores, " + fixed(gib, 0) +
         " GiB, " + system.sysname + " " + system.release;
}

std::string dateText() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text;
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

}  // namespace t3
