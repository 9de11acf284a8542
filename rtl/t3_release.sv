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
///                                                            ┌ t3_slots ────────────────────────┐
///   completion ─► R0 ─► R1 row = wg x reciprocal ─► R2 slot ─┼─► RAM read ─► R3 count ─► queue ─┼─► rel_*
///                                                            └──────────────────────────────────┘
///
/// Why: a row is often longer than a command's block, its parts lie in several regions, and a chunk may
/// begin in the middle of it. So a row is counted by itself, whatever command a tile counts for. A
/// completion knows its workgroup only; one multiplier, behind the trigger unit, finds the row of all
/// of them without a cycle more for commands and notifications. Software's accesses go through the same
/// pipeline, so there is one order of everything that happens to a slot (t3_slots). An access that finds a
/// completion at the input asks the trigger unit to leave out a turn.
module t3_release #(
  parameter int Protection = t3_pkg::ProtectNone,
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

  /// Pulses: a word was corrected; a slot was damaged, which; a place of the queue was corrected or damaged.
  output logic                   corrected_o,
  output logic                   damaged_o,
  output logic [RowWidth-1:0]    damaged_row_o,
  output logic                   queue_corrected_o,
  output logic                   queue_damaged_o,

  output logic active_o,
  output logic work_o
);

  localparam int ReciprocalWidth = t3_pkg::ReciprocalWidth;
  localparam int ProductWidth = WgWidth + ReciprocalWidth;
  localparam int ProductLsb = 32;  // of the row

  // While idle, nothing below changes.
  logic awake;

  // ---- R0: a completion, or software's access -------------------------------------------------
  logic sw_wants, sw_take, sw_busy, counts;

  assign counts = completed_i && reg_release_i[tile_i[IdWidth-1 -: RegionWidth]];
  assign sw_take = sw_wants && !completed_i;
  assign wants_turn_o = sw_wants && completed_i;

  logic r0_valid_q, r0_sw_q, r1_valid_q, r1_sw_q, r2_valid_q;
  logic [IdWidth-1:0] r0_tile_q, r1_tile_q, r2_tile_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) begin
      r0_valid_q <= 1'b0;
      r0_sw_q <= 1'b0;
      r1_valid_q <= 1'b0;
      r1_sw_q <= 1'b0;
      r2_valid_q <= 1'b0;
    end else if (awake) begin
      r0_valid_q <= counts;
      r0_sw_q <= sw_take;
      r1_valid_q <= r0_valid_q;
      r1_sw_q <= r0_sw_q;
      r2_valid_q <= r1_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin : p_r0
    if (counts) r0_tile_q <= tile_i;
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
  logic [RowWidth-1:0] r1_slot;
  assign r1_region = r1_tile_q[IdWidth-1 -: RegionWidth];

  always_comb begin : p_slot
    r1_slot = '0;
    if (r1_valid_q) begin
      r1_slot = reg_row_base_i[r1_region*RowWidth +: RowWidth] + r1_row_q;
    end
  end

  // ---- R3: count down, and out ----------------------------------------------------------------
  logic queued, queue_active, queue_load;
  logic [RowWidth-1:0] next_row;
  logic [IdWidth-1:0] r3_tile_q;

  t3_slots #(
    .Protection(Protection),
    .Slots    (ReleaseRows),
    .WordWidth(RowWidth)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .en_i           (awake),
    .clear_i,
    .reset_i,
    .clear_slot_i   (clear_row_i),
    .read_i         (r1_valid_q),
    .slot_i         (r1_slot),
    .count_i        (r2_valid_q),
    .queues_i       (1'b1),
    .word_i         (stray_row_o),
    .fell_o         (released_o),
    .queued_o       (queued),
    .none_o         (stray_o),
    .slot_o         (stray_row_o),
    .corrected_o,
    .damaged_o,
    .damaged_slot_o (damaged_row_o),
    .queue_corrected_o,
    .queue_damaged_o,
    .sw_hold_i,
    .sw_wr_valid_i,
    .sw_wr_slot_i   (sw_wr_row_i),
    .sw_wr_data_i,
    .sw_wr_done_o,
    .sw_wr_refused_o,
    .sw_rd_valid_i,
    .sw_rd_slot_i   (sw_rd_row_i),
    .sw_rd_done_o,
    .sw_rd_data_o,
    .sw_rd_waits_o,
    .sw_wants_o     (sw_wants),
    .sw_take_i      (sw_take),
    .sw_read_i      (r1_sw_q),
    .sw_busy_o      (sw_busy),
    .armed_early_o,
    .armed_slot_o   (armed_row_o),
    .valid_o        (rel_valid_o),
    .ready_i        (rel_ready_i),
    .word_o         (rel_row_o),
    .load_o         (queue_load),
    .next_o         (next_row),
    .waiting_o      (queued_o),
    .queue_active_o (queue_active)
  );

  always_ff @(posedge clk_i) begin : p_tile
    if (r1_valid_q) r2_tile_q <= r1_tile_q;
    if (r2_valid_q) r3_tile_q <= r2_tile_q;
  end

  assign stray_tile_o = r3_tile_q;

  logic unused_queue;
  assign unused_queue = ^{queued, queue_load, next_row};

  assign work_o = r0_valid_q || r1_valid_q || r2_valid_q || released_o || stray_o || sw_busy
                  || corrected_o || damaged_o;
  assign awake = counts || sw_take || work_o;
  assign active_o = awake || queue_active;

  `T3_ASSERT(clear_finds_the_unit_idle, !clear_i || (!completed_i && !work_o))

endmodule
