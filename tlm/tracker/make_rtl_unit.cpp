// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/make_rtl_unit.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "t3_tracker_tables.h"
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

// The sizes that T3_TRACKER_TABLES of the build chose (rtl/CMakeLists.txt).
#define T3_SIZE(sets, ways)                            \
  Size{{sets, ways},                                   \
       make<Vt3_track_trigger_##sets##x##ways, false>, \
       make<Vt3_track_trigger_traced_##sets##x##ways, true>},
constexpr std::array kSizes{T3_TRACKER_TABLES(T3_SIZE)};
#undef T3_SIZE

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
