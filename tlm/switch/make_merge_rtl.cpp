// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/make_merge_rtl.h"

#include "Vt3_switch_merge.h"
#include "Vt3_switch_merge___024root.h"
#include "Vt3_switch_merge_traced.h"
#include "Vt3_switch_merge_traced___024root.h"
#include "tlm/rtl/rtl_context.h"
#include "tlm/rtl/verilated_block.h"

namespace t3 {
namespace {

template <typename Model>
MergeRtl::Signals signalsOf(Model& m) {
  auto& in = *m.rootp;
  return {.pins = {.clock = m.clk_i,
                   .resetN = m.rst_ni,
                   .expected = m.expected_i,
                   .age = m.age_i,
                   .updateValid = m.upd_valid_i,
                   .updateReady = m.upd_ready_o,
                   .updateLine = m.upd_line_i,
                   .updateCount = m.upd_count_i,
                   .updateFormat = m.upd_format_i,
                   .updateData = m.upd_data_i.data(),
                   .linkValid = m.link_valid_o,
                   .linkLine = m.link_line_o,
                   .linkCount = m.link_count_o,
                   .linkFormat = m.link_format_o,
                   .linkData = m.link_data_o.data(),
                   .updateCredit = m.credit_upd_i,
                   .empty = m.empty_o},
          .inside = {.go = in.t3_switch_merge__DOT__go,
                     .update = in.t3_switch_merge__DOT__u_tags__DOT__update_q,
                     .visit = in.t3_switch_merge__DOT__u_tags__DOT__visit_q,
                     .move = in.t3_switch_merge__DOT__b_move,
                     .entries = in.t3_switch_merge__DOT__u_tags__DOT__entries_q}};
}

template <typename Model, bool kTraced>
std::unique_ptr<MergeRtl> make(std::shared_ptr<VerilatedContext> context, const char* name) {
  return std::make_unique<VerilatedBlock<Model, MergeRtl, kTraced>>(std::move(context), name,
                                                                    signalsOf<Model>);
}

}  // namespace

std::unique_ptr<MergeRtl> makeMergeRtl(const RtlTracing& tracing, const char* name) {
  auto context = tracing.context != nullptr ? tracing.context : makeRtlContext();
  if (tracing.watcher == nullptr) return make<Vt3_switch_merge, false>(std::move(context), name);
  return make<Vt3_switch_merge_traced, true>(std::move(context), verilatedScopes(name).c_str());
}

}  // namespace t3
