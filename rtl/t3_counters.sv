// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Event counters.
///
/// Promise: every pulse is counted in the cycle in which it is seen, those of updates that count or are dropped one
/// cycle later, whatever else happens. Each update that a lane took is in one of UPDATES, UNTRACKED, DROPPED. `clear_i`
/// zeroes everything, and comes in the first cycle behind reset, too.
///
/// Why: sums of pulses are formed only when there is one, so an idle unit does not toggle. What banks and lanes see is
/// added up in front of a register, so that the counter behind it adds one small number. Where nothing can be
/// corrected, nothing counts it.
module t3_counters #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  localparam int NumberedWidth = $clog2(NumLanes) + 1 + $clog2(NumBanks)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  input  logic [NumLanes-1:0] tracked_i,
  input  logic [NumLanes-1:0] untracked_i,
  input  logic [NumLanes-1:0] dropped_i,
  /// Of what banks see: so many updates.
  input  logic [NumberedWidth-1:0] bank_tracked_i,
  input  logic [NumberedWidth-1:0] bank_dropped_i,
  input  logic [NumLanes-1:0] stalled_i,
  input  logic                completed_i,
  input  logic                triggered_i,
  input  logic                taken_i,
  input  logic                released_i,
  input  logic [NumBanks:0]   corrected_i,  // of banks, and of rows

  /// T3_COUNTS_T.
  output logic [`T3_COUNTS_BITS-1:0] counts_o,
  /// A pulse is not counted yet.
  output logic work_o
);

  localparam int W = t3_pkg::CounterWidth;

  `T3_COUNTS_T(counts_t);
  counts_t counts_q;
  logic any_sum;
  logic [NumberedWidth:0] tracked_sum_q, dropped_sum_q;
  assign any_sum = (tracked_i | dropped_i) != '0 || (bank_tracked_i | bank_dropped_i) != '0;
  assign work_o = (tracked_sum_q | dropped_sum_q) != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_sums
    if (!rst_ni) begin
      tracked_sum_q <= '0;
      dropped_sum_q <= '0;
    end else if (any_sum || work_o) begin
      tracked_sum_q <= (NumberedWidth+1)'($countones(tracked_i)) + (NumberedWidth+1)'(bank_tracked_i);
      dropped_sum_q <= (NumberedWidth+1)'($countones(dropped_i)) + (NumberedWidth+1)'(bank_dropped_i);
    end
  end

  always_ff @(posedge clk_i) begin : p_counts
    if (clear_i) begin
      counts_q <= '0;
    end else begin
      if (tracked_sum_q != '0) counts_q.updates <= counts_q.updates + W'(tracked_sum_q);
      if (untracked_i != '0) counts_q.untracked <= counts_q.untracked + W'($countones(untracked_i));
      if (dropped_sum_q != '0) counts_q.dropped <= counts_q.dropped + W'(dropped_sum_q);
      if (stalled_i != '0) counts_q.stalls <= counts_q.stalls + W'($countones(stalled_i));
      if (completed_i) counts_q.completed <= counts_q.completed + W'(1);
      if (triggered_i) counts_q.triggers <= counts_q.triggers + W'(1);
      if (taken_i) counts_q.taken <= counts_q.taken + W'(1);
      if (released_i) counts_q.released <= counts_q.released + W'(1);
      if (Protection == t3_pkg::ProtectSecded && corrected_i != '0) begin
        counts_q.corrected <= counts_q.corrected + W'($countones(corrected_i));
      end
    end
  end
  assign counts_o = counts_q;

endmodule
