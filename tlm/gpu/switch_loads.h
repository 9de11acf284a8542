// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <systemc>

#include "tlm/interconnect/link_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/numbers.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// A kernel that loads sums from a switch.
class SumLoader {
 public:
  virtual ~SumLoader() = default;
  /// The sum that answers load `number`. Whoever keeps it acquires it.
  virtual void sumArrived(std::uint32_t number, Payload& sum) = 0;
  /// The same kernel of some GPU, maybe this one, has raised a flag.
  virtual void flagArrived(std::uint32_t flag) = 0;
};

/// A GPU's part in loads that a switch answers with the sum of what all GPUs, this one too, have at
/// an address (LoadPort is the switch's part).
///
///     kernel ─► requests ─► link      ingress ─┬─► requests, waiting ─► memory ─► answers ─► link
///                                              └─► sums, flags ─► kernel
///
/// Sockets. `requests`, `answers`: to the link. `memory`: Stream::Communication.
///
/// A request is taken whenever it comes, and waits here while as many bytes are being read, or wait
/// for the link, as the link's receive buffer holds. So nothing on a link waits for a request, and
/// no two GPUs wait for each other. A request is as long as the headers of the packets that it asks
/// for. Flags order kernels of different GPUs: each is a message from one to all.
class SwitchLoads : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  MemoryPort memory{"memory", *this}, requests{"requests", *this}, answers{"answers", *this};

  struct Statistics {
    std::uint64_t answerBytes = 0;  ///< taken by the link
    std::uint64_t sumBytes = 0;     ///< arrived
  };
  struct Load {
    std::uint32_t number = 0;  ///< of the kernel
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    DataType dataType = DataType::Fp16;
    Phase phase = Phase::ReduceScatter;
    NodeId node = 0;
  };

  SwitchLoads(const sc_core::sc_module_name& name, GpuId gpu, const LinkConfig& link, DataMode mode,
              PayloadPool& pool);

  /// Flags of this node of the graph are for that kernel.
  void listen(NodeId node, SumLoader& kernel);
  void load(SumLoader& kernel, const Load& load);
  void raise(Phase phase, NodeId node, std::uint32_t flag);
  /// From the ingress: a request, a sum or a flag.
  void arrived(Payload& message);

  bool idle() const {
    return memory.idle() && requests.idle() && answers.idle() && asked_.empty() &&
           readDone_.empty() && open_.empty();
  }
  const Statistics& statistics() const { return statistics_; }
  void publish(ValueList& list) const override;

 private:
  /// A request of some GPU.
  struct Asked {
    std::uint64_t address = 0;
    Traffic traffic;
  };
  /// A load of a kernel here.
  struct Open {
    SumLoader* kernel = nullptr;
    std::uint32_t number = 0;
  };

  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;
  Payload& message(SumLoad kind, std::uint64_t address, std::uint64_t bytes, Phase phase,
                   NodeId node);
  void read();
  void answer(const Payload& read);

  const GpuId gpu_;
  const LinkConfig link_;
  const DataMode mode_;
  PayloadPool& pool_;
  std::map<NodeId, SumLoader*> listeners_;
  std::deque<Asked> asked_;             ///< not read yet
  std::uint64_t answering_ = 0;         ///< bytes being read, or waiting for the link
  std::map<std::uint32_t, Open> open_;  ///< by tag
  NumberPool tags_;
  TimedQueue<Payload*> readDone_{"read_done", [this](Payload* read) {
                                   answer(*read);
                                   read->release();
                                 }};
  Statistics statistics_;
};

}  // namespace t3
