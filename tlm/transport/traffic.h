// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe/enum.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/transport/index.h"

namespace t3 {

/// The queue a request waits in, in front of a channel's DRAM queue. Memory arbitration (round
/// robin, MCA) chooses between them.
enum class Stream : std::uint8_t { Compute, Communication };
BOOST_DESCRIBE_ENUM(Stream, Compute, Communication)

/// The step of the sublayer a byte is moved for. With the direction it names the rows of the DRAM
/// traffic report (gemm_read … consumer_write). A collective that others add takes one of
/// `extraPhase`.
enum class Phase : std::uint8_t { Gemm, ReduceScatter, AllGather, Norm, Consumer };
BOOST_DESCRIBE_ENUM(Phase, Gemm, ReduceScatter, AllGather, Norm, Consumer)

inline constexpr std::size_t kPhases = 8;
/// For `number` 0, 1 or 2.
constexpr Phase extraPhase(unsigned number) { return static_cast<Phase>(5 + number); }

/// A value for each phase.
template <typename T>
struct ByPhase {
  std::array<T, kPhases> values{};

  T& operator[](Phase phase) { return values[static_cast<std::size_t>(phase)]; }
  const T& operator[](Phase phase) const { return values[static_cast<std::size_t>(phase)]; }
};

/// Bytes by phase and direction: read, and written. An update counts once, as a write.
using PhaseBytes = ByPhase<std::array<std::uint64_t, 2>>;
inline PhaseBytes& operator+=(PhaseBytes& total, const PhaseBytes& part) {
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    total.values[phase][0] += part.values[phase][0];
    total.values[phase][1] += part.values[phase][1];
  }
  return total;
}
inline PhaseBytes& operator/=(PhaseBytes& bytes, std::uint64_t divisor) {
  for (auto& [read, written] : bytes.values) {
    read /= divisor;
    written /= divisor;
  }
  return bytes;
}

/// What statistics call a phase, by its number; those without a name are not listed.
using PhaseNames = std::array<const char*, kPhases>;
inline constexpr PhaseNames kPhaseNames = {"gemm", "rs", "ag"};

/// What a write does at the DRAM bank. `Store` replaces. `Add`, `Min` and `Max` are updates: an ALU
/// next to the bank combines the payload with the stored value (op-and-store). `Clear` writes
/// zeros that the bank makes itself, so no data crosses the bus; as the operation of a read it
/// leaves zeros behind in the bytes that were read.
enum class MemoryOperation : std::uint8_t { Store, Add, Min, Max, Clear };
BOOST_DESCRIBE_ENUM(MemoryOperation, Store, Add, Min, Max, Clear)

/// Whether a write with this operation combines its data with what is stored.
constexpr bool isUpdate(MemoryOperation operation) {
  return operation != MemoryOperation::Store && operation != MemoryOperation::Clear;
}

/// Element format of an update.
enum class DataType : std::uint8_t { Fp16, Bf16, Fp32, Int32 };
BOOST_DESCRIBE_ENUM(DataType, Fp16, Bf16, Fp32, Int32)

/// Bytes of one element.
constexpr std::uint32_t bytesOf(DataType type) {
  return type == DataType::Fp16 || type == DataType::Bf16 ? 2 : 4;
}

/// How a collective's kernel tells another GPU that data is there: with a flag of its own behind a
/// slice (Simple), or with flags among the data: 4 of each 8 bytes (LL), 8 of each 128 (LL128).
enum class Protocol : std::uint8_t { Simple, Ll, Ll128 };
BOOST_DESCRIBE_ENUM(Protocol, Simple, Ll, Ll128)

/// `bytes` of data, and the flags among them.
constexpr std::uint64_t bytesWithFlags(Protocol protocol, std::uint64_t bytes) {
  switch (protocol) {
    case Protocol::Simple:
      return bytes;
    case Protocol::Ll:
      return (bytes + 3) / 4 * 8;
    case Protocol::Ll128:
      return (bytes + 119) / 120 * 128;
  }
  return bytes;
}

/// What a message over a link is where a switch answers a load with the sum of what all GPUs have
/// at its address (docs/switch.md).
enum class SumLoad : std::uint8_t {
  None,     ///< an ordinary write
  Request,  ///< to all GPUs: answer with so many bytes from this address on
  Answer,   ///< these bytes of one GPU
  Sum,      ///< of all answers, for the GPU that asks
  Flag      ///< of a kernel, to the kernels of all GPUs
};

/// A request and a flag are headers alone.
constexpr bool carriesData(SumLoad message) {
  return message != SumLoad::Request && message != SumLoad::Flag;
}

/// Number of a node in the graph of kernels.
using NodeId = std::uint16_t;

/// A value for each node, of those that had one.
template <typename T>
class ByNode {
 public:
  T& operator[](NodeId node) {
    if (node >= values_.size()) [[unlikely]]
      values_.resize(std::size_t{node} + 1);
    return values_[node];
  }
  T of(NodeId node) const { return node < values_.size() ? values_[node] : T{}; }

 private:
  std::vector<T> values_;
};

/// What a request is and whose it is: what goes with it wherever it goes, over links too.
struct Traffic {
  Stream stream = Stream::Compute;
  Phase phase = Phase::Gemm;
  MemoryOperation operation = MemoryOperation::Store;
  DataType dataType = DataType::Fp16;
  /// The tracker counts this write when it enters the DRAM queue; `workgroup` and `wavefront`
  /// name its output tile.
  bool tracked = false;
  /// Read issued because the tracker completed the bytes it reads.
  bool triggered = false;
  WorkgroupId workgroup{};
  WavefrontId wavefront{};
  GpuId source{};   ///< GPU that issued the request
  NodeId node = 0;  ///< whose it is; of a write into another GPU, and a message, for whom there
  /// An update is the sum of so many: a switch has added them on their way. It counts for all.
  std::uint16_t contributions = 1;
  /// A store into all GPUs but `source`, of which the switch makes one for each.
  bool multicast = false;
  bool toSource = false;  ///< of a multicast: for `source` as well
  SumLoad sumLoad = SumLoad::None;
  Protocol protocol = Protocol::Simple;  ///< of a write into another GPU: links carry its flags too
  /// Of a write into another GPU that is coded: bytes on links, with checked data the first of its
  /// own; 0: none. `codedByKernel`: not by the DMA engine; it stays when the write is plain again.
  std::uint32_t coded = 0;
  bool codedByKernel = false;
  std::uint32_t step = 0;   ///< of a collective, 0 … N-2; of the DMA engine: which read
  std::uint32_t tag = 0;    ///< of a request: its number at `source`, and of what answers it
  std::uint32_t asked = 0;  ///< of a request: bytes

  bool operator==(const Traffic&) const = default;
};

/// Whether payloads carry values (`Checked`) or only sizes (`Elided`). Timing never depends on it.
enum class DataMode : std::uint8_t { Elided, Checked };
BOOST_DESCRIBE_ENUM(DataMode, Elided, Checked)

/// What the tracker says when all bytes of a command's block have arrived; travels as the data of a
/// TLM write (address = command id) from the tracker's `commands` socket. A command is a slot of
/// the tracker.
struct TriggerMessage {
  CommandId command;
  bool spoiled = false;  ///< more bytes came for the slot while it waited
};

/// What the tracker says when a row of output tiles is complete; travels as the data of a TLM write
/// (address = row slot) from the tracker's `releases` socket.
struct ReleaseMessage {
  std::uint32_t row = 0;  ///< row slot, as software programmed it
  bool spoiled = false;   ///< a block more was done for it while it waited
};

}  // namespace t3
