// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "testbench/probe/listeners.h"
#include "testbench/trace/command_trace.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/node/peers.h"
#include "tlm/tracker/rtl_tape.h"
#include "tlm/transport/parcel.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// When something was announced, in the order of one process. A round ends where all processes are
/// equally far: with a sample, or where the program of all GPUs goes on.
struct Mark {
  Picoseconds now = 0;
  std::uint64_t round = 0;
  std::uint64_t order = 0;

  auto operator<=>(const Mark&) const = default;
};

/// What follows a mark in a part.
enum class PartRecord : std::uint8_t {
  Event,    ///< an Event
  Step,     ///< a StepRecord
  Values,   ///< ValueRecords: values that have changed …
  Sample,   ///< … and it is time to look at them all
  Command,  ///< a CommandRecord
  Cycle,    ///< a CycleRecord
};

struct StepRecord {
  RequestPhase phase = RequestPhase::Created;
  bool read = false;
  std::uint32_t source = 0;
  Picoseconds when = 0;
  std::uint64_t payload = 0;  ///< which object of this process
  Traffic traffic;
  ChannelId channel{};
  std::uint64_t address = 0, bytes = 0;
  Picoseconds entered = 0;
  std::uint64_t message = 0;
};

struct ValueRecord {
  std::uint32_t value = 0;  ///< number in the wishes
  std::uint64_t grown = 0;  ///< by how much, modulo 2^64, since the last record of it
};

struct CommandRecord {
  std::uint32_t gpu = 0;
  DramCommand command;
};

/// A clock cycle of the RTL of a tracker, as in RtlTape.
struct CycleRecord {
  std::uint32_t tape = 0;  ///< in the order of RtlTapes
  bool timed = false;
  RtlInputs inputs{};
};

/// A value that somebody wants to know.
struct WatchedValue {
  std::uint32_t model = 0, index = 0;  ///< of the model, and of its values
  bool atEvents = false;               ///< whenever the model announces an event, not at samples
};

/// What of a run is recorded: the same in all processes.
struct Wishes {
  Picoseconds samplePeriod = 0;         ///< 0: no samples
  bool commands = false;                ///< of the memories
  bool cycles = false;                  ///< of the RTL of some trackers (RtlTapes)
  std::vector<unsigned char> events;    ///< by model: whether
  std::vector<RequestPhases> requests;  ///< by model: which phases
  std::vector<WatchedValue> values;

  bool any() const;
};
BOOST_DESCRIBE_STRUCT(Wishes, (), (samplePeriod, commands, cycles, events, requests, values))

/// What process 0 tells all; the others' own does not matter.
template <typename T>
T toldByFirst(Peers& peers, const T& own) {
  std::vector<Parcel> parcels(peers.count()), arrived;
  if (peers.self() == 0) {
    for (Parcel& parcel : parcels) parcel.put(own);
  }
  peers.meet({}, parcels, arrived);
  return arrived[0].take<T>();
}

/// Blocks of bytes in a temporary file without a name (in TMPDIR), gone with this process. All
/// throw std::runtime_error; after one error all others throw the same.
class PartFile {
 public:
  PartFile();
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void append(std::span<const unsigned char> block);
  /// The blocks in order, each once; an empty one at the end.
  std::vector<unsigned char> next();

 private:
  [[noreturn]] void fail(const char* what);
  void expectNoError() const;

  int descriptor_;
  std::string error_;
  std::vector<std::size_t> sizes_;
  std::size_t taken_ = 0;
  std::uint64_t readAt_ = 0;
};

/// In process 0: the blocks of all processes. The others `serveBlocks` until this object is gone.
class PartBlocks {
 public:
  PartBlocks(Peers& peers, PartFile& own) : peers_(peers), own_(own) {}
  ~PartBlocks();
  PartBlocks(const PartBlocks&) = delete;
  PartBlocks& operator=(const PartBlocks&) = delete;

  /// The next block of a process, at last an empty one. Throws what went wrong here or there.
  std::vector<unsigned char> next(std::uint32_t process);

 private:
  Peers& peers_;
  PartFile& own_;
};

void serveBlocks(Peers& peers, PartFile& own);

/// What the models of this process announce, as far as it is wished, in the order in which it
/// happens: the part that this process has of the recordings of a run.
class RunPart : private EventSink, private RequestSink {
 public:
  /// Listens from now on.
  RunPart(const Wishes& wishes, Listeners& listeners);

  /// For the memory of a GPU.
  CommandObserver& memory(std::uint32_t gpu, const HbmConfig& config) {
    return commands_.memory(gpu, config);
  }
  /// A clock cycle of the RTL.
  void cycle(const CycleRecord& record);
  /// The program of all GPUs goes on.
  void beginRound() { ++round_; }
  /// Looks at the values.
  void sample();
  /// At the end of the run: the part is complete.
  PartFile& finish();

 private:
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
  SortedCommands commands_;
  std::uint64_t round_ = 0;
  Parcel pending_;
  PartFile file_;
};

}  // namespace t3
