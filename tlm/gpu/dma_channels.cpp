// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_channels.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace t3 {

DmaChannels::DmaChannels(DmaContext& context, DmaCommandTable& commands)
    : context_(context),
      commands_(commands),
      channels_((context.config.channels + context.egress.ports() - 1) / context.egress.ports() *
                std::size_t{context.egress.ports()}),
      shares_(context.egress.ports()),
      due_("due", [this](Payload* read) { sendUpdate(*read); }) {}

void DmaChannels::add(CommandId id) {
  shares_[context_.egress.portOf(commands_.firstTile(id))].waiting.push_back(id);
  work();
}

void DmaChannels::work() {
  startCommands();
  for (std::uint32_t port = 0; port < shares_.size(); ++port) issueReads(port);
}

void DmaChannels::startCommands() {
  const std::size_t ports = shares_.size();
  for (std::size_t port = 0; port < ports; ++port) {
    std::deque<CommandId>& waiting = shares_[port].waiting;
    for (std::size_t index = port; index < channels_.size() && !waiting.empty(); index += ports) {
      if (channels_[index].active) continue;
      startCommand(channels_[index], waiting.front());
      waiting.pop_front();
    }
  }
}

void DmaChannels::startCommand(Channel& channel, CommandId id) {
  ++active_;
  channel = {};
  channel.active = true;
  channel.command = id;
  channel.workgroup = commands_.firstTile(id);
  channel.area = context_.tiling.wavefrontTile(channel.workgroup, channel.wavefront);
  commands_.begin(id);
}

void DmaChannels::issueReads(std::uint32_t port) {
  const DmaConfig& config = context_.config;
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
    const bool full = share.bytes != 0 && share.bytes + bytes > config.outstanding_bytes / ports;
    if (full || share.reads >= std::max<std::size_t>(1, config.outstanding_reads / ports)) {
      break;  // the channel keeps its turn
    }
    issueRead(index, bytes);
    share.turn = (share.turn + 1) % channels;
    asked = 0;
  }
}

void DmaChannels::issueRead(std::size_t index, std::uint32_t bytes) {
  Channel& channel = channels_[index];
  const Tiling& tiling = context_.tiling;
  const DmaDescriptor& descriptor = commands_.descriptor(channel.command);
  const std::uint64_t address = context_.layout.base(descriptor.from) +
                                tiling.offset(channel.area, channel.row) + channel.issued;
  Payload& read = context_.pool.allocate(tlm::TLM_READ_COMMAND, address, bytes,
                                         context_.dataMode == DataMode::Checked);
  TrafficExtension& extension = traffic(read);
  extension.stream = Stream::Communication;
  extension.phase = Phase::ReduceScatter;
  if (descriptor.clears) extension.operation = MemoryOperation::Clear;
  extension.dataType = descriptor.dataType;
  extension.triggered = commands_.triggered(channel.command);
  extension.workgroup = channel.workgroup;
  extension.wavefront = channel.wavefront;
  extension.source = context_.gpu;
  extension.step = static_cast<std::uint32_t>(context_.statistics.readRequests);
  extension.context = index;

  ++channel.requests;
  Share& share = shareOf(index);
  ++share.reads;
  share.bytes += bytes;
  ++outstandingReads_;
  outstandingBytes_ += bytes;
  DmaStatistics& statistics = context_.statistics;
  ++statistics.readRequests;
  statistics.readBytes += bytes;
  statistics.peakOutstandingBytes = std::max(statistics.peakOutstandingBytes, outstandingBytes_);
  context_.memory.send(read);

  channel.issued += bytes;
  if (nextBytes(channel) != 0) return;
  channel.issued = 0;
  const bool lastRow =
      channel.area.columns == tiling.columns() || ++channel.row == channel.area.rows;
  if (lastRow) nextWavefrontTile(channel);
}

void DmaChannels::nextWavefrontTile(Channel& channel) {
  channel.row = 0;
  if (++channel.wavefront.value == context_.tiling.liveWavefronts(channel.workgroup)) {
    channel.wavefront.value = 0;
    if (++channel.workgroup.value == commands_.descriptor(channel.command).tiles.end()) {
      channel.exhausted = true;
      return;
    }
  }
  channel.area = context_.tiling.wavefrontTile(channel.workgroup, channel.wavefront);
}

/// Of the channel's next read; 0 at the end of a segment.
std::uint32_t DmaChannels::nextBytes(const Channel& channel) const {
  const Tiling& tiling = context_.tiling;
  const std::uint64_t segment = channel.area.columns == tiling.columns()
                                    ? tiling.bytes(channel.area)
                                    : std::uint64_t{channel.area.columns} * tiling.elementBytes();
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(segment - channel.issued, context_.config.read_bytes));
}

void DmaChannels::readCompleted(Payload& read, Picoseconds when) {
  read.acquire();
  due_.post(when, &read);
}

void DmaChannels::sendUpdate(Payload& read) {
  const TrafficExtension& from = traffic(std::as_const(read));
  const DmaDescriptor& descriptor = commands_.descriptor(channels_[from.context].command);
  const std::uint64_t address = read.get_address() - context_.layout.base(descriptor.from) +
                                context_.layout.base(descriptor.to);
  Payload& update =
      context_.pool.allocate(tlm::TLM_WRITE_COMMAND, globalAddress(descriptor.destination, address),
                             read.get_data_length(), values(read) != nullptr);
  TrafficExtension& extension = traffic(update);
  extension.stream = Stream::Communication;
  extension.phase = Phase::ReduceScatter;
  extension.operation = descriptor.operation;
  extension.dataType = descriptor.dataType;
  extension.tracked = true;
  extension.workgroup = from.workgroup;
  extension.wavefront = from.wavefront;
  extension.source = context_.gpu;
  extension.step = from.step;
  extension.context = from.context;
  if (const unsigned char* data = values(read); data != nullptr) {
    std::memcpy(update.get_data_ptr(), data, read.get_data_length());
  }
  read.release();
  context_.egress.send(update);
}

void DmaChannels::updateAccepted(const Payload& update) {
  Channel& channel = channels_[traffic(update).context];
  Share& share = shareOf(traffic(update).context);
  --share.reads;
  share.bytes -= update.get_data_length();
  --outstandingReads_;
  outstandingBytes_ -= update.get_data_length();
  context_.statistics.sentBytes += update.get_data_length();
  if (--channel.requests == 0 && channel.exhausted) {
    channel.active = false;
    --active_;
    commands_.finish(channel.command);
    if (context_.finished) context_.finished(commands_.descriptor(channel.command).tiles.count);
  }
  work();
}

std::size_t DmaChannels::waitingCommands() const {
  std::size_t count = 0;
  for (const Share& share : shares_) count += share.waiting.size();
  return count;
}

void DmaChannels::publish(ValueList& list) const {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const std::string channel = "channel" + std::to_string(c) + ".";
    list.flag(channel + "active", [this, c] { return channels_[c].active; });
    list.level(channel + "command", 16, "", [this, c] { return channels_[c].command.value; });
    list.level(channel + "workgroup", 16, "", [this, c] { return channels_[c].workgroup.value; });
    list.level(channel + "wavefront", 3, "", [this, c] { return channels_[c].wavefront.value; });
    list.level(channel + "requests", 16, "requests", [this, c] { return channels_[c].requests; });
  }
}

}  // namespace t3
