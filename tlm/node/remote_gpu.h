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

  /// `config` is that of the GPU. Which of its links end in this process, and whether any link of
  /// this process leads to it.
  RemoteGpu(const sc_core::sc_module_name& name, const SystemConfig& config,
            const std::vector<bool>& endHere, bool reached);

  /// A link that leads to this GPU. Only if it is `reached`.
  void end(Link& link) { link.out.bind(*in_); }

 private:
  using In = tlm_utils::multi_passthrough_target_socket<RemoteGpu>;
  using Out = tlm_utils::multi_passthrough_initiator_socket<RemoteGpu>;

  tlm::tlm_sync_enum refuse(int link, Payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);

  std::unique_ptr<In> in_;  // a socket has to be bound
  std::unique_ptr<Out> out_;
};

}  // namespace t3
