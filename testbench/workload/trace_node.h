// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace t3 {

/// The numbers are those of the format.
enum class TraceNodeType : std::uint8_t {
  Invalid,
  Metadata,
  MemoryLoad,
  MemoryStore,
  Compute,
  Send,
  Receive,
  Collective
};

/// What a collective node does (its attribute comm_type). The numbers are those of the format.
enum class CommType : std::uint8_t {
  AllReduce,
  Reduce,
  AllGather,
  Gather,
  Scatter,
  Broadcast,
  AllToAll,
  ReduceScatter,
  ReduceScatterBlock,
  Barrier
};
/// "all-reduce" …
const char* nameOf(CommType type);

/// M, N and K of a GEMM: C[rows x columns] = A[rows x depth] B[depth x columns].
struct GemmShape {
  std::uint64_t rows = 0, columns = 0, depth = 0;
  // clang-tidy takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const GemmShape&) const = default;
};

/// A node of a trace, with the attributes that mean something here.
struct TraceNode {
  std::uint64_t id = 0;
  std::string name;
  TraceNodeType type = TraceNodeType::Invalid;
  std::vector<std::uint64_t> controlDependencies, dataDependencies;  ///< ids
  std::uint64_t durationMicros = 0;
  bool onHost = false;  ///< is_cpu_op
  std::optional<std::uint64_t> operations, tensorBytes;
  std::optional<CommType> commType;
  std::uint64_t commBytes = 0;
  std::optional<std::uint64_t> commFrom, commTo;  ///< GPUs
  std::uint64_t commTag = 0;
  std::string group;  ///< pg_name
  std::optional<GemmShape> gemm;
  std::string elementType;  ///< of a GEMM: fp16, bf16, fp32; "" where the trace does not say
  std::string values;       ///< of its inputs; of metadata only
};

/// The trace of one GPU.
struct TraceFile {
  std::string path;
  std::string version;  ///< of the schema, as the file spells it
  std::vector<TraceNode> nodes;
  std::map<std::string, std::uint64_t> ignoredAttributes;  ///< and on how many nodes
};

/// "node 17 'layer0.fc2'", for errors.
std::string placeOf(const TraceNode& node);

}  // namespace t3
