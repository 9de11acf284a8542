// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tlm/gpu/tiling.h"
#include "tlm/node/graph.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// The name of a request from its creation until its last byte is in memory, of whichever GPU.
struct RequestName {
  std::uint64_t number = 0;  ///< from 1, in the order of creation; the same in every run
  /// DMA: the read whose data this write carries. Of the step Joined: the sum that carries its data
  /// on. Else 0.
  std::uint64_t cause = 0;
  bool ofTile = false;  ///< workgroup and wavefront name a tile, or a block of a message
};

/// Numbers requests. Payloads are reused, so their addresses do not tell requests apart: this
/// object must be told every step that any model announces.
///
/// Where one GPU stands for all, the loop behind its link may split a write into pieces, which are
/// other payloads. They keep the number of the write, because the loop keeps the order of the link.
class RequestNumbers {
 public:
  explicit RequestNumbers(const std::vector<PublishedModel>& models);

  const RequestName& operator()(const RequestStep& step);

 private:
  enum class Port : std::uint8_t { Other, DmaMemory, DmaEgress, Ingress };
  struct Delivered {
    RequestName name;
    std::uint64_t bytes = 0;  ///< still in the loop
  };
  using Loop = std::deque<Delivered>;
  struct Model {
    Port port = Port::Other;
    std::uint32_t gpu = 0;
    Loop* from = nullptr;  ///< the first step of what leaves this loop is its step `fromPhase`
    Loop* into = nullptr;  ///< it delivers into this loop
    RequestPhase fromPhase = RequestPhase::Created;
    std::uint64_t sum = 0;  ///< of a merge unit: the last one that it has made
    std::unordered_map<std::uint64_t, RequestName> onTheWay;  ///< over this link, by message
  };

  using ReadOfGpu = std::pair<std::uint32_t, std::uint32_t>;  ///< GPU, read of its DMA engine
  std::map<ReadOfGpu, std::uint64_t> reads_;
  std::unordered_map<const Payload*, RequestName> names_;
  std::map<std::uint32_t, Loop> loops_;  ///< by the number of the link
  std::vector<Model> models_;
  RequestName joined_;
  std::uint64_t last_ = 0;
};

/// The GPU that a model belongs to: 3 of "gpu3.hbm", -1 if it belongs to none.
int gpuOfModel(const std::string& name);

/// "reduce-scatter"; "collective" for those that a sublayer does not have.
const std::string& phaseName(Phase phase);

/// The output that the GEMM of a model, "gpu3.gpu.gemm", makes; none of other models.
inline std::optional<std::uint32_t> outputMadeBy(const std::string& model, const Graph& graph) {
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    const auto* gemm = graph.nodes[n].as<GemmWork>();
    if (gemm != nullptr && model.ends_with(".gpu." + graph.modelName(n))) return gemm->output;
  }
  return std::nullopt;
}

/// The tiles that share a command of the tracker with `workgroup`.
inline TileRange commandBlock(WorkgroupId workgroup, std::uint32_t blockLog2) {
  return {workgroup.value >> blockLog2 << blockLog2, 1U << blockLog2};
}

}  // namespace t3
