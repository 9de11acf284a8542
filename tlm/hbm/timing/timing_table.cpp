// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/timing/timing_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace t3 {

TimingTable::TimingTable(const HbmConfig& config) {
  const HbmTiming& t = config.timing;
  // Nanoseconds round up to clocks. The small term keeps rounding errors from making 3 ns four
  // clocks at 1000 MHz.
  const auto clocks = [&](double ns) {
    return static_cast<Cycles>(std::ceil(ns * config.clock_mhz * 1e-3 - 1e-6));
  };
  const Cycles burst = config.burstClocks();
  const Cycles cl = clocks(t.cl_ns);
  const Cycles wl = clocks(t.wl_ns);
  const Cycles ccdS = std::max<Cycles>(t.ccd_s_clocks, burst);
  const Cycles ccdL = std::max<Cycles>(t.ccd_l_clocks, ccdS);
  const Cycles updateHold = ccdL * config.update_ccd_l_factor;
  const Cycles writeBack = clocks(config.update_write_back_ns);
  readDataEnd_ = cl + burst;
  writeDataEnd_ = wl + burst;
  faw_ = clocks(t.faw_ns);
  activateCommandClocks_ = t.activate_command_clocks;
  refreshInterval_ = clocks(t.refi_ns);
  rowClear_ = clocks(config.row_clear_ns);
  addClocks_ = clocks(config.controller_add_ns);

  using enum DramCommandKind;
  using enum RuleScope;
  const Cycles rcdUpdate = std::max(clocks(t.rcd_rd_ns), clocks(t.rcd_wr_ns));
  const Cycles readToWrite = std::max(ccdS, cl + burst + clocks(t.read_to_write_gap_ns) - wl);

  add(Activate, Read, Bank, clocks(t.rcd_rd_ns));
  add(Activate, Write, Bank, clocks(t.rcd_wr_ns));
  add(Activate, Update, Bank, rcdUpdate);
  add(Activate, Precharge, Bank, clocks(t.ras_ns));
  add(Activate, Activate, Bank, clocks(t.rc_ns));
  add(Activate, Activate, Group, clocks(t.rrd_l_ns));
  add(Activate, Activate, Channel, clocks(t.rrd_s_ns));
  add(Precharge, Activate, Bank, clocks(t.rp_ns));
  add(Precharge, PrechargeAll, Bank, 1);
  add(Precharge, RefreshBank, Bank, clocks(t.rp_ns));
  add(Precharge, RefreshAll, Channel, clocks(t.rp_ns));
  add(PrechargeAll, Activate, Channel, clocks(t.rp_ns));
  add(PrechargeAll, RefreshAll, Channel, clocks(t.rp_ns));
  add(PrechargeAll, RefreshBank, Channel, clocks(t.rp_ns));

  add(Read, Precharge, Bank, clocks(t.rtp_ns));
  add(Write, Precharge, Bank, wl + burst + clocks(t.wr_ns));
  add(Update, Precharge, Bank, wl + burst + writeBack + clocks(t.wr_ns));
  add(Update, Read, Bank, wl + burst + writeBack + clocks(t.wtr_l_ns));

  add(Read, Read, Channel, ccdS);
  add(Write, Write, Channel, ccdS);
  add(Write, Update, Channel, ccdS);
  add(Update, Write, Channel, ccdS);
  add(Update, Update, Channel, ccdS);
  add(Read, Read, Group, ccdL);
  add(Write, Write, Group, ccdL);
  add(Write, Update, Group, ccdL);
  add(Update, Write, Group, updateHold);
  add(Update, Update, Group, updateHold);
  add(Update, Read, Group, std::max(updateHold, wl + burst + clocks(t.wtr_l_ns)));
  add(Write, Read, Group, wl + burst + clocks(t.wtr_l_ns));
  add(Write, Read, Channel, wl + burst + clocks(t.wtr_s_ns));
  add(Update, Read, Channel, wl + burst + clocks(t.wtr_s_ns));
  add(Read, Write, Channel, readToWrite);
  add(Read, Update, Channel, readToWrite);

  // A read-and-clear moves its data as a read does. To its bank it costs what an op-and-store
  // costs.
  add(ReadClear, Precharge, Bank, wl + burst + writeBack + clocks(t.wr_ns));
  add(ReadClear, Read, Channel, ccdS);
  add(ReadClear, Read, Group, updateHold);
  add(ReadClear, Write, Channel, readToWrite);
  add(ReadClear, Write, Group, updateHold);
  add(ReadClear, Update, Channel, readToWrite);
  add(ReadClear, Update, Group, updateHold);
  // A clear of a burst is an op-and-store whose data the bank makes. It is given the data bus all
  // the same, so that it is not cheaper than an op-and-store in anything.
  for (const RuleScope scope : {Bank, Group, Channel}) {
    for (const DramCommandKind next : {Precharge, Read, Write, Update}) {
      if (const Cycles same = delay(Update, next, scope); same != 0) add(Clear, next, scope, same);
    }
  }
  // The clear of a row is a row cycle of its own, which ends with the bank closed.
  add(RowClear, Activate, Bank, rowClear_);
  add(RowClear, RefreshBank, Bank, rowClear_);
  add(RowClear, PrechargeAll, Bank, rowClear_);
  add(RowClear, RefreshAll, Channel, rowClear_);
  add(RowClear, Activate, Group, clocks(t.rrd_l_ns));
  add(RowClear, Activate, Channel, clocks(t.rrd_s_ns));
  add(RowClear, RefreshBank, Group, clocks(t.rrd_l_ns));
  add(RowClear, RefreshBank, Channel, clocks(t.rrd_s_ns));

  add(RefreshAll, Activate, Channel, clocks(t.rfc_ns));
  add(RefreshAll, RefreshAll, Channel, clocks(t.rfc_ns));
  add(RefreshBank, Activate, Bank, clocks(t.rfc_pb_ns));
  add(RefreshBank, RefreshBank, Bank, clocks(t.rfc_pb_ns));
  add(RefreshBank, Activate, Channel, clocks(t.rrefd_ns));
  add(RefreshBank, RefreshBank, Channel, clocks(t.rrefd_ns));
  add(Activate, RefreshBank, Channel, clocks(t.rrd_s_ns));
  add(Activate, RefreshBank, Group, clocks(t.rrd_l_ns));

  for (const TimingRule& rule : rules_) {
    if (spacedByWindow(rule) || rule.delay == 0) continue;
    Pushes& list = pushes_[indexOf(rule.previous)][static_cast<std::size_t>(rule.scope)];
    assert(list.count < list.rules.size() && rule.delay > 0);
    list.rules[list.count++] = {static_cast<std::uint32_t>(indexOf(rule.next)),
                                static_cast<std::int32_t>(rule.delay)};
  }
}

void TimingTable::add(DramCommandKind previous, DramCommandKind next, RuleScope scope,
                      Cycles delay) {
  rules_.push_back({previous, next, scope, delay});
  delays_[static_cast<std::size_t>(scope)][indexOf(previous)][indexOf(next)] = delay;
}

}  // namespace t3
