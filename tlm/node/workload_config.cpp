// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/workload_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> WorkloadConfig::fields() {
  static constexpr std::array<FieldInfo, 9> kFields{{
      {"model", "", 0, 0,
       "model the sublayer belongs to: a label in reports, any text. The labels of a preset stand "
       "for its GEMM on its GPUs; with other sizes they are left out"},
      {"sublayer", "", 0, 0,
       "OP, FC-2, FC-1 or IP in the presets: a label in reports, any text, as workload.model"},
      {"rows", "elements", 1, 1 << 20,
       "rows of the row-major output: the larger of tokens T (assumed per model) and hidden size "
       "H"},
      {"columns", "elements", 1, 1 << 20,
       "columns of the output: the smaller of T and H (H is published)"},
      {"depth", "elements", 1, 1 << 22, "K of one GPU after slicing, e.g. 4H/N for FC-2"},
      {"data_type", "", 0, 0, "element type of operands and output (the paper's is fp16)"},
      {"repeat", "", 1, 1000,
       "sublayers like this one, back to back: buffers, trackers and slots are used again; "
       "the report has the first and the steady state"},
      {"collective", "", 0, 0,
       "MSCCL file of a reduce_scatter or allreduce that takes the place of the built-in "
       "collectives "
       "behind the GEMM (docs/workloads.md); none if empty"},
      {"between", "", 0, 0,
       "what each GPU does to the sums that it owns before they are gathered: none; norm adds a "
       "residual and norms each row (docs/consumer.md)"},
  }};
  return kFields;
}

std::span<const FieldInfo> ConsumerConfig::fields() {
  static constexpr std::array<FieldInfo, 1> kFields{{
      {"columns", "elements", 0, 1 << 20,
       "columns of the GEMM that reads the gathered output on each GPU, e.g. 4H/N for FC-1 behind "
       "OP; its depth is workload.columns. 0: none (docs/consumer.md)"},
  }};
  return kFields;
}

std::optional<std::string> WorkloadConfig::check() const {
  if (std::uint64_t{columns} * bytesOf(data_type) % 32 != 0) {
    return "columns: expected a row of a whole number of 32-byte bursts, got " +
           std::to_string(std::uint64_t{columns} * bytesOf(data_type)) + " bytes";
  }
  if (std::uint64_t{consumer.columns} * bytesOf(data_type) % 32 != 0) {
    return "consumer.columns: expected a row of a whole number of 32-byte bursts, got " +
           std::to_string(std::uint64_t{consumer.columns} * bytesOf(data_type)) + " bytes";
  }
  if (!consumer.any() && !norms()) return std::nullopt;
  const std::string with = norms() ? " with between = norm" : " with a consumer";
  if (repeat != 1) return "repeat: expected 1" + with + ", got " + std::to_string(repeat);
  if (!collective.empty()) {
    return "collective: expected no file" + with + ", got \"" + collective + "\"";
  }
  return std::nullopt;
}

}  // namespace t3
