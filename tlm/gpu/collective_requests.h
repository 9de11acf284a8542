// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tlm/gpu/collective_config.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/request_maker.h"
#include "tlm/gpu/switch_loads.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/numbers.h"
#include "tlm/transport/payload.h"

namespace t3 {

struct CollectiveStatistics {
  std::uint64_t loadBytes = 0;         ///< from local memory
  std::uint64_t localStoreBytes = 0;   ///< into local memory, by this kernel
  std::uint64_t remoteStoreBytes = 0;  ///< into other GPUs, accepted by the links
  std::uint64_t arrivedBytes = 0;      ///< into local memory, by other GPUs
  std::uint64_t peakOutstandingBytes = 0;
};

/// The requests of a kernel that runs a collective on compute units; the base of such kernels,
/// which say what each request loads and where its sum goes.
///
///     begin ─► loads (memory) ─► add ─► (pace) ─► storeSum ─► egress: other GPUs ─┬─► ended
///                                                        └──► memory: this GPU ──┘
///
/// A request loads copies of the same bytes, passes the adders once for each copy beyond the first,
/// and stores the sum. All requests share the adders: compute units x add_bytes_per_cu_cycle. Bytes
/// that are loaded, or being loaded, and not yet stored are in registers: at most compute units x
/// outstanding_bytes_per_cu, of which each thread block that sends may hold an equal share. A store
/// to another GPU frees them when the link has accepted it, a local one when the memory has
/// performed it.
///
/// Thread blocks on compute units of their own hold outstanding_bytes_per_cu each. Each stores at
/// its own pace, one request after another in the order of their begin: for as long as its protocol
/// takes for the bytes of each place, in whole windows, and for the slice at its beginning. The
/// stores leave at the end of that time.
///
/// With a codec a store to another GPU is coded. The adders' compute units code it, and decode
/// what comes: what passes takes their time behind additions; on a compute unit of its own it is
/// in the thread block's pace.
///
/// A load that a switch answers with the sum of all GPUs takes the registers of one copy, and no
/// adders (`SwitchLoads`).
///
/// Sockets. `memory`: loads, Stream::Communication, and local stores, Stream::Compute. `egress`:
/// stores to other GPUs, Stream::Communication.
class CollectiveRequests : private MemoryClient, private SumLoader {
 public:
  MemoryPort memory;
  EgressPorts egress;

  const CollectiveStatistics& statistics() const { return statistics_; }
  /// Before the first sum is loaded.
  void useSwitch(SwitchLoads& loads) {
    switchLoads_ = &loads;
    loads.listen(owner_.node, *this);
  }

 protected:
  /// Whose requests they are; the name is for errors.
  struct Owner {
    std::string name;
    RequestMaker requests;
    NodeId node = 0;  ///< of the graph
  };
  /// What a memory access is counted for. `step`: of the kernel, or the number of the arrival at
  /// the receiver.
  struct Label {
    Phase phase;
    std::uint32_t step = 0;
  };

  /// `all`, and `senders`: those that send. `own`: each on a compute unit of its own.
  struct Blocks {
    std::size_t all = 0, senders = 0;
    bool own = false;
  };
  /// `ports`: of the egress.
  CollectiveRequests(Owner owner, const GpuConfig& config, Protocol protocol, std::uint32_t ports,
                     Blocks blocks);

  /// Most bytes of each copy of a request; with more copies it is shorter, so that it loads no more
  /// in all than one of two.
  std::uint64_t requestBytes(std::size_t copies) const;
  /// Takes registers for a request of `bytes` bytes of each of `copies` copies, all of which the
  /// kernel then loads; none while they are short. Returns the request's number, which is used
  /// again after its end; of its bytes so many are coded or decoded with the adders. `pace`: how
  /// long its thread block works on it, between loads and stores, one request after another; with
  /// blocks of their own.
  std::optional<std::uint32_t> begin(std::uint32_t threadBlock, std::uint32_t bytes,
                                     std::uint32_t copies, bool sends, Picoseconds pace = 0,
                                     std::uint64_t codes = 0);
  void load(std::uint32_t request, std::uint32_t copy, std::uint64_t address, Label label);
  /// In place of the load of a request for one copy.
  void loadSum(std::uint32_t request, std::uint64_t address, Label label);
  void storeLocal(std::uint32_t request, std::uint64_t address, Label label);
  /// `toAll`: a switch copies it for every GPU, this one too.
  void send(std::uint32_t request, std::uint32_t port, std::uint64_t address, bool toAll,
            Label label);

