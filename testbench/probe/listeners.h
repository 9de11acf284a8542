// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tlm/transport/clock.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// Phases of requests that somebody wants to hear of, a bit each.
using RequestPhases = std::uint32_t;
constexpr RequestPhases phaseBit(RequestPhase phase) {
  return RequestPhases{1} << static_cast<unsigned>(phase);
}
inline constexpr RequestPhases kAllPhases = ~RequestPhases{0};

/// The listeners of all models of this simulation. A model has room for one listener of each kind:
/// this object listens for several, and calls them in the order in which they were added. Destroyed
/// before the models, it unsubscribes.
class Listeners {
 public:
  Listeners();
  virtual ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  /// All models that publish something. Events and steps have the index in this list as `source`.
  const std::vector<PublishedModel>& models() const { return models_; }

  virtual void add(EventSink& sink, std::size_t model);
  /// Whoever has no use for other phases says so; it may be told of them all the same.
  virtual void add(RequestSink& sink, std::size_t model, RequestPhases phases);
  void add(RequestSink& sink, std::size_t model) { add(sink, model, kAllPhases); }

  /// When a value is read: at samples, or while its model announces an event.
  enum class Watch : std::uint8_t { AtSamples, AtEvents };
  /// The value number `index` of a model, to be read at those times.
  virtual PublishedValue watch(std::size_t model, std::size_t index, const PublishedValue& value,
                               Watch when);
  /// The present time for those that listen.
  virtual Picoseconds time() const { return now(); }

 private:
  struct Several : EventSink, RequestSink {
    std::vector<EventSink*> events;
    std::vector<RequestSink*> requests;

    void happened(const Event& event) override {
      for (EventSink* sink : events) sink->happened(event);
    }
    void moved(const RequestStep& step) override {
      for (RequestSink* sink : requests) sink->moved(step);
    }
  };

  template <typename Sink>
  void subscribe(std::vector<Sink*>& sinks, Sink& sink, std::size_t model);

  std::vector<PublishedModel> models_;
  std::deque<Several> several_;  ///< per model
};

/// An observer of a run that writes down what it sees. It changes nothing in the run.
class Instrument {
 public:
  virtual ~Instrument() = default;

  /// Called before time passes. Throws ConfigError if the system lacks what was asked for.
  virtual void begin(Listeners& listeners) = 0;
  /// Called every `samplePeriod` of simulated time, between two steps of the simulation; 0: never.
  virtual void sample() {}
  virtual Picoseconds samplePeriod() const { return 0; }
  /// Called when the run is over, whatever its end was, and the models still exist. Completes the
  /// files and gives them their names. Throws std::runtime_error.
  virtual void finish() = 0;
};

}  // namespace t3
