// SPDX-License-Identifier: Apache-2.0
#include "testbench/parallel/mpi_launch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace t3 {
namespace {

/// Of the first of these variables of the environment that is set.
std::optional<std::uint32_t> number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* text = std::getenv(name); text != nullptr) {
      return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
    }
  }
  return std::nullopt;
}

}  // namespace

MpiLaunch mpiLaunch() {
  // Set by the launchers of Open MPI, of MPICH, and by those that speak PMIx.
  const auto self = number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"});
  const auto count = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  return {self.has_value(), self.value_or(0), count.value_or(1)};
}

std::vector<std::string> environmentWithoutLauncher() {
  constexpr std::string_view kTheirs[] = {"OMPI_", "ORTE_", "PRTE_", "PMIX_", "PMI_"};
  std::vector<std::string> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto begins = [text](std::string_view prefix) { return text.starts_with(prefix); };
    if (std::ranges::none_of(kTheirs, begins)) kept.emplace_back(text);
  }
  return kept;
}

}  // namespace t3
