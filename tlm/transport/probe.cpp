// SPDX-License-Identifier: Apache-2.0
#include "tlm/transport/probe.h"

#include <bit>
#include <systemc>

#include "tlm/transport/agenda.h"

namespace t3 {
namespace {

void collect(const std::vector<sc_core::sc_object*>& objects, std::vector<PublishedModel>& models) {
  for (sc_core::sc_object* object : objects) {
    if (auto* model = dynamic_cast<Publisher*>(object)) models.push_back({object->name(), model});
    collect(object->get_child_objects(), models);
  }
}

}  // namespace

void ValueList::choice(std::string name, std::span<const char* const> choices, Read read) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(choices.size() - 1));
  values_.push_back(
      {std::move(name), PublishedValue::Kind::Choice, bits, "", choices, std::move(read)});
}

void Publisher::subscribe(EventSink* sink, std::uint32_t source) {
  if (sink != nullptr) Agenda::ofSimulation().keepCommonOrder();
  events_ = sink;
  source_ = source;
}

void Publisher::subscribe(RequestSink* sink, std::uint32_t source) {
  if (sink != nullptr) Agenda::ofSimulation().keepCommonOrder();
  requests_ = sink;
  source_ = source;
}

void Publisher::tell(Event event) const {
  event.source = source_;
  event.when = now();
  events_->happened(event);
}

void Publisher::tell(RequestPhase phase, const Payload& payload, Picoseconds when,
                     std::uint64_t message) const {
  requests_->moved({phase, source_, when, payload, ChannelId{}, payload.get_address(),
                    payload.get_data_length(), 0, message});
}

std::vector<PublishedModel> publishedModels() {
  std::vector<PublishedModel> models;
  collect(sc_core::sc_get_top_level_objects(), models);
  return models;
}

}  // namespace t3
