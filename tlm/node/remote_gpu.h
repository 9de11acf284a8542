// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

#include "tlm/interconnect/link.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// What this process has of a GPU that another one simulates: those of its links that end here, and
/// a place where links to it end. Nothing ever happens at its ends of them (CutLinks).
class RemoteGpu : public sc_core::sc_module {
 public:
  Place place{*this};                        ///< before all that belongs to it
  std::vector<std::unique_ptr<Link>> links;  ///< as a GpuNode's; null if it does not end here

  tlm_utils::multi_passthrough_target_socket_optional<RemoteGpu> in{"in"};

  /// Which of the links of GPU `gpu` end in this process.
  RemoteGpu(const sc_core::sc_module_name& name, const SystemConfig& config, std::uint32_t gpu,
            const std::vector<bool>& endHere);

 private:
  tlm::tlm_sync_enum refuse(int link, Payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);

  tlm_utils::multi_passthrough_initiator_socket_optional<RemoteGpu> out_{"out"};
};

}  // namespace t3
