// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_dma.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

namespace t3 {
namespace {

/// In the `context` of a write to another GPU, beside the number of its request.
constexpr std::uint64_t kRemote = std::uint64_t{1} << 62;
/// A remote write that a link has taken; the engine waits for nothing more.
constexpr std::uint64_t kForgotten = ~std::uint64_t{0};

void reportError(const std::string& text) { SC_REPORT_ERROR("t3/collective", text.c_str()); }

/// Takes a number, and makes what it stands for anew.
std::uint32_t numberOf(auto& all, NumberPool& numbers) {
  const std::uint32_t number = numbers.take();
  all.resize(numbers.made());
  all[number] = {};
  return number;
}

}  // namespace

StepDma::StepDma(const sc_core::sc_module_name& name, const TrackedProgram& program,
                 const TrackedGrid& grid, const DmaConfig& config, DataType dataType, DataMode mode,
                 GpuId gpu, Phase phase, PayloadPool& pool)
    : StepWorker(name),
      memory("memory", *this),
      egress(*this, program.ports),
      program_(program),
      grid_(grid),
      config_(config),
      dataType_(dataType),
      mode_(mode),
      gpu_(gpu),
      phase_(phase),
      pool_(pool),
      slices_(grid.slices()),
      starting_("starting",
                [this](std::uint32_t number) {
                  const auto& remote = commands_[number].transfer->remote;
                  shares_[remote ? remote->port : program_.ports].waiting.push_back(number);
                  work();
                }),
      due_("due", [this](Payload* read) { writeOut(read); }),
      performed_("performed", [this](std::uint32_t request) { writeDone(request); }) {
  trigger.register_nb_transport_fw(this, &StepDma::onMessage);
  shares_.resize(program.ports + 1);
  for (Share& share : shares_) {
    share.channels = (config.channels + program.ports - 1) / program.ports;
    share.mostBytes = config.outstanding_bytes / program.ports;
    share.mostReads = std::max(1U, config.outstanding_reads / program.ports);
  }
  buildJoins();
}

void StepDma::buildJoins() {
  waitersOfRow_.resize(program_.rows);
  complete_.resize(std::size_t{program_.rows} * slices_);
  blocksMissing_ = complete_.size();
  for (std::uint32_t row = 0; row < program_.inputs.size(); ++row) {
    if (program_.inputs[row].updates != 0) continue;  // nothing of it is seen here
    std::fill_n(complete_.begin() + std::ptrdiff_t{row} * slices_, slices_, true);
    blocksMissing_ -= slices_;
  }
  for (const auto& steps : program_.threadBlocks) {
    wholeSteps_.emplace_back(steps.size(), WholeStep{slices_});
    progress_.emplace_back(steps.size() * slices_);
    waiters_.emplace_back(steps.size());
    addSlices(steps.size() * slices_);
  }
  for (std::uint32_t b = 0; b < program_.threadBlocks.size(); ++b) {
    for (std::uint32_t s = 0; s < program_.threadBlocks[b].size(); ++s) {
      const StepRef ref{b, s};
      const Step& step = stepOf(ref);
      Progress start;
      if (s != 0) {
        ++start.first;
        waiters_[b][s - 1].push_back(ref);
      }
      for (const auto& [other, before] : step.dependencies) {
        ++start.first;
        waiters_[other][before].push_back(ref);
      }
      for (const std::uint32_t row : step.inputs) {
        ++start.first;
        waitersOfRow_[row].push_back(ref);
      }
      start.missing = start.first;
      start.beforeDone = !step.before;
      if (step.arrival) {
        const TrackedProgram::Arrival& arrival = program_.arrivals[*step.arrival];
        start.missing += arrival.chunks;
        for (std::uint32_t c = 0; c < arrival.chunks; ++c) {
          waitersOfRow_[arrival.row + c].push_back(ref);
        }
      }
      for (std::uint32_t slice = 0; slice < slices_; ++slice) progress(ref, slice) = start;
    }
  }
}

void StepDma::launch(Done done) {
  beginRun(std::move(done));
  // What nothing comes before. A step that ends may reach others, so this goes by the state at the
  // start.
  std::vector<StepRef> first;
  for (std::uint32_t b = 0; b < program_.threadBlocks.size(); ++b) {
    for (std::uint32_t s = 0; s < program_.threadBlocks[b].size(); ++s) {
      if (progress({b, s}, 0).first == 0) first.push_back({b, s});
    }
  }
  for (std::uint32_t slice = 0; slice < slices_; ++slice) {
    for (const StepRef ref : first) proceed(ref, slice);
  }
  finishIfDone();
}

tlm::tlm_sync_enum StepDma::onMessage(Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  TriggerMessage message;
  std::memcpy(&message, payload.get_data_ptr(), sizeof message);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (message.spoiled) {
    reportError(std::string(name()) + ": command " + std::to_string(message.command.value) +
                " received an update when it was complete");
  } else {
    blockComplete(message.command.value);
  }
  return tlm::TLM_COMPLETED;
}

/// A slot stands for a block; those of the first row come first.
void StepDma::blockComplete(std::uint32_t slot) {
  if (slot >= complete_.size() || complete_[slot]) {
    return reportError(std::string(name()) + ": command " + std::to_string(slot) +
                       (slot >= complete_.size() ? " was never programmed" : " came twice"));
  }
  complete_[slot] = true;
  --blocksMissing_;
  const std::uint32_t row = slot / slices_;
  const bool isInput = row < program_.inputs.size();
  if (isInput && !program_.inputs[row].passes && inputThrough_)
    inputThrough_(1U << grid_.blockLog2());
  for (const StepRef waiter : waitersOfRow_[row]) countDown(waiter, slot % slices_, !isInput);
  finishIfDone();
}

void StepDma::countDown(StepRef ref, std::uint32_t slice, bool ofMessage) {
  Progress& state = progress(ref, slice);
  --state.missing;
  if (!ofMessage) --state.first;
  if (running()) proceed(ref, slice);
}

/// To be called when something that the step waits for on this slice has come.
void StepDma::proceed(StepRef ref, std::uint32_t slice) {
  Progress& state = progress(ref, slice);
  const Step& step = stepOf(ref);
  if (state.first == 0 && !state.beforeDone) {
    state.beforeDone = true;
    queue(ref, slice, *step.before, true);
  }
  if (state.missing != 0 || state.ended) return;
  state.ended = true;
  if (step.after) {
    queue(ref, slice, *step.after, false);
  } else {
    stepEnded(ref, slice);
  }
}

void StepDma::queue(StepRef ref, std::uint32_t slice, const Transfer& transfer, bool isBefore) {
  const std::uint32_t number = numberOf(commands_, commandNumbers_);
  Command& command = commands_[number];
  command.step = ref;
  command.slice = slice;
  command.isBefore = isBefore;
  command.transfer = &transfer;
  ++inWork_;
  stepBegins(ref);
  announceCommand(EventKind::CommandTaken, command);
  starting_.post(now() + picosecondsFromNs(config_.command_latency_ns), number);
}

void StepDma::stepBegins(StepRef ref) {
  if (std::exchange(wholeSteps_[ref.threadBlock][ref.step].begun, true)) return;
  announceStep(EventKind::StepBegin, ref.threadBlock, ref.step);
}

void StepDma::stepEnded(StepRef ref, std::uint32_t slice) {
  countSlice();
  stepBegins(ref);  // it may have had nothing to transfer
  if (--wholeSteps_[ref.threadBlock][ref.step].slicesLeft == 0) {
    announceStep(EventKind::StepEnd, ref.threadBlock, ref.step);
  }
  for (const StepRef waiter : waiters_[ref.threadBlock][ref.step]) countDown(waiter, slice, false);
}

void StepDma::announceCommand(EventKind kind, const Command& command) const {
  announce({.kind = kind,
            .number = command.step.step,
            .threadBlock = command.step.threadBlock,
            .slice = command.slice});
}

void StepDma::finishIfDone() {
  if (running() && allSlicesDone() && inWork_ == 0 && blocksMissing_ == 0) endRun();
}

/// The sums that pass through are sent on by one step each.
void StepDma::tellInputThrough(const Command& command) const {
  if (command.isBefore || !inputThrough_) return;
  for (const std::uint32_t row : stepOf(command.step).inputs) {
    if (program_.inputs[row].passes) inputThrough_(1U << grid_.blockLog2());
  }
}

void StepDma::work() {
  for (Share& share : shares_) {
    while (!share.waiting.empty() && share.active.size() < share.channels) {
      announceCommand(EventKind::CommandBegin, commands_[share.waiting.front()]);
      share.active.push_back(share.waiting.front());
      share.waiting.pop_front();
    }
    issueReads(share);
  }
}

/// The channels of a share in turn, as long as the data buffer has room.
void StepDma::issueReads(Share& share) {
  for (std::size_t asked = 0; asked < share.active.size();) {
    share.turn %= share.active.size();
    const std::uint32_t number = share.active[share.turn];
    const Command& command = commands_[number];
    if (command.exhausted) {
      ++share.turn;
      ++asked;
      continue;
    }
    const TrackedGrid::Piece& piece = grid_.pieces(command.slice)[command.piece];
    const std::uint64_t bytes = std::min(config_.read_bytes, piece.bytes - command.offset);
    const bool full = share.bytes != 0 && share.bytes + bytes > share.mostBytes;
    if (full || share.reads >= share.mostReads) return;  // the channel keeps its turn
    issueRead(share, number);
    ++share.turn;
    asked = 0;
  }
}

void StepDma::issueRead(Share& share, std::uint32_t number) {
  Command& command = commands_[number];
  const Transfer& transfer = *command.transfer;
  const std::uint32_t id = numberOf(requests_, requestNumbers_);
  Request& request = requests_[id];
  request.command = number;
  const auto& pieces = grid_.pieces(command.slice);
  const TrackedGrid::Piece& piece = pieces[command.piece];
  request.bytes = std::min(config_.read_bytes, piece.bytes - command.offset);
  request.chunk = command.chunk;
  request.piece = command.piece;
  request.offset = command.chunk * program_.chunkBytes + piece.offset + command.offset;
  Payload& read = pool_.allocate(tlm::TLM_READ_COMMAND, transfer.source + request.offset,
                                 request.bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(read);
  extension.stream = Stream::Communication;
  extension.phase = phase_;
  if (transfer.clears) extension.operation = MemoryOperation::Clear;
  extension.dataType = dataType_;
  extension.triggered = transfer.triggered;
  extension.source = gpu_;
  extension.step = id;
  extension.context = id;
  ++command.requests;
  ++share.reads;
  share.bytes += request.bytes;
  readBytes_ += request.bytes;
  command.offset += request.bytes;
  if (command.offset == piece.bytes) {
    command.offset = 0;
    if (++command.piece == pieces.size()) {
      command.piece = 0;
      command.exhausted = ++command.chunk == stepOf(command.step).chunks;
    }
  }
  memory.send(read);
}

Payload& StepDma::makeWrite(const Payload& read, std::uint32_t id, std::uint64_t address,
                            const TrackedProgram::Message& message) {
  const Request& request = requests_[id];
  Payload& write = pool_.allocate(tlm::TLM_WRITE_COMMAND, address + request.offset, request.bytes,
                                  values(read) != nullptr);
  TrafficExtension& extension = traffic(write);
  extension.stream = Stream::Communication;
  extension.phase = phase_;
  extension.operation = message.operation;
  extension.dataType = dataType_;
  extension.source = gpu_;
  extension.step = id;
  extension.context = id;
  if (message.row) {
    extension.tracked = true;
    const std::uint32_t slice = commands_[request.command].slice;
    const TrackedGrid::Piece& piece = grid_.pieces(slice)[request.piece];
    extension.workgroup =
        WorkgroupId{grid_.workgroup(*message.row + request.chunk, slice) + piece.workgroup};
    extension.wavefront = piece.wavefront;
  }
  if (const unsigned char* data = values(read); data != nullptr) {
    std::memcpy(write.get_data_ptr(), data, request.bytes);
  }
  return write;
}

void StepDma::writeOut(Payload* read) {
  const auto id = static_cast<std::uint32_t>(traffic(std::as_const(*read)).context);
  const Transfer& transfer = *commands_[requests_[id].command].transfer;
  requests_[id].writesLeft = (transfer.local ? 1U : 0U) + (transfer.remote ? 1U : 0U);
  if (transfer.local) {
    memory.send(makeWrite(*read, id, transfer.local->destination, *transfer.local));
  }
  if (transfer.remote) {
    const Request& request = requests_[id];
    const auto& each = transfer.remote->destinations;
    const std::uint64_t destination =
        each.empty() ? transfer.remote->destination
                     : each[request.chunk] - request.chunk * program_.chunkBytes;
    Payload& write = makeWrite(*read, id, destination, *transfer.remote);
    traffic(write).context |= kRemote;
    egress.port(transfer.remote->port).send(write);
  }
  read->release();
}

/// A write to another GPU is done when the link has it, a local one when it is performed.
void StepDma::accepted(Payload& payload) {
  const std::uint64_t context = traffic(std::as_const(payload)).context;
  if (payload.is_read() || (context & kRemote) == 0) return;
  sentBytes_ += payload.get_data_length();
  traffic(payload).context = kForgotten;
  writeDone(static_cast<std::uint32_t>(context));
}

void StepDma::completed(Payload& payload, Picoseconds when) {
  if (payload.is_response_error()) return reportError(std::string(name()) + ": a request failed");
  const std::uint64_t context = traffic(std::as_const(payload)).context;
  if (payload.is_read()) {
    payload.acquire();
    due_.post(when, &payload);
  } else if (context != kForgotten) {
    performed_.post(when, static_cast<std::uint32_t>(context));
  }
}

void StepDma::writeDone(std::uint32_t id) {
  Request& request = requests_[id];
  if (--request.writesLeft != 0) return;
  const std::uint32_t number = request.command;
  Command& command = commands_[number];
  const auto& remote = command.transfer->remote;
  Share& share = shares_[remote ? remote->port : program_.ports];
  --share.reads;
  share.bytes -= request.bytes;
  requestNumbers_.giveBack(id);
  if (--command.requests == 0 && command.exhausted) {
    announceCommand(EventKind::CommandEnd, command);
    tellInputThrough(command);
    std::erase(share.active, number);
    commandNumbers_.giveBack(number);
    --inWork_;
    if (!command.isBefore) stepEnded(command.step, command.slice);
  }
  work();
  finishIfDone();
}

bool StepDma::idle() const { return !running() && inWork_ == 0 && memory.idle() && egress.idle(); }

void StepDma::publish(ValueList& list) const {
  list.flag("running", [this] { return running(); });
  list.level("commands", 16, "commands", [this] { return inWork_; });
  list.level("blocks_missing", 16, "blocks", [this] { return blocksMissing_; });
  list.counter("slices_done", "slices", [this] { return slicesDone(); });
  list.counter("read", "bytes", [this] { return readBytes_; });
  list.counter("sent", "bytes", [this] { return sentBytes_; });
}

std::string StepDma::describeWork() const {
  std::ostringstream text;
  text << inWork_ << " commands queued or at work, " << blocksMissing_
       << " blocks have not arrived, " << egress.waiting() << " writes wait for the link";
  constexpr std::size_t kMostListed = 4;
  std::size_t listed = 0;
  for (std::uint32_t b = 0; b < progress_.size(); ++b) {
    for (std::size_t n = 0; n < progress_[b].size() && listed < kMostListed; ++n) {
      const Progress& state = progress_[b][n];
      if (state.ended || state.first != 0) continue;
      ++listed;
      text << "; thread block " << b << ", step " << n / slices_ << ", slice " << n % slices_
           << " waits for " << state.missing << " blocks of another GPU";
      break;
    }
  }
  return text.str();
}

}  // namespace t3
