// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/link.h"

#include <sstream>

namespace t3 {

Link::Link(const sc_core::sc_module_name& name, const LinkConfig& config)
    : sc_module(name), sender_("sender", config, *this), receiver_("receiver", config, *this) {
  sender_.sendTo(receiver_);
  receiver_.creditTo(sender_);
  sender_.passThrough(
      [this](Payload& payload, sc_core::sc_time& delay) {
        receiver_.blockingTransport(payload, delay);
      },
      [this](Payload& payload) { return receiver_.debugTransport(payload); });
}

std::string Link::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (idle()) {
    text << "idle";
    return text.str();
  }
  text << sender_.queued() << " queued, " << receiver_.inFlight() << " in flight, "
       << receiver_.undelivered() << " undelivered, " << receiver_.unanswered() << " unanswered, "
       << sender_.describeBuffers();
  if (receiver_.refused()) {
    text << "; waits for the destination to take a request";
  } else if (sender_.waitsForCredit()) {
    text << "; waits for credit";
  }
  return text.str();
}

void Link::publish(ValueList& list) const {
  list.level("queued", 16, "requests", [this] { return sender_.queued(); });
  list.level("in_flight", 16, "requests", [this] { return receiver_.inFlight(); });
  list.level("undelivered", 16, "requests", [this] { return receiver_.undelivered(); });
  list.level("without_credit", 32, "bytes", [this] { return sender_.bytesWithoutCredit(); });
  list.flag("waits_for_credit", [this] { return sender_.waitsForCredit(); });
  list.flag("destination_refuses", [this] { return receiver_.refused(); });
  list.flag("sending", [this] { return sender_.sending(); });
  list.counter("sent", "bytes", [this] { return payloadBytes(); });
  list.counter("on_wire", "bytes", [this] { return sender_.statistics().wireBytes; });
}

}  // namespace t3
