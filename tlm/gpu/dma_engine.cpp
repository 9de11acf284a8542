// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_engine.h"

#include <cstring>
#include <sstream>
#include <utility>

namespace t3 {

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, const DmaConfig& config,
                     DataType dataType, DataMode mode, GpuId gpu, PayloadPool& pool, DmaPorts ports)
    : sc_module(name),
      memory("memory", *this),
      egress(links_, ports.links),
      gatherEgress(links_, config.gather_channels == 0 ? 0 : ports.links, "gather"),
      context_{.config = config,
               .dataType = dataType,
               .dataMode = mode,
               .gpu = gpu,
               .pool = pool,
               .memory = memory,
               .egress = egress,
               .gatherEgress = gatherEgress,
               .localShare = ports.local,
               .engine = *this},
      commands_(context_),
      channels_(context_, [this] { takePendingTrigger(); }),
      fill_({context_.config, dataType, mode, gpu, pool, memory, *this}) {
  trigger.register_nb_transport_fw(this, &DmaEngine::nbTransportForward);
}

void DmaEngine::start(CommandId command) {
  if (!commands_.armed(command)) {
    DmaContext::reportError("start of command " + std::to_string(command.value) +
                            ", which is not armed");
    return;
  }
  if (!commands_.sends(command)) return commands_.end(command);
  channels_.run(commands_.take(command, false), now());
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
  if (!triggered_ && !commands_.acceptsTrigger(message)) return tlm::TLM_COMPLETED;
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
  if (queueFull() && commands_.sends(message.command)) return false;
  take(message);
  return true;
}

void DmaEngine::take(const TriggerMessage& message) {
  if (taken_) taken_(message.command);
  if (!commands_.sends(message.command)) return commands_.end(message.command);
  DmaTransfer transfer = commands_.take(message.command, true);
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
