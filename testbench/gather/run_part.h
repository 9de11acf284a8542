// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "testbench/gather/part_file.h"
#include "testbench/gather/part_record.h"
#include "testbench/probe/listeners.h"
#include "tlm/hbm/ordered_commands.h"
#include "tlm/transport/parcel.h"

namespace t3 {

/// What the models of this process announce, as far as it is wished, in the order in which it
/// happens: the part that this process has of the recordings of a run.
class RunPart : private EventSink, private RequestSink {
 public:
  /// Listens from now on.
  RunPart(const Wishes& wishes, Listeners& listeners);
  ~RunPart() override;

  /// For the memory of a GPU.
  CommandObserver& memory(std::uint32_t gpu, const HbmConfig& config);
  /// A clock cycle of the RTL.
  void cycle(const CycleRecord& record);
  /// The program of all GPUs goes on.
  void beginRound() { ++round_; }
  /// Looks at the values.
  void sample();
  /// At the end of the run: the part is complete.
  PartFile& finish();

 private:
  class Memory;
  struct Watched {
    PublishedValue value;
    std::uint64_t last = 0;
  };

  void happened(const Event& event) override;
  void moved(const RequestStep& step) override;
  void put(PartRecord kind, std::uint64_t order);
  void putChanges(PartRecord kind, std::uint64_t order, const std::vector<std::uint32_t>& values);
  void flushIfFull();

  const Wishes wishes_;
  std::vector<Watched> values_;                                ///< as in the wishes
  std::vector<std::uint32_t> sampled_;                         ///< which of them
  std::map<std::uint32_t, std::vector<std::uint32_t>> asked_;  ///< which at events, by model
  std::vector<std::unique_ptr<Memory>> memories_;
  std::uint64_t round_ = 0;
  Parcel pending_;
  PartFile file_;
};

}  // namespace t3
