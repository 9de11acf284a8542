// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Release unit: counts completed wavefront tiles down for the row of output tiles that they lie in, and
/// says when a row is complete.
///
/// Promise: takes one completion per cycle and never waits. A completion of a region that releases
/// counts row slot `base + row` down by one, modulo ReleaseRows, where row is the tile's row in the
/// grid of the region's geometry. When the slot falls from one to zero, its number goes to the release
/// port, so once; if no other release waits it is there five cycles after its completion was shown
/// here. A completion for a slot that is zero is a stray row and is reported with its tile. Releases
/// leave in the order in which their rows were completed. Software cannot arm a slot whose release
/// waits, so a slot is in the queue once at most, and the queue cannot overflow.
///
///   completion ─► R0 ─► R1 wg x reciprocal = row ─► R2 row slot, RAM read ─► R3 count down, RAM write
///                                                     ▲── forwarded word ──┘             └─► queue
///
/// Why: a row is often longer than a command's block, its parts lie in several regions, and a chunk may
/// begin in the middle of it. So a row is counted by itself, whatever command a tile counts for. A
/// completion knows its workgroup only; one multiplier, behind the trigger unit, finds the row of all
/// of them without a cycle more for commands and notifications. Software's accesses go through the same
/// pipeline, so there is one order of everything that happens to a slot. An access that finds a completion
/// at the input asks the trigger unit to leave out a turn. Whether a release waits is the difference of
/// two bits in two RAMs, as in t3_trigger.
module t3_release #(
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  parameter int ReleaseRows = 256,
  localparam int RowWidth = t3_pkg::index_width(ReleaseRows),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries),
  localparam int Regions = 1 << RegionWidth,
  localparam int Geometries = 1 << GeoWidth,
  localparam int IdWidth = RegionWidth + WgWidth + WfWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// While up, the unit is idle and row slot `clear_row_i` becomes zero; with `reset_i`, no release waits.
  input  logic                clear_i,
  input  logic                reset_i,
  input  logic [RowWidth-1:0] clear_row_i,

  /// A wavefront tile is complete: {region, wg, wf}. One per cycle.
  input  logic               completed_i,
  input  logic [IdWidth-1:0] tile_i,

  /// Region and geometry tables, element i at [i*W +: W].
  input  logic [Regions-1:0]                            reg_release_i,
  input  logic [Regions*RowWidth-1:0]                   reg_row_base_i,
  input  logic [Regions*GeoWidth-1:0]                   reg_geo_i,
  input  logic [Geometries*t3_pkg::ReciprocalWidth-1:0] geo_reciprocal_i,

  /// Software's accesses to row slots: held until the pulse of their done. Not taken while `sw_hold_i`
  /// is up: the slots are about to be cleared.
  input  logic                            sw_hold_i,
  input  logic                            sw_wr_valid_i,
  input  logic [RowWidth-1:0]             sw_wr_row_i,
  input  logic [t3_pkg::MissingWidth-1:0] sw_wr_data_i,
  output logic                            sw_wr_done_o,
  /// With the done: not written, because the slot's release waits.
  output logic                            sw_wr_refused_o,
  input  logic                            sw_rd_valid_i,
  input  logic [RowWidth-1:0]             sw_rd_row_i,
  output logic                            sw_rd_done_o,
  output logic [t3_pkg::MissingWidth-1:0] sw_rd_data_o,
  output logic                            sw_rd_waits_o,
  /// Software waits for a cycle without a completion.
  output logic                            wants_turn_o,

  output logic                rel_valid_o,
  input  logic                rel_ready_i,
  output logic [RowWidth-1:0] rel_row_o,
  /// Releases that wait.
  output logic [RowWidth:0]   queued_o,

  /// Pulses: a row was released; a completion found its slot at zero, of which tile and which slot;
  /// software armed slot `armed_row_o` early.
  output logic                released_o,
  output logic                stray_o,
  output logic [IdWidth-1:0]  stray_tile_o,
  output logic [RowWidth-1:0] stray_row_o,
  output logic                armed_early_o,
  output logic [RowWidth-1:0] armed_row_o,

  output logic active_o,
  output logic work_o
);

  localparam int MissingWidth = t3_pkg::MissingWidth;
  localparam int ReciprocalWidth = t3_pkg::ReciprocalWidth;
  localparam int ProductWidth = WgWidth + ReciprocalWidth;
  localparam int ProductLsb = 32;  // of the row

  // While idle, nothing below changes.
  logic awake;

  // ---- R0: a completion, or software's access -------------------------------------------------
  logic sw_busy_q, sw_done_q, sw_write_q;
  logic [RowWidth-1:0] sw_row_q;
  logic [MissingWidth-1:0] sw_data_q;
  logic sw_wants, sw_take, counts;

  assign counts = completed_i && reg_release_i[tile_i[IdWidth-1 -: RegionWidth]];
  assign sw_wants = (sw_wr_valid_i || sw_rd_valid_i) && !sw_busy_q && !sw_hold_i;
  assign sw_take = sw_wants && !completed_i;
  assign wants_turn_o = sw_wants && completed_i;

  logic r0_valid_q, r0_sw_q, r1_valid_q, r1_sw_q, r2_valid_q, r2_sw_q;
  logic [IdWidth-1:0] r0_tile_q, r1_tile_q, r2_tile_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) begin
      r0_valid_q <= 1'b0;
      r0_sw_q <= 1'b0;
      r1_valid_q <= 1'b0;
      r1_sw_q <= 1'b0;
      r2_valid_q <= 1'b0;
      r2_sw_q <= 1'b0;
      sw_busy_q <= 1'b0;
    end else if (awake) begin
      r0_valid_q <= counts;
      r0_sw_q <= sw_take;
      r1_valid_q <= r0_valid_q;
      r1_sw_q <= r0_sw_q;
      r2_valid_q <= r1_valid_q;
      r2_sw_q <= r1_sw_q;
      if (sw_take) begin
        sw_busy_q <= 1'b1;
      end else if (sw_done_q) begin
        sw_busy_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_r0
    if (counts) r0_tile_q <= tile_i;
    if (sw_take) begin
      sw_write_q <= sw_wr_valid_i;
      sw_row_q <= sw_wr_valid_i ? sw_wr_row_i : sw_rd_row_i;
      sw_data_q <= sw_wr_data_i;
    end
  end

  // ---- R1: the row ----------------------------------------------------------------------------
  logic [RegionWidth-1:0] r0_region;
  logic [GeoWidth-1:0] r0_geo;
  logic [ProductWidth-1:0] product;
  logic [RowWidth-1:0] r1_row_q;
  assign r0_region = r0_tile_q[IdWidth-1 -: RegionWidth];
  assign r0_geo = reg_geo_i[r0_region*GeoWidth +: GeoWidth];

  always_comb begin : p_row
    product = '0;
    if (r0_valid_q) begin
      product = ProductWidth'(r0_tile_q[WfWidth +: WgWidth])
                * ProductWidth'(geo_reciprocal_i[r0_geo*ReciprocalWidth +: ReciprocalWidth]);
    end
  end

  always_ff @(posedge clk_i) begin : p_r1
    if (r0_valid_q) begin
      r1_tile_q <= r0_tile_q;
      r1_row_q <= RowWidth'(product >> ProductLsb);
    end
  end

  // ---- R2: the row slot -----------------------------------------------------------------------
  logic [RegionWidth-1:0] r1_region;
  logic [RowWidth-1:0] r1_slot, r2_slot_q;
  assign r1_region = r1_tile_q[IdWidth-1 -: RegionWidth];

  always_comb begin : p_slot
    r1_slot = '0;
    if (r1_sw_q) begin
      r1_slot = sw_row_q;
    end else if (r1_valid_q) begin
      r1_slot = reg_row_base_i[r1_region*RowWidth +: RowWidth] + r1_row_q;
    end
  end

  logic r1_any, r2_write, r2_turn, r2_forward_q;
  logic [MissingWidth-1:0] ram_missing, forward_q, missing, missing_next;
  assign r1_any = r1_valid_q || r1_sw_q;

  t3_ram_1r1w #(
    .Depth(ReleaseRows),
    .Width(MissingWidth)
  ) u_rows (
    .clk_i,
    .en_i   (awake || clear_i),
    .we_i   (r2_write || clear_i),
    .waddr_i(clear_i ? clear_row_i : r2_slot_q),
    .wdata_i(clear_i ? '0 : missing_next),
    .re_i   (r1_any),
    .raddr_i(r1_slot),
    .rdata_o(ram_missing)
  );

  // Turns over when the slot is released to the queue; what it was when the release left it.
  logic ram_released, ram_left, released_forward_q, released_forwarded_q, left_forward_q, left_forwarded_q;
  logic released, left, waits, take, rel_turn;
  assign take = rel_valid_o && rel_ready_i;

  t3_ram_1r1w #(
    .Depth(ReleaseRows),
    .Width(1)
  ) u_released (
    .clk_i,
    .en_i   (awake || clear_i),
    .we_i   (r2_turn || (clear_i && reset_i)),
    .waddr_i(clear_i ? clear_row_i : r2_slot_q),
    .wdata_i(clear_i ? 1'b0 : !released),
    .re_i   (r1_any),
    .raddr_i(r1_slot),
    .rdata_o(ram_released)
  );

  t3_ram_1r1w #(
    .Depth(ReleaseRows),
    .Width(1)
  ) u_left (
    .clk_i,
    .en_i   (awake || clear_i || take),
    .we_i   (take || (clear_i && reset_i)),
    .waddr_i(take ? rel_row_o : clear_row_i),
    .wdata_i(take && rel_turn),
    .re_i   (r1_any),
    .raddr_i(r1_slot),
    .rdata_o(ram_left)
  );

  always_ff @(posedge clk_i) begin : p_r2
    if (r1_any) begin
      r2_slot_q <= r1_slot;
      r2_forward_q <= r2_write && r2_slot_q == r1_slot;
      released_forwarded_q <= r2_turn && r2_slot_q == r1_slot;
      released_forward_q <= !released;
      left_forwarded_q <= take && rel_row_o == r1_slot;
      left_forward_q <= rel_turn;
    end
    if (r1_valid_q) r2_tile_q <= r1_tile_q;
    if (r2_write) forward_q <= missing_next;
  end

  // ---- R3: count down -------------------------------------------------------------------------
  logic none, refused;

  always_comb begin : p_count
    missing = '0;
    none = 1'b0;
    missing_next = '0;
    r2_write = 1'b0;
    r2_turn = 1'b0;
    released = 1'b0;
    left = 1'b0;
    waits = 1'b0;
    refused = 1'b0;
    if (r2_valid_q || r2_sw_q) begin
      missing = r2_forward_q ? forward_q : ram_missing;
      none = missing == '0;
      missing_next = r2_sw_q ? sw_data_q : missing - MissingWidth'(1);
      released = released_forwarded_q ? released_forward_q : ram_released;
      left = left_forwarded_q ? left_forward_q : ram_left;
      waits = released != left;
      refused = r2_sw_q && sw_write_q && waits && sw_data_q != '0;
      r2_turn = r2_valid_q && missing == MissingWidth'(1);
      r2_write = r2_sw_q ? sw_write_q && !refused : !none;
    end
  end

  logic r3_release_q, r3_stray_q, r3_turn_q;
  logic [RowWidth-1:0] r3_slot_q;
  logic [IdWidth-1:0] r3_tile_q;
  logic sw_refused_q, sw_waits_q;
  logic [MissingWidth-1:0] sw_read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_r3_valid
    if (!rst_ni) begin
      r3_release_q <= 1'b0;
      r3_stray_q <= 1'b0;
      sw_done_q <= 1'b0;
    end else if (awake) begin
      r3_release_q <= r2_turn;
      r3_stray_q <= r2_valid_q && none;
      sw_done_q <= r2_sw_q;
    end
  end

  always_ff @(posedge clk_i) begin : p_r3
    if (r2_turn || (r2_valid_q && none)) begin
      r3_slot_q <= r2_slot_q;
      r3_tile_q <= r2_tile_q;
      r3_turn_q <= !released;
    end
    if (r2_sw_q) begin
      sw_read_q <= missing;
      sw_waits_q <= waits;
      sw_refused_q <= refused;
    end
  end

  assign sw_wr_done_o = sw_done_q && sw_write_q;
  assign sw_rd_done_o = sw_done_q && !sw_write_q;
  assign sw_rd_data_o = sw_read_q;
  assign sw_rd_waits_o = sw_waits_q;
  assign sw_wr_refused_o = sw_refused_q;

  // ---- out ------------------------------------------------------------------------------------
  logic queue_active, queue_load;
  logic [RowWidth:0] queue_next;

  t3_ready_queue #(
    .Depth(ReleaseRows),
    .Width(1 + RowWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni,
    .push_i  (r3_release_q),
    .data_i  ({r3_turn_q, r3_slot_q}),
    .valid_o (rel_valid_o),
    .ready_i (rel_ready_i),
    .data_o  ({rel_turn, rel_row_o}),
    .load_o  (queue_load),
    .next_o  (queue_next),
    .count_o (queued_o),
    .active_o(queue_active)
  );

  logic unused_queue;
  assign unused_queue = ^{queue_load, queue_next};

  assign released_o = r3_release_q;
  assign stray_o = r3_stray_q;
  assign stray_tile_o = r3_tile_q;
  assign stray_row_o = r3_slot_q;
  assign armed_early_o = sw_wr_done_o && sw_refused_q;
  assign armed_row_o = sw_row_q;

  assign work_o = r0_valid_q || r1_valid_q || r2_valid_q || r3_release_q || r3_stray_q || sw_busy_q;
  assign awake = counts || sw_take || work_o;
  assign active_o = awake || queue_active;

  `T3_ASSERT(clear_finds_the_unit_idle, !clear_i || (!completed_i && !work_o))

endmodule
