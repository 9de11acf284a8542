// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/merge_port.h"

#include <algorithm>
#include <utility>

namespace t3 {

MergePort::MergePort(const sc_core::sc_module_name& name, const SwitchConfig& config,
                     std::uint32_t expected, std::uint32_t queueBytes)
    : sc_module(name),
      expected_(expected),
      queueBytes_(queueBytes),
      clock_(config.merge_clock_mhz),
      latency_(picosecondsFromNs(config.merge_latency_ns)),
      age_(std::max<Picoseconds>(1, picosecondsFromNs(config.merge_age_us * 1e3))),
      table_(config.sets(), config.ways()) {
  in.register_nb_transport_fw(this, &MergePort::forward);
  sums.register_nb_transport_bw(this, &MergePort::backward, kSums);
  writes.register_nb_transport_bw(this, &MergePort::backward, kWrites);
}

void MergePort::end_of_elaboration() { inputs_.resize(in.size()); }

bool MergePort::idle() const {
  return queued_ == 0 && table_.empty() && leaving_.empty() &&
         std::ranges::all_of(inputs_, [](const Input& one) { return one.refused == nullptr; }) &&
         std::ranges::all_of(outlets_, [](const Outlet& one) {
           return one.waiting.empty() && one.offered == nullptr;
         });
}

// ---- from the ports of the switch ---------------------------------------------------------------

MergePort::Class MergePort::classOf(const Payload& payload) {
  return isUpdate(traffic(payload).operation) ? kSums : kWrites;
}

tlm::tlm_sync_enum MergePort::forward(int number, Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  Input& input = inputs_[static_cast<std::size_t>(number)];
  if (input.refused != nullptr) {
    SC_REPORT_ERROR("t3/switch", "BEGIN_REQ before the previous request of this port was taken");
    return tlm::TLM_COMPLETED;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!fits(input, payload)) {
    payload.acquire();
    input.refused = &payload;
    return tlm::TLM_ACCEPTED;
  }
  take(static_cast<std::uint32_t>(number), payload);
  return tlm::TLM_COMPLETED;
}

bool MergePort::fits(const Input& input, const Payload& payload) const {
  const std::uint64_t bytes = input.bytes[static_cast<std::size_t>(classOf(payload))];
  return bytes == 0 || bytes + payload.get_data_length() <= queueBytes_;
}

void MergePort::take(std::uint32_t number, Payload& payload) {
  payload.acquire();
  traffic(payload).context = number;  // its link has no use for it
  Input& input = inputs_[number];
  const Class which = classOf(payload);
  input.bytes[which] += payload.get_data_length();
  if (which == kWrites) {
    // Copies of a multicast store begin here; so does all that one GPU gets in place of others.
    if (traffic(payload).multicast || inputs_.size() == 1) {
      announce(RequestPhase::Created, payload);
    }
    traffic(payload).multicast = false;
    outlet(kWrites).waiting.push_back(&payload);
    offer(kWrites);
    return;
  }
  input.updates.push_back(&payload);
  ++queued_;
  if (!adding_.isSet()) adding_.set(std::max(freeAt_, now()));
}

/// A request has left the queue of its input.
void MergePort::free(Input& input, int which, const Payload& payload) {
  input.bytes[static_cast<std::size_t>(which)] -= payload.get_data_length();
  if (input.refused == nullptr || !fits(input, *input.refused)) return;
  Payload& next = *std::exchange(input.refused, nullptr);
  const auto number = static_cast<std::uint32_t>(&input - inputs_.data());
  take(number, next);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  in[static_cast<int>(number)]->nb_transport_bw(next, phase, delay);
  next.release();
}

// ---- the table ----------------------------------------------------------------------------------

void MergePort::add() {
  while (queued_ != 0 && freeAt_ <= now()) {
    if (!outlet(kSums).waiting.empty()) return;  // goes on when the link has taken it
    Input& input = *nextInput();
    Payload& update = *input.updates.front();
    input.updates.pop_front();
    --queued_;
    addLines(update);
    free(input, kSums, update);
    update.release();
  }
  if (queued_ != 0) adding_.set(freeAt_);
}

MergePort::Input* MergePort::nextInput() {
  while (inputs_[turn_].updates.empty()) turn_ = (turn_ + 1) % inputs_.size();
  Input* const input = &inputs_[turn_];
  turn_ = (turn_ + 1) % inputs_.size();
  return input;
}

void MergePort::addLines(const Payload& update) {
  const TrafficExtension& extension = traffic(update);
  const MergeFormat format = mergeFormat(extension.operation, extension.dataType);
  const unsigned char* data = values(update);
  freeAt_ = std::max(freeAt_, now());
  for (std::uint32_t at = 0; at < update.get_data_length(); at += kLineBytes) {
    const std::uint32_t bytes = std::min(update.get_data_length() - at, kLineBytes);
    const std::uint64_t address = update.get_address() + at;
    MergeFlit flit{.line = localAddress(address),
                   .count = extension.contributions,
                   .format = format,
                   .values = {},
                   .traffic = extension,
                   .address = address,
                   .bytes = bytes};
    if (data != nullptr) flit.values.assign(data + at, data + at + bytes);
    bytes_.updates += bytes;
    const std::uint64_t joined = table_.statistics().joined;
    if (auto sum = table_.take(std::move(flit), expected_)) {
      leaves(*sum, freeAt_ + latency_);
    }
    freeAt_ += period();
    if (table_.statistics().joined != joined) bytes_.joined += bytes;
  }
  if (!table_.empty() && !sweeping_.isSet()) sweeping_.set((now() / age_ + 1) * age_);
}

void MergePort::leaves(const MergeFlit& sum, Picoseconds when) {
  Payload& payload =
      pool_.allocate(tlm::TLM_WRITE_COMMAND, sum.address, sum.bytes, !sum.values.empty());
  static_cast<Traffic&>(traffic(payload)) = sum.traffic;
  traffic(payload).contributions = static_cast<std::uint16_t>(sum.count);
  if (!sum.values.empty()) std::ranges::copy(sum.values, payload.get_data_ptr());
  announce(RequestPhase::Created, payload);
  leaving_.post(when, &payload);
}

void MergePort::sweep() {
  for (std::uint32_t set = 0; set < table_.sets() && !table_.empty(); ++set) {
    while (auto sum = table_.visit(set)) leaves(*sum, now() + latency_);
  }
  if (!table_.empty()) sweeping_.set((now() / age_ + 1) * age_);
}

// ---- to the link --------------------------------------------------------------------------------

void MergePort::offer(int which) {
  Outlet& out = outlet(which);
  while (out.offered == nullptr && !out.waiting.empty()) {
    Payload& payload = *out.waiting.front();
    out.waiting.pop_front();
    out.offered = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    auto& socket = which == kSums ? sums : writes;
    if (socket->nb_transport_fw(payload, phase, delay) != tlm::TLM_ACCEPTED) taken(which, payload);
  }
}

void MergePort::taken(int which, Payload& payload) {
  outlet(which).offered = nullptr;
  (which == kSums ? bytes_.sums : bytes_.writes) += payload.get_data_length();
  if (which == kWrites) {
    free(inputs_[traffic(std::as_const(payload)).context], kWrites, payload);
  } else if (queued_ != 0 && !adding_.isSet()) {
    adding_.set(std::max(freeAt_, now()));
  }
  payload.release();
}

tlm::tlm_sync_enum MergePort::backward(int which, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& /*delay*/) {
  if (&payload != outlet(which).offered) return tlm::TLM_ACCEPTED;
  taken(which, payload);
  offer(which);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void MergePort::publish(ValueList& list) const {
  list.level("entries", 20, "sums", [this] { return table_.entries(); });
  list.level("queued", 16, "requests", [this] { return queued_; });
  list.counter("updates", "bytes", [this] { return bytes_.updates; });
  list.counter("joined", "bytes", [this] { return bytes_.joined; });
  list.counter("sums", "bytes", [this] { return bytes_.sums; });
  list.counter("partial", "sums",
               [this] { return table_.statistics().partial + table_.statistics().aged; });
}

}  // namespace t3
