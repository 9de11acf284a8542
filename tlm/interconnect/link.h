// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>

#include "tlm/interconnect/link_events.h"
#include "tlm/interconnect/link_receiver.h"
#include "tlm/interconnect/link_sender.h"

namespace t3 {

/// One direction of a point-to-point link. Carries posted writes, in order. Both ends are in this
/// process unless the link is cut.
///
///     in ─► queue per initiator ─► fair by byte ─► messages ─► receive buffer ─► out
///           └──────────── LinkSender ─────────┘               └─ LinkReceiver ─┘
///                                         ▲                        │
///                                         └──────── credits ───────┘
///
/// The ends meet only through messages and credits (link_message.h). Sockets and timing are theirs.
/// Blocking and debug accesses pass through both at once.
class Link : public sc_core::sc_module, public LinkEvents {
 private:
  LinkSender sender_;
  LinkReceiver receiver_;

 public:
  decltype(LinkSender::in)& in = sender_.in;
  decltype(LinkReceiver::out)& out = receiver_.out;

  Link(const sc_core::sc_module_name& name, const LinkConfig& config);

  // For a link that is cut (cut_links.h): the end of this process, and what stands for the other.
  LinkMessages& farEnd() { return receiver_; }
  LinkCredits& nearEnd() { return sender_; }
  void farEndIs(LinkMessages& end) { sender_.sendTo(end); }
  void nearEndIs(LinkCredits& end) { receiver_.creditTo(end); }

  /// As in LinkReceiver.
  void endsAt(const sc_core::sc_object& module, std::uint32_t port) {
    receiver_.endsAt(module, port);
  }

  const LinkStatistics& statistics() const { return sender_.statistics(); }
  std::uint64_t payloadBytes() const { return statistics().totalSentBytes(); }
  std::uint64_t deliveredBytes() const { return receiver_.deliveredBytes(); }
  std::size_t requestsInUse() const { return receiver_.requestsInUse(); }
  bool idle() const { return sender_.idle() && receiver_.idle(); }
  /// One line for a watchdog: what is where, and what it waits for.
  std::string describe() const;
  void publish(ValueList& list) const override;
};

}  // namespace t3
