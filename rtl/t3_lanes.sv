// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
`include "t3_types.svh"
/// Front end of the update lanes: finds the region and the slot of each update and queues it for its bank.
///
/// Promise: one update per lane and cycle; a lane's updates leave in order; an update taken in cycle 0 is at its
/// queue's head in cycle 4 when the queue is empty. A lane's ready is a function of registers: it falls only while
/// the lanes are closed, or the lane's queue and the three stages before it are full. Updates without a region, of
/// a stopped region, of a wrong weight, or whose slot is beyond its region go no further, and are reported (those of
/// a region that does not count any more go on, to be dropped in their bank); the
/// region and workgroup of the lowest lane that reports a weight, or a slot, in a cycle. Lanes do not affect each
/// other.
///
///   valid_i ─► L1 input ─► L2 region ─► L3 blocks from the region's first ─► slot, bank ─┬─► tail ─┬─► head
///                                                                                        └─────────┘ queue empty
///
/// Why: a stage takes the next update whenever the one behind it is free, so a queue of two places sustains one
/// update per cycle. Behind L2 nothing of an update is left but region, block and weight: the queue holds no
/// address. The control of all lanes is here, one vector per stage: a few gates per lane, and a few instructions
/// for all lanes in a simulator. What moves is in t3_lane. An update that is dropped in L3 leaves it like any
/// other, so that whether stages move does not wait for what is wrong with it.
module t3_lanes #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int WeightWidth = 8,
  parameter int NumWindows = 4,
  parameter int NumRegions = 8,
  parameter int NumSlots = 4096,
  parameter int NumRows = 256,
  parameter int Depth = 4,
  parameter int TimesWidth = 9,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = t3_pkg::index_width(NumWindows),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows),
  localparam int BankBits = $clog2(NumBanks),
  localparam int KeyWidth = RegionWidth + SlotWidth,
  localparam int RegionBits = `T3_REGION_BITS,
  localparam int ErrorBits = `T3_ERROR_BITS
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Lanes open: not resetting, not clearing.
  input  logic open_i,
  /// CTRL.enable.
  input  logic enable_i,
  /// No update goes on to its region (t3_start).
  input  logic hold_i,
  /// Of each region: it counts.
  input  logic [NumRegions-1:0] live_i,

  input  logic [NumLanes-1:0]             valid_i,
  output logic [NumLanes-1:0]             ready_o,
  input  logic [NumLanes*WgWidth-1:0]     wg_i,
  input  logic [NumLanes*WfWidth-1:0]     wf_i,
  input  logic [NumLanes*AddrWidth-1:0]   addr_i,
  input  logic [NumLanes*WeightWidth-1:0] weight_i,

  input  logic [NumWindows*`T3_WINDOW_BITS-1:0] windows_i,
  input  logic [NumRegions*RegionBits-1:0] regions_i,

  /// Heads of the queues.
  output logic [NumLanes-1:0]             valid_o,
  input  logic [NumLanes-1:0]             pop_i,
  output logic [NumLanes*BankBits-1:0]    bank_o,
  output logic [NumLanes*KeyWidth-1:0]    key_o,
  output logic [NumLanes*WeightWidth-1:0] weight_o,

  /// Pulses: an update that a region counts ends here, because it is wrong; one found no region, or a stopped one.
  output logic [NumLanes-1:0] tracked_o,
  output logic [NumLanes-1:0] untracked_o,
  output logic [NumLanes-1:0] dropped_o,
  /// An update was not taken in the cycle before.
  output logic [NumLanes-1:0] stalled_o,
  /// T3_EVENT_T: an update has a wrong weight; its slot is beyond its region.
  output logic [`T3_EVENT_BITS-1:0] weight_error_o,
  output logic [`T3_EVENT_BITS-1:0] outside_o,
  /// An update is inside; behind the search for its region.
  output logic work_o,
  output logic inside_o
);

  localparam int TailDepth = Depth - 1;
  localparam int PtrWidth = t3_pkg::index_width(TailDepth);
  localparam int CountWidth = $clog2(TailDepth + 1);
  localparam logic [PtrWidth-1:0] LastPtr = PtrWidth'(TailDepth - 1);

  // ---- control, one bit per lane --------------------------------------------------------------
  logic [NumLanes-1:0] l1_valid_q, l2_valid_q, l3_valid_q;
  logic [NumLanes-1:0] head_valid_q, tail_valid_q, full_q;
  logic [NumLanes-1:0] tracked_q, untracked_q, dropped_q;
  logic [NumLanes-1:0] found, stopped, match, weight_wrong, outside, wrong;

  // A stage is free when it is empty or when its update moves on, so bubbles close.
  logic [NumLanes-1:0] l1_free, l2_free, l3_free, l3_leaves, load1, load2, load3, push;
  assign wrong = weight_wrong | outside;
  assign match = found & ~stopped;

  always_comb begin : p_flow
    l3_leaves = l3_valid_q & ~full_q;
    l3_free = ~l3_valid_q | l3_leaves;
    l2_free = hold_i ? '0 : ~l2_valid_q | l3_free;
    l1_free = ~l1_valid_q | l2_free;
    ready_o = open_i ? l1_free : '0;
    load2 = l2_free & match;
    load3 = l3_free & l2_valid_q;
    push = l3_leaves & ~wrong;
  end
  assign load1 = valid_i & ready_o;

  logic [NumLanes-1:0] push_tail, pop_tail;
  assign push_tail = push & head_valid_q & (~pop_i | tail_valid_q);
  assign pop_tail = pop_i & tail_valid_q;

  assign inside_o = (l2_valid_q | l3_valid_q | head_valid_q) != '0;
  assign work_o = inside_o || (l1_valid_q | tracked_q | untracked_q | dropped_q) != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) begin
      {l1_valid_q, l2_valid_q, l3_valid_q, head_valid_q, tracked_q, untracked_q, dropped_q} <= '0;
    end else begin
      l1_valid_q <= load1 | (l1_valid_q & ~l2_free);
      l2_valid_q <= load2 | (l2_valid_q & ~l3_free);
      l3_valid_q <= load3 | (l3_valid_q & ~l3_leaves);
      head_valid_q <= push | tail_valid_q | (head_valid_q & ~pop_i);
      tracked_q <= l3_leaves & wrong;
      untracked_q <= l1_valid_q & l2_free & ~found;
      dropped_q <= l1_valid_q & l2_free & stopped;
    end
  end

  assign valid_o = head_valid_q;
  assign tracked_o = tracked_q;
  assign untracked_o = untracked_q;
  assign dropped_o = dropped_q;

  logic [NumLanes-1:0] stalled;
  assign stalled = valid_i & ~ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_stalled
    if (!rst_ni) begin
      stalled_o <= '0;
    end else if ((stalled | stalled_o) != '0) begin
      stalled_o <= stalled;
    end
  end

  // ---- the tails of the queues: in use only while a bank is behind ----------------------------
  logic [NumLanes*PtrWidth-1:0] write_ptr_q, read_ptr_q;
  logic [NumLanes*CountWidth-1:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_tail
    if (!rst_ni) begin
      {write_ptr_q, read_ptr_q, count_q, tail_valid_q, full_q} <= '0;
    end else if ((push_tail | pop_tail) != '0) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (push_tail[l]) begin
          write_ptr_q[l*PtrWidth +: PtrWidth] <=
              (write_ptr_q[l*PtrWidth +: PtrWidth] == LastPtr)
              ? '0 : write_ptr_q[l*PtrWidth +: PtrWidth] + PtrWidth'(1);
        end
        if (pop_tail[l]) begin
          read_ptr_q[l*PtrWidth +: PtrWidth] <=
              (read_ptr_q[l*PtrWidth +: PtrWidth] == LastPtr)
              ? '0 : read_ptr_q[l*PtrWidth +: PtrWidth] + PtrWidth'(1);
        end
        if (push_tail[l] && !pop_tail[l]) begin
          tail_valid_q[l] <= 1'b1;
          full_q[l] <= count_q[l*CountWidth +: CountWidth] == CountWidth'(TailDepth - 1);
          count_q[l*CountWidth +: CountWidth] <=
              count_q[l*CountWidth +: CountWidth] + CountWidth'(1);
        end
        if (pop_tail[l] && !push_tail[l]) begin
          tail_valid_q[l] <= count_q[l*CountWidth +: CountWidth] != CountWidth'(1);
          full_q[l] <= 1'b0;
          count_q[l*CountWidth +: CountWidth] <=
              count_q[l*CountWidth +: CountWidth] - CountWidth'(1);
        end
      end
    end
  end

  // ---- data, lane by lane ---------------------------------------------------------------------
  logic [NumLanes*ErrorBits-1:0] l3_what;

  // While idle, nothing changes: one enable for all lanes.
  logic any_move, any_wrong;
  assign any_move = (load1 | load2 | load3) != '0;
  assign any_wrong = (l3_leaves & wrong) != '0;

  `T3_SPREAD(regions_i, spread)

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    t3_lane #(
      .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth), .WeightWidth(WeightWidth),
      .NumWindows(NumWindows), .NumRegions(NumRegions), .NumSlots(NumSlots), .NumRows(NumRows), .TailDepth(TailDepth)
    ) u_lane (
      .clk_i,
      .match_i(l1_valid_q[l] && enable_i), .l3_valid_i(l3_valid_q[l]), .any_move_i(any_move), .load1_i(load1[l]),
      .load2_i(load2[l]), .load3_i(load3[l]), .wg_i(wg_i[l*WgWidth +: WgWidth]), .wf_i(wf_i[l*WfWidth +: WfWidth]),
      .page_i(addr_i[l*AddrWidth+t3_pkg::PageLog2 +: PageWidth]), .weight_i(weight_i[l*WeightWidth +: WeightWidth]),
      .windows_i, .regions_i, .spread_i(spread), .live_i, .found_o(found[l]), .stopped_o(stopped[l]),
      .weight_wrong_o(weight_wrong[l]), .outside_o(outside[l]), .what_o(l3_what[l*ErrorBits +: ErrorBits]),
      .load_tail_i(l3_leaves[l]), .load_head_i(pop_i[l] || (l3_leaves[l] && !head_valid_q[l])), .tail_valid_i(tail_valid_q[l]),
      .write_ptr_i(write_ptr_q[l*PtrWidth +: PtrWidth]), .read_ptr_i(read_ptr_q[l*PtrWidth +: PtrWidth]),
      .bank_o(bank_o[l*BankBits +: BankBits]), .key_o(key_o[l*KeyWidth +: KeyWidth]),
      .weight_o(weight_o[l*WeightWidth +: WeightWidth])
    );
  end

  // ---- reports --------------------------------------------------------------------------------
  logic [NumLanes-1:0] weight_lanes, outside_lanes;
  logic [ErrorBits-1:0] weight_what, outside_what;
  assign weight_lanes = l3_leaves & weight_wrong;
  assign outside_lanes = l3_leaves & outside & ~weight_wrong;
  assign weight_error_o = {TimesWidth'(weight_lanes), weight_what};
  assign outside_o = {TimesWidth'(outside_lanes), outside_what};

  always_comb begin : p_what
    weight_what = '0;
    outside_what = '0;
    if (any_wrong) begin
      for (int l = NumLanes - 1; l >= 0; l--) begin
        if (weight_lanes[l]) weight_what = l3_what[l*ErrorBits +: ErrorBits];
        if (outside_lanes[l]) outside_what = l3_what[l*ErrorBits +: ErrorBits];
      end
    end
  end

  logic unused_offsets;
  assign unused_offsets = ^addr_i;

`ifdef T3_ASSERT_UPDATES
  // For models in which an update of a wrong weight can only be a fault of the model.
  `T3_ASSERT(weights_in_range, (l3_valid_q & weight_wrong) == '0)
`endif
  `T3_ASSERT(pop_has_a_head, (pop_i & ~head_valid_q) == '0)

endmodule
