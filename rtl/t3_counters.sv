// SPDX-License-Identifier: Apache-2.0
/// Event counters.
///
/// Promise: every pulse is counted in the cycle in which it is seen, whatever else happens. `clear_i` zeroes everything.
///
/// Why: sums of pulses are formed only when there is one, and each counter is its own register, so an idle unit does
/// not toggle.
module t3_counters #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  localparam int W = t3_pkg::CounterWidth
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

  output logic [W-1:0] updates_o,
  output logic [W-1:0] untracked_o,
  output logic [W-1:0] dropped_o,
  output logic [W-1:0] stalls_o,
  output logic [W-1:0] completed_o,
  output logic [W-1:0] triggers_o,
  output logic [W-1:0] taken_o,
  output logic [W-1:0] released_o,
  output logic [W-1:0] corrected_o
);

  localparam int LaneCountWidth = $clog2(NumLanes + 1);
  localparam int WordCountWidth = $clog2(NumBanks + 2);

  function automatic logic [LaneCountWidth-1:0] count_lanes(input logic [NumLanes-1:0] pulses);
    count_lanes = '0;
    for (int i = 0; i < NumLanes; i++) count_lanes = count_lanes + LaneCountWidth'(pulses[i]);
  endfunction

  function automatic logic [WordCountWidth-1:0] count_words(input logic [NumBanks:0] pulses);
    count_words = '0;
    for (int i = 0; i <= NumBanks; i++) count_words = count_words + WordCountWidth'(pulses[i]);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_lanes
    if (!rst_ni) begin
      updates_o <= '0;
      untracked_o <= '0;
      dropped_o <= '0;
      stalls_o <= '0;
    end else if (clear_i) begin
      updates_o <= '0;
      untracked_o <= '0;
      dropped_o <= '0;
      stalls_o <= '0;
    end else begin
      if (tracked_i != '0) updates_o <= updates_o + W'(count_lanes(tracked_i));
      if (untracked_i != '0) untracked_o <= untracked_o + W'(count_lanes(untracked_i));
      if (dropped_i != '0) dropped_o <= dropped_o + W'(count_lanes(dropped_i));
      if (stalled_i != '0) stalls_o <= stalls_o + W'(count_lanes(stalled_i));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_events
    if (!rst_ni) begin
      completed_o <= '0;
      triggers_o <= '0;
      taken_o <= '0;
      released_o <= '0;
    end else if (clear_i) begin
      completed_o <= '0;
      triggers_o <= '0;
      taken_o <= '0;
      released_o <= '0;
    end else begin
      if (completed_i) completed_o <= completed_o + W'(1);
      if (triggered_i) triggers_o <= triggers_o + W'(1);
      if (taken_i) taken_o <= taken_o + W'(1);
      if (released_i) released_o <= released_o + W'(1);
    end
  end

  // Where nothing can be corrected there is no counter.
  if (Protection == t3_pkg::ProtectSecded) begin : gen_corrected
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_corrected
      if (!rst_ni) begin
        corrected_o <= '0;
      end else if (clear_i) begin
        corrected_o <= '0;
      end else if (corrected_i != '0) begin
        corrected_o <= corrected_o + W'(count_words(corrected_i));
      end
    end
  end else begin : gen_none
    logic unused_corrected;
    assign unused_corrected = count_words(corrected_i) != '0;
    assign corrected_o = '0;
  end

endmodule
