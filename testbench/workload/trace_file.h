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

/// The attributes by which a compute node is a GEMM. They are ours: the format has none.
inline constexpr const char* kGemmRows = "gemm_m";
inline constexpr const char* kGemmColumns = "gemm_n";
inline constexpr const char* kGemmDepth = "gemm_k";
inline constexpr const char* kGemmType = "gemm_type";
inline constexpr std::uint64_t kMostGemm = std::uint64_t{1} << 32;

/// Whether `word` is a value of `kGemmType`.
bool isGemmType(const std::string& word);

/// What recorded traces offer instead: a kernel whose name has "gemm" in it (or aten::mm,
/// aten::addmm), and shapes of inputs ("[[8], [32, 64], [64, 8], []]") with exactly two of two
/// dimensions, which fit together. Else nothing.
std::optional<GemmShape> gemmOfShapes(const std::string& name, const std::string& shapes);
/// The element type that the recorder prints for such inputs, "" if it is none of ours.
std::string gemmTypeOf(const std::string& types);

/// The Chakra trace in a file: messages with their lengths in front, a GlobalMetadata and then
/// Nodes, with no fields but those of the schema (chakra.proto). Attributes that mean something
/// here must have a value of their kind, and nodes what their type needs. What nodes mean together
/// is not checked. Throws ConfigError.
TraceFile readTraceFile(const std::string& path);
/// The same of bytes; errors name `source`.
TraceFile readTraceBytes(const std::string& bytes, const std::string& source);

}  // namespace t3
