// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/merge_engine.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>

namespace t3 {
namespace {

class TwinMergeEngine : public MergeEngine {
 public:
  explicit TwinMergeEngine(const MergeConfig& config) : unit_(config) {
    for (std::uint32_t set = 0; set < config.sets; ++set) unit_.clock({});
  }

  bool ready() const override { return unit_.updateReady(); }
  const MergeFlit* onLink() const override { return unit_.onLink().update; }
  void clock(Picoseconds /*edge*/, std::optional<MergeFlit> update, bool credit) override {
    unit_.clock({.update = std::move(update), .write = {}, .updateCredit = credit});
  }
  bool empty() const override { return unit_.empty(); }
  std::uint64_t quiet() const override { return unit_.quiet(); }
  void pass(std::uint64_t cycles) override { unit_.pass(cycles); }
  std::size_t entries() const override { return unit_.table().entries(); }
  const MergeFigures& figures() const override { return unit_.table().figures(); }

 private:
  MergeUnit unit_;
};

class LockstepMergeEngine : public MergeEngine {
 public:
  LockstepMergeEngine(const char* name, std::unique_ptr<MergeEngine> rtl,
                      std::unique_ptr<MergeEngine> twin)
      : name_(name), rtl_(std::move(rtl)), twin_(std::move(twin)) {}

  bool ready() const override { return rtl_->ready(); }
  const MergeFlit* onLink() const override { return rtl_->onLink(); }
  void clock(Picoseconds edge, std::optional<MergeFlit> update, bool credit) override;
  bool empty() const override { return rtl_->empty(); }
  std::size_t entries() const override { return rtl_->entries(); }
  const MergeFigures& figures() const override { return rtl_->figures(); }

 private:
  std::string difference() const;

  const std::string name_;
  const std::unique_ptr<MergeEngine> rtl_, twin_;
};

void LockstepMergeEngine::clock(Picoseconds edge, std::optional<MergeFlit> update, bool credit) {
  twin_->clock(edge, update, credit);
  rtl_->clock(edge, std::move(update), credit);
  const std::string what = difference();
  if (what.empty()) return;
  std::ostringstream message;
  message << name_ << " differs after the clock edge at " << fromPicoseconds(edge) << ": " << what
          << "; to draw it: --wave difference.fst --wave-scope " << name_ << " --wave-last 1us";
  SC_REPORT_ERROR("t3/lockstep", message.str().c_str());
}

std::string text(const MergeFlit* flit) {
  if (flit == nullptr) return "nothing";
  std::ostringstream text;
  text << flit->count << " contributions to line 0x" << std::hex << flit->line << std::dec
       << " of format " << static_cast<int>(flit->format);
  return text.str();
}

bool sameButValues(const MergeFlit* rtl, const MergeFlit* twin) {
  if (rtl == nullptr || twin == nullptr) return rtl == twin;
  return rtl->line == twin->line && rtl->count == twin->count && rtl->format == twin->format;
}

/// The twin's values end where those of the sender do.
bool sameValues(const MergeFlit& rtl, const MergeFlit& twin) {
  return rtl.values.size() >= twin.values.size() &&
         std::equal(twin.values.begin(), twin.values.end(), rtl.values.begin());
}

std::string LockstepMergeEngine::difference() const {
  const auto differ = [](const char* signal, const auto& rtl, const auto& twin) {
    std::ostringstream what;
    what << signal << " is " << rtl << ", of the twin " << twin;
    return what.str();
  };
  if (rtl_->ready() != twin_->ready()) return differ("upd_ready_o", rtl_->ready(), twin_->ready());
  if (rtl_->empty() != twin_->empty()) return differ("empty_o", rtl_->empty(), twin_->empty());
  const MergeFlit *rtl = rtl_->onLink(), *twin = twin_->onLink();
  if (!sameButValues(rtl, twin)) return differ("the link", text(rtl), text(twin));
  if (rtl != nullptr && !sameValues(*rtl, *twin)) return "link_data_o differs: " + text(rtl);
  if (rtl_->entries() != twin_->entries()) {
    return differ("entries_q", rtl_->entries(), twin_->entries());
  }
  if (rtl_->figures() != twin_->figures()) return "counts of updates and sums differ";
  return "";
}

}  // namespace

std::unique_ptr<MergeEngine> makeTwinMergeEngine(const MergeConfig& config) {
  return std::make_unique<TwinMergeEngine>(config);
}

std::unique_ptr<MergeEngine> makeLockstepMergeEngine(const char* name,
                                                     std::unique_ptr<MergeEngine> rtl,
                                                     std::unique_ptr<MergeEngine> twin) {
  return std::make_unique<LockstepMergeEngine>(name, std::move(rtl), std::move(twin));
}

std::unique_ptr<MergeEngine> makeMergeEngine(const char* name, const SwitchConfig& config,
                                             std::uint32_t expected, const RtlTracing& tracing) {
  if (const auto problem = config.check()) throw std::invalid_argument("switch." + *problem);
  const MergeConfig unit{.sets = config.sets(),
                         .ways = config.ways(),
                         .credits = config.merge_credits,
                         .expected = expected,
                         .age = config.ageCycles()};
  const auto rtl = [&] {
    return makeRtlMergeEngine(name, unit, config.mergeClock().period(), tracing);
  };
  switch (config.merge) {
    case SwitchMerge::Off:
      break;
    case SwitchMerge::Model:
      return makeTwinMergeEngine(unit);
    case SwitchMerge::Rtl:
      return rtl();
    case SwitchMerge::Lockstep:
      return makeLockstepMergeEngine(name, rtl(), makeTwinMergeEngine(unit));
  }
  throw std::invalid_argument("switch.merge: off has no merge unit");
}

}  // namespace t3
