// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// A named value of a model, read when somebody wants to know it: it costs the model nothing.
struct PublishedValue {
  enum class Kind : std::uint8_t {
    Level,    ///< so much at the moment, in `unit`
    Flag,     ///< one bit
    Choice,   ///< a number of `choices`
    Counter,  ///< only grows; how fast is what people look at
  };

  std::string name;  ///< below the model's own; dots make scopes: "ch7.dram_queue"
  Kind kind = Kind::Level;
  std::uint32_t bits = 1;
  const char* unit = "";
  std::span<const char* const> choices;
  std::function<std::uint64_t()> read;
};

/// What a model adds its values to.
class ValueList {
 public:
  using Read = std::function<std::uint64_t()>;

  void level(std::string name, std::uint32_t bits, const char* unit, Read read) {
    values_.push_back(
        {std::move(name), PublishedValue::Kind::Level, bits, unit, {}, std::move(read)});
  }
  void flag(std::string name, std::function<bool()> read) {
    values_.push_back(
        {std::move(name), PublishedValue::Kind::Flag, 1, "", {}, [read = std::move(read)] {
           return std::uint64_t{read()};
         }});
  }
  /// `choices` outlives the model.
  void choice(std::string name, std::span<const char* const> choices, Read read);
  void counter(std::string name, const char* unit, Read read) {
    values_.push_back(
        {std::move(name), PublishedValue::Kind::Counter, 64, unit, {}, std::move(read)});
  }

  const std::vector<PublishedValue>& values() const { return values_; }

 private:
  std::vector<PublishedValue> values_;
};

/// Something that happens in a model. `number` says which one of its kind.
enum class EventKind : std::uint8_t {
  KernelBegin,    ///< GEMM or collective, see the source's name
  KernelEnd,      ///
  NodeBegin,      ///< GPU: node `number` of the graph of kernels begins …
  NodeEnd,        ///< … and ends
  StageEnd,       ///< GEMM: the last workgroup of wave `number` has finished
  ChunkBegin,     ///< GEMM: the first workgroup of chunk `number` is dispatched …
  ChunkEnd,       ///< … and the last one has finished
  TileBegin,      ///< GEMM: `workgroup` is dispatched to slot `number` …
  TileStore,      ///< … its math is done and its stores begin …
  BandStore,      ///< … those of its wavefront `number`, `bytes` from `address` on, are there …
  TileEnd,        ///< … and the ports have taken them
  StepBegin,      ///< collective: the first request of step `number` …
  StepEnd,        ///< … and its last one are issued; a DMA engine that does it is done with it
  CommandTaken,   ///< DMA: command `number`, of `workgroup` and maybe more, by trigger or software
  CommandBegin,   ///< it has a channel …
  CommandEnd,     ///< … and the link has accepted its last update
  ZeroBegin,      ///< DMA: the initial value of `bytes` bytes
  ZeroEnd,        ///
  ZeroWaitBegin,  ///< GEMM, ingress: the update that is next waits for zeros under it
  ZeroWaitEnd,    ///
  CreditWaitBegin,  ///< link: the request that is next waits for credit
  CreditWaitEnd,    ///
  Trigger,          ///< tracker: all bytes of command `number` have arrived, and it is issued
  Release,  ///< tracker: the row of tiles that counts for row slot `number` is complete, and taken
  Stall,    ///< tracker: a memory channel has to wait at lane `number`
  Difference,  ///< lockstep: the first one of this tracker
};
BOOST_DESCRIBE_ENUM(EventKind, KernelBegin, KernelEnd, NodeBegin, NodeEnd, StageEnd, ChunkBegin,
                    ChunkEnd, TileBegin, TileStore, BandStore, TileEnd, StepBegin, StepEnd,
                    CommandTaken, CommandBegin, CommandEnd, ZeroBegin, ZeroEnd, ZeroWaitBegin,
                    ZeroWaitEnd, CreditWaitBegin, CreditWaitEnd, Trigger, Release, Stall,
                    Difference)

struct Event {
  EventKind kind = EventKind::KernelBegin;
  std::uint32_t source = 0;  ///< as given to `subscribe`
  Picoseconds when = 0;      ///< absolute
  std::uint64_t number = 0;
  WorkgroupId workgroup{};
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  /// Of a collective from a file: `number` of a step or DMA command is that of the step in there.
  std::uint32_t threadBlock = 0;
  std::uint32_t slice = 0;  ///< of a command: that it works on
  NodeId node = 0;          ///< of the graph of kernels, for which a programmed command is
  Picoseconds since = 0;    ///< of a difference: when the two parted, by what is known
};

