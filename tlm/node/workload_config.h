// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What the GPUs do to the rows of the sums that they own, before the all-gather.
enum class Between : std::uint8_t {
  None,
  Norm  ///< add the residual, and norm (NormKernel)
};
BOOST_DESCRIBE_ENUM(Between, None, Norm)

/// The GEMM that follows the all-gather: the gathered output, its A, times weights of its own. Its
/// depth is the output's columns, its rows are the output's.
struct ConsumerConfig {
  std::uint32_t columns = 0;  ///< of the weights; 0: no such GEMM

  static std::span<const FieldInfo> fields();
  bool any() const { return columns != 0; }
};
BOOST_DESCRIBE_STRUCT(ConsumerConfig, (), (columns))

/// The sliced GEMM whose output the GPUs reduce: C[rows x columns] += A[rows x depth] B[depth x
/// columns] on each GPU, `depth` being the already sliced K.
struct WorkloadConfig {
  std::string model{};           ///< for reports only
  std::string sublayer{};        ///< for reports only
  std::uint32_t rows = 8192;     ///< outer dimension of the output's layout
  std::uint32_t columns = 4256;  ///< inner dimension
  std::uint32_t depth = 2128;    ///< K of one GPU
  DataType data_type = DataType::Fp16;
  std::uint32_t repeat = 1;     ///< sublayers, one after the other
  std::string collective = {};  ///< file of the collective behind the GEMM; "": the built-in ones
  Between between = Between::None;
  ConsumerConfig consumer = {};

  bool norms() const { return between == Between::Norm; }

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(WorkloadConfig, (),
                      (model, sublayer, rows, columns, depth, data_type, repeat, collective,
                       between, consumer))

}  // namespace t3
