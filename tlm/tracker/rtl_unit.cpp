// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_unit.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "Vt3_track_trigger_16x4.h"
#include "Vt3_track_trigger_256x4.h"
#include "Vt3_track_trigger_2x1.h"
#include "Vt3_track_trigger_4x4.h"
#include "Vt3_track_trigger_64x4.h"
#include "Vt3_track_trigger_traced_16x4.h"
#include "Vt3_track_trigger_traced_256x4.h"
#include "Vt3_track_trigger_traced_2x1.h"
#include "Vt3_track_trigger_traced_4x4.h"
#include "Vt3_track_trigger_traced_64x4.h"
#include "tlm/tracker/verilated_unit.h"

namespace t3 {
namespace {

using Maker = std::unique_ptr<RtlUnit> (*)(std::shared_ptr<VerilatedContext>, const char*);

template <typename Model, bool kTraced>
std::unique_ptr<RtlUnit> make(std::shared_ptr<VerilatedContext> context, const char* name) {
  return std::make_unique<VerilatedUnit<Model, kTraced>>(std::move(context), name);
}

struct Size {
  RtlTable table;
  Maker make, makeTraced;
};

// The sizes of rtl/CMakeLists.txt.
constexpr std::array<Size, 5> kSizes{
    {{{2, 1}, make<Vt3_track_trigger_2x1, false>, make<Vt3_track_trigger_traced_2x1, true>},
     {{4, 4}, make<Vt3_track_trigger_4x4, false>, make<Vt3_track_trigger_traced_4x4, true>},
     {{16, 4}, make<Vt3_track_trigger_16x4, false>, make<Vt3_track_trigger_traced_16x4, true>},
     {{64, 4}, make<Vt3_track_trigger_64x4, false>, make<Vt3_track_trigger_traced_64x4, true>},
     {{256, 4}, make<Vt3_track_trigger_256x4, false>, make<Vt3_track_trigger_traced_256x4, true>}}};

}  // namespace

std::span<const RtlTable> rtlTables() {
  static constexpr auto kList = [] {
    std::array<RtlTable, kSizes.size()> list{};
    std::transform(kSizes.begin(), kSizes.end(), list.begin(),
                   [](const Size& size) { return size.table; });
    return list;
  }();
  return kList;
}

std::shared_ptr<VerilatedContext> makeRtlContext(bool traced) {
  auto context = std::make_shared<VerilatedContext>();
  if (traced) context->traceEverOn(true);
  context->fatalOnError(false);
  return context;
}

std::unique_ptr<RtlUnit> makeRtlUnit(RtlTable table, std::shared_ptr<VerilatedContext> context,
                                     const char* name, bool traced) {
  for (const Size& size : kSizes) {
    if (size.table != table) continue;
    if (!traced) return size.make(std::move(context), name);
    // Where a waveform has its scopes, Verilator has spaces.
    std::string scopes = name;
    std::replace(scopes.begin(), scopes.end(), '.', ' ');
    return size.makeTraced(std::move(context), scopes.c_str());
  }
  return nullptr;
}

}  // namespace t3
