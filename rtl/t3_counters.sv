// SPDX-License-Identifier: Apache-2.0
/// Event counters.
///
/// Promise: every pulse is counted in the cycle in which it is seen, whatever else happens.
/// `clear_i` zeroes everything. LIVE follows the table; PEAK follows LIVE one cycle later.
///
/// Why: sums of pulses are formed only when there is one, and each counter is its own register, so
/// an idle unit does not toggle.
module t3_counters #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  localparam int W = t3_pkg::CounterWidth,
  localparam int LiveWidth = t3_pkg::LiveWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  input  logic [NumLanes-1:0] tracked_i,
  input  logic [NumLanes-1:0] untracked_i,
  input  logic [NumLanes-1:0] stalled_i,
  /// The stalled lanes that wait for a bank that spills, and those that are closed.
  input  logic [NumLanes-1:0] stalled_spill_i,
  input  logic [NumLanes-1:0] stalled_closed_i,
  input  logic                completed_i,
  input  logic                triggered_i,
  input  logic                notified_i,
  input  logic                evicted_i,
  input  logic                filled_i,
  input  logic                stray_i,
  input  logic                overrun_i,
  input  logic                taken_i,
  input  logic                released_i,
  input  logic [NumBanks-1:0] live_up_i,
  input  logic [NumBanks-1:0] live_down_i,
  input  logic [NumBanks+3:0] corrected_i,

  output logic [W-1:0]         updates_o,
  output logic [W-1:0]         untracked_o,
  output logic [W-1:0]         completed_o,
  output logic [W-1:0]         triggers_o,
  output logic [W-1:0]         notifications_o,
  output logic [W-1:0]         stalls_o,
  output logic [W-1:0]         stalls_spill_o,
  output logic [W-1:0]         stalls_closed_o,
  output logic [W-1:0]         evictions_o,
  output logic [W-1:0]         fills_o,
  output logic [W-1:0]         overrun_o,
  output logic [W-1:0]         stray_o,
  output logic [W-1:0]         taken_o,
  output logic [W-1:0]         releases_o,
  output logic [W-1:0]         corrected_o,
  output logic [LiveWidth-1:0] live_o,
  output logic [LiveWidth-1:0] peak_o,

  output logic active_o
);

  localparam int LaneCountWidth = $clog2(NumLanes + 1);
  localparam int BankCountWidth = $clog2(NumBanks + 1);
  localparam int WordCountWidth = $clog2(NumBanks + 5);

  function automatic logic [LaneCountWidth-1:0] lanes_in(input logic [NumLanes-1:0] pulses);
    lanes_in = '0;
    for (int i = 0; i < NumLanes; i++) lanes_in = lanes_in + LaneCountWidth'(pulses[i]);
  endfunction

  function automatic logic [BankCountWidth-1:0] banks_in(input logic [NumBanks-1:0] pulses);
    banks_in = '0;
    for (int i = 0; i < NumBanks; i++) banks_in = banks_in + BankCountWidth'(pulses[i]);
  endfunction

  function automatic logic [WordCountWidth-1:0] words_in(input logic [NumBanks+3:0] pulses);
    words_in = '0;
    for (int i = 0; i < NumBanks + 4; i++) words_in = words_in + WordCountWidth'(pulses[i]);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_lanes
    if (!rst_ni) begin
      updates_o <= '0;
      untracked_o <= '0;
      stalls_o <= '0;
      stalls_spill_o <= '0;
      stalls_closed_o <= '0;
    end else if (clear_i) begin
      updates_o <= '0;
      untracked_o <= '0;
      stalls_o <= '0;
      stalls_spill_o <= '0;
      stalls_closed_o <= '0;
    end else begin
      if (tracked_i != '0) updates_o <= updates_o + W'(lanes_in(tracked_i));
      if (untracked_i != '0) untracked_o <= untracked_o + W'(lanes_in(untracked_i));
      if (stalled_i != '0) begin
        stalls_o <= stalls_o + W'(lanes_in(stalled_i));
        stalls_spill_o <= stalls_spill_o + W'(lanes_in(stalled_spill_i));
        stalls_closed_o <= stalls_closed_o + W'(lanes_in(stalled_closed_i));
      end
    end
  end

  logic any_event;
  assign any_event = completed_i || triggered_i || notified_i || evicted_i || filled_i || stray_i
                     || overrun_i || taken_i || released_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_events
    if (!rst_ni) begin
      completed_o <= '0;
      triggers_o <= '0;
      notifications_o <= '0;
      evictions_o <= '0;
      fills_o <= '0;
      overrun_o <= '0;
      stray_o <= '0;
      taken_o <= '0;
      releases_o <= '0;
    end else if (clear_i) begin
      completed_o <= '0;
      triggers_o <= '0;
      notifications_o <= '0;
      evictions_o <= '0;
      fills_o <= '0;
      overrun_o <= '0;
      stray_o <= '0;
      taken_o <= '0;
      releases_o <= '0;
    end else if (any_event) begin
      if (completed_i) completed_o <= completed_o + W'(1);
      if (triggered_i) triggers_o <= triggers_o + W'(1);
      if (notified_i) notifications_o <= notifications_o + W'(1);
      if (evicted_i) evictions_o <= evictions_o + W'(1);
      if (filled_i) fills_o <= fills_o + W'(1);
      if (stray_i) stray_o <= stray_o + W'(1);
      if (overrun_i) overrun_o <= overrun_o + W'(1);
      if (taken_i) taken_o <= taken_o + W'(1);
      if (released_i) releases_o <= releases_o + W'(1);
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
        corrected_o <= corrected_o + W'(words_in(corrected_i));
      end
    end
  end else begin : gen_none
    logic unused_corrected;
    assign unused_corrected = words_in(corrected_i) != '0;
    assign corrected_o = '0;
  end

  logic peak_grows;
  assign peak_grows = live_o > peak_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_live
    if (!rst_ni) begin
      live_o <= '0;
      peak_o <= '0;
    end else if (clear_i) begin
      live_o <= '0;
      peak_o <= '0;
    end else begin
      if ((live_up_i | live_down_i) != '0) begin
        live_o <= live_o + LiveWidth'(banks_in(live_up_i)) - LiveWidth'(banks_in(live_down_i));
      end
      if (peak_grows) peak_o <= live_o;
    end
  end

  assign active_o = peak_grows;

endmodule
