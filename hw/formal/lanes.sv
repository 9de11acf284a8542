// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_lanes: an update that finds a region that is on leaves its lane once, in order, with that region (the
/// lowest-numbered one), its slot, its bank and its weight; one that finds none, or a stopped one, is reported and goes
/// no further, and so is one of a wrong weight, or whose slot is beyond its region; nothing else leaves; a head stays
/// until it is popped; ready falls only while the lanes are closed, or held, or queue and stages are full.
///
/// The proof watches one update of lane 0, any, from the cycle in which it is taken. Lane 1 may do
/// anything. Both regions may start, stop and go off in any cycle, and CTRL.enable may change; what they say when the
/// update is looked up decides. Assumed: other settings do not change.
module formal_lanes #(
  parameter int WgWidth = 3,
  parameter int WfWidth = 1,
  parameter int AddrWidth = 14,
  parameter int WeightWidth = 3,
  parameter int Depth = 4,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = 1,
  localparam int RegionWidth = 1,
  localparam int SlotWidth = 3,
  localparam int RowWidth = 1,
  localparam int KeyWidth = RegionWidth + SlotWidth,
  localparam int WordWidth = 1 + KeyWidth + WeightWidth,
  localparam int TimesWidth = 2,
  localparam int ErrorBits = `T3_ERROR_BITS,
  localparam int WindowBits = 2 * PageWidth,
  localparam int RegionBits = `T3_REGION_BITS
) (
  input logic                     clk_i,
  input logic                     open_i,
  input logic                     enable_i,
  input logic                     hold_i,
  input logic [1:0]               valid_i,
  input logic [2*WgWidth-1:0]     wg_i,
  input logic [2*WfWidth-1:0]     wf_i,
  input logic [2*AddrWidth-1:0]   addr_i,
  input logic [2*WeightWidth-1:0] weight_i,
  input logic [1:0]               pop_i,
  input logic [3:0]               state_i,
  input logic                     watch_i
);
  `T3_FORMAL_RESET
  `T3_REGION_T(region_t);
  `T3_EVENT_T(event_t);
  localparam int IdWidth = WgWidth + WfWidth;
  localparam int Most = 1 << (WeightWidth - 1);
  localparam int CountWidth = $clog2(Depth);

  (* anyconst *) logic [2*WindowBits-1:0] windows;
  (* anyconst *) logic [2*RegionBits-1:0] settings;
  logic [2*RegionBits-1:0] regions;
  region_t region0, region1, its;
  always_comb begin
    {region1, region0} = settings;
    {region1.on, region1.stopped, region0.on, region0.stopped} = state_i;
  end
  assign regions = {region1, region0};

  logic [1:0] ready, valid, bank, tracked, untracked, dropped, stalled;
  event_t weight_error, outside;
  logic [2*KeyWidth-1:0] key;
  logic [2*WeightWidth-1:0] weight;
  logic work;

  (* hierconn *) wire [1:0] \u_dut.l1_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.l2_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.l3_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.tail_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.full_q ;
  (* hierconn *) wire [1:0] \u_dut.found ;
  (* hierconn *) wire [1:0] \u_dut.match ;
  (* hierconn *) wire [1:0] \u_dut.wrong ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.count_q ;
  (* hierconn *) wire [3:0] \u_dut.read_ptr_q ;
  (* hierconn *) wire [3:0] \u_dut.write_ptr_q ;
  (* hierconn *) wire [IdWidth+PageWidth+WeightWidth-1:0] \u_dut.gen_lane[0].u_lane.l1_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.gen_lane[0].u_lane.l2_id_q ;
  (* hierconn *) wire [WeightWidth-1:0] \u_dut.gen_lane[0].u_lane.l2_weight_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].u_lane.l2_region_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.gen_lane[0].u_lane.l3_id_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.gen_lane[0].u_lane.l3_block_q ;
  (* hierconn *) wire [WeightWidth-1:0] \u_dut.gen_lane[0].u_lane.l3_weight_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].u_lane.l3_region_q ;
  (* hierconn *) wire [WordWidth-1:0] \u_dut.gen_lane[0].u_lane.tail_q[0] ;
  (* hierconn *) wire [WordWidth-1:0] \u_dut.gen_lane[0].u_lane.tail_q[1] ;
  (* hierconn *) wire [WordWidth-1:0] \u_dut.gen_lane[0].u_lane.tail_q[2] ;

  t3_lanes #(
    .NumLanes(2), .NumBanks(2), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .WeightWidth(WeightWidth), .NumWindows(2), .NumRegions(2), .NumSlots(1 << SlotWidth), .NumRows(2),
    .Depth(Depth), .TimesWidth(TimesWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .open_i, .enable_i, .hold_i,
    .live_i({region1.on && !region1.stopped, region0.on && !region0.stopped}), .valid_i, .ready_o(ready), .wg_i,
    .wf_i, .addr_i,
    .weight_i, .windows_i(windows), .regions_i(regions), .valid_o(valid), .pop_i, .bank_o(bank),
    .key_o(key), .weight_o(weight), .tracked_o(tracked), .untracked_o(untracked), .dropped_o(dropped),
    .stalled_o(stalled), .weight_error_o(weight_error), .outside_o(outside), .work_o(work)
  );

  always_comb assume ((pop_i & ~valid) == '0);

  // ---- the update watched ---------------------------------------------------------------------
  logic watched_q;                // taken, and still inside
  logic seen_q;                   // an update is or was watched: there is one only
  logic [2:0] ahead_q;            // updates before it that will leave
  logic [WgWidth-1:0] x_wg_q;
  logic [WfWidth-1:0] x_wf_q;
  logic [PageWidth-1:0] x_page_q;
  logic [WeightWidth-1:0] x_weight_q;
  logic starts, matches0, matches1, x_matches, x_stopped, x_region, x_weight_wrong, x_outside, x_wrong;
  assign starts = watch_i && !seen_q && valid_i[0] && ready[0] && rst_q;

  // Whether a region matches it, and which.
  logic [WindowBits-1:0] window0, window1;
  assign window0 = region0.window ? windows[WindowBits +: WindowBits] : windows[0 +: WindowBits];
  assign window1 = region1.window ? windows[WindowBits +: WindowBits] : windows[0 +: WindowBits];
  assign matches0 = (region0.on || region0.stopped) && region0.wg_first <= x_wg_q && x_wg_q <= region0.wg_last
                    && window0[PageWidth +: PageWidth] <= x_page_q && x_page_q <= window0[0 +: PageWidth];
  assign matches1 = (region1.on || region1.stopped) && region1.wg_first <= x_wg_q && x_wg_q <= region1.wg_last
                    && window1[PageWidth +: PageWidth] <= x_page_q && x_page_q <= window1[0 +: PageWidth];
  assign x_matches = matches0 || matches1;
  // It found its region in a cycle in which that was on; and which.
  logic moved_q, moved_region_q, moves;
  logic late_q;  // a wrong one that left L3 while its region did not count: its bank drops it
  assign x_region = moved_q ? moved_region_q : !matches0;
  assign its = x_region ? region1 : region0;
  assign x_stopped = its.stopped;

  // Its slot, and its word in the queue.
  logic [IdWidth-1:0] x_id, x_block;
  logic [IdWidth:0] x_slot;
  logic [SlotWidth-1:0] slot;
  logic [WordWidth-1:0] word, head;
  logic [ErrorBits-1:0] x_what;
  assign x_id = {x_wg_q, x_wf_q};
  assign x_block = (x_id - {its.wg_first, WfWidth'(0)}) >> its.shift;
  assign x_slot = (IdWidth+1)'(its.slot_first) + (IdWidth+1)'(x_block);
  assign slot = x_slot[SlotWidth-1:0];
  assign x_weight_wrong = x_weight_q == '0 || x_weight_q > WeightWidth'(Most);
  assign x_outside = x_slot > (IdWidth+1)'(its.slot_last);
  assign x_wrong = x_weight_wrong || x_outside;
  assign word = {^slot, x_region, slot, x_weight_q};
  assign head = {bank[0], key[0 +: KeyWidth], weight[0 +: WeightWidth]};
  assign x_what = {x_region, t3_pkg::InfoWidth'({x_wf_q, 16'(x_wg_q)})};

  // Lane 0's places from the head to L1.
  logic l1, l2, l3, l3_leaves, l3_drops, drops, at_l1, at_l2, at_l3, at_head;
  logic [2:0] count, before_l3, before_l2, before_l1;
  assign l1 = \u_dut.l1_valid_q [0];
  assign l2 = \u_dut.l2_valid_q [0];
  assign l3 = \u_dut.l3_valid_q [0];
  assign count = 3'(\u_dut.count_q [CountWidth-1:0]);
  assign before_l3 = 3'(valid[0]) + count;
  assign before_l2 = before_l3 + 3'(l3);
  assign before_l1 = before_l2 + 3'(l2);
  assign at_head = watched_q && valid[0] && ahead_q == '0;
  assign at_l3 = watched_q && l3 && ahead_q == before_l3;
  assign at_l2 = watched_q && l2 && ahead_q == before_l2;
  assign at_l1 = watched_q && ahead_q == before_l1;
  // L3 of lane 0 is free at the next edge; its update is dropped.
  assign l3_leaves = !l3 || !\u_dut.full_q [0];
  assign l3_drops = l3 && l3_leaves && \u_dut.wrong [0];
  assign moves = at_l1 && enable_i && x_matches && !x_stopped && (!l2 || l3_leaves) && !hold_i;
  // It leaves L1 without a region, or for one that is stopped.
  assign drops = at_l1 && !\u_dut.match [0] && (!l2 || l3_leaves) && !hold_i;

  logic untracked_q, dropped_q, weight_reported, outside_reported;
  assign weight_reported = at_l3 && l3_drops && x_weight_wrong;
  assign outside_reported = at_l3 && l3_drops && !x_weight_wrong;
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      watched_q <= 1'b0;
      seen_q <= 1'b0;
      untracked_q <= 1'b0;
      dropped_q <= 1'b0;
      moved_q <= 1'b0;
    end else begin
      untracked_q <= drops && !(enable_i && x_matches);
      dropped_q <= drops && enable_i && x_matches;
      if (moves) begin
        moved_q <= 1'b1;
        moved_region_q <= x_region;
      end
      if (at_l3 && l3_leaves && x_wrong && !(its.on && !its.stopped)) late_q <= 1'b1;
      if (starts) begin
        moved_q <= 1'b0;
        late_q <= 1'b0;
        seen_q <= 1'b1;
        watched_q <= 1'b1;
        ahead_q <= before_l1 - 3'(pop_i[0]) - 3'(l3_drops) + 3'(l1 && \u_dut.match [0]);
        x_wg_q <= wg_i[WgWidth-1:0];
        x_wf_q <= wf_i[WfWidth-1:0];
        x_page_q <= addr_i[t3_pkg::PageLog2 +: PageWidth];
        x_weight_q <= weight_i[WeightWidth-1:0];
      end else if (watched_q) begin
        if (drops || (at_l3 && l3_drops) || (at_head && pop_i[0])) watched_q <= 1'b0;
        ahead_q <= ahead_q - 3'(pop_i[0]) - 3'(l3_drops && ahead_q > before_l3);
      end
    end
  end

  logic [WordWidth-1:0] tail;  // the word of the tail that it should be
  logic [2:0] place;
  logic at_tail;
  assign at_tail = watched_q && !at_head && ahead_q < before_l3;
  always_comb begin
    place = 3'(\u_dut.read_ptr_q [1:0]) + ahead_q - 3'd1;
    if (place >= 3'd3) place = place - 3'd3;
    case (place)
      3'd0: tail = \u_dut.gen_lane[0].u_lane.tail_q[0] ;
      3'd1: tail = \u_dut.gen_lane[0].u_lane.tail_q[1] ;
      default: tail = \u_dut.gen_lane[0].u_lane.tail_q[2] ;
    endcase
  end

  // Conservation: what was tracked and has not been popped is inside.
  logic [3:0] inside_q;
  logic [2:0] write_place;
  logic past_q, head_waits_q;
  logic [WordWidth-1:0] head_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    head_waits_q <= valid[0] && !pop_i[0];
    head_q <= head;
    if (!rst_q) inside_q <= '0;
    else inside_q <= inside_q + 4'(l1 && \u_dut.match [0] && (!l2 || l3_leaves) && !hold_i)
                     - 4'(pop_i[0]) - 4'(l3_drops);
  end
  always_comb begin
    write_place = 3'(\u_dut.read_ptr_q [1:0]) + count;
    if (write_place >= 3'd3) write_place = write_place - 3'd3;
  end

  always @(posedge clk_i) if (rst_q) begin
    lane_counts: assert (inside_q == 4'(before_l1));
    lane_queue: assert (count <= 3'd3 && \u_dut.tail_valid_q [0] == (count != '0)
                        && \u_dut.full_q [0] == (count == 3'd3) && (valid[0] || count == '0));
    lane_pointers: assert (\u_dut.read_ptr_q [1:0] != 2'd3
                           && 3'(\u_dut.write_ptr_q [1:0]) == write_place);
    lane_seen: assert (!(watched_q || untracked_q || dropped_q) || seen_q);
    // The update watched is somewhere, unchanged.
    lane_watched: assert (!watched_q || ahead_q < before_l1 || (l1 && ahead_q == before_l1));
    lane_at_l1: assert (!at_l1 || (l1 && \u_dut.gen_lane[0].u_lane.l1_q
                                         == {x_wg_q, x_wf_q, x_page_q, x_weight_q}));
    lane_match: assert (!at_l1 || (\u_dut.found [0] == (enable_i && x_matches)
                                   && \u_dut.match [0] == (enable_i && x_matches && !x_stopped)));
    lane_moved: assert (!watched_q || moved_q == !at_l1);
    lane_at_l2: assert (!at_l2 || (moved_q
                                   && \u_dut.gen_lane[0].u_lane.l2_id_q == x_id
                                   && \u_dut.gen_lane[0].u_lane.l2_weight_q == x_weight_q
                                   && \u_dut.gen_lane[0].u_lane.l2_region_q == x_region));
    lane_at_l3: assert (!at_l3 || (moved_q
                                   && \u_dut.gen_lane[0].u_lane.l3_id_q == x_id
                                   && \u_dut.gen_lane[0].u_lane.l3_block_q == x_block
                                   && \u_dut.gen_lane[0].u_lane.l3_weight_q == x_weight_q
                                   && \u_dut.gen_lane[0].u_lane.l3_region_q == x_region
                                   && \u_dut.wrong [0] == (x_wrong && its.on && !its.stopped)));
    lane_at_tail: assert (!at_tail || (moved_q && (!x_wrong || late_q) && tail == word));
    lane_leaves: assert (!at_head || (moved_q && (!x_wrong || late_q) && head == word));
    if (past_q) begin
      lane_untracked: assert (!untracked_q || (untracked[0] && !dropped[0]));
      lane_dropped: assert (!dropped_q || (dropped[0] && !untracked[0]));
      lane_head_stable: assert (!head_waits_q || (valid[0] && head == head_q));
    end
    lane_reports_weight: assert (!weight_reported || (weight_error.times[0] && !outside.times[0]
                                                      && weight_error.what == x_what));
    lane_reports_outside: assert (!outside_reported || (outside.times[0] && !weight_error.times[0]
                                                        && outside.what == x_what));
    // Closed, or no place left.
    lane_ready: assert (ready[0] == (open_i && !(l1 && (hold_i || (l2 && !l3_leaves)))));
    cover_held: cover (hold_i && l1 && !l2 && at_l1);
    cover_weight: cover (weight_reported);
    cover_outside: cover (outside_reported);
    cover_dropped: cover (dropped_q);
    cover_last_place: cover (starts && before_l1 == 3'd6);
    cover_leaves_after_all: cover (at_head && pop_i[0] && \u_dut.full_q [0]);
    cover_no_region: cover (untracked_q);
    cover_stopped_on_its_way: cover (at_head && pop_i[0] && its.stopped);
  end
endmodule
