// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_joins.h"

#include <sstream>

namespace t3 {

StepJoins::StepJoins(const sc_core::sc_module_name& name, const TrackedProgram& program,
                     const TrackedGrid& grid, DmaEngine& engine)
    : StepWorker(name), program_(program), grid_(grid), engine_(engine), slices_(grid.slices()) {
  engine.onTrigger([this](const TriggerMessage& message) { triggered(message); });
  buildJoins();
  renew();
}

void StepJoins::renew() {
  complete_.assign(std::size_t{program_.rows} * slices_, false);
  blocksMissing_ = complete_.size();
  progress_ = atStart_;
  wholeSteps_.clear();
  for (const auto& steps : program_.threadBlocks) {
    wholeSteps_.emplace_back(steps.size(), WholeStep{slices_});
  }
}

void StepJoins::buildJoins() {
  waiterOfRow_.resize(program_.rows);
  for (const auto& steps : program_.threadBlocks) {
    atStart_.emplace_back(steps.size() * slices_);
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
      start.missing = start.first;
      start.beforeDone = !step.before;
      if (step.arrival) {
        const TrackedProgram::Arrival& arrival = program_.arrivals[*step.arrival];
        start.missing += arrival.chunks;
        for (std::uint32_t c = 0; c < arrival.chunks; ++c) {
          waiterOfRow_[arrival.row + c] = ref;
        }
      }
      for (std::uint32_t slice = 0; slice < slices_; ++slice) {
        atStart_[b][std::size_t{s} * slices_ + slice] = start;
      }
    }
  }
}

void StepJoins::launch(Done done) {
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

/// A slot stands for a block; those of the first row come first.
void StepJoins::triggered(const TriggerMessage& message) {
  const std::uint32_t slot = message.command.value;
  const char* problem = message.spoiled            ? " received an update when it was complete"
                        : slot >= complete_.size() ? " was never programmed"
                        : complete_[slot]          ? " came twice"
                                                   : nullptr;
  if (problem != nullptr) {
    const std::string text = std::string(name()) + ": command " + std::to_string(slot) + problem;
    SC_REPORT_ERROR("t3/collective", text.c_str());
    return;
  }
  complete_[slot] = true;
  --blocksMissing_;
  countDown(waiterOfRow_[slot / slices_], slot % slices_, true);
  finishIfDone();
}

void StepJoins::countDown(StepRef ref, std::uint32_t slice, bool ofMessage) {
  Progress& state = progress(ref, slice);
  --state.missing;
  if (!ofMessage) --state.first;
  if (running()) proceed(ref, slice);
}

/// To be called when something that the step waits for on this slice has come.
void StepJoins::proceed(StepRef ref, std::uint32_t slice) {
  Progress& state = progress(ref, slice);
  const Step& step = stepOf(ref);
  if (state.first == 0 && !state.beforeDone) {
    state.beforeDone = true;
    run(ref, slice, *step.before, true);
  }
  if (state.missing != 0 || state.ended) return;
  state.ended = true;
  if (step.after) {
    run(ref, slice, *step.after, false);
  } else {
    stepEnded(ref, slice);
  }
}

void StepJoins::run(StepRef ref, std::uint32_t slice, const DmaTransfer& transfer, bool isBefore) {
  ++transfers_;
  stepBegins(ref);
  DmaTransfer command = transfer;
  command.tiling = &grid_.row();
  command.tiles = {slice, 1};
  command.outputs = stepOf(ref).chunks;
  command.phase = kCollectivePhase;
  command.number = ref.step;
  command.threadBlock = ref.threadBlock;
  command.slice = slice;
  command.finished = [this, ref, slice, isBefore] { transferred(ref, slice, isBefore); };
  engine_.run(std::move(command));
}

void StepJoins::transferred(StepRef ref, std::uint32_t slice, bool isBefore) {
  --transfers_;
  if (!isBefore) stepEnded(ref, slice);
  finishIfDone();
}

void StepJoins::stepBegins(StepRef ref) {
  if (std::exchange(wholeSteps_[ref.threadBlock][ref.step].begun, true)) return;
  announceStep(EventKind::StepBegin, ref.threadBlock, ref.step);
}

void StepJoins::stepEnded(StepRef ref, std::uint32_t slice) {
  countSlice();
  stepBegins(ref);  // it may have had nothing to transfer
  if (--wholeSteps_[ref.threadBlock][ref.step].slicesLeft == 0) {
    announceStep(EventKind::StepEnd, ref.threadBlock, ref.step);
  }
  for (const StepRef waiter : waiters_[ref.threadBlock][ref.step]) countDown(waiter, slice, false);
}

void StepJoins::finishIfDone() {
  if (running() && allSlicesDone() && transfers_ == 0 && blocksMissing_ == 0) endRun();
}

void StepJoins::publish(ValueList& list) const {
  list.flag("running", [this] { return running(); });
  list.level("blocks_missing", 16, "blocks", [this] { return blocksMissing_; });
  list.counter("slices_done", "slices", [this] { return slicesDone(); });
}

std::string StepJoins::describeWork() const {
  std::ostringstream text;
  text << transfers_ << " commands queued or at work, " << blocksMissing_
       << " blocks have not arrived, " << engine_.egress.waiting() << " writes wait for the link";
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
