// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
class RequestNumbers {
 public:
  explicit RequestNumbers(const std::vector<PublishedModel>& models);

  const RequestName& operator()(const RequestStep& step);

 private:
  enum class Port : std::uint8_t { Other, DmaMemory, DmaEgress };
  struct Known {
    RequestName name;
    bool delivered = false;  ///< by a link: the next port it enters does not make it
  };
  struct Model {
    Port port = Port::Other;
    std::uint32_t gpu = 0;
  };

  /// Reads of one GPU's DMA engine by address: nothing reads a byte twice.
  std::unordered_map<std::uint64_t, std::uint64_t> reads_;
  std::unordered_map<const Payload*, Known> known_;
  std::vector<Model> models_;
  std::uint64_t last_ = 0;
};

/// The GPU that a model belongs to: 3 of "gpu3.hbm", -1 if it belongs to none.
int gpuOfModel(const std::string& name);

}  // namespace t3
