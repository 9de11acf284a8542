// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <unordered_map>

#include "tlm/tracker/model_tracker.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// Who hears what the twin of a lockstep pair does.
class TwinListener {
 public:
  virtual ~TwinListener() = default;
  virtual void twinIssued(const TriggerMessage& message) = 0;
  virtual void twinNotified(const TriggerMessage& message) = 0;
  virtual void twinReleased(std::uint32_t row) = 0;
  /// A wavefront tile of `command` is complete. `exactAddress`: its address does not depend on the
  /// order in which a bank sees the lanes.
  virtual void twinCompleted(CommandId command, WorkgroupId workgroup, std::uint64_t address,
                             bool exactAddress) = 0;
  /// At the end of each of its clock cycles.
  virtual void twinCycled() = 0;
};

/// The twin and what it is connected to: initiators that bring it updates and register accesses, a
/// memory for its records, and targets that accept every command, notification and release at once.
class LockstepTwin : public sc_core::sc_module {
 public:
  LockstepTwin(const sc_core::sc_module_name& name, const TrackerConfig& config,
               TwinListener& listener)
      : sc_module(name),
        model_("model", config, listener),
        lanes_("lanes", config.lanes),
        answers_("answers", [this](Payload* payload) { answer(*payload); }),
        listener_(listener) {
    for (std::uint32_t lane = 0; lane < config.lanes; ++lane) {
      lanes_[lane].register_nb_transport_bw(this, &LockstepTwin::pieceDone);
      lanes_[lane].bind(model_.lanes[lane]);
    }
    registers_.bind(model_.registers);
    commands_.register_nb_transport_fw(this, &LockstepTwin::command);
    model_.commands.bind(commands_);
    notifications_.register_nb_transport_fw(this, &LockstepTwin::notification);
    model_.notifications.bind(notifications_);
    releases_.register_nb_transport_fw(this, &LockstepTwin::release);
    model_.releases.bind(releases_);
    memory_.register_nb_transport_fw(this, &LockstepTwin::recordRequest);
    model_.spill.bind(memory_);
  }

  ModelTracker& model() { return model_; }

  void show(std::uint32_t lane, const LanePiece& piece) {
    Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, piece.address, piece.bytes, false);
    TrafficExtension& extension = traffic(payload);
    extension.tracked = true;
    extension.workgroup = piece.workgroup;
    extension.wavefront = piece.wavefront;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (lanes_[lane]->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
      payload.release();
    }
  }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::uint32_t& value, unsigned char* byteEnables) {
    Payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    payload.set_byte_enable_ptr(byteEnables);
    payload.set_byte_enable_length(byteEnables != nullptr ? sizeof value : 0);
    sc_core::sc_time ignored;
    registers_->b_transport(payload, ignored);
    return payload.get_response_status();
  }

 private:
  /// From request to answer in the twin's own memory: about as long as in an HBM.
  static constexpr Picoseconds kRecordLatency = 100'000;

  class Model : public ModelTracker {
   public:
    Model(const sc_core::sc_module_name& name, const TrackerConfig& config, TwinListener& listener)
        : ModelTracker(name, config), listener_(listener) {}

   private:
    Picoseconds cycle(Picoseconds edge) override {
      const Picoseconds next = ModelTracker::cycle(edge);
      listener_.twinCycled();
      return next;
    }
    void tileCompleted(const Tile& tile, CommandId command) override {
      listener_.twinCompleted(command, WorkgroupId{tile.workgroup}, tile.address, !parks(tile));
    }

    TwinListener& listener_;
  };

  tlm::tlm_sync_enum pieceDone(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    payload.release();
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }

  static TriggerMessage messageOf(const Payload& payload) {
    TriggerMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    return message;
  }

  tlm::tlm_sync_enum command(Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    listener_.twinIssued(messageOf(payload));
    return tlm::TLM_COMPLETED;
  }

  tlm::tlm_sync_enum notification(Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    listener_.twinNotified(messageOf(payload));
    return tlm::TLM_COMPLETED;
  }

  tlm::tlm_sync_enum release(Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    ReleaseMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    listener_.twinReleased(message.row);
    return tlm::TLM_COMPLETED;
  }

  tlm::tlm_sync_enum recordRequest(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    auto& record = records_[payload.get_address()];
    if (payload.is_write()) {
      std::memcpy(record.data(), payload.get_data_ptr(), record.size());
    } else {
      std::memcpy(payload.get_data_ptr(), record.data(), record.size());
    }
    payload.acquire();
    answers_.post(now() + kRecordLatency, &payload);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void answer(Payload& payload) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    memory_->nb_transport_bw(payload, phase, delay);
    payload.release();
  }

  PayloadPool pool_;
  Model model_;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<LockstepTwin>> lanes_;
  tlm_utils::simple_initiator_socket<LockstepTwin> registers_{"registers"};
  tlm_utils::simple_target_socket<LockstepTwin> commands_{"commands"};
  tlm_utils::simple_target_socket<LockstepTwin> notifications_{"notifications"};
  tlm_utils::simple_target_socket<LockstepTwin> releases_{"releases"};
  tlm_utils::simple_target_socket<LockstepTwin> memory_{"memory"};
  TimedQueue<Payload*> answers_;
  std::unordered_map<std::uint64_t, std::array<unsigned char, 32>> records_;
  TwinListener& listener_;
};

}  // namespace t3
