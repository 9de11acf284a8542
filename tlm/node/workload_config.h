// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Columns of which a row of an output is stored: whole bursts of 32 bytes, as libraries pad them.
constexpr std::uint32_t storedColumns(std::uint32_t columns, DataType type) {
  const std::uint32_t unit = 32 / bytesOf(type);
  return (columns + unit - 1) / unit * unit;
}

/// What the GPUs do to the rows of the sums that they own, before the all-gather.
enum class Between : std::uint8_t {
  None,
  Norm  ///< add the residual, and norm (NormKernel)
};
BOOST_DESCRIBE_ENUM(Between, None, Norm)

/// The GEMM that follows the all-gather: the gathered output, its A, times weights of its own. Its
/// depth is the output's columns, its rows are the output's.
struct ConsumerConfig {
  std::uint32_t columns = 0;

  static constexpr auto settings() {
    using C = ConsumerConfig;
    return std::tuple{
        T3_SETTING(columns, "elements", 0, 1 << 20,
                   "columns of the GEMM that reads the gathered output on each GPU, e.g. 4H/N for "
                   "FC-1 behind OP; its depth is workload.columns. 0: none (docs/consumer.md)")};
  }
  bool any() const { return columns != 0; }
};

/// The sliced GEMM whose output the GPUs reduce: C[rows x columns] += A[rows x depth] B[depth x
/// columns] on each GPU, `depth` being the already sliced K.
struct WorkloadConfig {
  std::string model{};
  std::string sublayer{};
  std::uint32_t rows = 8192;
  std::uint32_t columns = 4256;
  std::uint32_t depth = 2128;
  std::string shares = kEqualShares;
  DataType data_type = DataType::Fp16;
  std::uint32_t repeat = 1;
  std::uint32_t contributions = 0;
  std::string collective = {};
  std::string graph = {};
  Between between = Between::None;
  ConsumerConfig consumer = {};

  static constexpr const char* kEqualShares = "equal";
  /// A value of `collective`: what NVIDIA's library takes for the size.
  static constexpr const char* kNccl = "nccl";
  static constexpr const char* kMeasuredShares = "measured";

  bool norms() const { return between == Between::Norm; }
  /// The K of each of so many GPUs: `depth`, or their part of the K of all, gpus x depth, in whole
  /// bursts of 32 bytes but for one of them. Throws std::invalid_argument, with the key, if
  /// `shares` says no such thing.
  std::vector<std::uint32_t> depths(std::uint32_t gpus) const;

  static constexpr auto settings() {
    using C = WorkloadConfig;
    return std::tuple{
        T3_SETTING(model, "", 0, 0,
                   "model the sublayer belongs to: a label in reports, any text. The labels of a "
                   "preset stand for its GEMM on its GPUs; with other sizes they are left out"),
        T3_SETTING(
            sublayer, "", 0, 0,
            "OP, FC-2, FC-1 or IP in the presets: a label in reports, any text, as workload.model"),
        T3_SETTING(rows, "elements", 1, 1 << 20,
                   "rows of the row-major output: the larger of tokens T (assumed per model) and "
                   "hidden size H"),
        T3_SETTING(
            columns, "elements", 1, 1 << 20,
            "columns of the output: the smaller of T and H (H is published). Rows are padded "
            "to whole bursts of 32 bytes: a multiple of 16 columns of 2 bytes, or of 8 of 4"),
        T3_SETTING(depth, "elements", 1, 1 << 22, "K of one GPU after slicing, e.g. 4H/N for FC-2"),
        T3_SETTING(shares, "", 0, 0,
                   "how the K of all GPUs together is cut among them: equal; measured, as fast as "
                   "each GPU's GEMM is alone; or a number for each GPU, such as 2,2,2,1 "
                   "(docs/unequal-gpus.md)"),
        T3_SETTING(data_type, "", 0, 0,
                   "element type of operands and output (the paper's is fp16)"),
        T3_SETTING(repeat, "", 1, 1000,
                   "sublayers like this one, back to back: buffers, trackers and slots are "
                   "used again; the report has the first and the steady state"),
        T3_SETTING(contributions, "", 0, 64,
                   "in t3, t3-mca and t3-ag where each GPU sends straight to the owner of a sum: a "
                   "block of it is complete with the parts of so many GPUs, the first that come, "
                   "and later ones are dropped; modes without a tracker wait for all. 0: all. For "
                   "gradients, not for tensor parallelism (docs/unequal-gpus.md)"),
        T3_SETTING(collective, "", 0, 0,
                   "MSCCL file of a reduce_scatter or allreduce, or one that ships by its name, "
                   "such as ring-all-reduce-8, in place of the built-in collectives behind the "
                   "GEMM (docs/workloads.md); nccl: in mode sequential what NVIDIA's library takes "
                   "for the size (docs/silicon.md), else none; none if empty"),
        T3_SETTING(graph, "", 0, 0,
                   "file with a graph of kernels that runs in place of the mode's own, on the "
                   "machine as the mode sets it up, or a trace that becomes one (docs/graphs.md); "
                   "none if empty"),
        T3_SETTING(between, "", 0, 0,
                   "what each GPU does to the sums that it owns before they are gathered: none; "
                   "norm adds a residual and norms each row (docs/consumer.md)"),
        T3_SETTING_GROUP(consumer)};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
