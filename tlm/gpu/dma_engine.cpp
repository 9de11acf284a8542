// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_engine.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>

namespace t3 {
namespace {

/// Granule of the address in a TriggerMessage.
constexpr std::uint64_t kAddressGranule = 32;

/// What the engine's own requests carry in `context`: the channel, or for a zeroing write this plus
/// its number.
constexpr std::uint64_t kFillContext = std::uint64_t{1} << 63;

void reportError(const std::string& text) { SC_REPORT_ERROR("t3/dma", text.c_str()); }

}  // namespace

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, const DmaConfig& config,
                     const Tiling& tiling, const MemoryLayout& layout, DataType dataType,
                     DataMode mode, GpuId gpu, PayloadPool& pool, const Route* route)
    : sc_module(name),
      memory("memory", *this),
      egress(*this, tiling, gpu, route),
      config_(config),
      tiling_(tiling),
      layout_(layout),
      dataType_(dataType),
      mode_(mode),
      gpu_(gpu),
      pool_(pool),
      channels_((config.channels + egress.ports() - 1) / egress.ports() *
                std::size_t{egress.ports()}),
      shares_(egress.ports()),
      starting_("starting",
                [this](CommandId id) {
                  const WorkgroupId tile{commands_[id.value].descriptor.tiles.first};
                  shares_[egress.portOf(tile)].ready.push_back(id);
                  work();
                }),
      due_("due", [this](Payload* read) { sendUpdate(*read); }),
      filled_("filled", [this](std::uint64_t fill) { fillPerformed(fill); }) {
  trigger.register_nb_transport_fw(this, &DmaEngine::nbTransportForward);
}

void DmaEngine::program(CommandId command, const DmaDescriptor& descriptor) {
  if (descriptor.tiles.count == 0 || descriptor.tiles.end() > tiling_.tiles()) {
    reportError("command " + std::to_string(command.value) + ": tiles outside the output");
    return;
  }
  if (command.value >= commands_.size()) commands_.resize(command.value + 1);
  Command& slot = commands_[command.value];
  if (slot.state == State::Running) {
    reportError("command " + std::to_string(command.value) + " programmed while it runs");
    return;
  }
  slot = {descriptor, State::Armed, false};
  ++statistics_.commandsProgrammed;
}

void DmaEngine::start(CommandId command) {
  if (command.value >= commands_.size() || commands_[command.value].state != State::Armed) {
    reportError("start of command " + std::to_string(command.value) + ", which is not armed");
    return;
  }
  take(command, false, now());
}

