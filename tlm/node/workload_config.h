// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// The sliced GEMM whose output the GPUs reduce: C[rows x columns] += A[rows x depth] B[depth x
/// columns] on each GPU, `depth` being the already sliced K.
struct WorkloadConfig {
  std::string model = "T-NLG";    ///< for reports only
  std::string sublayer = "FC-2";  ///< for reports only
  std::uint32_t rows = 8192;      ///< outer dimension of the output's layout
  std::uint32_t columns = 4256;   ///< inner dimension
  std::uint32_t depth = 2128;     ///< K of one GPU
  DataType data_type = DataType::Fp16;
  std::uint32_t repeat = 1;     ///< sublayers, one after the other
  std::string collective = {};  ///< file of the collective behind the GEMM; "": the built-in ones

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(WorkloadConfig, (),
                      (model, sublayer, rows, columns, depth, data_type, repeat, collective))

}  // namespace t3
