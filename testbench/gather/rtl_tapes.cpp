// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/rtl_tapes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace t3 {
namespace {

std::string trackerOf(std::uint32_t gpu) { return "gpu" + std::to_string(gpu) + ".tracker"; }

}  // namespace

class RtlTapes::Tape : public RtlTape {
 public:
  Tape(RtlTapes& all, std::uint32_t gpu, bool own) : all_(all), gpu_(gpu), own_(own) {}

  void begin(const char* name, const TrackerConfig& config, bool netlist) override {
    if (all_.wave_ == nullptr) return;
    replay_.emplace(name, config,
                    RtlOptions{.tracing = all_.wave_->tracker(name), .netlist = netlist});
  }

  void cycle(const RtlInputs& inputs, bool timed) override {
    if (!own_) return;
    const CycleRecord record{gpu_, timed, inputs};
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
  const std::uint32_t gpu_;
  const bool own_;                  ///< this process simulates it
  std::vector<CycleRecord> early_;  ///< before there is a part
  std::optional<RtlReplay> replay_;
};

RtlTapes::RtlTapes(Peers& peers, Wave* wave, std::uint32_t gpus) : wave_(wave), tapes_(gpus) {
  std::vector<unsigned char> drawn(gpus, 0);
  for (std::uint32_t g = 0; peers.self() == 0 && wave != nullptr && g < gpus; ++g) {
    if (wave->tracker(trackerOf(g)).watcher != nullptr) drawn[g] = 1;
  }
  const auto wanted = toldByFirst(peers, drawn);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    if (wanted[g] == 0) continue;
    tapes_[g] = std::make_unique<Tape>(*this, g, peers.processOf(gpus, g) == peers.self());
  }
}

RtlTapes::~RtlTapes() = default;

RtlOptions RtlTapes::options(std::uint32_t gpu) {
  RtlOptions options;
  options.tape = tapes_[gpu].get();
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
  tapes_[record.gpu]->replay(record, when);
}

}  // namespace t3
