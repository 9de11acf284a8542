// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/gemm_attributes.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cctype>
#include <utility>
#include <vector>

namespace t3 {
namespace {

namespace json = boost::json;

bool isGemmName(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("gemm") != std::string::npos || name.starts_with("aten::mm") ||
         name.starts_with("aten::addmm");
}

/// Both dimensions, if that is what a shape has and they are possible ones of a GEMM.
std::optional<std::pair<std::uint64_t, std::uint64_t>> twoDimensions(const json::value& shape) {
  const json::array* list = shape.if_array();
  if (list == nullptr || list->size() != 2) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const json::value& dimension : *list) {
    const std::int64_t* number = dimension.if_int64();
    if (number == nullptr || *number < 1 || *number > static_cast<std::int64_t>(kMostGemm)) {
      return std::nullopt;
    }
    numbers.push_back(static_cast<std::uint64_t>(*number));
  }
  return std::pair(numbers[0], numbers[1]);
}

}  // namespace

bool isGemmType(const std::string& word) {
  return word == "fp16" || word == "bf16" || word == "fp32";
}

std::optional<GemmShape> gemmOfShapes(const std::string& name, const std::string& shapes) {
  if (!isGemmName(name)) return std::nullopt;
  json::error_code error;
  const json::value all = json::parse(shapes, error);
  if (error || !all.is_array()) return std::nullopt;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> matrices;
  for (const json::value& shape : all.get_array()) {
    if (const auto matrix = twoDimensions(shape)) {
      matrices.push_back(*matrix);
    } else if (shape.is_array() && shape.get_array().size() > 2) {
      return std::nullopt;  // of a convolution, or of many GEMMs
    }
  }
  if (matrices.size() != 2 || matrices[0].second != matrices[1].first) return std::nullopt;
  return GemmShape{matrices[0].first, matrices[1].second, matrices[0].second};
}

std::string gemmTypeOf(const std::string& types) {
  if (types.find("Half") != std::string::npos) return "fp16";
  if (types.find("BFloat16") != std::string::npos) return "bf16";
  if (types.find("Tensor(float)") != std::string::npos) return "fp32";
  return "";
}

}  // namespace t3
