// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Event counters.
///
/// Promise: every pulse is counted in the cycle in which it is seen, whatever else happens. `clear_i` zeroes
/// everything.
///
/// Why: sums of pulses are formed only when there is one, so an idle unit does not toggle. Where nothing can be
/// corrected, nothing counts it.
module t3_counters #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumLanes = 8,
  parameter int NumBanks = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  input  logic [NumLanes-1:0] tracked_i,
  input  logic [NumLanes-1:0] untracked_i,
  input  logic [NumLanes-1:0] dropped_i,
  input  logic [NumLanes-1:0] stalled_i,
  input  logic                completed_i,
  input  logic                triggered_i,
  input  logic                taken_i,
  input  logic                released_i,
  input  logic [NumBanks:0]   corrected_i,  // of banks, and of rows

  /// T3_COUNTS_T.
  output logic [`T3_COUNTS_BITS-1:0] counts_o
);

  localparam int W = t3_pkg::CounterWidth;

  `T3_COUNTS_T(counts_t);
  counts_t counts_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_counts
    if (!rst_ni) begin
      counts_q <= '0;
    end else if (clear_i) begin
      counts_q <= '0;
    end else begin
      if (tracked_i != '0) counts_q.updates <= counts_q.updates + W'($countones(tracked_i));
      if (untracked_i != '0) counts_q.untracked <= counts_q.untracked + W'($countones(untracked_i));
      if (dropped_i != '0) counts_q.dropped <= counts_q.dropped + W'($countones(dropped_i));
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
