// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <compare>
#include <cstdint>
#include <vector>

#include "testbench/probe/listeners.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/tracker/rtl_tape.h"
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
  std::uint32_t gpu = 0;
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

}  // namespace t3
