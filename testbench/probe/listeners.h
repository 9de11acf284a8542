// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "tlm/transport/probe.h"

namespace t3 {

/// Who listens to which model of this simulation. A model knows one listener of each kind; where
/// several want to hear the same one, they are called here, in the order in which they came.
/// Lives shorter than the models; after it nobody listens.
class Listeners {
 public:
  Listeners();
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  /// All models that can be looked into. Their indices are what `source` says in what is heard.
  const std::vector<PublishedModel>& models() const { return models_; }

  void add(EventSink& sink, std::size_t model);
  void add(RequestSink& sink, std::size_t model);

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

}  // namespace t3
