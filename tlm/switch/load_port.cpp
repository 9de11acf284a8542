// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/load_port.h"

#include <algorithm>
#include <utility>

#include "tlm/hbm/near_memory_alu.h"

namespace t3 {
namespace {

constexpr std::uint32_t kBytesPerCycle = 128;
/// From the last answer to the link: those of the merge unit (docs/switch-merge.md, promise 6).
constexpr std::uint32_t kCycles = 4;

}  // namespace

LoadPort::LoadPort(const sc_core::sc_module_name& name, const SwitchConfig& config,
                   std::uint32_t gpus)
    : sc_module(name),
      gpus_(gpus),
      clock_(config.merge_clock_mhz),
      latency_(kCycles * clock_.period()) {
  in.register_nb_transport_fw(this, &LoadPort::forward);
}

tlm::tlm_sync_enum LoadPort::forward(int /*port*/, Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  payload.acquire();
  if (delay != sc_core::SC_ZERO_TIME) {
    arriving_.post(now() + toPicoseconds(delay), &payload);
  } else {
    arrived(payload);
  }
  return tlm::TLM_COMPLETED;
}

void LoadPort::arrived(Payload& payload) {
  if (traffic(std::as_const(payload)).sumLoad == SumLoad::Answer) {
    answered(payload);
  } else {
    requests.send(payload);
  }
}

void LoadPort::answered(Payload& answer) {
  const TrafficExtension& extension = traffic(std::as_const(answer));
  const std::uint32_t bytes = answer.get_data_length();
  const auto [entry, isFirst] = waiting_.try_emplace(extension.tag);
  Waiting& request = entry->second;
  if (isFirst) request.left = std::uint64_t{gpus_} * extension.asked;
  request.answers.push_back(&answer);
  request.left -= bytes;
  figures_.answer_bytes += bytes;
  kept_ += bytes;
  figures_.most_kept = std::max(figures_.most_kept, kept_);
  freeAt_ =
      std::max(freeAt_, now()) + (bytes + kBytesPerCycle - 1) / kBytesPerCycle * clock_.period();
  if (request.left != 0) return;
  Payload& sum = sumOf(request.answers);
  kept_ -= std::uint64_t{gpus_} * sum.get_data_length();
  figures_.sum_bytes += sum.get_data_length();
  waiting_.erase(entry);
  leaving_.post(freeAt_ + latency_, &sum);
}

Payload& LoadPort::sumOf(std::vector<Payload*>& answers) {
  std::ranges::stable_sort(answers, {},
                           [](const Payload* answer) { return traffic(*answer).source.value; });
  const Payload& first = *answers.front();
  const unsigned char* data = values(first);
  Payload& sum = pool_.allocate(tlm::TLM_WRITE_COMMAND, first.get_address(), traffic(first).asked,
                                data != nullptr);
  TrafficExtension& extension = traffic(sum);
  static_cast<Traffic&>(extension) = traffic(first);
  extension.sumLoad = SumLoad::Sum;
  extension.source = gpuOf(first.get_address());
  if (data != nullptr) std::copy_n(data, extension.asked, sum.get_data_ptr());
  for (std::size_t g = 1; data != nullptr && g < answers.size(); ++g) {
    applyOperation(MemoryOperation::Add, extension.dataType, sum.get_data_ptr(),
                   values(*answers[g]), extension.asked);
  }
  for (Payload* answer : answers) answer->release();
  return sum;
}

void LoadPort::publish(ValueList& list) const {
  list.level("asked", 16, "requests", [this] { return waiting_.size(); });
  list.level("kept", 32, "bytes", [this] { return kept_; });
  list.counter("answers", "bytes", [this] { return figures_.answer_bytes; });
  list.counter("sums", "bytes", [this] { return figures_.sum_bytes; });
}

}  // namespace t3
