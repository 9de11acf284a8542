// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_engine.h"

#include <cstring>
#include <sstream>

namespace t3 {

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, const DmaConfig& config,
                     const RequestMaker& requests, DmaPorts ports)
    : sc_module(name),
      memory("memory", *this),
      egress(links_, ports.links),
      gatherEgress(links_, config.gather_channels == 0 ? 0 : ports.links, "gather"),
      context_{.config = config,
               .requests = requests,
               .memory = memory,
               .egress = egress,
               .gatherEgress = gatherEgress,
               .localShare = ports.local,
               .engine = *this},
      channels_(context_, [this] { takePendingTrigger(); }),
      fill_(context_) {
  trigger.register_nb_transport_fw(this, &DmaEngine::nbTransportForward);
}

// ---- commands -----------------------------------------------------------------------------------

void DmaEngine::program(CommandId id, DmaTransfer transfer) {
  if (transfer.tiles.count == 0 || transfer.tiles.end() > transfer.tiling->tiles()) {
    DmaContext::reportError("command " + std::to_string(id.value) + ": tiles outside the output");
    return;
  }
  if (!known(id)) commands_.resize(id.value + 1);
  Command& command = commands_[id.value];
  if (command.state == State::Running) {
    DmaContext::reportError("command " + std::to_string(id.value) + " programmed while it runs");
    return;
  }
  command = {std::move(transfer), State::Armed};
  command.transfer.number = id.value;
  command.transfer.workgroup = WorkgroupId{command.transfer.tiles.first};
  ++context_.statistics.commandsProgrammed;
}

/// Whether a trigger names an armed command, and its sum is whole; reports an error if not.
bool DmaEngine::acceptsTrigger(const TriggerMessage& message) const {
  std::string problem;
  if (!known(message.command) || commands_[message.command.value].state == State::Unprogrammed) {
    problem = ", which was never programmed";
  } else if (!armed(message.command)) {
    problem = ", which has started already";
  } else if (message.spoiled) {
    problem = ", whose block received an update when it was complete";
  } else {
    return true;
  }
  DmaContext::reportError("trigger for command " + std::to_string(message.command.value) + problem);
  return false;
}

/// Of an armed command that moves something: what a channel is to do.
DmaTransfer DmaEngine::begin(CommandId id, bool triggered) {
  commands_[id.value].state = State::Running;
  DmaTransfer transfer = commands_[id.value].transfer;
  transfer.triggered = triggered;
  transfer.finished = [this, id] {
    Command& command = commands_[id.value];
    command.state = State::Finished;
    if (finished_) finished_(command.transfer);
  };
  return transfer;
}

std::vector<WorkgroupId> DmaEngine::untriggered() const {
  std::vector<WorkgroupId> list;
  for (const Command& command : commands_) {
    if (command.state != State::Armed || !command.transfer.moves()) continue;
    list.emplace_back(command.transfer.tiles.first);
  }
  return list;
}

/// Whether the command is over as it begins.
bool DmaEngine::movesNothing(CommandId id) {
  Command& command = commands_[id.value];
  if (command.transfer.moves()) return false;
  command.state = State::Finished;
  return true;
}

void DmaEngine::start(CommandId command) {
  if (!armed(command)) {
    DmaContext::reportError("start of command " + std::to_string(command.value) +
                            ", which is not armed");
    return;
  }
  if (movesNothing(command)) return;
  channels_.run(begin(command, false), now());
}

tlm::tlm_sync_enum DmaEngine::nbTransportForward(Payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (!payload.is_write() || payload.get_data_ptr() == nullptr ||
      payload.get_data_length() != sizeof(TriggerMessage)) {
    DmaContext::reportError("a trigger that carries no message");
    return tlm::TLM_COMPLETED;
  }
  if (pending_.payload != nullptr) {
    DmaContext::reportError("a trigger before the previous one was taken");
    return tlm::TLM_COMPLETED;
  }
  TriggerMessage message;
  std::memcpy(&message, payload.get_data_ptr(), sizeof message);
  if (!triggered_ && !acceptsTrigger(message)) return tlm::TLM_COMPLETED;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const Picoseconds arrival = now() + toPicoseconds(delay);
  if (arrival > now()) {
    arriving_.set(arrival);
  } else if (takes(message)) {
    return tlm::TLM_COMPLETED;
  }
  if (payload.has_mm()) payload.acquire();
  pending_ = {&payload, message, arrival};
  return tlm::TLM_ACCEPTED;
}

