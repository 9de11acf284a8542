// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_channels.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace t3 {

DmaChannels::DmaChannels(DmaContext& context, std::function<void()> begun)
    : context_(context),
      begun_(std::move(begun)),
      starting_("starting", [this](TransferPtr transfer) { queue(std::move(transfer)); }),
      setUp_("set_up",
             [this](std::size_t channel) {
               channels_[channel].settingUp = false;
               work();
             }),
      due_("due", [this](Payload* read) { writeOut(*read); }),
      performed_("performed", [this](Payload* write) {
        writeDone(static_cast<std::uint32_t>(traffic(std::as_const(*write)).context),
                  write->get_data_length());
        write->release();
      }) {
  addShares(context.egress, context.egress.ports(), context.config.channels);
  addShares(context.gatherEgress, context.gatherEgress.ports(), context.config.gather_channels);
  if (context.localShare) addShares(context.egress, 1, context.config.channels);
}

/// `channels` and their data buffer are for all ports; each share has as much as any port.
void DmaChannels::addShares(EgressPorts& egress, std::size_t count, std::uint32_t channels) {
  const std::uint64_t all = context_.config.channels;
  for (; count != 0; --count) {
    const std::size_t ports = egress.ports();
    Share& share = shares_.emplace_back();
    share.egress = &egress;
    share.first = channels_.size();
    share.channels = (channels + ports - 1) / ports;
    share.mostBytes = std::uint64_t{context_.config.outstanding_bytes} * channels / all / ports;
    share.mostReads = std::max<std::uint64_t>(
        1, std::uint64_t{context_.config.outstanding_reads} * channels / all / ports);
    for (std::size_t c = 0; c < share.channels; ++c) {
      channels_.emplace_back().share = shares_.size() - 1;
    }
  }
}

DmaChannels::Share& DmaChannels::shareOf(const DmaTransfer& transfer) {
  if (transfer.remote.empty()) return shares_.back();
  const std::size_t port = transfer.remote[transfer.slowest].port;
  const bool own = transfer.phase == Phase::AllGather && context_.gatherEgress.ports() != 0;
  return shares_[own ? context_.egress.ports() + port : port];
}

void DmaChannels::run(DmaTransfer transfer, Picoseconds when) {
  ++queued_;
  DmaStatistics& statistics = context_.statistics;
  if (transfer.triggered) {
    ++queuedTriggers_;
    statistics.peakQueuedCommands =
        std::max<std::uint64_t>(statistics.peakQueuedCommands, queuedTriggers_);
  }
  ++statistics.commandsTaken;
  announce(EventKind::CommandTaken, transfer);
  starting_.post(when + picosecondsFromNs(context_.config.command_latency_ns),
                 std::make_unique<const DmaTransfer>(std::move(transfer)));
}

void DmaChannels::queue(TransferPtr transfer) {
  Share& share = shareOf(*transfer);
  const bool gathers = transfer->phase == Phase::AllGather;
  std::deque<TransferPtr>& waiting = gathers ? share.waitingToGather : share.waiting;
  const auto behind = std::ranges::upper_bound(
      waiting, transfer->rank, {}, [](const TransferPtr& other) { return other->rank; });
  waiting.insert(behind, std::move(transfer));
  work();
}

void DmaChannels::work() {
  const std::size_t queuedBefore = queued_;
  for (Share& share : shares_) {
    for (std::size_t c = share.first; c < share.first + share.channels; ++c) {
      std::deque<TransferPtr>& waiting =
          share.waiting.empty() ? share.waitingToGather : share.waiting;
      if (waiting.empty()) break;
      if (channels_[c].active) continue;
      begin(c, std::move(waiting.front()));
      waiting.pop_front();
    }
  }
  for (Share& share : shares_) issueReads(share);
  if (queued_ != queuedBefore) begun_();
}

void DmaChannels::begin(std::size_t index, TransferPtr transfer) {
  Channel& channel = channels_[index];
  ++active_;
  --queued_;
  if (transfer->triggered) --queuedTriggers_;
  channel.active = true;
  channel.walk = ByteWalk(*transfer->tiling, transfer->tiles, transfer->outputs);
  channel.transfer = std::move(transfer);
  announce(EventKind::CommandBegin, *channel.transfer);
  const Picoseconds overhead = picosecondsFromNs(context_.config.command_overhead_ns);
  if (overhead == 0) return;
  channel.settingUp = true;
  setUp_.post(now() + overhead, index);
}

void DmaChannels::issueReads(Share& share) {
  for (std::size_t asked = 0; asked < share.channels;) {
    const std::size_t index = share.first + share.turn;
    const Channel& channel = channels_[index];
    if (!channel.active || channel.settingUp || channel.walk.atEnd()) {
      share.turn = (share.turn + 1) % share.channels;
      ++asked;
      continue;
    }
    const std::uint32_t bytes = nextBytes(channel);
    const bool full = share.bytes != 0 && share.bytes + bytes > share.mostBytes;
    if (full || share.reads >= share.mostReads) break;  // the channel keeps its turn
    issueRead(index, bytes);
    share.turn = (share.turn + 1) % share.channels;
    asked = 0;
  }
}

