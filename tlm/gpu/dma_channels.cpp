// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_channels.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace t3 {
namespace {

/// `context` of a write: its channel below, the number of its read above. ZeroFill has bit 63.
constexpr unsigned kNumberShift = 32;

}  // namespace

DmaChannels::DmaChannels(DmaContext& context, DmaCommandTable& commands)
    : context_(context),
      commands_(commands),
      due_("due", [this](Payload* read) { sendOn(*read); }) {
  addShares(context.egress, context.config.channels);
  addShares(context.gatherEgress, context.config.gather_channels);
}

/// One for each port, with an equal part of `channels` and of their data buffer.
void DmaChannels::addShares(EgressPorts& egress, std::uint32_t channels) {
  const std::size_t ports = egress.ports();
  const std::uint64_t all = context_.config.channels;
  const std::size_t first = shares_.size();
  for (std::size_t port = 0; port < ports; ++port) {
    Share& share = shares_.emplace_back();
    share.egress = &egress;
    share.mostBytes = std::uint64_t{context_.config.outstanding_bytes} * channels / all / ports;
    share.mostReads = std::max<std::uint64_t>(
        1, std::uint64_t{context_.config.outstanding_reads} * channels / all / ports);
  }
  for (std::size_t c = 0; c < channels || c % std::max<std::size_t>(ports, 1) != 0; ++c) {
    Share& share = shares_[first + c % ports];
    share.channels.push_back(channels_.size());
    channels_.emplace_back().share = first + c % ports;
  }
}

DmaChannels::Share& DmaChannels::shareOf(CommandId id) {
  const DmaDescriptor& command = commands_.descriptor(id);
  const std::size_t port = command.targets[command.slowest].port;
  const bool own = command.phase == Phase::AllGather && context_.gatherEgress.ports() != 0;
  return shares_[own ? context_.egress.ports() + port : port];
}

void DmaChannels::add(CommandId id) {
  Share& share = shareOf(id);
  const bool gathers = commands_.descriptor(id).phase == Phase::AllGather;
  std::deque<CommandId>& waiting = gathers ? share.waitingToGather : share.waiting;
  const auto behind = std::ranges::upper_bound(
      waiting, commands_.descriptor(id).rank, {},
      [this](CommandId other) { return commands_.descriptor(other).rank; });
  waiting.insert(behind, id);
  work();
}

void DmaChannels::work() {
  startCommands();
  for (Share& share : shares_) issueReads(share);
}

void DmaChannels::startCommands() {
  for (Share& share : shares_) {
    for (const std::size_t index : share.channels) {
      std::deque<CommandId>& waiting =
          share.waiting.empty() ? share.waitingToGather : share.waiting;
      if (waiting.empty()) break;
      if (channels_[index].active) continue;
      startCommand(channels_[index], waiting.front());
      waiting.pop_front();
    }
  }
}

void DmaChannels::startCommand(Channel& channel, CommandId id) {
  ++active_;
  const std::size_t share = channel.share;
  channel = {};
  channel.share = share;
  channel.active = true;
  channel.command = id;
  channel.workgroup = commands_.firstTile(id);
  channel.area = context_.tiling.wavefrontTile(channel.workgroup, channel.wavefront);
  commands_.begin(id);
}

void DmaChannels::issueReads(Share& share) {
  const std::size_t channels = share.channels.size();
  for (std::size_t asked = 0; asked < channels;) {
    const std::size_t index = share.channels[share.turn];
    Channel& channel = channels_[index];
    if (!channel.active || channel.exhausted) {
      share.turn = (share.turn + 1) % channels;
      ++asked;
      continue;
    }
    const std::uint32_t bytes = nextBytes(channel);
    const bool full = share.bytes != 0 && share.bytes + bytes > share.mostBytes;
    if (full || share.reads >= share.mostReads) break;  // the channel keeps its turn
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
  extension.phase = descriptor.phase;
  if (descriptor.clears) extension.operation = MemoryOperation::Clear;
  extension.dataType = descriptor.dataType;
  extension.triggered = commands_.triggered(channel.command);
  extension.workgroup = channel.workgroup;
  extension.wavefront = channel.wavefront;
  extension.source = context_.gpu;
  extension.step = static_cast<std::uint32_t>(context_.statistics.readRequests);
  extension.context = index;

  ++channel.requests;
  Share& share = shares_[channel.share];
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

/// The bytes of the channel's next read; 0 at the end of a segment.
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

std::uint32_t DmaChannels::holdForCopies(std::uint32_t copies) {
  const std::uint32_t number = numbers_.take();
  copiesLeft_.resize(numbers_.made());
  copiesLeft_[number] = copies;
  return number;
}

void DmaChannels::sendOn(Payload& read) {
  const TrafficExtension& from = traffic(std::as_const(read));
  const Channel& channel = channels_[from.context];
  const DmaDescriptor& descriptor = commands_.descriptor(channel.command);
  const std::uint64_t address = read.get_address() - context_.layout.base(descriptor.from) +
                                context_.layout.base(descriptor.to);
  const auto copies = static_cast<std::uint32_t>(descriptor.targets.size());
  const std::uint64_t number = holdForCopies(copies);
  EgressPorts& egress = *shares_[channel.share].egress;
  for (const DmaTarget& target : descriptor.targets) {
    Payload& write =
        context_.pool.allocate(tlm::TLM_WRITE_COMMAND, globalAddress(target.gpu, address),
                               read.get_data_length(), values(read) != nullptr);
    TrafficExtension& extension = traffic(write);
    static_cast<Traffic&>(extension) = from;
    extension.operation = descriptor.operation;
    extension.triggered = false;
    extension.tracked = true;
    extension.multicast = descriptor.multicast;
    extension.context = number << kNumberShift | from.context;
    if (const unsigned char* data = values(read); data != nullptr) {
      std::memcpy(write.get_data_ptr(), data, read.get_data_length());
    }
    egress.port(target.port).send(write);
  }
  read.release();
}

void DmaChannels::writeAccepted(const Payload& write) {
  const std::uint64_t context = traffic(write).context;
  const auto number = static_cast<std::uint32_t>(context >> kNumberShift);
  context_.statistics.sentBytes += write.get_data_length();
  if (--copiesLeft_[number] != 0) return;
  numbers_.giveBack(number);
  Channel& channel = channels_[context & ((std::uint64_t{1} << kNumberShift) - 1)];
  Share& share = shares_[channel.share];
  --share.reads;
  share.bytes -= write.get_data_length();
  --outstandingReads_;
  outstandingBytes_ -= write.get_data_length();
  if (--channel.requests == 0 && channel.exhausted) {
    channel.active = false;
    --active_;
    commands_.finish(channel.command);
    if (context_.finished) context_.finished(commands_.descriptor(channel.command));
  }
  work();
}

std::size_t DmaChannels::waitingCommands() const {
  std::size_t count = 0;
  for (const Share& share : shares_) {
    count += share.waiting.size() + share.waitingToGather.size();
  }
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
