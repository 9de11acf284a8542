// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "tlm/tracker/model_tracker.h"
#include "tlm/tracker/unprivileged_access.h"

namespace t3 {

/// Who hears what the twin of a lockstep pair says.
class TwinListener : public ModelWatcher {
 public:
  virtual void twinIssued(const TriggerMessage& message) = 0;
  virtual void twinReleased(std::uint32_t row) = 0;
};

/// The twin and what it is connected to: initiators that bring it updates and register accesses,
/// and targets that accept every command and release at once.
class LockstepTwin : public sc_core::sc_module {
 public:
  LockstepTwin(const sc_core::sc_module_name& name, const TrackerConfig& config,
               TwinListener& listener)
      : sc_module(name),
        model_("model", config),
        lanes_("lanes", config.lanes),
        listener_(listener) {
    model_.watch(listener);
    for (std::uint32_t lane = 0; lane < config.lanes; ++lane) {
      lanes_[lane].register_nb_transport_bw(this, &LockstepTwin::pieceDone);
      lanes_[lane].bind(model_.lanes[lane]);
    }
    registers_.bind(model_.registers);
    commands_.register_nb_transport_fw(this, &LockstepTwin::command);
    model_.commands.bind(commands_);
    releases_.register_nb_transport_fw(this, &LockstepTwin::release);
    model_.releases.bind(releases_);
  }

  ModelTracker& model() { return model_; }

  void show(std::uint32_t lane, const LanePiece& piece) {
    Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, piece.address, piece.bytes, false);
    TrafficExtension& extension = traffic(payload);
    extension.tracked = true;
    extension.workgroup = piece.workgroup;
    extension.wavefront = piece.wavefront;
    extension.contributions = static_cast<std::uint16_t>(piece.contributions);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    // It is seen at the same edge as by the RTL.
    sc_core::sc_time delay =
        piece.edge > now() ? fromPicoseconds(piece.edge - 1 - now()) : sc_core::SC_ZERO_TIME;
    if (lanes_[lane]->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
      payload.release();
    }
  }

  /// The same access as `original`, with `value` in place of its data.
  tlm::tlm_response_status access(const Payload& original, std::uint32_t& value) {
    Payload payload;
    payload.set_command(original.get_command());
    payload.set_address(original.get_address());
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    payload.set_byte_enable_ptr(original.get_byte_enable_ptr());
    payload.set_byte_enable_length(original.get_byte_enable_length());
    UnprivilegedAccess unprivileged;
    if (!isPrivileged(original)) payload.set_extension(&unprivileged);
    sc_core::sc_time ignored;
    registers_->b_transport(payload, ignored);
    payload.clear_extension(&unprivileged);
    return payload.get_response_status();
  }

  /// What a register holds, without a side effect.
  std::uint32_t peek(std::uint32_t address) {
    Payload payload;
    std::uint32_t value = 0;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    registers_->transport_dbg(payload);
    return value;
  }

 private:
  tlm::tlm_sync_enum pieceDone(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    payload.release();
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }

  tlm::tlm_sync_enum command(Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    TriggerMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    listener_.twinIssued(message);
    return tlm::TLM_COMPLETED;
  }

  tlm::tlm_sync_enum release(Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    ReleaseMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    listener_.twinReleased(message.row);
    return tlm::TLM_COMPLETED;
  }

  PayloadPool pool_;
  ModelTracker model_;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<LockstepTwin>> lanes_;
  tlm_utils::simple_initiator_socket<LockstepTwin> registers_{"registers"};
  tlm_utils::simple_target_socket<LockstepTwin> commands_{"commands"};
  tlm_utils::simple_target_socket<LockstepTwin> releases_{"releases"};
  TwinListener& listener_;
};

}  // namespace t3