tlm::tlm_sync_enum DmaEngine::nbTransportForward(Payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (!payload.is_write() || payload.get_data_ptr() == nullptr ||
      payload.get_data_length() != sizeof(TriggerMessage)) {
    reportError("a trigger that carries no message");
    return tlm::TLM_COMPLETED;
  }
  if (pending_.payload != nullptr) {
    reportError("a trigger before the previous one was taken");
    return tlm::TLM_COMPLETED;
  }
  TriggerMessage message;
  std::memcpy(&message, payload.get_data_ptr(), sizeof message);
  const std::string what = "trigger for command " + std::to_string(message.command.value);
  if (message.command.value >= commands_.size() ||
      commands_[message.command.value].state == State::Unprogrammed) {
    reportError(what + ", which was never programmed");
    return tlm::TLM_COMPLETED;
  }
  const Command& command = commands_[message.command.value];
  if (command.state != State::Armed) {
    reportError(what + ", which has started already");
    return tlm::TLM_COMPLETED;
  }
  if (!names(command, message)) {
    reportError(what + ": workgroup " + std::to_string(message.workgroup.value) + ", address " +
                std::to_string(message.address) + " is no wavefront tile of its block");
    return tlm::TLM_COMPLETED;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (queued_ >= config_.queue_commands) {
    if (payload.has_mm()) payload.acquire();
    pending_ = {&payload, message};
    return tlm::TLM_ACCEPTED;
  }
  take(message.command, true, now() + toPicoseconds(delay));
  return tlm::TLM_COMPLETED;
}

bool DmaEngine::names(const Command& command, const TriggerMessage& message) const {
  if (!command.descriptor.tiles.contains(message.workgroup)) return false;
  for (std::uint32_t wf = 0; wf < tiling_.liveWavefronts(message.workgroup); ++wf) {
    const Rectangle area = tiling_.wavefrontTile(message.workgroup, WavefrontId{wf});
    // The lowest address since the tile was last parked, so not always its first one.
    const std::uint64_t first = layout_.output + tiling_.offset(area, 0);
    const std::uint64_t last =
        layout_.output + tiling_.offset(area, area.rows - 1) + tiling_.bytes(area) / area.rows - 1;
    if (first / kAddressGranule <= message.address / kAddressGranule && message.address <= last) {
      return true;
    }
  }
  return false;
}

void DmaEngine::take(CommandId id, bool triggered, Picoseconds when) {
  Command& command = commands_[id.value];
  command.state = State::Running;
  command.triggered = triggered;
  if (triggered) {
    ++queued_;
    statistics_.peakQueuedCommands =
        std::max<std::uint64_t>(statistics_.peakQueuedCommands, queued_);
  }
  ++statistics_.commandsTaken;
  announce({.kind = EventKind::CommandTaken,
            .number = id.value,
            .workgroup = WorkgroupId{command.descriptor.tiles.first}});
  starting_.post(when + picosecondsFromNs(config_.command_latency_ns), id);
}

void DmaEngine::takePendingTrigger() {
  if (pending_.payload == nullptr || queued_ >= config_.queue_commands) return;
  const PendingTrigger taken = std::exchange(pending_, {});
  take(taken.message.command, true, now());
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  trigger->nb_transport_bw(*taken.payload, phase, delay);
  if (taken.payload->has_mm()) taken.payload->release();
}

void DmaEngine::work() {
  startCommands();
  for (std::uint32_t port = 0; port < shares_.size(); ++port) issueReads(port);
  takePendingTrigger();
}

void DmaEngine::startCommands() {
  const std::size_t ports = shares_.size();
  for (std::size_t port = 0; port < ports; ++port) {
    std::deque<CommandId>& ready = shares_[port].ready;
    for (std::size_t index = port; index < channels_.size() && !ready.empty(); index += ports) {
      if (channels_[index].active) continue;
      startCommand(channels_[index], ready.front());
      ready.pop_front();
    }
  }
}

std::size_t DmaEngine::readyCommands() const {
  std::size_t count = 0;
  for (const Share& share : shares_) count += share.ready.size();
  return count;
}

void DmaEngine::issueReads(std::uint32_t port) {
  const std::size_t ports = shares_.size();
  const std::size_t channels = channels_.size() / ports;
  Share& share = shares_[port];
  for (std::size_t asked = 0; asked < channels;) {
    const std::size_t index = share.turn * ports + port;
    Channel& channel = channels_[index];
    if (!channel.active || channel.exhausted) {
      share.turn = (share.turn + 1) % channels;
      ++asked;
      continue;
    }
    const std::uint32_t bytes = nextBytes(channel);
    const bool full = share.bytes != 0 && share.bytes + bytes > config_.outstanding_bytes / ports;
    if (full || share.reads >= std::max<std::size_t>(1, config_.outstanding_reads / ports)) {
      break;  // the channel keeps its turn
    }
    issueRead(index, bytes);
    share.turn = (share.turn + 1) % channels;
    asked = 0;
  }
}

void DmaEngine::startCommand(Channel& channel, CommandId id) {
  const Command& command = commands_[id.value];
  if (command.triggered) --queued_;
  ++activeChannels_;
  channel = {};
  channel.active = true;
  channel.command = id;
  channel.workgroup = WorkgroupId{command.descriptor.tiles.first};
  channel.area = tiling_.wavefrontTile(channel.workgroup, channel.wavefront);
  announce({.kind = EventKind::CommandBegin, .number = id.value, .workgroup = channel.workgroup});
}

void DmaEngine::nextWavefrontTile(Channel& channel) {
  channel.row = 0;
  if (++channel.wavefront.value == tiling_.liveWavefronts(channel.workgroup)) {
    channel.wavefront.value = 0;
    if (++channel.workgroup.value == commands_[channel.command.value].descriptor.tiles.end()) {
      channel.exhausted = true;
      return;
    }
  }
  channel.area = tiling_.wavefrontTile(channel.workgroup, channel.wavefront);
}

std::uint32_t DmaEngine::nextBytes(const Channel& channel) const {
  // Full rows of the output follow one another, so such a wavefront tile is one segment.
  const std::uint64_t segment = channel.area.columns == tiling_.columns()
                                    ? tiling_.bytes(channel.area)
                                    : std::uint64_t{channel.area.columns} * tiling_.elementBytes();
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(segment - channel.issued, config_.read_bytes));
}

