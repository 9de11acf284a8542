// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_lanes: an update that finds its region leaves its lane once, in order, with its workgroup,
/// wavefront, granule and bytes, the lowest-numbered region that matches and its bank; one that finds
/// none is reported and goes no further, and so is one of 0 or more than 128 bytes; one that ends beyond
/// its region is reported and leaves; nothing else leaves; a head stays until it is popped; ready falls
/// only while the lanes are closed or queue and stages are full. What is to be reported waits for at
/// most one report of the other lane.
///
/// The proof watches one update of lane 0, any, from the cycle in which it is taken. Lane 1 may do
/// anything. Assumed: the tables do not change.
module formal_lanes #(
  parameter int WgWidth = 3,
  parameter int WfWidth = 1,
  parameter int AddrWidth = 14,
  parameter int QueueDepth = 4,
  localparam int GranWidth = AddrWidth - 5,
  localparam int PageWidth = AddrWidth - 12,
  localparam int KeyWidth = 1 + 2 + WgWidth + WfWidth,
  localparam int WordWidth = 1 + KeyWidth + GranWidth + 8
) (
  input logic                   clk_i,
  input logic                   open_i,
  input logic                   enable_i,
  input logic [1:0]             valid_i,
  input logic [2*WgWidth-1:0]   wg_i,
  input logic [2*WfWidth-1:0]   wf_i,
  input logic [2*AddrWidth-1:0] addr_i,
  input logic [15:0]            bytes_i,
  input logic [1:0]             pop_i,
  input logic                   watch_i
);
  `T3_FORMAL_RESET
  localparam int TailDepth = QueueDepth - 1;
  localparam int CountWidth = $clog2(TailDepth + 1);

  (* anyconst *) logic [1:0] reg_enable;
  (* anyconst *) logic [2*WgWidth-1:0] wg_first;
  (* anyconst *) logic [2*WgWidth-1:0] wg_last;
  (* anyconst *) logic [2*PageWidth-1:0] page_first;
  (* anyconst *) logic [2*PageWidth-1:0] page_last;
  (* anyconst *) logic [1:0] geo;
  (* anyconst *) logic [65:0] reciprocal;
  (* anyconst *) logic [31:0] tiles_down;

  logic [1:0] ready, valid, bank, tracked, untracked;
  logic [2*KeyWidth-1:0] key;
  logic [2*GranWidth-1:0] gran;
  logic [15:0] bytes;
  logic active, work, bytes_event, border_event;
  logic [WgWidth+WfWidth+GranWidth:0] event_tile;

  (* hierconn *) wire [1:0] \u_dut.l1_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.l2_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.l3_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.tail_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.full_q ;
  (* hierconn *) wire [1:0] \u_dut.match ;
  (* hierconn *) wire [1:0] \u_dut.bytes_wrong_q ;
  (* hierconn *) wire [1:0] \u_dut.border_wrong_q ;
  (* hierconn *) wire [1:0] \u_dut.turn ;
  (* hierconn *) wire [1:0] \u_dut.asks ;
  (* hierconn *) wire [1:0] \u_dut.u_turn.after_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l1_bytes_wrong_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l2_bytes_wrong_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l1_next_page_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l2_next_page_q ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.count_q ;
  (* hierconn *) wire [3:0] \u_dut.read_ptr_q ;
  (* hierconn *) wire [3:0] \u_dut.write_ptr_q ;
  (* hierconn *) wire [WgWidth-1:0] \u_dut.gen_lane[0].l1_wg_q ;
  (* hierconn *) wire [WfWidth-1:0] \u_dut.gen_lane[0].l1_wf_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.gen_lane[0].l1_gran_q ;
  (* hierconn *) wire [7:0] \u_dut.gen_lane[0].l1_bytes_q ;
  (* hierconn *) wire [WgWidth-1:0] \u_dut.gen_lane[0].l2_wg_q ;
  (* hierconn *) wire [WfWidth-1:0] \u_dut.gen_lane[0].l2_wf_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.gen_lane[0].l2_gran_q ;
  (* hierconn *) wire [7:0] \u_dut.gen_lane[0].l2_bytes_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l2_region_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l2_geo_q ;
  (* hierconn *) wire [WgWidth-1:0] \u_dut.gen_lane[0].l3_wg_q ;
  (* hierconn *) wire [WfWidth-1:0] \u_dut.gen_lane[0].l3_wf_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.gen_lane[0].l3_gran_q ;
  (* hierconn *) wire [7:0] \u_dut.gen_lane[0].l3_bytes_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l3_region_q ;
  (* hierconn *) wire \u_dut.gen_lane[0].l3_geo_q ;
  (* hierconn *) wire [WgWidth+32:0] \u_dut.gen_lane[0].l3_product_q ;
  (* hierconn *) wire [WordWidth-1:0] \u_dut.gen_lane[0].tail_q[0] ;
  (* hierconn *) wire [WordWidth-1:0] \u_dut.gen_lane[0].tail_q[1] ;
  (* hierconn *) wire [WordWidth-1:0] \u_dut.gen_lane[0].tail_q[2] ;

  t3_lanes #(
    .NumLanes(2), .NumBanks(2), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .NumRegions(2), .NumGeometries(2), .QueueDepth(QueueDepth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .open_i, .enable_i, .valid_i, .ready_o(ready), .wg_i, .wf_i, .addr_i,
    .bytes_i, .reg_enable_i(reg_enable), .reg_wg_first_i(wg_first), .reg_wg_last_i(wg_last),
    .reg_page_first_i(page_first), .reg_page_last_i(page_last), .reg_geo_i(geo),
    .geo_reciprocal_i(reciprocal), .geo_tiles_down_i(tiles_down), .valid_o(valid), .pop_i,
    .bank_o(bank), .key_o(key), .gran_o(gran), .bytes_o(bytes), .tracked_o(tracked),
    .untracked_o(untracked), .bytes_event_o(bytes_event), .border_event_o(border_event),
    .event_tile_o(event_tile), .active_o(active), .work_o(work)
  );

  always_comb begin
    assume ((pop_i & ~valid) == '0);
  end

  // ---- the update watched ---------------------------------------------------------------------
  logic watched_q;                // taken, and still inside
  logic seen_q;                   // an update is or was watched: there is one only
  logic [2:0] ahead_q;            // updates before it that will leave
  logic [WgWidth-1:0] x_wg_q;
  logic [WfWidth-1:0] x_wf_q;
  logic [AddrWidth-1:0] x_addr_q;
  logic [7:0] x_bytes_q;
  logic starts, x_matches, x_region, x_bytes_wrong, x_next_page, x_border_wrong;
  assign starts = watch_i && !seen_q && valid_i[0] && ready[0] && rst_q;

  assign x_bytes_wrong = x_bytes_q == '0 || x_bytes_q > 8'd128;
  assign x_next_page = 13'(x_addr_q[11:0]) + 13'(x_bytes_q) > 13'd4096;
  assign x_border_wrong = x_next_page && !x_bytes_wrong
                          && (x_addr_q >> 12) == page_last[x_region*PageWidth +: PageWidth];

  // Whether a region matches it, and which.
  always_comb begin
    x_matches = 1'b0;
    x_region = 1'b0;
    for (int r = 1; r >= 0; r--) begin
      if (reg_enable[r] && x_wg_q >= wg_first[r*WgWidth +: WgWidth]
          && x_wg_q <= wg_last[r*WgWidth +: WgWidth]
          && (x_addr_q >> 12) >= page_first[r*PageWidth +: PageWidth]
          && (x_addr_q >> 12) <= page_last[r*PageWidth +: PageWidth]) begin
        x_matches = 1'b1;
        x_region = r[0];
      end
    end
  end

  // Its product, which gives its class, and its word in the queue.
  logic [WgWidth+32:0] product;
  logic [32:0] its_reciprocal;
  logic [16:0] row;
  logic [33:0] column;
  logic [WordWidth-1:0] word, head;
  assign its_reciprocal = reciprocal[geo[x_region]*33 +: 33];
  assign product = (WgWidth+33)'(x_wg_q) * (WgWidth+33)'(its_reciprocal);
  assign row = 17'(product >> 32) + 17'd1;
  assign column = 34'(product[31:0]) + 34'(its_reciprocal);
  assign word = {x_wg_q[0] ^ x_wf_q[0], x_region, row == 17'(tiles_down[geo[x_region]*16 +: 16]),
                 column >= 34'h1_0000_0000, x_wg_q, x_wf_q, x_addr_q[AddrWidth-1:5], x_bytes_q};
  assign head = {bank[0], key[0 +: KeyWidth], gran[0 +: GranWidth], bytes[7:0]};

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
  assign l3_drops = l3 && \u_dut.bytes_wrong_q [0] && \u_dut.turn [0];
  assign l3_leaves = !l3 || l3_drops
                     || (!\u_dut.bytes_wrong_q [0] && !\u_dut.full_q [0]
                         && (!\u_dut.border_wrong_q [0] || \u_dut.turn [0]));
  // It leaves L1 without a region.
  assign drops = at_l1 && !\u_dut.match [0] && (!l2 || l3_leaves);

  logic untracked_q, bytes_q, border_q;
  logic [1:0] behind_q;  // reports of lane 1 while lane 0 waits for its own
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      watched_q <= 1'b0;
      seen_q <= 1'b0;
      untracked_q <= 1'b0;
      bytes_q <= 1'b0;
      border_q <= 1'b0;
      behind_q <= '0;
    end else begin
      untracked_q <= drops;
      bytes_q <= at_l3 && l3_drops;
      border_q <= at_l3 && x_border_wrong && l3_leaves;
      behind_q <= (\u_dut.asks [0] && !\u_dut.turn [0]) ? behind_q + 2'd1 : '0;
      if (starts) begin
        seen_q <= 1'b1;
        watched_q <= 1'b1;
        ahead_q <= before_l1 - 3'(pop_i[0]) - 3'(l3_drops) + 3'(l1 && \u_dut.match [0]);
        x_wg_q <= wg_i[WgWidth-1:0];
        x_wf_q <= wf_i[WfWidth-1:0];
        x_addr_q <= addr_i[AddrWidth-1:0];
        x_bytes_q <= bytes_i[7:0];
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
      3'd0: tail = \u_dut.gen_lane[0].tail_q[0] ;
      3'd1: tail = \u_dut.gen_lane[0].tail_q[1] ;
      default: tail = \u_dut.gen_lane[0].tail_q[2] ;
    endcase
  end

  // Conservation: what was tracked and has not been popped is inside.
  logic [3:0] inside_q;
  logic [2:0] write_place;
  logic past_q, head_waits_q, open_q;
  logic [WordWidth-1:0] head_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    head_waits_q <= valid[0] && !pop_i[0];
    head_q <= head;
    if (!rst_q) inside_q <= '0;
    else inside_q <= inside_q + 4'(l1 && \u_dut.match [0] && (!l2 || l3_leaves))
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
    lane_seen: assert (!(watched_q || untracked_q || bytes_q || border_q) || seen_q);
    // The update watched is somewhere, unchanged.
    lane_watched: assert (!watched_q || ahead_q < before_l1 || (l1 && ahead_q == before_l1));
    lane_at_l1: assert (!(at_l1 && ahead_q == before_l1)
                        || (l1 && \u_dut.gen_lane[0].l1_wg_q == x_wg_q
                            && \u_dut.gen_lane[0].l1_wf_q == x_wf_q
                            && \u_dut.gen_lane[0].l1_gran_q == x_addr_q[AddrWidth-1:5]
                            && \u_dut.gen_lane[0].l1_bytes_wrong_q == x_bytes_wrong
                            && (x_bytes_wrong
                                || \u_dut.gen_lane[0].l1_next_page_q == x_next_page)
                            && \u_dut.gen_lane[0].l1_bytes_q == x_bytes_q));
    lane_match: assert (!at_l1 || \u_dut.match [0] == (enable_i && x_matches));
    lane_at_l2: assert (!at_l2 || (x_matches && \u_dut.gen_lane[0].l2_wg_q == x_wg_q
                                   && \u_dut.gen_lane[0].l2_wf_q == x_wf_q
                                   && \u_dut.gen_lane[0].l2_gran_q == x_addr_q[AddrWidth-1:5]
                                   && \u_dut.gen_lane[0].l2_bytes_q == x_bytes_q
                                   && \u_dut.gen_lane[0].l2_bytes_wrong_q == x_bytes_wrong
                                   && (x_bytes_wrong
                                       || \u_dut.gen_lane[0].l2_next_page_q == x_next_page)
                                   && \u_dut.gen_lane[0].l2_region_q == x_region
                                   && \u_dut.gen_lane[0].l2_geo_q == geo[x_region]));
    lane_at_l3: assert (!at_l3 || (x_matches && \u_dut.gen_lane[0].l3_wg_q == x_wg_q
                                   && \u_dut.gen_lane[0].l3_wf_q == x_wf_q
                                   && \u_dut.gen_lane[0].l3_gran_q == x_addr_q[AddrWidth-1:5]
                                   && \u_dut.gen_lane[0].l3_bytes_q == x_bytes_q
                                   && \u_dut.bytes_wrong_q [0] == x_bytes_wrong
                                   && \u_dut.border_wrong_q [0] == x_border_wrong
                                   && \u_dut.gen_lane[0].l3_region_q == x_region
                                   && \u_dut.gen_lane[0].l3_geo_q == geo[x_region]
                                   && \u_dut.gen_lane[0].l3_product_q == product));
    lane_at_tail: assert (!at_tail || (x_matches && !x_bytes_wrong && tail == word));
    lane_leaves: assert (!at_head || (x_matches && !x_bytes_wrong && head == word));
    lane_bank: assert (!at_head || bank[0] == (x_wg_q[0] ^ x_wf_q[0]));
    if (past_q) begin
      lane_untracked: assert (!untracked_q || untracked[0]);
      lane_reports_bytes: assert (!bytes_q || bytes_event);
      lane_reports_border: assert (!border_q || border_event);
      lane_reports_tile:
      assert (!(bytes_q || border_q)
              || event_tile == {x_region, x_wg_q, x_wf_q, x_addr_q[AddrWidth-1:5]});
      lane_head_stable: assert (!head_waits_q || (valid[0] && head == head_q));
    end
    // Closed, or no place left.
    lane_ready: assert (ready[0] == (open_i && !(l1 && l2 && !l3_leaves)));
    lane_report_turn: assert (behind_q < 2'd2
                              && (behind_q == '0 || \u_dut.u_turn.after_q == 2'd0));
    lane_turns: assert ((~\u_dut.u_turn.after_q & (~\u_dut.u_turn.after_q + 2'd1)) == '0
                        && (\u_dut.turn & ~\u_dut.asks ) == '0
                        && (\u_dut.asks == '0 || $onehot(\u_dut.turn )));
    cover_bytes: cover (bytes_q);
    cover_border: cover (border_q);
    cover_last_place: cover (starts && before_l1 == 3'd6);
    cover_leaves_after_all: cover (at_head && pop_i[0] && \u_dut.full_q [0]);
    cover_no_region: cover (untracked_q);
  end
endmodule
