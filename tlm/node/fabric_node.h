// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/gpu/ingress.h"
#include "tlm/interconnect/link.h"
#include "tlm/transport/agenda.h"

namespace t3 {

/// One position of the fabric: a GPU, with the links it sends on.
class FabricNode : public sc_core::sc_module {
 public:
  Place place{*this};                        ///< before all that belongs to it
  std::vector<std::unique_ptr<Link>> links;  ///< by port, or one for all ports

  /// Where a link that leads here ends.
  virtual Ingress& entry(std::uint32_t link) = 0;
  /// Nothing is under way in it, its links and its memory.
  virtual bool idle() const = 0;

  std::uint64_t sentBytes() const {  ///< payload, over all links
    std::uint64_t bytes = 0;
    for (const auto& link : links) bytes += link->payloadBytes();
    return bytes;
  }

 protected:
  explicit FabricNode(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace t3