void DmaEngine::issueRead(std::size_t index, std::uint32_t bytes) {
  Channel& channel = channels_[index];
  const Command& command = commands_[channel.command.value];
  const std::uint64_t address =
      layout_.output + tiling_.offset(channel.area, channel.row) + channel.issued;
  Payload& read = pool_.allocate(tlm::TLM_READ_COMMAND, address, bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(read);
  extension.stream = Stream::Communication;
  extension.phase = Phase::ReduceScatter;
  extension.dataType = command.descriptor.dataType;
  extension.triggered = command.triggered;
  extension.workgroup = channel.workgroup;
  extension.wavefront = channel.wavefront;
  extension.source = gpu_;
  extension.context = index;

  ++channel.requests;
  Share& share = shares_[index % shares_.size()];
  ++share.reads;
  share.bytes += bytes;
  ++outstandingReads_;
  outstandingBytes_ += bytes;
  ++statistics_.readRequests;
  statistics_.readBytes += bytes;
  statistics_.peakOutstandingBytes = std::max(statistics_.peakOutstandingBytes, outstandingBytes_);
  memory.send(read);

  channel.issued += bytes;
  if (nextBytes(channel) != 0) return;
  channel.issued = 0;
  const bool lastRow =
      channel.area.columns == tiling_.columns() || ++channel.row == channel.area.rows;
  if (lastRow) nextWavefrontTile(channel);
}

void DmaEngine::sendUpdate(Payload& read) {
  const TrafficExtension& from = traffic(std::as_const(read));
  const DmaDescriptor& descriptor = commands_[channels_[from.context].command.value].descriptor;
  Payload& update = pool_.allocate(tlm::TLM_WRITE_COMMAND,
                                   globalAddress(descriptor.destination, read.get_address()),
                                   read.get_data_length(), read.get_data_ptr() != nullptr);
  TrafficExtension& extension = traffic(update);
  extension.stream = Stream::Communication;
  extension.phase = Phase::ReduceScatter;
  extension.operation = descriptor.operation;
  extension.dataType = descriptor.dataType;
  extension.tracked = true;
  extension.workgroup = from.workgroup;
  extension.wavefront = from.wavefront;
  extension.source = gpu_;
  extension.context = from.context;
  if (read.get_data_ptr() != nullptr) {
    std::memcpy(update.get_data_ptr(), read.get_data_ptr(), read.get_data_length());
  }
  read.release();
  egress.send(update);
}

void DmaEngine::accepted(Payload& payload) {
  if (payload.is_write() && traffic(payload).context < kFillContext) updateAccepted(payload);
}

void DmaEngine::updateAccepted(const Payload& update) {
  Channel& channel = channels_[traffic(update).context];
  Share& share = shares_[traffic(update).context % shares_.size()];
  --share.reads;
  share.bytes -= update.get_data_length();
  --outstandingReads_;
  outstandingBytes_ -= update.get_data_length();
  statistics_.sentBytes += update.get_data_length();
  if (--channel.requests == 0 && channel.exhausted) {
    channel.active = false;
    --activeChannels_;
    commands_[channel.command.value].state = State::Finished;
    ++statistics_.commandsFinished;
    const Command& command = commands_[channel.command.value];
    announce({.kind = EventKind::CommandEnd,
              .number = channel.command.value,
              .workgroup = WorkgroupId{command.descriptor.tiles.first}});
  }
  work();
}

void DmaEngine::completed(Payload& payload, Picoseconds when) {
  if (payload.is_response_error()) {
    reportError(payload.is_read() ? "a read failed" : "a write failed");
    return;
  }
  if (payload.is_read()) {
    payload.acquire();
    due_.post(when, &payload);
  } else if (traffic(payload).context >= kFillContext) {
    filled_.post(when, traffic(payload).context - kFillContext);
  }
}

void DmaEngine::fillZero(Ranges ranges, Done done, Picoseconds start) {
  if (filling_) {
    reportError("a fill while another is under way");
    return;
  }
  filling_ = true;
  fill_ = std::move(ranges);
  fillRange_ = 0;
  fillIssued_ = 0;
  fillDone_ = std::move(done);
  zeros_.begin(fill_);
  announce({.kind = EventKind::ZeroBegin,
            .bytes = std::accumulate(
                fill_.begin(), fill_.end(), std::uint64_t{0},
                [](std::uint64_t sum, const auto& area) { return sum + area.second; })});
  // The first entry is empty: it starts the fill, and ends one of nothing.
  fills_.push_back({});
  filled_.post(std::max(now(), start), firstFill_);
}

void DmaEngine::issueFills() {
  while (fillRange_ < fill_.size()) {
    const auto [address, length] = fill_[fillRange_];
    const auto bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(length - fillIssued_, config_.fill_bytes));
    if (bytes == 0) {
      ++fillRange_;
      fillIssued_ = 0;
      continue;
    }
    if (fillOutstanding_ + bytes > config_.fill_outstanding_bytes) return;
    Payload& zeros = pool_.allocate(tlm::TLM_WRITE_COMMAND, address + fillIssued_, bytes,
                                    mode_ == DataMode::Checked);
    TrafficExtension& extension = traffic(zeros);
    extension.stream = Stream::Communication;
    extension.phase = Phase::Gemm;
    extension.dataType = dataType_;
    extension.source = gpu_;
    extension.context = kFillContext + firstFill_ + fills_.size();
    fills_.push_back({bytes, false});
    fillIssued_ += bytes;
    fillOutstanding_ += bytes;
    statistics_.fillBytes += bytes;
    memory.send(zeros);
  }
}

