// SPDX-License-Identifier: Apache-2.0
#include "testbench/probe/listeners.h"

namespace t3 {

Listeners::Listeners() : models_(publishedModels()), several_(models_.size()) {}

Listeners::~Listeners() {
  for (const PublishedModel& model : models_) {
    model.model->subscribe(static_cast<EventSink*>(nullptr), 0);
    model.model->subscribe(static_cast<RequestSink*>(nullptr), 0);
  }
}

template <typename Sink>
void Listeners::subscribe(std::vector<Sink*>& sinks, Sink& sink, std::size_t model) {
  sinks.push_back(&sink);
  Sink* listener = sinks.size() == 1 ? &sink : &several_[model];
  models_[model].model->subscribe(listener, static_cast<std::uint32_t>(model));
}

void Listeners::add(EventSink& sink, std::size_t model) {
  subscribe(several_[model].events, sink, model);
}

void Listeners::add(RequestSink& sink, std::size_t model, RequestPhases /*phases*/) {
  subscribe(several_[model].requests, sink, model);
}

PublishedValue Listeners::watch(std::size_t /*model*/, std::size_t /*index*/,
                                const PublishedValue& value, Watch /*when*/) {
  return value;
}

}  // namespace t3
