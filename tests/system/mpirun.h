// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/testbench/program.h"

namespace t3::test {

/// A machine that is simulated in a moment.
inline const Words kSmallMachine = "--preset tiny-tp4 --data elided --tracker model --quiet";

/// t3sim in so many processes of mpirun; 0: without mpirun.
class Launched : public Program {
 public:
  Launched(int processes, const Words& words)
      : Program(arguments(processes, words), Error::Pipe, processes == 0 ? T3SIM : T3_MPIRUN) {}

 private:
  static Words arguments(int processes, const Words& words) {
    if (processes == 0) return words;
#ifdef __SANITIZE_ADDRESS__
    // Open MPI leaves memory behind at its end. Not with -x, which the second of two programs
    // misses.
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
#endif
    // Containers often forbid what the first option of the MCA turns off, and Open MPI complains.
    // The others spare a search for networks.
    return Words{
               "--allow-run-as-root --oversubscribe -q --mca btl_vader_single_copy_mechanism none "
               "--mca pml ob1 --mca btl self,vader -n",
               std::to_string(processes), T3SIM} +
           words;
  }
};

inline Outcome launch(int processes, const Words& words) {
  Launched program(processes, words);
  const int code = program.wait();
  return {code, program.output, program.error};
}

/// The table without the columns of what depends on this machine. No field has a comma.
inline std::string csvWithoutHost(const std::string& csv) {
  std::istringstream lines(csv);
  std::vector<bool> kept;
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::size_t column = 0;
    for (std::string field, more; std::getline(fields, field, ','); ++column) {
      while (std::ranges::count(field, '"') % 2 != 0 && std::getline(fields, more, ',')) {
        field += "," + more;
      }
      if (column == kept.size()) kept.push_back(!field.starts_with("host."));
      if (kept[column]) text += field + ",";
    }
    text += "\n";
  }
  return text;
}

}  // namespace t3::test
