// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/collectives/step_kernel.h"
#include "tlm/collectives/step_program.h"
#include "tlm/gpu/ingress.h"
#include "tlm/hbm/hbm_stack.h"
#include "tlm/interconnect/link.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// All that is moved for a collective from a file.
inline constexpr Phase kCollectivePhase = extraPhase(0);

/// One GPU that runs a collective from a file and nothing else: its memory, the kernel, the links
/// it sends on and the entries of those that end here.
class CollectiveNode : public sc_core::sc_module {
 public:
  Place place{*this};  ///< before all that belongs to it
  HbmStack hbm;
  StepKernel kernel;
  std::vector<std::unique_ptr<Ingress>> ingress;
  std::vector<std::unique_ptr<Link>> links;  ///< by port, or one for all ports
  TimedQueue<std::function<void()>> host;    ///< steps of the software

  /// `links`: that leave this GPU, and that end here.
  CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config, GpuId gpu,
                 const StepProgram& program, std::uint32_t links, PayloadPool& pool);

  std::uint64_t sentBytes() const;  ///< payload, over all links
  /// Reads or writes local memory without timing.
  void debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                   std::uint32_t bytes);
  bool idle() const;
};

}  // namespace t3
