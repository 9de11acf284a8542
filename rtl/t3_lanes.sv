// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Front end of the update lanes: finds the region and the tile class of each update and queues it
/// for its bank.
///
/// Promise: one update per lane and cycle; a lane's updates leave in order; an update taken in
/// cycle 0 is at its queue's head in cycle 4 when the queue is empty. A lane's ready is a function
/// of registers: it falls only while the lanes are closed or the lane's queue and the three stages
/// before it are full. An update without a region (or with the unit disabled) is counted and goes
/// no further. One of 0 or more than 128 bytes is reported and dropped in L3; one that ends beyond its
/// region is reported and goes on. Lanes do not affect each other, but that one such update per cycle
/// leaves L3, in turn.
///
///   valid_i ─► L1 input ─► L2 region ─► L3 wg x reciprocal ─► class ─┬─► tail ─┬─► head
///                                                                    └─────────┘ queue empty
///
/// Why: a stage takes the next update whenever the one behind it is free, so a queue of two places
/// sustains one update per cycle. Row and column come from one product P = wg * R, with R =
/// ceil(2^32 / across): row = P >> 32 exactly, and the tile is in the last column if and only if
/// P + R, the product of the next workgroup, falls into another row. The control of all lanes is
/// one vector per stage: a few gates per lane, and a few instructions for all lanes in a simulator.
/// The heads are one flat register, so the router compares them without multiplexers in front.
module t3_lanes #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  parameter int QueueDepth = 8,
  localparam int BytesWidth = t3_pkg::BytesWidth,
  localparam int BankWidth = t3_pkg::index_width(NumBanks),
  localparam int GranWidth = AddrWidth - t3_pkg::GranuleLog2,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries),
  localparam int Regions = 1 << RegionWidth,
  localparam int Geometries = 1 << GeoWidth,
  localparam int KeyWidth = RegionWidth + t3_pkg::ClassWidth + WgWidth + WfWidth,
  localparam int TileWidth = RegionWidth + WgWidth + WfWidth + GranWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Lanes open: not resetting, not clearing.
  input  logic open_i,
  /// CTRL.enable.
  input  logic enable_i,

  input  logic [NumLanes-1:0]            valid_i,
  output logic [NumLanes-1:0]            ready_o,
  input  logic [NumLanes*WgWidth-1:0]    wg_i,
  input  logic [NumLanes*WfWidth-1:0]    wf_i,
  input  logic [NumLanes*AddrWidth-1:0]  addr_i,
  input  logic [NumLanes*BytesWidth-1:0] bytes_i,

  /// Region and geometry tables, element i at [i*W +: W].
  input  logic [Regions-1:0]                            reg_enable_i,
  input  logic [Regions*WgWidth-1:0]                    reg_wg_first_i,
  input  logic [Regions*WgWidth-1:0]                    reg_wg_last_i,
  input  logic [Regions*PageWidth-1:0]                  reg_page_first_i,
  input  logic [Regions*PageWidth-1:0]                  reg_page_last_i,
  input  logic [Regions*GeoWidth-1:0]                   reg_geo_i,
  input  logic [Geometries*t3_pkg::ReciprocalWidth-1:0] geo_reciprocal_i,
  input  logic [Geometries*t3_pkg::TilesWidth-1:0]      geo_tiles_down_i,

  /// Heads of the queues; a key is {region, class, wg, wf}.
  output logic [NumLanes-1:0]            valid_o,
  input  logic [NumLanes-1:0]            pop_i,
  output logic [NumLanes*BankWidth-1:0]  bank_o,
  output logic [NumLanes*KeyWidth-1:0]   key_o,
  output logic [NumLanes*GranWidth-1:0]  gran_o,
  output logic [NumLanes*BytesWidth-1:0] bytes_o,

  /// Pulses: an update found its region, or did not.
  output logic [NumLanes-1:0] tracked_o,
  output logic [NumLanes-1:0] untracked_o,
  /// Pulses: an update had a wrong number of bytes, or ended beyond its region; {region, wg, wf, granule}.
  output logic                 bytes_event_o,
  output logic                 border_event_o,
  output logic [TileWidth-1:0] event_tile_o,
  /// A register changes at the next edge; an update is inside.
  output logic active_o,
  output logic work_o
);

  localparam int ProductWidth = WgWidth + t3_pkg::ReciprocalWidth;
  localparam int RowWidth = WgWidth + 1;
  localparam int WordWidth = BankWidth + KeyWidth + GranWidth + BytesWidth;
  // Bits of an address that tell the blocks of 128 bytes of a page apart.
  localparam int BlockWidth = t3_pkg::PageLog2 - t3_pkg::UpdateLog2;
  localparam int TailDepth = QueueDepth - 1;
  localparam int PtrWidth = t3_pkg::index_width(TailDepth);
  localparam int CountWidth = $clog2(TailDepth + 1);
  localparam logic [PtrWidth-1:0] LastPtr = PtrWidth'(TailDepth - 1);

  // {last row, last column} of the tile with product P.
  function automatic logic [t3_pkg::ClassWidth-1:0] class_of(
      input logic [ProductWidth-1:0] product,
      input logic [t3_pkg::ReciprocalWidth-1:0] reciprocal,
      input logic [t3_pkg::TilesWidth-1:0] tiles_down);
    class_of[1] = (t3_pkg::TilesWidth+1)'(product[32 +: RowWidth]) + (t3_pkg::TilesWidth+1)'(1)
                  == {1'b0, tiles_down};
    class_of[0] = 34'(product[31:0]) + 34'(reciprocal) >= 34'h1_0000_0000;
  endfunction

  // ---- control, one bit per lane --------------------------------------------------------------
  logic [NumLanes-1:0] l1_valid_q, l2_valid_q, l3_valid_q;
  logic [NumLanes-1:0] head_valid_q, tail_valid_q, full_q;
  logic [NumLanes-1:0] tracked_q, untracked_q;
  logic [NumLanes-1:0] match;
  // In L3: 0 or more than 128 bytes; beyond the region. Such an update leaves L3 when it is its turn.
  logic [NumLanes-1:0] bytes_wrong_q, border_wrong_q, asks, turn;
  logic bytes_event_q, border_event_q;

  // A stage is free when it is empty or when its update moves on, so bubbles close.
  logic [NumLanes-1:0] l1_free, l2_free, l3_free, l3_leaves, load1, load2, load3, push;

  always_comb begin : p_flow
    l3_leaves = l3_valid_q & (turn | (~bytes_wrong_q & ~border_wrong_q & ~full_q));
    l3_free = ~l3_valid_q | l3_leaves;
    l2_free = ~l2_valid_q | l3_free;
    l1_free = ~l1_valid_q | l2_free;
    ready_o = open_i ? l1_free : '0;
    load2 = l2_free & match;
    load3 = l3_free & l2_valid_q;
    push = l3_leaves & ~bytes_wrong_q;
  end
  assign load1 = valid_i & ready_o;
  assign asks = l3_valid_q & (bytes_wrong_q | (border_wrong_q & ~full_q));

  t3_arb_rr #(
    .Count(NumLanes)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .req_i  (asks),
    .take_i (asks != '0),
    .grant_o(turn)
  );

  // Where a pushed update and the head's successor come from.
  logic [NumLanes-1:0] push_head, push_tail, pop_tail;
  always_comb begin : p_queue
    push_head = push & (~head_valid_q | (pop_i & ~tail_valid_q));
    push_tail = push & ~push_head;
    pop_tail = pop_i & tail_valid_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) begin
      l1_valid_q <= '0;
      l2_valid_q <= '0;
      l3_valid_q <= '0;
      head_valid_q <= '0;
      tracked_q <= '0;
      untracked_q <= '0;
      bytes_event_q <= 1'b0;
      border_event_q <= 1'b0;
    end else begin
      l1_valid_q <= load1 | (l1_valid_q & ~l2_free);
      l2_valid_q <= load2 | (l2_valid_q & ~l3_free);
      l3_valid_q <= load3 | (l3_valid_q & ~l3_leaves);
      head_valid_q <= push_head | pop_tail | (head_valid_q & ~pop_i);
      tracked_q <= load2;
      untracked_q <= l1_valid_q & l2_free & ~match;
      bytes_event_q <= (turn & bytes_wrong_q) != '0;
      border_event_q <= (turn & ~bytes_wrong_q) != '0;
    end
  end

  assign valid_o = head_valid_q;
  assign tracked_o = tracked_q;
  assign untracked_o = untracked_q;
  assign bytes_event_o = bytes_event_q;
  assign border_event_o = border_event_q;
  assign active_o = (l3_leaves | (l2_valid_q & l2_free) | (l1_valid_q & l1_free)
                     | tracked_q | untracked_q) != '0 || bytes_event_q || border_event_q;
  assign work_o = (l1_valid_q | l2_valid_q | l3_valid_q | head_valid_q | tracked_q | untracked_q)
                  != '0 || bytes_event_q || border_event_q;

  // ---- the tails of the queues: in use only while a bank is behind ----------------------------
  logic [NumLanes*PtrWidth-1:0] write_ptr_q, read_ptr_q;
  logic [NumLanes*CountWidth-1:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_tail
    if (!rst_ni) begin
      write_ptr_q <= '0;
      read_ptr_q <= '0;
      count_q <= '0;
      tail_valid_q <= '0;
      full_q <= '0;
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
  // Heads of the queues.
  logic [NumLanes*BankWidth-1:0] bank_q;
  logic [NumLanes*KeyWidth-1:0] key_q;
  logic [NumLanes*GranWidth-1:0] gran_q;
  logic [NumLanes*BytesWidth-1:0] bytes_q;

  logic [NumLanes-1:0] moves;
  assign moves = load1 | load2 | load3;

  // While idle, nothing changes: one enable for all lanes.
  logic any_move, any_push_tail, any_head;
  assign any_move = moves != '0;
  assign any_push_tail = push_tail != '0;
  assign any_head = (pop_tail | push_head) != '0;

  // The updates in L3, and the one that is reported.
  logic [NumLanes*TileWidth-1:0] l3_tile;
  logic [TileWidth-1:0] tile;

  always_comb begin : p_tile
    tile = '0;
    if (asks != '0) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (turn[l]) tile = tile | l3_tile[l*TileWidth +: TileWidth];
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_event_tile
    if (asks != '0) event_tile_o <= tile;
  end

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    // L1: the input, untouched. L2: with the lowest-numbered region that matches.
    logic [WgWidth-1:0] l1_wg_q, l2_wg_q, l3_wg_q;
    logic [WfWidth-1:0] l1_wf_q, l2_wf_q, l3_wf_q;
    logic [GranWidth-1:0] l1_gran_q, l2_gran_q, l3_gran_q;
    logic [BytesWidth-1:0] l1_bytes_q, l2_bytes_q, l3_bytes_q;
    logic [RegionWidth-1:0] match_region, l2_region_q, l3_region_q;
    logic [GeoWidth-1:0] l2_geo_q, l3_geo_q;
    logic [ProductWidth-1:0] l3_product_q;
    logic [PageWidth-1:0] l1_page;
    logic found;
    logic l1_bytes_wrong_q, l2_bytes_wrong_q, l1_next_page_q, l2_next_page_q;  // it ends on the next page
    logic [BytesWidth-1:0] last_byte;  // of the update, within a block of 128 bytes, or beyond it

    assign l1_page = l1_gran_q[GranWidth-1 -: PageWidth];

    always_comb begin : p_match
      found = 1'b0;
      match_region = '0;
      if (l1_valid_q[l] && enable_i) begin
        for (int r = Regions - 1; r >= 0; r--) begin
          if (reg_enable_i[r]
              && l1_wg_q >= reg_wg_first_i[r*WgWidth +: WgWidth]
              && l1_wg_q <= reg_wg_last_i[r*WgWidth +: WgWidth]
              && l1_page >= reg_page_first_i[r*PageWidth +: PageWidth]
              && l1_page <= reg_page_last_i[r*PageWidth +: PageWidth]) begin
            found = 1'b1;
            match_region = RegionWidth'(r);
          end
        end
      end
    end
    assign match[l] = found;
    assign l3_tile[l*TileWidth +: TileWidth] = {l3_region_q, l3_wg_q, l3_wf_q, l3_gran_q};
    assign last_byte = BytesWidth'(addr_i[l*AddrWidth +: t3_pkg::UpdateLog2])
                       + bytes_i[l*BytesWidth +: BytesWidth] - BytesWidth'(1);

    always_ff @(posedge clk_i) begin : p_stages
      if (any_move) begin
        if (moves[l]) begin
          if (load1[l]) begin
            l1_wg_q <= wg_i[l*WgWidth +: WgWidth];
            l1_wf_q <= wf_i[l*WfWidth +: WfWidth];
            l1_gran_q <= addr_i[l*AddrWidth+t3_pkg::GranuleLog2 +: GranWidth];
            l1_bytes_q <= bytes_i[l*BytesWidth +: BytesWidth];
            l1_bytes_wrong_q <= bytes_i[l*BytesWidth +: BytesWidth] == '0
                                || bytes_i[l*BytesWidth +: BytesWidth]
                                   > BytesWidth'(1 << t3_pkg::UpdateLog2);
            l1_next_page_q <= last_byte[t3_pkg::UpdateLog2]
                              && addr_i[l*AddrWidth+t3_pkg::PageLog2-1 -: BlockWidth] == '1;
          end
          if (load2[l]) begin
            l2_region_q <= match_region;
            l2_geo_q <= reg_geo_i[match_region*GeoWidth +: GeoWidth];
            l2_wg_q <= l1_wg_q;
            l2_wf_q <= l1_wf_q;
            l2_gran_q <= l1_gran_q;
            l2_bytes_q <= l1_bytes_q;
            l2_bytes_wrong_q <= l1_bytes_wrong_q;
            l2_next_page_q <= l1_next_page_q;
          end
          if (load3[l]) begin
            l3_region_q <= l2_region_q;
            l3_geo_q <= l2_geo_q;
            l3_wg_q <= l2_wg_q;
            l3_wf_q <= l2_wf_q;
            l3_gran_q <= l2_gran_q;
            l3_bytes_q <= l2_bytes_q;
            bytes_wrong_q[l] <= l2_bytes_wrong_q;
            border_wrong_q[l] <= l2_next_page_q && !l2_bytes_wrong_q
                                 && l2_gran_q[GranWidth-1 -: PageWidth]
                                    == reg_page_last_i[l2_region_q*PageWidth +: PageWidth];
            l3_product_q <= ProductWidth'(l2_wg_q)
                * ProductWidth'(geo_reciprocal_i[l2_geo_q*t3_pkg::ReciprocalWidth
                                                 +: t3_pkg::ReciprocalWidth]);
          end
        end
      end
    end

    // Bank and class are found on the way into the queue.
    logic [WordWidth-1:0] tail_q [TailDepth];

    always_ff @(posedge clk_i) begin : p_tail_data
      if (any_push_tail) begin
        if (push_tail[l]) begin
          tail_q[write_ptr_q[l*PtrWidth +: PtrWidth]] <=
              {BankWidth'(l3_wg_q) ^ BankWidth'(l3_wf_q), l3_region_q,
               class_of(l3_product_q,
                        geo_reciprocal_i[l3_geo_q*t3_pkg::ReciprocalWidth +: t3_pkg::ReciprocalWidth],
                        geo_tiles_down_i[l3_geo_q*t3_pkg::TilesWidth +: t3_pkg::TilesWidth]),
               l3_wg_q, l3_wf_q, l3_gran_q, l3_bytes_q};
        end
      end
    end

    always_ff @(posedge clk_i) begin : p_head
      if (any_head) begin
        if (pop_tail[l]) begin
          {bank_q[l*BankWidth +: BankWidth], key_q[l*KeyWidth +: KeyWidth],
           gran_q[l*GranWidth +: GranWidth], bytes_q[l*BytesWidth +: BytesWidth]} <=
              tail_q[read_ptr_q[l*PtrWidth +: PtrWidth]];
        end else if (push_head[l]) begin
          bank_q[l*BankWidth +: BankWidth] <= BankWidth'(l3_wg_q) ^ BankWidth'(l3_wf_q);
          key_q[l*KeyWidth +: KeyWidth] <=
              {l3_region_q,
               class_of(l3_product_q,
                        geo_reciprocal_i[l3_geo_q*t3_pkg::ReciprocalWidth +: t3_pkg::ReciprocalWidth],
                        geo_tiles_down_i[l3_geo_q*t3_pkg::TilesWidth +: t3_pkg::TilesWidth]),
               l3_wg_q, l3_wf_q};
          gran_q[l*GranWidth +: GranWidth] <= l3_gran_q;
          bytes_q[l*BytesWidth +: BytesWidth] <= l3_bytes_q;
        end
      end
    end
  end

  assign bank_o = bank_q;
  assign key_o = key_q;
  assign gran_o = gran_q;
  assign bytes_o = bytes_q;

  logic unused_offsets;
  assign unused_offsets = ^addr_i;

`ifdef T3_ASSERT_UPDATES
  // For models in which an update of a wrong size can only be a fault of the model.
  // Whether the updates of `lanes` have 1 to 128 bytes.
  function automatic logic in_range(input logic [NumLanes-1:0] lanes,
                                    input logic [NumLanes*BytesWidth-1:0] bytes);
    in_range = 1'b1;
    for (int l = 0; l < NumLanes; l++) begin
      if (lanes[l] && (bytes[l*BytesWidth +: BytesWidth] == '0
                       || bytes[l*BytesWidth +: BytesWidth] > BytesWidth'(128))) begin
        in_range = 1'b0;
      end
    end
  endfunction
  `T3_ASSERT(bytes_in_range, load1 == '0 || in_range(load1, bytes_i))
`endif
  `T3_ASSERT(pop_has_a_head, (pop_i & ~head_valid_q) == '0)

endmodule
