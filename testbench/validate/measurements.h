// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "testbench/presets/presets.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// A collective alone, by the name of its algorithm (MeasuredAlgorithm).
struct CollectiveRun {
  std::string algorithm;
  DataType type = DataType::Fp32;
};
/// A GEMM of bf16 on every GPU, and then the reduce-scatter of its output by NVIDIA's library.
struct GemmRun {
  std::uint32_t rows = 0, columns = 0, depth = 0;  ///< of one GPU
};

/// The prefill of a model.
struct PrefillRun {
  std::string graph;      ///< as `workload.graph` names it
  bool multimem = false;  ///< who reduces: multimem kernels, in place of NVIDIA's library
};

/// Thread blocks of a multimem kernel: so many were the fastest.
inline constexpr std::uint32_t kMultimemBlocks = 8;

/// A time that somebody measured, and what runs in that time.
struct Measurement {
  std::string set;         ///< its errors are summed up with those of the set
  std::string name;        ///< the same at several sizes
  std::uint32_t gpus = 0;  ///< 0: as many as the machine has
  std::uint64_t size = 0;  ///< bytes of the whole array, of a collective; else tokens
  double time_us = 0;
  std::variant<CollectiveRun, GemmRun, PrefillRun> run = {};

  bool isCollective() const { return std::holds_alternative<CollectiveRun>(run); }
};

/// Reads measured times as CSV, one of the public formats of data/silicon: the first line says
/// which. Rows of other machines, of kernels that are not modelled, and of other numbers of GPUs
/// than a model has are left out. Throws ConfigError with `source` and the line.
std::vector<Measurement> readMeasurements(const std::string& text, const std::string& source);

/// Those that ship with the program for a machine (data/silicon/), in the order of their files.
std::vector<Measurement> shippedMeasurements(const KnownMachine& machine);

}  // namespace t3
