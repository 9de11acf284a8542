// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/switch_loads.h"

#include <algorithm>
#include <utility>

namespace t3 {

SwitchLoads::SwitchLoads(const sc_core::sc_module_name& name, GpuId gpu, const LinkConfig& link,
                         DataMode mode, PayloadPool& pool)
    : sc_module(name), gpu_(gpu), link_(link), mode_(mode), pool_(pool) {}

void SwitchLoads::listen(NodeId node, SumLoader& kernel) { listeners_[node] = &kernel; }

/// To the kernels or memories of all GPUs.
Payload& SwitchLoads::message(SumLoad kind, std::uint64_t address, std::uint64_t bytes, Phase phase,
                              NodeId node) {
  const std::uint64_t headers = std::max<std::uint64_t>(1, link_.headersOf(bytes));
  Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, globalAddress(gpu_, address),
                                    static_cast<std::uint32_t>(headers), false);
  TrafficExtension& extension = traffic(payload);
  extension.stream = Stream::Communication;
  extension.phase = phase;
  extension.node = node;
  extension.source = gpu_;
  extension.sumLoad = kind;
  extension.multicast = extension.toSource = true;
  return payload;
}

void SwitchLoads::load(SumLoader& kernel, const Load& load) {
  Payload& payload = message(SumLoad::Request, load.address, load.bytes, load.phase, load.node);
  TrafficExtension& extension = traffic(payload);
  extension.dataType = load.dataType;
  extension.asked = load.bytes;
  extension.tag = tags_.take();
  open_[extension.tag] = {&kernel, load.number};
  requests.send(payload);
}

void SwitchLoads::raise(Phase phase, NodeId node, std::uint32_t flag) {
  Payload& payload = message(SumLoad::Flag, 0, 1, phase, node);
  traffic(payload).tag = flag;
  requests.send(payload);
}

void SwitchLoads::arrived(Payload& message) {
  const TrafficExtension& extension = traffic(std::as_const(message));
  if (extension.sumLoad == SumLoad::Flag) {
    return listeners_.at(extension.node)->flagArrived(extension.tag);
  }
  if (extension.sumLoad == SumLoad::Request) {
    asked_.push_back({localAddress(message.get_address()), extension});
    return read();
  }
  statistics_.sumBytes += message.get_data_length();
  const Open load = open_.extract(extension.tag).mapped();
  tags_.giveBack(extension.tag);
  load.kernel->sumArrived(load.number, message);
}

void SwitchLoads::read() {
  while (!asked_.empty()) {
    const Asked& next = asked_.front();
    const std::uint32_t bytes = next.traffic.asked;
    if (answering_ != 0 && answering_ + bytes > link_.bufferBytes()) return;
    answering_ += bytes;
    Payload& payload =
        pool_.allocate(tlm::TLM_READ_COMMAND, next.address, bytes, mode_ == DataMode::Checked);
    TrafficExtension& extension = traffic(payload);
    static_cast<Traffic&>(extension) = next.traffic;
    extension.multicast = extension.toSource = false;
    asked_.pop_front();
    memory.send(payload);
  }
}

void SwitchLoads::answer(const Payload& read) {
  const TrafficExtension& from = traffic(read);
  Payload& payload =
      pool_.allocate(tlm::TLM_WRITE_COMMAND, globalAddress(from.source, read.get_address()),
                     read.get_data_length(), values(read) != nullptr);
  TrafficExtension& extension = traffic(payload);
  static_cast<Traffic&>(extension) = from;
  extension.sumLoad = SumLoad::Answer;
  extension.source = gpu_;
  if (const unsigned char* data = values(read); data != nullptr) {
    std::copy_n(data, read.get_data_length(), payload.get_data_ptr());
  }
  answers.send(payload);
}

void SwitchLoads::accepted(Payload& payload) {
  if (payload.is_read() || traffic(std::as_const(payload)).sumLoad != SumLoad::Answer) return;
  statistics_.answerBytes += payload.get_data_length();
  answering_ -= payload.get_data_length();
  read();
}

void SwitchLoads::completed(Payload& payload, Picoseconds when) {
  if (!payload.is_read()) return;
  payload.acquire();
  readDone_.post(when, &payload);
}

void SwitchLoads::publish(ValueList& list) const {
  list.level("asked", 16, "requests", [this] { return asked_.size(); });
  list.level("answering", 32, "bytes", [this] { return answering_; });
  list.level("open", 16, "loads", [this] { return open_.size(); });
  list.counter("answers", "bytes", [this] { return statistics_.answerBytes; });
  list.counter("sums", "bytes", [this] { return statistics_.sumBytes; });
}

}  // namespace t3
