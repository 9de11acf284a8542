// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
`include "t3_types.svh"
/// Counts completed blocks down for the row of output tiles that they lie in, and says when a row is complete.
///
/// Promise: takes one completion per cycle, and none while `hold_o` is up from the next cycle on. A completion of a
/// region with rows counts row slot `row_first + (slot - slot_first + row_phase) / blocks per row` down by one. The
/// row that falls to zero is at `rel_*` nine cycles after its completion was shown here if no other row waits.
/// `released_o` says so, whether it is taken or not. A completion for a row slot that does not count is a stray,
/// one whose row does not exist is outside; both are reported. Software may write over a row that counts or waits only
/// if it is one of a region that is stopped, and of none that is on: the rows of its slots, found when its state is
/// written.
///
///   completion ─► R0 n ─► R1 n x reciprocal ─► R2 row ─► t3_bank A, B ─► t3_waiting ─► rel_*
///
/// Why: a row is often longer than a command's block, its parts lie in several regions, and a chunk may begin in
/// the middle of it. So a row is counted by itself, behind the count of commands, with the same parts: row slots
/// are a bank of their own. One multiplier finds the row of all completions. An access that finds completions in
/// its way holds the next ones for some cycles.
module t3_rows #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int WgWidth = 16,
  parameter int NumWindows = 4,
  parameter int NumRegions = 8,
  parameter int NumSlots = 4096,
  parameter int NumRows = 256,
  parameter int QueueDepth = 16,
  parameter int NumberWidth = 12,
  /// Of T3_ACCESS_T, T3_ANSWER_T: a row's count is less wide.
  parameter int CountWidth = 23,
  parameter int TimesWidth = 9,
  localparam int WindowWidth = t3_pkg::index_width(NumWindows),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows),
  localparam int RegionBits = `T3_REGION_BITS
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// One step of the walk that clears all words; forget what waits.
  input  logic                clear_i,
  input  logic                clear_step_i,
  input  logic [RowWidth-1:0] clear_row_i,

  input  logic                             completed_i,
  input  logic [`T3_COMPLETION_BITS-1:0]   completion_i,
  input  logic [NumRegions*RegionBits-1:0] regions_i,
  /// The state of a region was written.
  input  logic                             state_write_i,
  input  logic [RegionWidth-1:0]           state_region_i,
  output logic                             hold_o,

  /// T3_ACCESS_T, T3_ANSWER_T.
  input  logic [`T3_ACCESS_BITS-1:0] access_i,
  output logic [`T3_ANSWER_BITS-1:0] answer_o,
  /// Software's access takes this cycle: no step of the walk.
  output logic access_takes_o,

  /// Of t3_waiting.
  input  logic                sort_i,
  input  logic                look_i,
  output logic                sorting_o,
  output logic                stale_o,

  output logic                rel_valid_o,
  input  logic                rel_ready_i,
  output logic [RowWidth-1:0] rel_row_o,
  output logic                rel_spoiled_o,
  output logic                waiting_o,

  /// A row is complete; a word was corrected.
  output logic released_o,
  output logic corrected_o,
  /// T3_EVENT_T.
  output logic [`T3_EVENT_BITS-1:0] stray_o,
  output logic [`T3_EVENT_BITS-1:0] outside_o,
  output logic [`T3_EVENT_BITS-1:0] refused_o,
  output logic [`T3_EVENT_BITS-1:0] damaged_o,

  /// A completion or an answer is inside; a completion; a row is asked for.
  output logic work_o,
  output logic inside_o,
  output logic active_o,
  /// The row of a completion of this region is looked for, with the region's settings.
  input  logic [RegionWidth-1:0] asked_region_i,
  output logic of_region_o
);

  localparam int BlockWidth = SlotWidth + 1;  // n, below 2^14
  localparam int LowWidth = BlockWidth / 2;
  localparam int ProductWidth = BlockWidth + t3_pkg::ReciprocalWidth;
  localparam int SumWidth = ((BlockWidth > RowWidth) ? BlockWidth : RowWidth) + 2;
  localparam int RowCountWidth = t3_pkg::RowCountWidth;
  // A damaged row has a bit above its number.
  localparam logic [t3_pkg::InfoWidth-1:0] OfRow = t3_pkg::InfoWidth'(1 << 16);

  `T3_COMPLETION_T(completion_t);
  `T3_REGION_T(region_t);
  `T3_ERROR_T(error_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);

  // ---- R0: n ----------------------------------------------------------------------------------
  completion_t completion;
  region_t region;
  access_t access;
  answer_t answer_q;
  logic ask_offer, ask_look, ask_grant, ask_hit, ask_spoiled, b_ask_q;
  logic sw_wants, sw_go, sw_busy_q, sw_answer_q, free;
  logic [RowWidth-1:0] ask_row;
  logic r0_valid_q, r1_valid_q, r2_valid_q, r2_outside_q, counts;
  logic last_wants_q;
  logic [RegionWidth-1:0] last_region_q, of_region, r0_region_q, r1_region_q, r2_region_q;
  logic [SlotWidth-1:0] of_slot, r0_slot_q, r1_slot_q, r2_slot_q;
  logic [BlockWidth-1:0] r0_number_q;

  `T3_SPREAD(regions_i, spread)
  assign completion = completion_i;
  assign of_region = last_wants_q ? last_region_q : completion.region;
  assign region = spread[of_region*t3_pkg::RegionStride +: RegionBits];
  assign of_slot = last_wants_q ? region.slot_last : completion.slot;
  assign counts = completed_i && region.rows;

  // ---- the last row of a region whose state was written -----------------------------------------
  // As of a completion of its last slot, in the same stages, in which no completion comes (`hold_o`).
  logic r0_last_q, r1_last_q, r0_owns_q, r1_owns_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_last
    if (!rst_ni) begin
      {last_wants_q, r0_last_q, r1_last_q} <= '0;
    end else if (state_write_i || last_wants_q || r0_last_q || r1_last_q) begin
      last_wants_q <= state_write_i;
      r0_last_q <= last_wants_q;
      r1_last_q <= r0_last_q;
    end
  end

  always_ff @(posedge clk_i) begin : p_last_region
    if (state_write_i) last_region_q <= state_region_i;
  end

  always_ff @(posedge clk_i) begin : p_r0
    if (counts || last_wants_q) begin
      r0_region_q <= of_region;
      r0_slot_q <= completion.slot;
      r0_number_q <= BlockWidth'(of_slot) - BlockWidth'(region.slot_first) + BlockWidth'(region.row_phase);
    end
    if (last_wants_q) r0_owns_q <= region.rows && region.slot_first <= region.slot_last;
    if (r0_last_q) r1_owns_q <= r0_owns_q;
  end

  // ---- R1: n x reciprocal, in two parts; R2: the row -------------------------------------------
  region_t r0_settings, r1_settings;
  logic [ProductWidth-1:0] low, high, r1_low_q, r1_high_q;
  logic [SumWidth-1:0] row;
  logic [RowWidth-1:0] r2_row_q;
  assign r0_settings = spread[r0_region_q*t3_pkg::RegionStride +: RegionBits];
  assign r1_settings = spread[r1_region_q*t3_pkg::RegionStride +: RegionBits];

  always_comb begin : p_row
    low = '0;
    high = '0;
    row = '0;
    if (r0_valid_q || r0_last_q) begin
      low = ProductWidth'(r0_number_q[LowWidth-1:0]) * ProductWidth'(r0_settings.row_reciprocal);
      high = ProductWidth'(r0_number_q[BlockWidth-1:LowWidth]) * ProductWidth'(r0_settings.row_reciprocal);
    end
    if (r1_valid_q || r1_last_q) begin
      row = SumWidth'((r1_low_q + (r1_high_q << LowWidth)) >> t3_pkg::ReciprocalLsb)
            + SumWidth'(r1_settings.row_first);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) begin
      {r0_valid_q, r1_valid_q, r2_valid_q, r2_outside_q} <= '0;
    end else if (counts || r0_valid_q || r1_valid_q || r2_valid_q || r2_outside_q) begin
      r0_valid_q <= counts;
      r1_valid_q <= r0_valid_q;
      r2_valid_q <= r1_valid_q && row < SumWidth'(NumRows);
      r2_outside_q <= r1_valid_q && row >= SumWidth'(NumRows);
    end
  end

  always_ff @(posedge clk_i) begin : p_stages
    if (r0_valid_q || r0_last_q) begin
      r1_low_q <= low;
      r1_high_q <= high;
      r1_region_q <= r0_region_q;
      r1_slot_q <= r0_slot_q;
    end
    if (r1_valid_q) begin
      r2_row_q <= row[RowWidth-1:0];
      r2_region_q <= r1_region_q;
      r2_slot_q <= r1_slot_q;
    end
  end

  assign of_region_o = (r0_valid_q && r0_region_q == asked_region_i) || (r1_valid_q && r1_region_q == asked_region_i);

  // ---- whose rows -----------------------------------------------------------------------------
  // The rows of each region that is not off: a row may be armed whatever is in it if it is one of a region that is
  // stopped, and of none that is on.
  logic [NumRegions-1:0] owns_q;
  logic [NumRegions*RowWidth-1:0] last_row_q;
  logic of_stopped, of_on, forced;
  region_t owner;

  always_ff @(posedge clk_i) begin : p_rows
    if (r1_last_q) begin
      owns_q[r1_region_q] <= r1_owns_q;
      last_row_q[r1_region_q*RowWidth +: RowWidth] <= (row >= SumWidth'(NumRows)) ? '1 : row[RowWidth-1:0];
    end
  end

  always_comb begin : p_owners
    of_stopped = 1'b0;
    of_on = 1'b0;
    owner = '0;
    if (sw_wants && access.arm) begin
      for (int r = 0; r < NumRegions; r++) begin
        owner = regions_i[r*RegionBits +: RegionBits];
        if (owns_q[r] && access.number[RowWidth-1:0] >= owner.row_first
            && access.number[RowWidth-1:0] <= last_row_q[r*RowWidth +: RowWidth]) begin
          if (owner.stopped) of_stopped = 1'b1;
          else if (owner.on) of_on = 1'b1;
        end
      end
    end
  end
  assign forced = of_stopped && !of_on;

  // ---- accesses -------------------------------------------------------------------------------

  assign free = !r2_valid_q;
  assign access = access_i;
  assign answer_o = answer_q;
  assign sw_wants = (access.arm || access.look) && access.row && !sw_busy_q;
  // Only arming asks whose row it is, and a write of a state is no arming: so both end, whoever writes states meanwhile.
  assign sw_go = sw_wants && free && !(access.arm && (last_wants_q || r0_last_q || r1_last_q));
  assign ask_grant = (ask_offer || ask_look) && !sw_wants && free && !clear_step_i;
  assign access_takes_o = sw_go;
  assign hold_o = ((sw_wants || ask_offer || ask_look) && r2_valid_q) || last_wants_q || sorting_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_access
    if (!rst_ni) begin
      {sw_busy_q, sw_answer_q, b_ask_q} <= '0;
    end else begin
      if (sw_go) sw_busy_q <= 1'b1;
      if (answer_q.done) sw_busy_q <= 1'b0;
      sw_answer_q <= sw_go;
      b_ask_q <= ask_grant;
    end
  end

  // ---- the words ------------------------------------------------------------------------------
  logic bank_active, done, overrun, stray, refused, forgotten, waits, spoiled, corrected, damaged;
  logic [RowWidth-1:0] b_row, done_row_q;
  logic [RegionWidth-1:0] b_region;
  logic [RowCountWidth-1:0] missing, value_q;
  logic arms, force_q;
  assign arms = (sw_go && access.arm) || clear_step_i;

  always_ff @(posedge clk_i) begin : p_arms
    if (arms) begin
      value_q <= clear_step_i ? '0 : access.value[RowCountWidth-1:0];
      force_q <= clear_step_i || forced;
    end
  end

  t3_bank #(
    .Protection(Protection), .Depth(NumRows), .Width(RowCountWidth), .WeightWidth(1), .TagWidth(RegionWidth)
  ) u_bank (
    .clk_i, .rst_ni,
    .update_i(r2_valid_q), .arm_i(arms), .offer_i(ask_grant && ask_offer),
    .look_i((sw_go && access.look) || (ask_grant && !ask_offer)),
    .index_i(r2_valid_q ? r2_row_q : sw_go ? access.number[RowWidth-1:0] : ask_grant ? ask_row : clear_row_i),
    .weight_i(1'b1), .tag_i(r2_region_q), .value_i(value_q), .force_i(force_q), .index_o(b_row), .tag_o(b_region),
    .waits_i(1'b1), .ignore_i(1'b0), .done_o(done), .overrun_o(overrun), .stray_o(stray), .refused_o(refused), .forgotten_o(forgotten),
    .waits_o(waits), .spoiled_o(spoiled),
    .missing_o(missing), .corrected_o(corrected), .damaged_o(damaged), .active_o(bank_active)
  );

  assign ask_hit = b_ask_q && waits;
  assign ask_spoiled = spoiled;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_answer
    if (!rst_ni) begin
      answer_q <= '0;
    end else begin
      answer_q.done <= sw_answer_q;
      if (sw_answer_q) begin
        answer_q.refused <= refused;
        answer_q.waits <= waits;
        answer_q.spoiled <= spoiled;
        answer_q.missing <= CountWidth'(missing);
      end
    end
  end

  // ---- what happened --------------------------------------------------------------------------
  error_t word, bare, slot;  // bare: without a region; a damaged word is spoiled, so arming it is not refused
  always_comb begin : p_what
    word.region = b_region;
    word.info = t3_pkg::InfoWidth'(b_row);
    bare.region = '0;
    bare.info = damaged ? word.info | OfRow : word.info;
    slot.region = r2_region_q;
    slot.info = t3_pkg::InfoWidth'(r2_slot_q);
  end
  assign stray_o = stray ? {TimesWidth'(1), word} : '0;
  assign outside_o = r2_outside_q ? {TimesWidth'(1), slot} : '0;
  assign refused_o = refused ? {TimesWidth'(1), bare} : '0;
  assign damaged_o = damaged ? {TimesWidth'(1), bare} : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_reports
    if (!rst_ni) begin
      {released_o, corrected_o, done_row_q} <= '0;
    end else if (done || corrected || released_o || corrected_o) begin
      released_o <= done;
      corrected_o <= corrected;
      done_row_q <= b_row;
    end
  end

  // ---- out ------------------------------------------------------------------------------------
  logic waiting_work;

  t3_waiting #(.Protection(Protection), .Slots(NumRows), .Depth(QueueDepth), .Behind(5)) u_waiting (
    .clk_i, .rst_ni,
    .clear_i, .sort_i, .look_i, .forgotten_i(forgotten && !clear_i), .settled_i(!released_o),
    .quiet_i(!inside_o), .hold_o(sorting_o), .push_i(released_o), .push_slot_i(done_row_q), .offer_o(ask_offer),
    .look_o(ask_look), .slot_o(ask_row),
    .grant_i(ask_grant), .hit_i(ask_hit), .spoiled_i(ask_spoiled), .valid_o(rel_valid_o), .ready_i(rel_ready_i),
    .shown_o(rel_row_o), .shown_spoiled_o(rel_spoiled_o), .waiting_o, .stale_o, .work_o(waiting_work), .active_o
  );

  assign inside_o = r0_valid_q || r1_valid_q || r2_valid_q || (bank_active && !b_ask_q && !sw_answer_q) || released_o;
  assign work_o = last_wants_q || r0_last_q || r1_last_q || r0_valid_q || r1_valid_q || r2_valid_q || r2_outside_q || bank_active || released_o || corrected_o
                  || sw_busy_q || waiting_work;

  logic unused_rows;
  assign unused_rows = ^{overrun, completion, region, r0_settings, r1_settings, owner, access};

  `T3_ASSERT(a_row_is_not_overrun, !overrun)

endmodule
