// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/shipped_iterations.h"

#include <algorithm>
#include <filesystem>

#include "shipped_traces.h"

namespace t3 {
namespace {

std::string_view text(const auto& bytes) {
  return {reinterpret_cast<const char*>(bytes), sizeof bytes};
}

}  // namespace

std::span<const ShippedIteration> shippedIterations() {
  // In the order of the traces in testbench/CMakeLists.txt.
  static const ShippedIteration kAll[] = {
      {"tiny-transformer-tp4", "two layers, all-reduces", "tiny-tp4", 4, text(kTrace0)},
      {"tiny-transformer-sp-tp4", "two layers, reduce-scatters, all-gathers", "tiny-tp4", 4,
       text(kTrace1)},
      {"t-nlg-layer-tp8", "one layer of T-NLG, all-reduces", "t-nlg-fc2-tp8", 8, text(kTrace2)},
  };
  return kAll;
}

std::vector<std::string> iterationNames() {
  std::vector<std::string> names;
  for (const ShippedIteration& iteration : shippedIterations()) names.emplace_back(iteration.name);
  return names;
}

const ShippedIteration* findIteration(std::string_view name) {
  const auto all = shippedIterations();
  const auto found = std::ranges::find(all, name, &ShippedIteration::name);
  return found == all.end() ? nullptr : &*found;
}

const ShippedIteration* shippedAs(const std::string& word) {
  std::error_code absent;
  return std::filesystem::exists(word, absent) ? nullptr : findIteration(word);
}

}  // namespace t3
