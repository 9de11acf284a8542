// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace t3 {

/// A model, and the track that its slices go to unless the event says otherwise.
struct ModelPlace {
  std::string part;  ///< without the GPU: "gpu.dma", "link_1"
  int gpu = -1;      ///< -1: it belongs to none
  std::uint32_t process = 0;
  bool inScope = false;

  /// Of a GPU, or of the switch.
  bool isLink() const { return part.find("link") != std::string::npos; }
  /// The merge unit of a port of the switch.
  bool isMerge() const { return part.find("merge") != std::string::npos; }
};

}  // namespace t3