void DmaChannels::issueRead(std::size_t index, std::uint32_t bytes) {
  Channel& channel = channels_[index];
  const DmaTransfer& transfer = *channel.transfer;
  Payload& read =
      context_.requests.make(tlm::TLM_READ_COMMAND, transfer.source + channel.walk.offset(), bytes);
  TrafficExtension& extension = traffic(read);
  extension.stream = Stream::Communication;
  extension.phase = transfer.phase;
  extension.node = transfer.node;
  if (transfer.clears) extension.operation = MemoryOperation::Clear;
  extension.triggered = transfer.triggered;
  extension.workgroup = channel.walk.workgroup();
  extension.wavefront = channel.walk.wavefront();
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
  channel.walk.advance(bytes);
}

/// Of the channel's next read.
std::uint32_t DmaChannels::nextBytes(const Channel& channel) const {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(channel.walk.left(), context_.config.read_bytes));
}

void DmaChannels::readCompleted(Payload& read, Picoseconds when) {
  read.acquire();
  due_.post(when, &read);
}

void DmaChannels::writeOut(Payload& read) {
  const std::uint64_t index = traffic(std::as_const(read)).context;
  const Channel& channel = channels_[index];
  const DmaTransfer& transfer = *channel.transfer;
  const std::uint32_t number = numbers_.take();
  requests_.resize(numbers_.made());
  requests_[number] = {index, transfer.remote.size() + (transfer.local ? 1 : 0)};
  if (transfer.local) context_.memory.send(makeWrite(read, *transfer.local, number));
  EgressPorts& egress = *shares_[channel.share].egress;
  for (const DmaWrite& to : transfer.remote) {
    egress.send(makeWrite(read, to, number), to.port);
  }
  read.release();
}

Payload& DmaChannels::makeWrite(const Payload& read, const DmaWrite& to, std::uint32_t number) {
  const TrafficExtension& from = traffic(read);
  const DmaTransfer& transfer = *channels_[from.context].transfer;
  const std::uint64_t offset = read.get_address() - transfer.source;
  Payload& write = context_.requests.pool.allocate(tlm::TLM_WRITE_COMMAND, to.destination + offset,
                                                   read.get_data_length(), values(read) != nullptr);
  TrafficExtension& extension = traffic(write);
  static_cast<Traffic&>(extension) = from;
  extension.operation = to.operation;
  extension.triggered = false;
  extension.tracked = to.row.has_value();
  extension.multicast = to.multicast;
  extension.workgroup.value += to.row.value_or(0) * transfer.tiling->tiles();
  extension.context = number;
  if (const unsigned char* data = values(read); data != nullptr) {
    std::memcpy(write.get_data_ptr(), data, read.get_data_length());
  }
  return write;
}

void DmaChannels::writeAccepted(const Payload& remote) {
  context_.statistics.sentBytes += remote.get_data_length();
  writeDone(static_cast<std::uint32_t>(traffic(remote).context), remote.get_data_length());
}

void DmaChannels::writePerformed(Payload& local, Picoseconds when) {
  local.acquire();
  performed_.post(when, &local);
}

void DmaChannels::writeDone(std::uint32_t number, std::uint32_t bytes) {
  Request& request = requests_[number];
  if (--request.writesLeft != 0) return;
  numbers_.giveBack(number);
  Channel& channel = channels_[request.channel];
  Share& share = shares_[channel.share];
  --share.reads;
  share.bytes -= bytes;
  --outstandingReads_;
  outstandingBytes_ -= bytes;
  if (--channel.requests == 0 && channel.walk.atEnd()) end(channel);
  work();
}

void DmaChannels::end(Channel& channel) {
  channel.active = false;
  --active_;
  ++context_.statistics.commandsFinished;
  announce(EventKind::CommandEnd, *channel.transfer);
  if (channel.transfer->finished) channel.transfer->finished();
}

void DmaChannels::announce(EventKind kind, const DmaTransfer& transfer) const {
  context_.engine.announce({.kind = kind,
                            .number = transfer.number,
                            .workgroup = transfer.workgroup,
                            .threadBlock = transfer.threadBlock,
                            .slice = transfer.slice,
                            .node = transfer.node});
}

void DmaChannels::publish(ValueList& list) const {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const Channel& of = channels_[c];  // their number never changes
    const std::string channel = "channel" + std::to_string(c) + ".";
    list.flag(channel + "active", [&of] { return of.active; });
    list.level(channel + "command", 16, "",
               [&of] { return of.transfer ? of.transfer->number : 0; });
    list.level(channel + "workgroup", 16, "", [&of] { return of.walk.workgroup().value; });
    list.level(channel + "wavefront", 3, "", [&of] { return of.walk.wavefront().value; });
    list.level(channel + "requests", 16, "requests", [&of] { return of.requests; });
  }
}

}  // namespace t3
