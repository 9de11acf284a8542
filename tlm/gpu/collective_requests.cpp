// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_requests.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tlm/gpu/codec.h"
#include "tlm/gpu/elements.h"

namespace t3 {
namespace {

/// A payload's `context` holds its request above this many bits of the number of the copy.
constexpr unsigned kCopyBits = 8;
/// `context` of a store that a link has taken: its completion may come later and changes nothing.
constexpr std::uint64_t kForgotten = ~std::uint64_t{0};

/// The memory works badly with loads that are shorter than this.
constexpr std::uint64_t kLeastLoadBytes = 256;

/// Whole windows, where they count.
std::uint32_t requestBytesOf(const CollectiveConfig& config, Protocol protocol, bool ownBlocks) {
  if (!ownBlocks) return config.request_bytes;
  const std::uint32_t window = config.of(protocol).window_bytes;
  return std::max(1U, config.request_bytes / window) * window;
}

}  // namespace

CollectiveRequests::CollectiveRequests(Owner owner, const GpuConfig& config, Protocol protocol,
                                       std::uint32_t ports, Blocks blocks)
    : memory("memory", *this),
      egress(*this, ports),
      owner_(std::move(owner)),
      protocol_(protocol),
      requestBytes_(requestBytesOf(config.collective, protocol, blocks.own)),
      clock_(config.clock_mhz),
      ownBlocks_(blocks.own),
      outstandingLimit_((blocks.own ? blocks.all : config.collectiveUnits()) *
                        std::uint64_t{config.collective.outstanding_bytes_per_cu}),
      outstandingShare_(outstandingLimit_ /
                        std::max<std::size_t>(1, blocks.own ? blocks.all : blocks.senders)),
      addBytesPerCycle_(std::uint64_t{config.collectiveUnits()} *
                        config.collective.add_bytes_per_cu_cycle),
      codec_(config.codec(false)),
      codecBytesPerUnitCycle_(config.collective.codec_bytes_per_cu_cycle),
      units_(config.collectiveUnits()),
      threadBlocks_(blocks.all),
      due_("due", [this](std::uint32_t request) { proceed(request); }) {}

std::uint64_t CollectiveRequests::requestBytes(std::size_t copies) const {
  if (copies <= 2) return requestBytes_;
  return std::max<std::uint64_t>(kLeastLoadBytes,
                                 2ULL * requestBytes_ / copies / kLeastLoadBytes * kLeastLoadBytes);
}

std::optional<std::uint32_t> CollectiveRequests::begin(std::uint32_t threadBlock,
                                                       std::uint32_t bytes, std::uint32_t copies,
                                                       bool sends, Picoseconds pace,
                                                       std::uint64_t codes) {
  const std::uint64_t registers = std::uint64_t{copies} * bytes;
  ThreadBlock& block = threadBlocks_[threadBlock];
  // What is larger than the limit still goes through, alone.
  if (outstanding_ != 0 && outstanding_ + registers > outstandingLimit_) return std::nullopt;
  const bool counts = sends || ownBlocks_;
  if (counts && block.outstanding != 0 && block.outstanding + registers > outstandingShare_) {
    return std::nullopt;
  }
  const std::uint32_t number = numbers_.take();
  requests_.resize(numbers_.made());
  Request& request = requests_[number];
  request.stage = Request::Stage::Loading;
  request.threadBlock = threadBlock;
  request.counts = counts;
  request.bytes = bytes;
  request.codes = codes;
  request.pace = pace;
  request.loadsLeft = copies;
  request.storesLeft = 0;
  request.loaded = 0;
  request.loads.assign(copies, nullptr);
  ++inWork_;
  outstanding_ += registers;
  if (counts) block.outstanding += registers;
  if (ownBlocks_) block.toStore.push_back(number);
  statistics_.peakOutstandingBytes = std::max(statistics_.peakOutstandingBytes, outstanding_);
  return number;
}

Payload& CollectiveRequests::access(tlm::tlm_command command, std::uint32_t number,
                                    std::uint32_t copy, std::uint64_t address, Label label) {
  Payload& payload = owner_.requests.make(command, address, requests_[number].bytes);
  TrafficExtension& extension = traffic(payload);
  extension.stream = Stream::Communication;
  extension.phase = label.phase;
  extension.node = owner_.node;
  extension.step = label.step;
  extension.context = std::uint64_t{number} << kCopyBits | copy;
  return payload;
}

void CollectiveRequests::load(std::uint32_t request, std::uint32_t copy, std::uint64_t address,
                              Label label) {
  statistics_.loadBytes += requests_[request].bytes;
  memory.send(access(tlm::TLM_READ_COMMAND, request, copy, address, label));
}

void CollectiveRequests::loadSum(std::uint32_t request, std::uint64_t address, Label label) {
  switchLoads_->load(*this, {request, address, requests_[request].bytes, owner_.requests.dataType,
                             label.phase, owner_.node});
}

void CollectiveRequests::sumArrived(std::uint32_t request, Payload& sum) {
  sum.acquire();
  requests_[request].loads.front() = &sum;
  due_.post(now(), request);
}

Payload& CollectiveRequests::sumTo(std::uint32_t number, std::uint64_t address, Label label) {
  Payload& payload = access(tlm::TLM_WRITE_COMMAND, number, 0, address, label);
  Request& request = requests_[number];
  ++request.storesLeft;
  if (unsigned char* data = values(payload); data != nullptr) {
    std::memcpy(data, request.loads.front()->get_data_ptr(), request.bytes);
  }
  return payload;
}

void CollectiveRequests::storeLocal(std::uint32_t request, std::uint64_t address, Label label) {
  Payload& payload = sumTo(request, address, label);
  traffic(payload).stream = Stream::Compute;
  memory.send(payload);
}

void CollectiveRequests::send(std::uint32_t request, std::uint32_t port, std::uint64_t address,
                              bool toAll, Label label) {
  Payload& payload = sumTo(request, address, label);
  traffic(payload).multicast = traffic(payload).toSource = toAll;
  traffic(payload).protocol = protocol_;
  if (codec_.on()) {
    encode(codec_, payload);
    traffic(payload).codedByKernel = true;
  }
  egress.port(port).send(payload);
}

void CollectiveRequests::proceed(std::uint32_t number) {
  Request& request = requests_[number];
  if (request.stage == Request::Stage::Storing) return storeDone(number);
  const std::uint64_t additions = request.loads.size() - 1;
  if (request.stage == Request::Stage::Pacing) return store(number);
  const bool works = additions != 0 || request.codes != 0;
  if (request.stage == Request::Stage::Adding || !works) return summed(number);
  request.stage = Request::Stage::Adding;
  const Picoseconds adding =
      (additions * request.bytes * clock_.period() + addBytesPerCycle_ - 1) / addBytesPerCycle_ +
      codingTime(request.codes, false);
  adderFreeAt_ = std::max(adderFreeAt_, now()) + adding;
  due_.post(adderFreeAt_, number);
}

Picoseconds CollectiveRequests::codingTime(std::uint64_t bytes, bool oneUnit) const {
  if (bytes == 0) return 0;
  const double perCycle = codecBytesPerUnitCycle_ * (oneUnit ? 1 : units_);
  return static_cast<Picoseconds>(
      std::ceil(static_cast<double>(bytes) / perCycle * static_cast<double>(clock_.period())));
}

Picoseconds CollectiveRequests::decoded(const Payload& message, Picoseconds when) {
  if (!traffic(message).codedByKernel || ownBlocks_) return when;
  const Picoseconds time = codingTime(message.get_data_length(), false);
  adderFreeAt_ = std::max(adderFreeAt_, now()) + time;
  return std::max(adderFreeAt_, when + time);
}

void CollectiveRequests::summed(std::uint32_t number) {
  if (!ownBlocks_) return store(number);
  requests_[number].stage = Request::Stage::Summed;
  std::deque<std::uint32_t>& next = threadBlocks_[requests_[number].threadBlock].toStore;
  while (!next.empty() && requests_[next.front()].stage == Request::Stage::Summed) {
    pace(next.front());
    next.pop_front();
  }
}

void CollectiveRequests::pace(std::uint32_t number) {
  Request& request = requests_[number];
  request.stage = Request::Stage::Pacing;
  Picoseconds& until = threadBlocks_[request.threadBlock].storesUntil;
  until = std::max(until, now()) + request.pace;
  due_.post(until, number);
}

void CollectiveRequests::store(std::uint32_t number) {
  Request& request = requests_[number];
  request.stage = Request::Stage::Storing;
  if (unsigned char* sum = values(*request.loads.front()); sum != nullptr) {
    for (std::size_t copy = 1; copy < request.loads.size(); ++copy) {
      addElements(owner_.requests.dataType, sum, request.loads[copy]->get_data_ptr(), sum,
                  request.bytes);
    }
  }
  storeSum(number);
  for (Payload* loaded : request.loads) loaded->release();
}

void CollectiveRequests::accepted(Payload& payload) {
  if (payload.is_read() || traffic(std::as_const(payload)).stream != Stream::Communication) return;
  const auto number = static_cast<std::uint32_t>(traffic(payload).context >> kCopyBits);
  statistics_.remoteStoreBytes += payload.get_data_length();
  traffic(payload).context = kForgotten;
  storeDone(number);
}

void CollectiveRequests::completed(Payload& payload, Picoseconds when) {
  const std::uint64_t context = traffic(payload).context;
  if (context == kForgotten) return;
  const auto number = static_cast<std::uint32_t>(context >> kCopyBits);
  if (payload.is_write()) {
    statistics_.localStoreBytes += payload.get_data_length();
    due_.post(when, number);
    return;
  }
  Request& request = requests_[number];
  payload.acquire();
  request.loads[context & ((1U << kCopyBits) - 1)] = &payload;
  request.loaded = std::max(request.loaded, when);
  if (--request.loadsLeft == 0) due_.post(request.loaded, number);
}

void CollectiveRequests::storeDone(std::uint32_t number) {
  Request& request = requests_[number];
  if (--request.storesLeft != 0) return;
  const std::uint64_t registers = std::uint64_t{request.loads.size()} * request.bytes;
  outstanding_ -= registers;
  if (request.counts) threadBlocks_[request.threadBlock].outstanding -= registers;
  --inWork_;
  numbers_.giveBack(number);
  requestEnded(number);
}

std::string CollectiveRequests::describeRequests() const {
  return std::to_string(inWork_) + " requests in work (" + std::to_string(outstanding_) + " of " +
         std::to_string(outstandingLimit_) + " bytes), " + std::to_string(egress.waiting()) +
         " wait for the link";
}

void CollectiveRequests::reportError(const std::string& text) const {
  SC_REPORT_ERROR("t3/collective", (owner_.name + ": " + text).c_str());
}

}  // namespace t3
