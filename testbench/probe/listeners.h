// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "tlm/transport/probe.h"

namespace t3 {

/// The listeners of all models of this simulation. A model has room for one listener of each kind;
/// where several want to hear the same model, this object listens and calls them in the order in
/// which they were added. It must be destroyed before the models, and unsubscribes all listeners.
class Listeners {
 public:
  Listeners();
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  /// All models that publish something. An event or a step names its model by the index in this
  /// list, as `source`.
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
