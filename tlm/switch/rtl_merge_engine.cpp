// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/rtl_merge_engine.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <systemc>

#include "tlm/rtl/rtl_watcher.h"
#include "tlm/transport/agenda.h"

namespace t3 {
namespace {

constexpr int kResetCycles = 4;
constexpr std::size_t kLineBytes = 128;
/// Bits of T3_MOVE_T.
enum Move : std::uint8_t { kPass = 1, kLeave = 2, kStore = 4, kAdd = 8 };

static_assert(std::endian::native == std::endian::little,
              "wide Verilated buses are written as bytes");

}  // namespace

RtlMergeEngine::RtlMergeEngine(const char* name, const MergeConfig& config, Picoseconds period,
                               const RtlTracing& tracing)
    : name_(name), tracing_(tracing), rtl_(makeMergeRtl(tracing, name)) {
  const MergePins& pins = rtl_->pins;
  pins.expected = static_cast<std::uint8_t>(config.expected);
  pins.age = static_cast<std::uint32_t>(config.age);
  pins.resetN = 0;
  for (int i = 0; i < kResetCycles; ++i) cycle(0);
  pins.resetN = 1;
  for (std::uint32_t set = 0; set < config.sets; ++set) cycle(0);
  timed_ = true;
  if (tracing_.watcher == nullptr) return;
  Agenda::ofSimulation().keepCommonOrder();
  tracing_.watcher->attach(*rtl_, period);
  rtl_->whenLow([this] { tracing_.watcher->low(edge_); });
}

RtlMergeEngine::~RtlMergeEngine() = default;

void RtlMergeEngine::clock(Picoseconds edge, std::optional<MergeFlit> update, bool credit) {
  edge_ = edge;
  if (tracing_.watcher != nullptr) [[unlikely]]
    tracing_.watcher->edge(edge);
  const MergePins& pins = rtl_->pins;
  pins.updateValid = update ? 1 : 0;
  if (update) {
    pins.updateLine = update->line;
    pins.updateCount = static_cast<std::uint8_t>(update->count);
    pins.updateFormat = static_cast<std::uint8_t>(update->format);
    auto* const data = reinterpret_cast<unsigned char*>(pins.updateData);
    std::memset(std::ranges::copy(update->values, data).out, 0, kLineBytes - update->values.size());
    values_ = !update->values.empty();
  }
  pins.updateCredit = credit ? 1 : 0;
  count();
  cycle(edge);
  statistics_.most = std::max(statistics_.most, entries());
  if (pins.linkValid != 0) lookAtLink();
}

void RtlMergeEngine::cycle(Picoseconds edge) {
  if (rtl_->cycle(edge)) return;
  std::ostringstream where;
  where << (timed_ ? fromPicoseconds(edge).to_string() : "the reset") << " of " << name_;
  SC_REPORT_ERROR("t3/rtl", rtl_->failure(where.str()).c_str());
}

/// The operation in B is done with the edge that comes, unless all stands.
void RtlMergeEngine::count() {
  const MergeInside& inside = rtl_->inside;
  if (inside.go == 0) return;
  const std::uint8_t move = inside.move;
  MergeTable::Statistics& all = statistics_;
  if (inside.visit != 0) all.aged += (move & kLeave) != 0;
  if (inside.update != 0) {
    ++all.taken;
    all.joined += (move & kAdd) != 0;
    all.passed += (move & kPass) != 0;
    all.complete += (move & kAdd) != 0 && (move & kLeave) != 0;
    all.partial += (move & kStore) != 0 && (move & kLeave) != 0;
  }
}

void RtlMergeEngine::lookAtLink() {
  const MergePins& pins = rtl_->pins;
  link_.line = pins.linkLine;
  link_.count = pins.linkCount;
  link_.format = static_cast<MergeFormat>(pins.linkFormat);
  const auto* const data = reinterpret_cast<const unsigned char*>(pins.linkData);
  link_.values.assign(data, data + (values_ ? kLineBytes : 0));
}

}  // namespace t3
