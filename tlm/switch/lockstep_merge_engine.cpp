// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/lockstep_merge_engine.h"

#include <algorithm>
#include <sstream>
#include <systemc>
#include <utility>

namespace t3 {
namespace {

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

}  // namespace

LockstepMergeEngine::LockstepMergeEngine(const char* name, std::unique_ptr<MergeEngine> rtl,
                                         std::unique_ptr<MergeEngine> twin)
    : name_(name), rtl_(std::move(rtl)), twin_(std::move(twin)) {}

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
  if (rtl != nullptr && !sameValues(*rtl, *twin)) {
    return "link_data_o differs: " + text(rtl);
  }
  if (rtl_->entries() != twin_->entries()) {
    return differ("entries_q", rtl_->entries(), twin_->entries());
  }
  if (rtl_->statistics() != twin_->statistics()) return "counts of updates and sums differ";
  return "";
}

}  // namespace t3
