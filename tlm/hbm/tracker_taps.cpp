// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/tracker_taps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tlm/hbm/hbm_request.h"

namespace t3 {

TrackerTaps::TrackerTaps(sc_core::sc_vector<Socket>& sockets, std::uint32_t channels,
                         ServiceTimer& timer, Counted counted)
    : sockets_(sockets),
      timer_(timer),
      counted_(std::move(counted)),
      lanes_(sockets.size()),
      answered_("taps_answered", [this](std::uint32_t lane) { countWaiting(lane); }) {
  for (std::uint64_t channel = 0; channel < channels; ++channel) {
    laneOf_.push_back(static_cast<std::uint32_t>(channel * lanes_.size() / channels));
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    sockets_[lane].register_nb_transport_bw(this, &TrackerTaps::backward, static_cast<int>(lane));
    lanes_[lane].shown = &pool_.allocate(tlm::TLM_WRITE_COMMAND, 0, 1, false);
  }
}

TrackerTaps::~TrackerTaps() {
  for (Lane& lane : lanes_) lane.shown->release();
}

bool TrackerTaps::show(ChannelId channel, Piece& piece) {
  const std::uint32_t index = laneOf_[channel.value];
  Lane& lane = lanes_[index];
  if (sockets_[index].size() == 0) return true;
  if (lane.waiting != nullptr) {
    if (lane.waiting != &piece &&
        std::find(lane.next.begin(), lane.next.end(), channel) == lane.next.end()) {
      lane.next.push_back(channel);
    }
    return false;
  }
  static_cast<Traffic&>(traffic(*lane.shown)) = *piece.request->traffic;
  lane.shown->set_address(piece.address);
  lane.shown->set_data_ptr(elidedBytes(piece.bytes));
  lane.shown->set_data_length(piece.bytes);
  lane.shown->set_streaming_width(piece.bytes);
  lane.shown->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const auto status = sockets_[index]->nb_transport_fw(*lane.shown, phase, delay);
  const bool answered =
      status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
  if (answered && delay == sc_core::SC_ZERO_TIME) {
    count(channel, piece, lane);
    return true;
  }
  lane.waiting = &piece;
  lane.waitingChannel = channel;
  if (answered) answered_.post(now() + toPicoseconds(delay), index);
  return false;
}

void TrackerTaps::count(ChannelId channel, const Piece& piece, const Lane& lane) {
  if (hasFailed(*lane.shown)) {
    SC_REPORT_ERROR("t3/hbm",
                    ("channel " + std::to_string(channel.value) +
                     ": the tracker answered an update with " + lane.shown->get_response_string())
                        .c_str());
  }
  counted_(channel, piece);
}

tlm::tlm_sync_enum TrackerTaps::backward(int index, Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
  const auto number = static_cast<std::uint32_t>(index);
  const Lane& lane = lanes_[number];
  if (phase != tlm::BEGIN_RESP || &payload != lane.shown || lane.waiting == nullptr) {
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_RESP;
  if (delay != sc_core::SC_ZERO_TIME) {
    answered_.post(now() + toPicoseconds(delay), number);
  } else {
    countWaiting(number);
  }
  return tlm::TLM_COMPLETED;
}

void TrackerTaps::countWaiting(std::uint32_t number) {
  Lane& lane = lanes_[number];
  lane.waiting->counted = true;
  count(lane.waitingChannel, *lane.waiting, lane);
  lane.waiting = nullptr;
  timer_.wake(lane.waitingChannel);
  for (const ChannelId channel : lane.next) timer_.wake(channel);
  lane.next.clear();
}

}  // namespace t3