bool DmaEngine::takes(const TriggerMessage& message) {
  if (triggered_) {
    triggered_(message);
    return true;
  }
  if (queueFull() && commands_[message.command.value].transfer.moves()) return false;
  take(message.command);
  return true;
}

void DmaEngine::take(CommandId command) {
  if (taken_) taken_(command);
  if (movesNothing(command)) return;
  DmaTransfer transfer = begin(command, true);
  if (!context_.config.whole_chunks) return channels_.run(std::move(transfer), now());
  const Tiling& tiling = *transfer.tiling;
  const ChunkId chunk = tiling.chunkOf(WorkgroupId{transfer.tiles.first});
  const auto held = held_.try_emplace({transfer.phase, chunk.value}).first;
  held->second.push_back(std::move(transfer));
  std::uint32_t tiles = 0;
  for (const DmaTransfer& one : held->second) tiles += one.tiles.count;
  if (tiles < tiling.chunk(chunk).count) return;
  for (DmaTransfer& one : held->second) channels_.run(std::move(one), now());
  held_.erase(held);
}

void DmaEngine::takePendingTrigger() {
  if (pending_.payload == nullptr || pending_.arrival > now() || !takes(pending_.message)) return;
  const PendingTrigger taken = std::exchange(pending_, {});
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  trigger->nb_transport_bw(*taken.payload, phase, delay);
  if (taken.payload->has_mm()) taken.payload->release();
}

void DmaEngine::completed(Payload& payload, Picoseconds when) {
  if (payload.is_read()) {
    channels_.readCompleted(payload, when);
  } else if (ZeroFill::owns(payload)) {
    fill_.completed(payload, when);
  } else {
    channels_.writePerformed(payload, when);
  }
}

bool DmaEngine::idle() const {
  return channels_.idle() && pending_.payload == nullptr && held_.empty() && !fill_.active() &&
         memory.idle() && egress.idle() && gatherEgress.idle();
}

void DmaEngine::publish(ValueList& list) const {
  const DmaStatistics& statistics = context_.statistics;
  list.level("queued_commands", 16, "commands", [this] { return channels_.queued(); });
  list.flag("holds_tracker", [this] { return pending_.payload != nullptr; });
  list.level("active_channels", 8, "channels", [this] { return channels_.active(); });
  list.level("outstanding_reads", 16, "requests", [this] { return channels_.outstandingReads(); });
  list.level("outstanding_bytes", 32, "bytes", [this] { return channels_.outstandingBytes(); });
  list.flag("zeroing", [this] { return fill_.active(); });
  list.counter("read", "bytes", [&statistics] { return statistics.readBytes; });
  list.counter("sent", "bytes", [&statistics] { return statistics.sentBytes; });
  list.counter("zeroed", "bytes", [this] { return fill_.statistics().fillBytes; });
  list.counter("cleared", "bytes", [this] { return fill_.statistics().clearBytes; });
  channels_.publish(list);
}

std::string DmaEngine::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (idle()) {
    text << "idle";
    return text.str();
  }
  text << channels_.active() << " of " << channels_.channels() << " channels active, "
       << channels_.queued() << " commands queued"
       << (pending_.payload != nullptr ? " and the tracker held" : "")
       << (held_.empty() ? "" : ", some held for the rest of their chunks") << ", "
       << channels_.outstandingReads() << " reads (" << channels_.outstandingBytes()
       << " bytes) not yet taken by the link, of which "
       << egress.waiting() + gatherEgress.waiting() << " wait for it";
  if (fill_.active()) {
    text << "; zeroing, " << fill_.outstandingBytes() << " bytes in flight";
  }
  return text.str();
}

}  // namespace t3
