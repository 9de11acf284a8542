// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/rtl_tapes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace t3 {
class RtlTapes::Tape : public RtlTape {
 public:
  Tape(RtlTapes& all, std::uint32_t number, bool own) : all_(all), number_(number), own_(own) {}

  void begin(const char* name, const TrackerConfig& config, bool netlist) override {
    if (all_.wave_ == nullptr) return;
    replay_.emplace(name, config,
                    RtlOptions{.tracing = all_.wave_->tracker(name), .netlist = netlist});
  }

  void cycle(const RtlInputs& inputs, bool timed) override {
    if (!own_) return;
    const CycleRecord record{number_, timed, inputs};
    if (all_.part_ != nullptr) {
      all_.part_->cycle(record);
    } else {
      early_.push_back(record);
    }
  }

  void flush() {
    for (const CycleRecord& record : std::exchange(early_, {})) all_.part_->cycle(record);
  }
  bool drawn() const { return replay_.has_value(); }
  void replay(const CycleRecord& record, Picoseconds when) {
    replay_->cycle(record.inputs, record.timed, when);
  }

 private:
  RtlTapes& all_;
  const std::uint32_t number_;
  const bool own_;                  ///< this process simulates it
  std::vector<CycleRecord> early_;  ///< before there is a part
  std::optional<RtlReplay> replay_;
};

RtlTapes::RtlTapes(Peers& peers, Wave* wave, std::uint32_t gpus, std::uint32_t stacks)
    : wave_(wave), tapes_(std::size_t{gpus} * stacks) {
  for (std::uint32_t g = 0; g < gpus; ++g) {
    const std::string tracker = "gpu" + std::to_string(g) + ".tracker";
    if (stacks == 1) models_.push_back(tracker);
    for (std::uint32_t s = 0; stacks != 1 && s < stacks; ++s) {
      models_.push_back(tracker + ".stack" + std::to_string(s));
    }
  }
  std::vector<unsigned char> drawn(tapes_.size(), 0);
  for (std::size_t t = 0; peers.self() == 0 && wave != nullptr && t < tapes_.size(); ++t) {
    if (wave->tracker(models_[t]).watcher != nullptr) drawn[t] = 1;
  }
  const auto wanted = toldByFirst(peers, drawn);
  for (std::uint32_t t = 0; t < tapes_.size(); ++t) {
    if (wanted[t] == 0) continue;
    const bool own = peers.processOf(gpus, t / stacks) == peers.self();
    tapes_[t] = std::make_unique<Tape>(*this, t, own);
  }
}

RtlTapes::~RtlTapes() = default;

RtlOptions RtlTapes::options(const std::string& model) {
  RtlOptions options;
  const auto found = std::ranges::find(models_, model);
  options.tape = tapes_[static_cast<std::size_t>(found - models_.begin())].get();
  return options;
}

bool RtlTapes::any() const {
  return std::ranges::any_of(tapes_,
                             [](const auto& tape) { return tape != nullptr && tape->drawn(); });
}

void RtlTapes::noteIn(RunPart& part) {
  part_ = &part;
  for (const auto& tape : tapes_) {
    if (tape != nullptr) tape->flush();
  }
}

void RtlTapes::replay(const CycleRecord& record, Picoseconds when) {
  tapes_[record.tape]->replay(record, when);
}

}  // namespace t3