/// The memory performs writes in any order; the frontier moves over those that leave no gap.
void DmaEngine::fillPerformed(std::uint64_t fill) {
  fills_[fill - firstFill_].performed = true;
  fillOutstanding_ -= fills_[fill - firstFill_].bytes;
  std::uint64_t zeroed = 0;
  while (!fills_.empty() && fills_.front().performed) {
    zeroed += fills_.front().bytes;
    fills_.pop_front();
    ++firstFill_;
  }
  issueFills();
  if (zeroed != 0) zeros_.advance(zeroed);
  if (fillOutstanding_ != 0) return;
  filling_ = false;
  announce({.kind = EventKind::ZeroEnd});
  const Done done = std::exchange(fillDone_, nullptr);  // it may start the next fill
  if (done) done(now());
}

bool DmaEngine::idle() const {
  return activeChannels_ == 0 && readyCommands() == 0 && starting_.empty() &&
         pending_.payload == nullptr && !filling_ && memory.idle() && egress.idle();
}

void DmaEngine::publish(ValueList& list) const {
  list.level("queued_commands", 16, "commands",
             [this] { return starting_.size() + readyCommands(); });
  list.flag("holds_tracker", [this] { return pending_.payload != nullptr; });
  list.level("active_channels", 8, "channels", [this] { return activeChannels_; });
  list.level("outstanding_reads", 16, "requests", [this] { return outstandingReads_; });
  list.level("outstanding_bytes", 32, "bytes", [this] { return outstandingBytes_; });
  list.flag("zeroing", [this] { return filling_; });
  list.counter("read", "bytes", [this] { return statistics_.readBytes; });
  list.counter("sent", "bytes", [this] { return statistics_.sentBytes; });
  list.counter("zeroed", "bytes", [this] { return statistics_.fillBytes; });
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const std::string channel = "channel" + std::to_string(c) + ".";
    list.flag(channel + "active", [this, c] { return channels_[c].active; });
    list.level(channel + "command", 16, "", [this, c] { return channels_[c].command.value; });
    list.level(channel + "workgroup", 16, "", [this, c] { return channels_[c].workgroup.value; });
    list.level(channel + "wavefront", 3, "", [this, c] { return channels_[c].wavefront.value; });
    list.level(channel + "requests", 16, "requests", [this, c] { return channels_[c].requests; });
  }
}

std::vector<WorkgroupId> DmaEngine::untriggered() const {
  std::vector<WorkgroupId> list;
  for (const Command& command : commands_) {
    if (command.state == State::Armed) list.emplace_back(command.descriptor.tiles.first);
  }
  return list;
}

std::string DmaEngine::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (idle()) {
    text << "idle";
    return text.str();
  }
  text << activeChannels_ << " of " << channels_.size() << " channels active, "
       << starting_.size() + readyCommands() << " commands queued"
       << (pending_.payload != nullptr ? " and the tracker held" : "") << ", " << outstandingReads_
       << " reads (" << outstandingBytes_ << " bytes) not yet taken by the link, of which "
       << egress.waiting() << " wait for it";
  if (filling_) text << "; zeroing, " << fillOutstanding_ << " bytes in flight";
  return text.str();
}

}  // namespace t3