/// Where a request has got to. The first four are seen by the initiator's port.
enum class RequestPhase : std::uint8_t {
  Created,        ///< handed to the port, which may have others to send first
  BeginRequest,   ///< offered to the target
  EndRequest,     ///< taken by it
  BeginResponse,  ///< done, at `when`
  Sent,           ///< link: the last bit is on the wire at `when`
  Delivered,      ///< link: offered to the other end
  Joined,         ///< merge unit: `bytes` from `address` on have left in a sum, which the unit has
                  ///< created just before
  Counted,        ///< memory: the tracker has taken `bytes` from `address` on
  Served,         ///< memory: these bytes are at rest, or on the bus, at `when`
};
BOOST_DESCRIBE_ENUM(RequestPhase, Created, BeginRequest, EndRequest, BeginResponse, Sent, Delivered,
                    Joined, Counted, Served)

struct RequestStep {
  RequestPhase phase = RequestPhase::Created;
  std::uint32_t source = 0;  ///< as given to `subscribe`
  Picoseconds when = 0;      ///< absolute, ≥ now: models annotate delays instead of waiting
  /// The same object from the initiator's port into the memory, or into a link, which makes another
  /// one at its far end (`message` says which became which). It is used again after its last phase:
  /// BeginResponse at the port that created it, Sent of the link that took it, Served of all its
  /// bytes; of what a switch adds Joined of all its bytes.
  const Payload& payload;
  ChannelId channel{};        ///< Counted, Served
  std::uint64_t address = 0;  ///< of the part that this is about, as the source sees it
  std::uint64_t bytes = 0;
  /// Served: when the DRAM queue took it from the queue of its stream, where arbitration holds it.
  /// Joined: when the merge unit took it.
  Picoseconds entered = 0;
  std::uint64_t message = 0;  ///< Sent, Delivered: number of the link's message
};

/// Who wants to know. Called from inside the models: it may look at them and at SystemC's time, and
/// must change neither.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void happened(const Event& event) = 0;
};
class RequestSink {
 public:
  virtual ~RequestSink() = default;
  virtual void moved(const RequestStep& step) = 0;
};

/// A model that can be looked into. It knows nothing about files or formats; without a subscriber
/// an event costs one branch, and a value nothing.
class Publisher {
 public:
  virtual ~Publisher() = default;

  /// Adds the model's values. Their `read` lives as long as the model.
  virtual void publish(ValueList& /*list*/) const {}

  /// At most one sink of each kind; null ends it. `source` comes back with each event. All sinks
  /// see one order of time, the agenda's common one.
  void subscribe(EventSink* sink, std::uint32_t source);
  void subscribe(RequestSink* sink, std::uint32_t source);

  /// For the model and its parts. `when` and `source` of the event are filled in.
  void announce(const Event& event) const {
    if (events_ != nullptr) [[unlikely]]
      tell(event);
  }

  /// Of the whole payload, now.
  void announce(RequestPhase phase, const Payload& payload) const {
    if (requests_ != nullptr) [[unlikely]]
      tell(phase, payload, now());
  }
  void announce(RequestPhase phase, const Payload& payload, Picoseconds when) const {
    if (requests_ != nullptr) [[unlikely]]
      tell(phase, payload, when);
  }
  /// Of a link, about one of its messages.
  void announce(RequestPhase phase, const Payload& payload, Picoseconds when,
                std::uint64_t message) const {
    if (requests_ != nullptr) [[unlikely]]
      tell(phase, payload, when, message);
  }
  /// Of a part of it in a merge unit.
  void announce(RequestPhase phase, const Payload& payload, std::uint64_t address,
                std::uint64_t bytes, Picoseconds entered) const {
    if (requests_ != nullptr) [[unlikely]] {
      requests_->moved({phase, source_, now(), payload, {}, address, bytes, entered, 0});
    }
  }
  /// Of a part of it in a memory channel.
  void announce(RequestPhase phase, const Payload& payload, Picoseconds when, ChannelId channel,
                std::uint64_t address, std::uint64_t bytes, Picoseconds entered) const {
    if (requests_ != nullptr) [[unlikely]] {
      requests_->moved({phase, source_, when, payload, channel, address, bytes, entered, 0});
    }
  }

 private:
  void tell(Event event) const;
  void tell(RequestPhase phase, const Payload& payload, Picoseconds when,
            std::uint64_t message = 0) const;

  EventSink* events_ = nullptr;
  RequestSink* requests_ = nullptr;
  std::uint32_t source_ = 0;
};

struct PublishedModel {
  std::string name;  ///< in SystemC's hierarchy: "gpu3.hbm"
  Publisher* model;
};

/// All models of this simulation that can be looked into, parents before children.
std::vector<PublishedModel> publishedModels();

}  // namespace t3
