// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testbench/workload/trace_node.h"

namespace t3 {

/// The attributes by which a compute node says that it is a GEMM. They are ours: the format has
/// none for that.
inline constexpr const char* kGemmRows = "gemm_m";
inline constexpr const char* kGemmColumns = "gemm_n";
inline constexpr const char* kGemmDepth = "gemm_k";
inline constexpr const char* kGemmType = "gemm_type";
inline constexpr std::uint64_t kMostGemm = std::uint64_t{1} << 32;

/// Whether `word` is a value of `kGemmType`.
bool isGemmType(const std::string& word);

/// What traces that were recorded offer instead: the GPU kernel's name has "gemm" in it (or it is
/// aten::mm, aten::addmm), and among the shapes of its inputs, as the recorder prints them
/// ("[[8], [32, 64], [64, 8], []]"), are exactly two of two dimensions, and they fit together.
/// Nothing where that is not so.
std::optional<GemmShape> gemmOfShapes(const std::string& name, const std::string& shapes);
/// The element type that the recorder prints for such inputs, "" if it is none of ours.
std::string gemmTypeOf(const std::string& types);

}  // namespace t3
