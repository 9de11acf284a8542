// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Front end of one update lane: finds the region and the tile class of each update and queues it
/// for its bank.
///
/// Promise: one update per cycle; updates leave in order; an update accepted at edge 0 is at the
/// queue's head after edge 3 when the queue is empty. `ready_o` is a function of registers: it
/// falls only while the lanes are closed or the queue and the three stages before it are full.
/// An update without a region (or with the unit disabled) is counted and goes no further.
///
///   valid_i ─► L1 input ─► L2 region ─► L3 wg x reciprocal ─► class ─► FIFO ─► head
///
/// Why: the stages close up bubbles by themselves, so a FIFO of two places already sustains one
/// update per cycle. Row and column come from one product P = wg * R, R = ceil(2^32 / across):
/// row = P >> 32 exactly, and the tile is in the last column if and only if P + R, the product of
/// the next workgroup, falls into another row.
module t3_lane #(
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  parameter int FifoDepth = 8,
  localparam int BankWidth = t3_pkg::index_width(NumBanks),
  localparam int GranWidth = AddrWidth - t3_pkg::GranuleLog2,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries),
  localparam int Regions = 1 << RegionWidth,
  localparam int Geometries = 1 << GeoWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Lanes open: not resetting, not clearing.
  input  logic open_i,
  /// CTRL.enable.
  input  logic enable_i,

  input  logic                          valid_i,
  output logic                          ready_o,
  input  logic [WgWidth-1:0]            wg_i,
  input  logic [WfWidth-1:0]            wf_i,
  input  logic [GranWidth-1:0]          gran_i,
  input  logic [t3_pkg::BytesWidth-1:0] bytes_i,

  /// Region and geometry tables, element i at [i*W +: W].
  input  logic [Regions-1:0]                                 reg_enable_i,
  input  logic [Regions*WgWidth-1:0]                         reg_wg_first_i,
  input  logic [Regions*WgWidth-1:0]                         reg_wg_last_i,
  input  logic [Regions*PageWidth-1:0]                       reg_page_first_i,
  input  logic [Regions*PageWidth-1:0]                       reg_page_last_i,
  input  logic [Regions*GeoWidth-1:0]                        reg_geo_i,
  input  logic [Geometries*t3_pkg::ReciprocalWidth-1:0]      geo_reciprocal_i,
  input  logic [Geometries*t3_pkg::TilesWidth-1:0]           geo_tiles_down_i,

  output logic                          valid_o,
  input  logic                          pop_i,
  output logic [BankWidth-1:0]          bank_o,
  output logic [RegionWidth-1:0]        region_o,
  output logic [t3_pkg::ClassWidth-1:0] class_o,
  output logic [WgWidth-1:0]            wg_o,
  output logic [WfWidth-1:0]            wf_o,
  output logic [GranWidth-1:0]          gran_o,
  output logic [t3_pkg::BytesWidth-1:0] bytes_o,

  /// Pulses: an update found its region, or did not.
  output logic tracked_o,
  output logic untracked_o,
  /// A register changes at the next edge; an update is inside.
  output logic active_o,
  output logic work_o
);

  localparam int ProductWidth = WgWidth + t3_pkg::ReciprocalWidth;
  localparam int RowWidth = WgWidth + 1;
  localparam int QueueWidth =
      BankWidth + RegionWidth + t3_pkg::ClassWidth + WgWidth + WfWidth + GranWidth
      + t3_pkg::BytesWidth;

  logic l1_valid_q, l2_valid_q, l3_valid_q;
  logic tracked_q, untracked_q;
  logic fifo_full;
  logic match;
  logic l1_free, l2_free, l3_free;

  // A stage is free when empty or when its update moves on: bubbles close up.
  always_comb begin : p_flow
    l3_free = !l3_valid_q || !fifo_full;
    l2_free = !l2_valid_q || l3_free;
    l1_free = !l1_valid_q || l2_free;
    ready_o = open_i && l1_free;
  end

  // Asleep, nothing below moves: one enable for all of it.
  logic awake;
  assign awake = valid_i || l1_valid_q || l2_valid_q || l3_valid_q || tracked_q || untracked_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) begin
      tracked_q <= 1'b0;
      untracked_q <= 1'b0;
      l1_valid_q <= 1'b0;
      l2_valid_q <= 1'b0;
      l3_valid_q <= 1'b0;
    end else if (awake) begin
      tracked_q <= l1_valid_q && l2_free && match;
      untracked_q <= l1_valid_q && l2_free && !match;
      if (l3_free) l3_valid_q <= l2_valid_q;
      if (l2_free) l2_valid_q <= match;
      if (l1_free) l1_valid_q <= valid_i && open_i;
    end
  end

  // L1: the input, untouched.
  logic [WgWidth-1:0] l1_wg_q;
  logic [WfWidth-1:0] l1_wf_q;
  logic [GranWidth-1:0] l1_gran_q;
  logic [t3_pkg::BytesWidth-1:0] l1_bytes_q;

  always_ff @(posedge clk_i) begin : p_l1
    if (valid_i && ready_o) begin
      l1_wg_q <= wg_i;
      l1_wf_q <= wf_i;
      l1_gran_q <= gran_i;
      l1_bytes_q <= bytes_i;
    end
  end

  // L2: the lowest-numbered region that matches.
  logic [RegionWidth-1:0] match_region;
  logic [PageWidth-1:0] l1_page;
  assign l1_page = l1_gran_q[GranWidth-1 -: PageWidth];

  always_comb begin : p_match
    match = 1'b0;
    match_region = '0;
    if (l1_valid_q && enable_i) begin
      for (int r = Regions - 1; r >= 0; r--) begin
        if (reg_enable_i[r]
            && l1_wg_q >= reg_wg_first_i[r*WgWidth +: WgWidth]
            && l1_wg_q <= reg_wg_last_i[r*WgWidth +: WgWidth]
            && l1_page >= reg_page_first_i[r*PageWidth +: PageWidth]
            && l1_page <= reg_page_last_i[r*PageWidth +: PageWidth]) begin
          match = 1'b1;
          match_region = RegionWidth'(r);
        end
      end
    end
  end

  logic [RegionWidth-1:0] l2_region_q;
  logic [GeoWidth-1:0] l2_geo_q;
  logic [WgWidth-1:0] l2_wg_q;
  logic [WfWidth-1:0] l2_wf_q;
  logic [GranWidth-1:0] l2_gran_q;
  logic [t3_pkg::BytesWidth-1:0] l2_bytes_q;

  always_ff @(posedge clk_i) begin : p_l2
    if (l2_free && match) begin
      l2_region_q <= match_region;
      l2_geo_q <= reg_geo_i[match_region*GeoWidth +: GeoWidth];
      l2_wg_q <= l1_wg_q;
      l2_wf_q <= l1_wf_q;
      l2_gran_q <= l1_gran_q;
      l2_bytes_q <= l1_bytes_q;
    end
  end

  // L3: where in the grid the tile lies.
  logic [RegionWidth-1:0] l3_region_q;
  logic [GeoWidth-1:0] l3_geo_q;
  logic [WgWidth-1:0] l3_wg_q;
  logic [WfWidth-1:0] l3_wf_q;
  logic [GranWidth-1:0] l3_gran_q;
  logic [t3_pkg::BytesWidth-1:0] l3_bytes_q;
  logic [ProductWidth-1:0] l3_product_q;

  always_ff @(posedge clk_i) begin : p_l3
    if (l3_free && l2_valid_q) begin
      l3_region_q <= l2_region_q;
      l3_geo_q <= l2_geo_q;
      l3_wg_q <= l2_wg_q;
      l3_wf_q <= l2_wf_q;
      l3_gran_q <= l2_gran_q;
      l3_bytes_q <= l2_bytes_q;
      l3_product_q <= ProductWidth'(l2_wg_q)
          * ProductWidth'(geo_reciprocal_i[l2_geo_q*t3_pkg::ReciprocalWidth
                                           +: t3_pkg::ReciprocalWidth]);
    end
  end

  // Class and bank on the way into the queue.
  logic push;
  logic [RowWidth-1:0] row;
  logic last_column, last_row;
  logic [BankWidth-1:0] bank;
  logic [QueueWidth-1:0] queue_in;

  assign push = l3_valid_q && !fifo_full;

  always_comb begin : p_class
    row = '0;
    last_column = 1'b0;
    last_row = 1'b0;
    bank = '0;
    queue_in = '0;
    if (l3_valid_q) begin
      row = l3_product_q[32 +: RowWidth];
      last_column = 34'(l3_product_q[31:0])
          + 34'(geo_reciprocal_i[l3_geo_q*t3_pkg::ReciprocalWidth +: t3_pkg::ReciprocalWidth])
          >= 34'h1_0000_0000;
      last_row = (t3_pkg::TilesWidth+1)'(row) + (t3_pkg::TilesWidth+1)'(1)
          == {1'b0, geo_tiles_down_i[l3_geo_q*t3_pkg::TilesWidth +: t3_pkg::TilesWidth]};
      bank = BankWidth'(l3_wg_q) ^ BankWidth'(l3_wf_q);
      queue_in = {bank, l3_region_q, last_row, last_column, l3_wg_q, l3_wf_q, l3_gran_q,
                  l3_bytes_q};
    end
  end

  logic [QueueWidth-1:0] queue_out;

  t3_fifo #(
    .Depth(FifoDepth),
    .Width(QueueWidth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .push_i (push),
    .data_i (queue_in),
    .full_o (fifo_full),
    .valid_o(valid_o),
    .data_o (queue_out),
    .pop_i  (pop_i)
  );

  assign {bank_o, region_o, class_o, wg_o, wf_o, gran_o, bytes_o} = queue_out;

  assign tracked_o = tracked_q;
  assign untracked_o = untracked_q;
  assign active_o = (l3_valid_q && l3_free) || (l2_valid_q && l2_free) || (l1_valid_q && l1_free)
                    || tracked_q || untracked_q;
  assign work_o = l1_valid_q || l2_valid_q || l3_valid_q || valid_o || tracked_q || untracked_q;

  `T3_ASSERT(bytes_in_range,
             !(valid_i && ready_o) || (bytes_i != '0 && bytes_i <= t3_pkg::BytesWidth'(128)))

endmodule
