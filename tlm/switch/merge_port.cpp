// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/merge_port.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tlm/switch/merge_engine.h"
#include "tlm/switch/merge_unit.h"

namespace t3 {

MergePort::MergePort(const sc_core::sc_module_name& name, const SwitchConfig& config,
                     std::uint32_t expected, std::uint32_t queueBytes, const RtlTracingOf& tracing)
    : sc_module(name),
      queueBytes_(queueBytes),
      clock_(config.merge_clock_mhz),
      engine_(makeMergeEngine(this->name(), config, expected,
                              tracing ? tracing(this->name()) : RtlTracing{})) {
  in.register_nb_transport_fw(this, &MergePort::forward);
  sums.register_nb_transport_bw(this, &MergePort::backward, kSums);
  writes.register_nb_transport_bw(this, &MergePort::backward, kWrites);
}

void MergePort::end_of_elaboration() { inputs_.resize(in.size()); }

bool MergePort::idle() const {
  return queued_ == 0 && engine_->empty() &&
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
                                      sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  Input& input = inputs_[static_cast<std::size_t>(number)];
  if (input.refused != nullptr) {
    SC_REPORT_ERROR("t3/switch", "BEGIN_REQ before the previous request of this port was taken");
    return tlm::TLM_COMPLETED;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  input.arrival = now() + toPicoseconds(delay);
  const bool late = input.arrival > now();
  if (late || !fits(input, payload)) {
    payload.acquire();
    input.refused = &payload;
    if (late) arriving_.post(input.arrival, static_cast<std::uint32_t>(number));
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
  clockAgain();
}

/// A request has left the queue of its input.
void MergePort::free(Input& input, int which, const Payload& payload) {
  input.bytes[static_cast<std::size_t>(which)] -= payload.get_data_length();
  admit(static_cast<std::uint32_t>(&input - inputs_.data()));
}

void MergePort::admit(std::uint32_t number) {
  Input& input = inputs_[number];
  if (input.refused == nullptr || input.arrival > now() || !fits(input, *input.refused)) return;
  Payload& next = *std::exchange(input.refused, nullptr);
  take(number, next);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  in[static_cast<int>(number)]->nb_transport_bw(next, phase, delay);
  next.release();
}

// ---- the unit -----------------------------------------------------------------------------------

/// From the next edge on, unless one is due before.
void MergePort::clockAgain() { clocking_.set(std::max(clock_.edgeAtOrAfter(now()), following_)); }

void MergePort::edge() {
  const Picoseconds when = now();
  if (clocked_) engine_->pass((when - following_) / clock_.period());
  following_ = when + clock_.period();
  const bool credit = credits_ != 0;
  if (credit) --credits_;
  if (const MergeFlit* sum = engine_->onLink()) leaves(*sum);
  std::optional<MergeFlit> update;
  if (queued_ != 0 && engine_->ready()) update = nextLine();
  engine_->clock(when, std::move(update), credit);

  clocked_ = queued_ != 0 || !engine_->empty();
  if (!clocked_) return;
  const bool takes = credits_ != 0 || (queued_ != 0 && engine_->ready());
  const std::uint64_t quiet = takes ? 0 : engine_->quiet();
  if (quiet != MergeUnit::kForEver) clocking_.set(following_ + clock_.cycles(quiet));
}

MergePort::Input& MergePort::nextInput() {
  while (inputs_[turn_].updates.empty()) turn_ = (turn_ + 1) % inputs_.size();
  Input& input = inputs_[turn_];
  turn_ = (turn_ + 1) % inputs_.size();
  return input;
}

MergeFlit MergePort::nextLine() {
  if (cutting_ == nullptr) cutting_ = &nextInput();
  Payload& update = *cutting_->updates.front();
  const TrafficExtension& extension = traffic(std::as_const(update));
  const std::uint32_t bytes = std::min(update.get_data_length() - cut_, kLineBytes);
  const std::uint64_t address = update.get_address() + cut_;
  MergeFlit flit{.line = localAddress(address),
                 .count = extension.contributions,
                 .format = mergeFormat(extension.operation, extension.dataType),
                 .values = {}};
  if (const unsigned char* data = values(update)) {
    flit.values.assign(data + cut_, data + cut_ + bytes);
  }
  bytes_.update_bytes += bytes;
  update.acquire();
  inside_[flit.line].push_back({&update, address, bytes, now()});
  cut_ += bytes;
  if (cut_ == update.get_data_length()) {
    Input& input = *std::exchange(cutting_, nullptr);
    cut_ = 0;
    input.updates.pop_front();
    --queued_;
    free(input, kSums, update);
    update.release();
  }
  return flit;
}

void MergePort::leaves(const MergeFlit& sum) {
  const auto line = inside_.find(sum.line);
  if (line == inside_.end()) return SC_REPORT_ERROR("t3/switch", "a sum left that nobody sent");
  std::vector<Part>& parts = line->second;
  const Part first = parts.front();
  Payload& payload =
      pool_.allocate(tlm::TLM_WRITE_COMMAND, first.address, first.bytes, !sum.values.empty());
  static_cast<Traffic&>(traffic(payload)) = traffic(std::as_const(*first.update));
  traffic(payload).contributions = static_cast<std::uint16_t>(sum.count);
  if (!sum.values.empty()) std::copy_n(sum.values.begin(), first.bytes, payload.get_data_ptr());
  announce(RequestPhase::Created, payload);

  std::uint32_t count = 0;
  std::size_t used = 0;
  for (; used < parts.size() && count < sum.count; ++used) {
    const Part& part = parts[used];
    count += traffic(std::as_const(*part.update)).contributions;
    added_ += part.bytes;
    announce(RequestPhase::Joined, *part.update, part.address, part.bytes, part.taken);
    part.update->release();
  }
  if (count != sum.count) {
    SC_REPORT_ERROR("t3/switch", ("a sum left with " + std::to_string(sum.count) +
                                  " contributions, " + std::to_string(count) + " were inside")
                                     .c_str());
  }
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(used));
  if (parts.empty()) inside_.erase(line);
  outlet(kSums).waiting.push_back(&payload);
  offer(kSums);
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
    const auto status = socket->nb_transport_fw(payload, phase, delay);
    if (status != tlm::TLM_ACCEPTED && answer(which, delay)) taken(which, payload);
  }
}

/// What is offered is taken when the delay has passed; whether that is now.
bool MergePort::answer(int which, const sc_core::sc_time& delay) {
  if (delay == sc_core::SC_ZERO_TIME) return true;
  outlet(which).answered = true;
  answered_.post(now() + toPicoseconds(delay), which);
  return false;
}

void MergePort::taken(int which, Payload& payload) {
  if (hasFailed(payload)) {
    SC_REPORT_ERROR(
        "t3/switch",
        (std::string(name()) + ": its link answered " + payload.get_response_string()).c_str());
  }
  outlet(which).offered = nullptr;
  outlet(which).answered = false;
  (which == kSums ? bytes_.sum_bytes : bytes_.write_bytes) += payload.get_data_length();
  if (which == kWrites) {
    free(inputs_[traffic(std::as_const(payload)).context], kWrites, payload);
  } else {
    ++credits_;
    if (clocked_) clockAgain();
  }
  payload.release();
}

tlm::tlm_sync_enum MergePort::backward(int which, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  const bool offered = &payload == outlet(which).offered && !outlet(which).answered;
  if (offered && answer(which, delay)) {
    taken(which, payload);
    offer(which);
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void MergePort::publish(ValueList& list) const {
  list.level("entries", 20, "sums", [this] { return engine_->entries(); });
  list.level("queued", 16, "requests", [this] { return queued_; });
  list.counter("updates", "bytes", [this] { return bytes_.update_bytes; });
  list.counter("sums", "bytes", [this] { return bytes_.sum_bytes; });
  list.counter("joined", "updates", [this] { return engine_->figures().joined; });
  list.counter("partial", "sums",
               [this] { return engine_->figures().partial + engine_->figures().aged; });
}

}  // namespace t3
