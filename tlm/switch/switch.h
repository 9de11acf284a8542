// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "tlm/interconnect/link.h"
#include "tlm/switch/load_port.h"
#include "tlm/switch/merge_port.h"
#include "tlm/switch/switch_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// One port of a switch, the way in: passes what a link brings to the link that leads to its
/// destination, without time of its own.
///
/// Sockets, base protocol. `in`: the link that ends here. `out`: the links that leave, in their
/// order, and behind them the load ports in front of these. A write that its link refuses is held,
/// and the writes behind it with it: a port has one buffer, the receive buffer of its link, whose
/// credits then stop the sender.
///
/// A multicast store goes to all links but that of its source (`Traffic::toSource`: to that too).
/// It is taken when all copies are; each link takes its own when it likes, so two ports never wait
/// for each other.
class SwitchPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<SwitchPort> in{"in"};
  tlm_utils::multi_passthrough_initiator_socket<SwitchPort> out{"out"};

  /// `way(write)`: which of the `links` on `out`.
  SwitchPort(const sc_core::sc_module_name& name, std::uint32_t links,
             std::function<int(const Payload&)> way);

  /// Copies that somebody still holds.
  std::size_t requestsInUse() const { return pool_.inUse(); }

 private:
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum copyToAll(Payload& payload, sc_core::sc_time& delay);
  void done(Payload& copy, const sc_core::sc_time& delay);
  int outOf(const Payload& payload) const;
  tlm::tlm_sync_enum backward(int link, Payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);

  const std::uint32_t links_;
  std::function<int(const Payload&)> way_;
  PayloadPool pool_;             ///< of copies
  Payload* original_ = nullptr;  ///< a multicast store, of which not all copies are taken
  Picoseconds taken_ = 0;        ///< all copies that have been answered are, from here on
  std::uint32_t copiesLeft_ = 0;
};

/// An output-queued crossbar: every port reaches every link at full rate at the same time; what
/// contends is a link. It keeps a queue for each port (`input_buffer_bytes`) and serves those that
/// wait equally by bytes.
///
///     link 0 ─► port 0 ─┬─► queue ─┐
///                       │          ├─► link to GPU 0
///     link 1 ─► port 1 ─┼─► queue ─┘
///                       └─► … to GPU 1 …
class Switch : public sc_core::sc_module {
 public:
  Place place{*this};  ///< before all that belongs to it
  std::vector<std::unique_ptr<SwitchPort>> ports;
  std::vector<std::unique_ptr<Link>> links;        ///< that leave, by port
  std::vector<std::unique_ptr<MergePort>> merges;  ///< in front of the links; none: it adds nothing
  std::vector<std::unique_ptr<LoadPort>> loads;    ///< beside each of them

  /// Of a switch that adds: `expected` contributions are a complete sum of updates; all `gpus`
  /// answer a load.
  struct Merging {
    SwitchConfig config;
    std::uint32_t expected = 0, gpus = 0;
    RtlTracingOf tracing;
  };

  /// `links`: the settings of the links that leave. So many ports, or one for each of them. `way`
  /// as in SwitchPort.
  Switch(const sc_core::sc_module_name& name, const std::vector<LinkConfig>& links,
         const std::function<int(const Payload&)>& way,
         const std::optional<Merging>& merging = std::nullopt, std::size_t portCount = 0);

  /// Nothing is on its way through; what a port holds waits for a link or merge unit that is not
  /// idle.
  bool idle() const;
  /// Requests of ports, merge units and links that somebody still holds.
  std::size_t requestsInUse() const;
};

}  // namespace t3
