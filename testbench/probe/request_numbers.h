// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/transport/probe.h"

namespace t3 {

/// What a request is called from its making to its last byte in memory, which may be another GPU's.
struct RequestName {
  std::uint64_t number = 0;  ///< from 1 in the order of making; the same in every run
  std::uint64_t cause = 0;   ///< DMA: the read whose data this update carries; else 0
  bool ofTile = false;       ///< workgroup and wavefront name an output tile
};

/// Numbers requests, whose payloads are used again and again. It has to be told every step that any
/// model of the simulation announces.
///
/// Where one GPU stands for all, a write may come back from the loop behind its link in pieces, as
/// other payloads. They keep its number: what the link delivers comes out of the loop in order.
class RequestNumbers {
 public:
  explicit RequestNumbers(const std::vector<PublishedModel>& models);

  const RequestName& operator()(const RequestStep& step);

 private:
  enum class Port : std::uint8_t { Other, DmaMemory, DmaEgress, Ingress };
  struct Delivered {
    RequestName name;
    std::uint64_t bytes = 0;  ///< not yet come out of the loop
  };
  using Loop = std::deque<Delivered>;
  struct Model {
    Port port = Port::Other;
    std::uint32_t gpu = 0;
    Loop* from = nullptr;  ///< it hears first of what comes out of that loop, as `fromPhase`
    Loop* into = nullptr;  ///< it delivers into that loop
    RequestPhase fromPhase = RequestPhase::Created;
    std::unordered_map<std::uint64_t, RequestName> onTheWay;  ///< over this link, by message
  };

  /// Reads of one GPU's DMA engine by address: nothing reads a byte twice.
  std::unordered_map<std::uint64_t, std::uint64_t> reads_;
  std::unordered_map<const Payload*, RequestName> names_;
  std::map<std::uint32_t, Loop> loops_;  ///< by the number of the link
  std::vector<Model> models_;
  std::uint64_t last_ = 0;
};

/// The GPU that a model belongs to: 3 of "gpu3.hbm", -1 if it belongs to none.
int gpuOfModel(const std::string& name);

}  // namespace t3
