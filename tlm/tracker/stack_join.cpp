// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/stack_join.h"

#include <sstream>
#include <stdexcept>
#include <systemc>
#include <utility>

namespace t3 {
namespace {

class LockstepStackJoin : public StackJoin {
 public:
  LockstepStackJoin(const char* name, std::unique_ptr<StackJoin> rtl,
                    std::unique_ptr<StackJoin> twin)
      : name_(name), rtl_(std::move(rtl)), twin_(std::move(twin)) {}

  const Outputs& outputs() const override { return rtl_->outputs(); }
  void clock(Picoseconds edge, const Inputs& inputs, bool timed) override {
    rtl_->clock(edge, inputs, timed);
    twin_->clock(edge, inputs, timed);
    if (rtl_->outputs() == twin_->outputs()) return;
    std::ostringstream message;
    message << name_ << " differs after the clock edge at " << fromPicoseconds(edge) << ": "
            << difference(rtl_->outputs(), twin_->outputs())
            << "; to draw it: --wave difference.fst --wave-scope " << name_ << " --wave-last 1us";
    SC_REPORT_ERROR("t3/lockstep", message.str().c_str());
  }

 private:
  const std::string name_;
  const std::unique_ptr<StackJoin> rtl_, twin_;
};

std::string text(const std::optional<StackJoin::Said>& said) {
  if (!said) return "nothing";
  return "slot " + std::to_string(said->slot) + (said->spoiled ? ", spoiled" : "");
}

std::string text(const std::optional<StackJoin::Outputs::Stray>& stray) {
  if (!stray) return "nothing";
  return "slot " + std::to_string(stray->slot) + ", stack " + std::to_string(stray->stack);
}

}  // namespace

std::string difference(const StackJoin::Outputs& rtl, const StackJoin::Outputs& twin) {
  std::string text;
  const auto differ = [&text](const char* signal, const auto& one, const auto& other) {
    if (!text.empty() || one == other) return;
    text = std::string(signal) + " is " + t3::text(one) + ", of the twin " + t3::text(other);
  };
  const auto numbers = [&text](const char* signal, std::uint32_t one, std::uint32_t other) {
    if (!text.empty() || one == other) return;
    text = std::string(signal) + " is " + std::to_string(one) + ", of the twin " +
           std::to_string(other);
  };
  differ("done_*", rtl.done, twin.done);
  differ("stray_o", rtl.stray, twin.stray);
  numbers("share_ready_o", rtl.ready, twin.ready);
  numbers("cmd_ready_o", rtl.commandReady, twin.commandReady);
  numbers("cmd_refused_o", rtl.refused, twin.refused);
  numbers("seen_missing_o", rtl.seenMissing, twin.seenMissing);
  numbers("seen_waits_o", rtl.seenWaits, twin.seenWaits);
  numbers("seen_spoiled_o", rtl.seenSpoiled, twin.seenSpoiled);
  numbers("waiting_o", rtl.waiting, twin.waiting);
  numbers("busy_o", rtl.busy, twin.busy);
  return text;
}

std::unique_ptr<StackJoin> makeLockstepStackJoin(const char* name, std::unique_ptr<StackJoin> rtl,
                                                 std::unique_ptr<StackJoin> twin) {
  return std::make_unique<LockstepStackJoin>(name, std::move(rtl), std::move(twin));
}

std::unique_ptr<StackJoin> makeStackJoin(const char* name, TrackerKind kind, Picoseconds period,
                                         const RtlTracing& tracing) {
  switch (kind) {
    case TrackerKind::Model:
      return makeModelStackJoin();
    case TrackerKind::Rtl:
    case TrackerKind::Netlist:
      return makeRtlStackJoin(name, period, tracing);
    case TrackerKind::Lockstep:
      return makeLockstepStackJoin(name, makeRtlStackJoin(name, period, tracing),
                                   makeModelStackJoin());
  }
  throw std::invalid_argument("tracker: unknown kind");
}

}  // namespace t3