  /// The sum of a request is there: the kernel stores or sends it, at least once.
  virtual void storeSum(std::uint32_t request) = 0;
  /// The last store of a request has ended, its registers are free.
  virtual void requestEnded(std::uint32_t request) = 0;

  void raise(Phase phase, std::uint32_t flag) const {
    switchLoads_->raise(phase, owner_.node, flag);
  }

  bool hasCodec() const { return codec_.on(); }
  /// Of one compute unit, or of all that the kernel has.
  Picoseconds codingTime(std::uint64_t bytes, bool oneUnit) const;
  /// When a message that was performed at `when` is plain: its compute units decode it at once.
  Picoseconds decoded(const Payload& message, Picoseconds when);

  std::uint32_t bytesOf(std::uint32_t request) const { return requests_[request].bytes; }
  void countArrival(const Payload& payload) {
    statistics_.arrivedBytes += payload.get_data_length();
  }

  bool requestsIdle() const { return memory.idle() && egress.idle(); }
  std::uint32_t inWork() const { return inWork_; }
  /// Bytes in registers.
  std::uint64_t outstanding() const { return outstanding_; }
  /// For a watchdog: what is in work and what waits.
  std::string describeRequests() const;
  void reportError(const std::string& text) const;

 private:
  struct Request {
    enum class Stage : std::uint8_t { Loading, Adding, Summed, Pacing, Storing };
    Stage stage = Stage::Loading;
    std::uint32_t threadBlock = 0;
    bool counts = false;  ///< for the share of its thread block
    std::uint32_t bytes = 0;
    std::uint64_t codes = 0;  ///< bytes
    Picoseconds pace = 0;
    std::uint32_t loadsLeft = 0, storesLeft = 0;
    Picoseconds loaded = 0;
    std::vector<Payload*> loads;  ///< by copy; the sum is made in the first
  };

  struct ThreadBlock {
    std::uint64_t outstanding = 0;  ///< bytes, of what counts
    // Only at its own pace:
    std::deque<std::uint32_t> toStore;  ///< requests that have begun, and do not store yet
    Picoseconds storesUntil = 0;        ///< those that do
  };

  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;
  void sumArrived(std::uint32_t request, Payload& sum) override;
  void flagArrived(std::uint32_t /*flag*/) override {}

  void proceed(std::uint32_t number);
  void summed(std::uint32_t number);
  void pace(std::uint32_t number);
  void store(std::uint32_t number);
  void storeDone(std::uint32_t number);
  Payload& access(tlm::tlm_command command, std::uint32_t number, std::uint32_t copy,
                  std::uint64_t address, Label label);
  Payload& sumTo(std::uint32_t number, std::uint64_t address, Label label);

  const Owner owner_;
  const Protocol protocol_;
  const std::uint32_t requestBytes_;
  const Clock clock_;
  const bool ownBlocks_;
  /// Outstanding bytes of all thread blocks, and of one that sends.
  const std::uint64_t outstandingLimit_, outstandingShare_;
  const std::uint64_t addBytesPerCycle_;
  const Codec codec_;
  const double codecBytesPerUnitCycle_;
  const std::uint32_t units_;
  SwitchLoads* switchLoads_ = nullptr;

  std::uint64_t outstanding_ = 0;
  std::vector<ThreadBlock> threadBlocks_;
  std::uint32_t inWork_ = 0;
  Picoseconds adderFreeAt_ = 0;
  std::vector<Request> requests_;
  NumberPool numbers_;
  TimedQueue<std::uint32_t> due_;  ///< requests whose stage ends then
  CollectiveStatistics statistics_;
};

}  // namespace t3
