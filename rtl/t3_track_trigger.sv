// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
`include "t3_types.svh"
/// Track-and-trigger unit: takes the bytes of the updates that enter a memory's queues off the counts of the commands that
/// wait for them, and says when a count is zero, once. docs/tracker.md is its specification.
///
/// Promise: every lane takes an update per cycle as long as banks keep up; no update is refused for good, whatever happens
/// at the other ports. With empty queues a slot is at `done_*` eleven cycles after the cycle in which a lane takes the update
/// that completes it. All outputs are functions of registers.
///
///   lane 0 ─► ┌──────────┐   ┌───────────┐   ┌──────────┐           ┌─► t3_regions, irq
///     …       │ t3_lanes ├─► │ t3_router ├─► │ t3_slots ├─ completed ┼─► t3_rows ────► rel_*
///   lane n ─► └──────────┘   └───────────┘   └──────────┘           └─► t3_waiting ─► done_*
///                                               ▲     ▲                     │ asks
///   s_axil_* ─► t3_axil ─► t3_regs, t3_counters ┴─────┴─ t3_fill ◄──────────┘
///
/// `busy_o`: a register changes at the next edge though no input is valid. While it is low, no input is valid and no
/// handshake is pending with the other side ready, the clock may stop.
module t3_track_trigger #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int WeightWidth = 8,
  parameter int CountWidth = 23,
  parameter int NumWindows = 4,
  parameter int NumRegions = 8,
  parameter int NumSlots = 4096,
  parameter int NumRows = 256,
  parameter int LaneDepth = 4,
  parameter int QueueDepth = 64,
  /// Of the memories: t3_pkg::ProtectNone, ProtectParity or ProtectSecded.
  parameter int Protection = t3_pkg::ProtectNone,
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [NumLanes-1:0]             lane_valid_i,
  output logic [NumLanes-1:0]             lane_ready_o,
  input  logic [NumLanes*WgWidth-1:0]     lane_wg_i,
  input  logic [NumLanes*WfWidth-1:0]     lane_wf_i,
  input  logic [NumLanes*AddrWidth-1:0]   lane_addr_i,
  input  logic [NumLanes*WeightWidth-1:0] lane_weight_i,

  output logic                 done_valid_o,
  input  logic                 done_ready_i,
  output logic [SlotWidth-1:0] done_slot_o,
  output logic                 done_spoiled_o,

  output logic                rel_valid_o,
  input  logic                rel_ready_i,
  output logic [RowWidth-1:0] rel_row_o,

  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [15:0] s_axil_awaddr_i,
  input  logic [2:0]  s_axil_awprot_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  output logic [1:0]  s_axil_bresp_o,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  input  logic [15:0] s_axil_araddr_i,
  input  logic [2:0]  s_axil_arprot_i,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,

  output logic irq_o,
  output logic alert_o,
  output logic busy_o
);

  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2;
  localparam int WindowWidth = t3_pkg::index_width(NumWindows);
  localparam int RegionWidth = t3_pkg::index_width(NumRegions);
  localparam int WindowBits = 2 * PageWidth;
  localparam int RegionBits = t3_pkg::region_bits(WindowWidth, WgWidth, SlotWidth, RowWidth);
  localparam int BankBits = $clog2(NumBanks);
  localparam int IndexWidth = SlotWidth - BankBits;
  localparam int WalkWidth = (IndexWidth > RowWidth) ? IndexWidth : RowWidth;
  localparam int KeyWidth = RegionWidth + SlotWidth;
  localparam int SumWidth = WeightWidth + $clog2(NumLanes);
  localparam int CompletionBits = 1 + RegionWidth + SlotWidth;
  localparam int ErrorBits = RegionWidth + t3_pkg::InfoWidth;
  localparam int DoneWidth = t3_pkg::DoneWidth;
  localparam int RowCountWidth = t3_pkg::RowCountWidth;
  localparam int CounterWidth = t3_pkg::CounterWidth;
  localparam int Causes = t3_pkg::Causes;
  // Events of one cause in one cycle: one for each lane, or each bank and the rows.
  localparam int NumberWidth = $clog2(((NumLanes > NumBanks) ? NumLanes : NumBanks) + 2);
  localparam int RowQueueDepth = 16;

  `T3_REGION_T(region_t);
  `T3_COMPLETION_T(completion_t);

  initial begin : p_check
    if (NumLanes < 1 || NumLanes > 16 || (NumLanes & (NumLanes - 1)) != 0)
      $fatal(1, "NumLanes: expected 1, 2, 4, 8 or 16");
    if (NumBanks < 2 || NumBanks > 16 || (NumBanks & (NumBanks - 1)) != 0)
      $fatal(1, "NumBanks: expected 2, 4, 8 or 16");
    if (WgWidth < 8 || WgWidth > 16) $fatal(1, "WgWidth: expected 8 to 16");
    if (WfWidth < 1 || WfWidth > 3) $fatal(1, "WfWidth: expected 1 to 3");
    if (AddrWidth < 32 || AddrWidth > 48) $fatal(1, "AddrWidth: expected 32 to 48");
    if (WeightWidth < 8 || WeightWidth > 14) $fatal(1, "WeightWidth: expected 8 to 14");
    if (CountWidth < 17 || CountWidth > 27 || CountWidth % 2 == 0)
      $fatal(1, "CountWidth: expected an odd number, 17 to 27");
    if (NumWindows < 1 || NumWindows > 8) $fatal(1, "NumWindows: expected 1 to 8");
    if (NumRegions < 1 || NumRegions > 16) $fatal(1, "NumRegions: expected 1 to 16");
    if (NumSlots < 16 || NumSlots > 8192 || (NumSlots & (NumSlots - 1)) != 0 || NumSlots < 2 * NumBanks)
      $fatal(1, "NumSlots: expected a power of two, 16 to 8192, at least 2 x NumBanks");
    if (NumRows < 16 || NumRows > 4096 || (NumRows & (NumRows - 1)) != 0)
      $fatal(1, "NumRows: expected a power of two, 16 to 4096");
    if (LaneDepth < 2 || LaneDepth > 64) $fatal(1, "LaneDepth: expected 2 to 64");
    if (QueueDepth < 16 || QueueDepth > 1024 || (QueueDepth & (QueueDepth - 1)) != 0)
      $fatal(1, "QueueDepth: expected a power of two, 16 to 1024");
    if (Protection < 0 || Protection > 2) $fatal(1, "Protection: expected 0, 1 or 2");
  end

  // ---- registers ------------------------------------------------------------------------------
  logic wr_valid, wr_privileged, wr_done, wr_error, rd_valid, rd_done, rd_error;
  logic [15:0] wr_addr, rd_addr;
  logic [31:0] wr_data, rd_data;
  logic axil_active, regs_active;

  t3_axil u_axil (
    .clk_i,
    .rst_ni,
    .awvalid_i      (s_axil_awvalid_i),
    .awready_o      (s_axil_awready_o),
    .awaddr_i       (s_axil_awaddr_i),
    .awprivileged_i (s_axil_awprot_i[0]),
    .wvalid_i       (s_axil_wvalid_i),
    .wready_o       (s_axil_wready_o),
    .wdata_i        (s_axil_wdata_i),
    .wstrb_i        (s_axil_wstrb_i),
    .bvalid_o       (s_axil_bvalid_o),
    .bready_i       (s_axil_bready_i),
    .bresp_o        (s_axil_bresp_o),
    .arvalid_i      (s_axil_arvalid_i),
    .arready_o      (s_axil_arready_o),
    .araddr_i       (s_axil_araddr_i),
    .rvalid_o       (s_axil_rvalid_o),
    .rready_i       (s_axil_rready_i),
    .rdata_o        (s_axil_rdata_o),
    .rresp_o        (s_axil_rresp_o),
    .wr_valid_o     (wr_valid),
    .wr_addr_o      (wr_addr),
    .wr_data_o      (wr_data),
    .wr_privileged_o(wr_privileged),
    .wr_done_i      (wr_done),
    .wr_error_i     (wr_error),
    .rd_valid_o     (rd_valid),
    .rd_addr_o      (rd_addr),
    .rd_done_i      (rd_done),
    .rd_data_i      (rd_data),
    .rd_error_i     (rd_error),
    .active_o       (axil_active)
  );

  logic enable;
  logic [NumWindows*WindowBits-1:0] windows;
  logic [NumRegions*RegionBits-1:0] regions;
  logic [NumRegions*DoneWidth-1:0] target, done_counts;
  logic [NumRegions-1:0] reached, region_stopped, region_triggers;
  logic restart;
  logic [RegionWidth-1:0] restart_region;

  logic slot_arm, slot_look, slot_force, slot_done, slot_refused, slot_waits, slot_spoiled;
  logic [SlotWidth-1:0] slot_number;
  logic [CountWidth-1:0] slot_value, slot_missing;
  logic row_arm, row_look, row_force, row_done, row_refused, row_waits, row_spoiled;
  logic [RowWidth-1:0] row_number;
  logic [RowCountWidth-1:0] row_value, row_missing;

  logic clear, fill, walk_open, walk_idle, filling, clearing, clear_walk, cleared, walk_step, walk_active;
  logic [RegionWidth-1:0] fill_region;
  logic [CountWidth-1:0] fill_value;

  logic [NumLanes-1:0] tracked, untracked, dropped, stalled, stalled_q;
  logic completed, triggered, taken, released, slots_taken, rows_taken, hold, work;
  logic [CompletionBits-1:0] completion_bits, c_bits_q;
  completion_t completion, c_q;
  logic c_valid_q;
  logic commands_waiting, rows_waiting, row_corrected;
  logic [NumBanks-1:0] slot_corrected;

  logic [CounterWidth-1:0] n_updates, n_untracked, n_dropped, n_completed, n_triggers, n_taken, n_released;
  logic [CounterWidth-1:0] n_stalls, n_corrected;

  logic [Causes-1:0] errors, error_forget;
  logic [Causes*t3_pkg::ErrorCountWidth-1:0] error_counts;
  logic error_first, error_rearm, error_event;
  logic [t3_pkg::CauseWidth-1:0] error_cause;
  logic [ErrorBits-1:0] error_what;
  logic in_use, locked;
  logic [ErrorBits-1:0] access_what;

  t3_regs #(
    .Protection (Protection),
    .NumLanes   (NumLanes),
    .NumBanks   (NumBanks),
    .WgWidth    (WgWidth),
    .WfWidth    (WfWidth),
    .AddrWidth  (AddrWidth),
    .WeightWidth(WeightWidth),
    .CountWidth (CountWidth),
    .NumWindows (NumWindows),
    .NumRegions (NumRegions),
    .NumSlots   (NumSlots),
    .NumRows    (NumRows)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .wr_valid_i      (wr_valid),
    .wr_addr_i       (wr_addr),
    .wr_data_i       (wr_data),
    .wr_privileged_i (wr_privileged),
    .wr_done_o       (wr_done),
    .wr_error_o      (wr_error),
    .rd_valid_i      (rd_valid),
    .rd_addr_i       (rd_addr),
    .rd_done_o       (rd_done),
    .rd_data_o       (rd_data),
    .rd_error_o      (rd_error),
    .slot_arm_o      (slot_arm),
    .slot_look_o     (slot_look),
    .slot_number_o   (slot_number),
    .slot_value_o    (slot_value),
    .slot_force_o    (slot_force),
    .slot_done_i     (slot_done),
    .slot_refused_i  (slot_refused),
    .slot_waits_i    (slot_waits),
    .slot_spoiled_i  (slot_spoiled),
    .slot_missing_i  (slot_missing),
    .row_arm_o       (row_arm),
    .row_look_o      (row_look),
    .row_number_o    (row_number),
    .row_value_o     (row_value),
    .row_force_o     (row_force),
    .row_done_i      (row_done),
    .row_refused_i   (row_refused),
    .row_waits_i     (row_waits),
    .row_spoiled_i   (row_spoiled),
    .row_missing_i   (row_missing),
    .clear_o         (clear),
    .fill_o          (fill),
    .fill_region_o   (fill_region),
    .fill_value_o    (fill_value),
    .walk_idle_i     (walk_idle),
    .filling_i       (filling),
    .clearing_i      (clearing),
    .cleared_i       (cleared),
    .enable_o        (enable),
    .windows_o       (windows),
    .regions_o       (regions),
    .target_o        (target),
    .done_i          (done_counts),
    .reached_i       (reached),
    .restart_o       (restart),
    .restart_region_o(restart_region),
    .busy_i          (work || filling || clearing),
    .commands_i      (commands_waiting),
    .rows_i          (rows_waiting),
    .waiting_i       (stalled_q != '0),
    .updates_i       (n_updates),
    .untracked_i     (n_untracked),
    .dropped_i       (n_dropped),
    .completed_i     (n_completed),
    .triggers_i      (n_triggers),
    .taken_i         (n_taken),
    .released_i      (n_released),
    .stalls_i        (n_stalls),
    .corrected_i     (n_corrected),
    .errors_i        (errors),
    .error_counts_i  (error_counts),
    .error_first_i   (error_first),
    .error_cause_i   (error_cause),
    .error_what_i    (error_what),
    .error_event_i   (error_event),
    .error_forget_o  (error_forget),
    .error_rearm_o   (error_rearm),
    .in_use_o        (in_use),
    .locked_o        (locked),
    .refused_what_o  (access_what),
    .irq_o,
    .alert_o,
    .active_o        (regs_active)
  );

  region_t region;
  always_comb begin : p_settings
    region = '0;
    for (int r = 0; r < NumRegions; r++) begin
      region = regions[r*RegionBits +: RegionBits];
      region_stopped[r] = region.stopped;
      region_triggers[r] = region.triggers;
    end
  end

  t3_counters #(
    .Protection(Protection),
    .NumLanes  (NumLanes),
    .NumBanks  (NumBanks)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i    (cleared),
    .tracked_i  (tracked),
    .untracked_i(untracked),
    .dropped_i  (dropped),
    .stalled_i  (stalled_q),
    .completed_i(c_valid_q),
    .triggered_i(triggered),
    .taken_i    (taken),
    .released_i (released),
    .corrected_i({row_corrected, slot_corrected}),
    .updates_o  (n_updates),
    .untracked_o(n_untracked),
    .dropped_o  (n_dropped),
    .stalls_o   (n_stalls),
    .completed_o(n_completed),
    .triggers_o (n_triggers),
    .taken_o    (n_taken),
    .released_o (n_released),
    .corrected_o(n_corrected)
  );

  // ---- walks ----------------------------------------------------------------------------------
  logic [WalkWidth-1:0] walk_index;
  logic [SlotWidth-1:0] walk_first, walk_last;
  logic [CountWidth-1:0] walk_value;
  logic walk_force;
  region_t fill_settings;
  assign fill_settings = regions[fill_region*RegionBits +: RegionBits];

  t3_fill #(
    .SlotWidth (SlotWidth),
    .BankBits  (BankBits),
    .CountWidth(CountWidth),
    .IndexWidth(WalkWidth)
  ) u_fill (
    .clk_i,
    .rst_ni,
    .clear_i     (clear),
    .fill_i      (fill),
    .first_i     (fill_settings.slot_first),
    .last_i      (fill_settings.slot_last),
    .value_i     (fill_value),
    .force_i     (fill_settings.stopped),
    .work_i      (work),
    .hold_i      (slots_taken || rows_taken),
    .open_o      (walk_open),
    .idle_o      (walk_idle),
    .filling_o   (filling),
    .clearing_o  (clearing),
    .clear_walk_o(clear_walk),
    .cleared_o   (cleared),
    .step_o      (walk_step),
    .index_o     (walk_index),
    .first_o     (walk_first),
    .last_o      (walk_last),
    .value_o     (walk_value),
    .force_o     (walk_force),
    .active_o    (walk_active)
  );

  // ---- lanes ----------------------------------------------------------------------------------
  logic [NumLanes-1:0] head_valid, head_pop, weight_error, outside;
  logic [NumLanes*BankBits-1:0] head_bank;
  logic [NumLanes*KeyWidth-1:0] head_key;
  logic [NumLanes*WeightWidth-1:0] head_weight;
  logic [ErrorBits-1:0] weight_what, outside_what;
  logic lanes_work;

  t3_lanes #(
    .NumLanes   (NumLanes),
    .NumBanks   (NumBanks),
    .WgWidth    (WgWidth),
    .WfWidth    (WfWidth),
    .AddrWidth  (AddrWidth),
    .WeightWidth(WeightWidth),
    .NumWindows (NumWindows),
    .NumRegions (NumRegions),
    .NumSlots   (NumSlots),
    .NumRows    (NumRows),
    .Depth      (LaneDepth)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .open_i        (walk_open),
    .enable_i      (enable),
    .valid_i       (lane_valid_i),
    .ready_o       (lane_ready_o),
    .wg_i          (lane_wg_i),
    .wf_i          (lane_wf_i),
    .addr_i        (lane_addr_i),
    .weight_i      (lane_weight_i),
    .windows_i     (windows),
    .regions_i     (regions),
    .valid_o       (head_valid),
    .pop_i         (head_pop),
    .bank_o        (head_bank),
    .key_o         (head_key),
    .weight_o      (head_weight),
    .tracked_o     (tracked),
    .untracked_o   (untracked),
    .dropped_o     (dropped),
    .weight_error_o(weight_error),
    .weight_what_o (weight_what),
    .outside_o     (outside),
    .outside_what_o(outside_what),
    .work_o        (lanes_work)
  );

  assign stalled = lane_valid_i & ~lane_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_stalled
    if (!rst_ni) begin
      stalled_q <= '0;
    end else if ((stalled | stalled_q) != '0) begin
      stalled_q <= stalled;
    end
  end

  // ---- lanes to banks -------------------------------------------------------------------------
  logic [NumBanks-1:0] update_valid, update_pop;
  logic [NumBanks*KeyWidth-1:0] update_key;
  logic [NumBanks*SumWidth-1:0] update_weight;
  logic router_work;

  t3_router #(
    .NumLanes   (NumLanes),
    .NumBanks   (NumBanks),
    .KeyWidth   (KeyWidth),
    .WeightWidth(WeightWidth)
  ) u_router (
    .clk_i,
    .rst_ni,
    .valid_i (head_valid),
    .pop_o   (head_pop),
    .bank_i  (head_bank),
    .key_i   (head_key),
    .weight_i(head_weight),
    .valid_o (update_valid),
    .pop_i   (update_pop),
    .key_o   (update_key),
    .weight_o(update_weight),
    .work_o  (router_work)
  );

  // ---- slots ----------------------------------------------------------------------------------
  logic ask_offer, ask_look, ask_grant, ask_hit, ask_spoiled;
  logic [SlotWidth-1:0] ask_slot;
  logic [NumBanks-1:0] overrun, stray, armed_early, slot_damaged;
  logic [ErrorBits-1:0] overrun_what, stray_what, armed_what, slot_damaged_what;
  logic slots_work;

  t3_slots #(
    .Protection(Protection),
    .NumBanks  (NumBanks),
    .NumRegions(NumRegions),
    .NumSlots  (NumSlots),
    .CountWidth(CountWidth),
    .SumWidth  (SumWidth)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .valid_i       (update_valid),
    .pop_o         (update_pop),
    .key_i         (update_key),
    .weight_i      (update_weight),
    .stopped_i     (region_stopped),
    .triggers_i    (region_triggers),
    .fill_i        (walk_step),
    .fill_index_i  (walk_index[IndexWidth-1:0]),
    .fill_first_i  (walk_first),
    .fill_last_i   (walk_last),
    .fill_value_i  (walk_value),
    .fill_force_i  (walk_force),
    .sw_arm_i      (slot_arm),
    .sw_look_i     (slot_look),
    .sw_slot_i     (slot_number),
    .sw_value_i    (slot_value),
    .sw_force_i    (slot_force),
    .sw_done_o     (slot_done),
    .sw_refused_o  (slot_refused),
    .sw_waits_o    (slot_waits),
    .sw_spoiled_o  (slot_spoiled),
    .sw_missing_o  (slot_missing),
    .ask_offer_i   (ask_offer),
    .ask_look_i    (ask_look),
    .ask_slot_i    (ask_slot),
    .ask_grant_o   (ask_grant),
    .ask_hit_o     (ask_hit),
    .ask_spoiled_o (ask_spoiled),
    .sw_takes_o    (slots_taken),
    .hold_i        (hold),
    .completed_o   (completed),
    .completion_o  (completion_bits),
    .overrun_o     (overrun),
    .overrun_what_o(overrun_what),
    .stray_o       (stray),
    .stray_what_o  (stray_what),
    .refused_o     (armed_early),
    .refused_what_o(armed_what),
    .damaged_o     (slot_damaged),
    .damaged_what_o(slot_damaged_what),
    .corrected_o   (slot_corrected),
    .work_o        (slots_work)
  );

  // ---- completions ----------------------------------------------------------------------------
  assign completion = completion_bits;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_completed
    if (!rst_ni) begin
      c_valid_q <= 1'b0;
    end else if (completed || c_valid_q) begin
      c_valid_q <= completed;
    end
  end

  always_ff @(posedge clk_i) begin : p_completion
    if (completed) c_bits_q <= completion_bits;
  end
  assign c_q = c_bits_q;
  assign triggered = c_valid_q && c_q.triggers;

  t3_regions #(
    .NumRegions(NumRegions)
  ) u_regions (
    .clk_i,
    .rst_ni,
    .clear_i         (cleared),
    .completed_i     (c_valid_q),
    .region_i        (c_q.region),
    .restart_i       (restart),
    .restart_region_i(restart_region),
    .target_i        (target),
    .done_o          (done_counts),
    .reached_o       (reached)
  );

  logic waiting_active, waiting_work;

  t3_waiting #(
    .Protection(Protection),
    .Slots     (NumSlots),
    .Depth     (QueueDepth)
  ) u_waiting (
    .clk_i,
    .rst_ni,
    .clear_i        (clear_walk),
    .push_i         (completed && completion.triggers),
    .push_slot_i    (completion.slot),
    .offer_o        (ask_offer),
    .look_o         (ask_look),
    .slot_o         (ask_slot),
    .grant_i        (ask_grant),
    .hit_i          (ask_hit),
    .spoiled_i      (ask_spoiled),
    .valid_o        (done_valid_o),
    .ready_i        (done_ready_i),
    .shown_o        (done_slot_o),
    .shown_spoiled_o(done_spoiled_o),
    .waiting_o      (commands_waiting),
    .work_o         (waiting_work),
    .active_o       (waiting_active)
  );
  assign taken = done_valid_o && done_ready_i;

  // ---- rows -----------------------------------------------------------------------------------
  logic row_stray, row_outside, row_armed_early, row_damaged, rows_active, rows_work;
  logic [ErrorBits-1:0] row_stray_what, row_outside_what, row_what;

  t3_rows #(
    .Protection(Protection),
    .WgWidth   (WgWidth),
    .NumWindows(NumWindows),
    .NumRegions(NumRegions),
    .NumSlots  (NumSlots),
    .NumRows   (NumRows),
    .QueueDepth(RowQueueDepth)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .clear_i       (clear_walk),
    .clear_step_i  (clear_walk && walk_step),
    .clear_row_i   (walk_index[RowWidth-1:0]),
    .completed_i   (completed),
    .completion_i  (completion_bits),
    .regions_i     (regions),
    .hold_o        (hold),
    .sw_arm_i      (row_arm),
    .sw_look_i     (row_look),
    .sw_row_i      (row_number),
    .sw_value_i    (row_value),
    .sw_force_i    (row_force),
    .sw_done_o     (row_done),
    .sw_refused_o  (row_refused),
    .sw_waits_o    (row_waits),
    .sw_spoiled_o  (row_spoiled),
    .sw_missing_o  (row_missing),
    .sw_takes_o    (rows_taken),
    .rel_valid_o,
    .rel_ready_i,
    .rel_row_o,
    .waiting_o     (rows_waiting),
    .released_o    (released),
    .stray_o       (row_stray),
    .stray_what_o  (row_stray_what),
    .outside_o     (row_outside),
    .outside_what_o(row_outside_what),
    .refused_o     (row_armed_early),
    .damaged_o     (row_damaged),
    .corrected_o   (row_corrected),
    .word_what_o   (row_what),
    .active_o      (rows_active),
    .work_o        (rows_work)
  );

  // ---- errors ---------------------------------------------------------------------------------
  function automatic logic [NumberWidth-1:0] lanes_in(input logic [NumLanes-1:0] pulses);
    lanes_in = '0;
    for (int i = 0; i < NumLanes; i++) lanes_in = lanes_in + NumberWidth'(pulses[i]);
  endfunction

  function automatic logic [NumberWidth-1:0] banks_in(input logic [NumBanks-1:0] pulses);
    banks_in = '0;
    for (int i = 0; i < NumBanks; i++) banks_in = banks_in + NumberWidth'(pulses[i]);
  endfunction

  logic [Causes*NumberWidth-1:0] error_number;
  logic [Causes*ErrorBits-1:0] error_whats;
  logic any_error;
  assign any_error = (overrun | stray | armed_early | slot_damaged) != '0
                     || (weight_error | outside) != '0 || row_stray || row_outside || row_armed_early
                     || row_damaged || in_use || locked;

  always_comb begin : p_errors
    error_number = '0;
    if (any_error) begin
      error_number[t3_reg_pkg::ErrorsOverrunLsb*NumberWidth +: NumberWidth] = banks_in(overrun);
      error_number[t3_reg_pkg::ErrorsStrayLsb*NumberWidth +: NumberWidth] = banks_in(stray);
      error_number[t3_reg_pkg::ErrorsWeightLsb*NumberWidth +: NumberWidth] = lanes_in(weight_error);
      error_number[t3_reg_pkg::ErrorsOutsideLsb*NumberWidth +: NumberWidth] = lanes_in(outside);
      error_number[t3_reg_pkg::ErrorsRowStrayLsb*NumberWidth] = row_stray;
      error_number[t3_reg_pkg::ErrorsRowOutsideLsb*NumberWidth] = row_outside;
      error_number[t3_reg_pkg::ErrorsArmedEarlyLsb*NumberWidth +: NumberWidth] = banks_in(armed_early);
      error_number[t3_reg_pkg::ErrorsRowArmedEarlyLsb*NumberWidth] = row_armed_early;
      error_number[t3_reg_pkg::ErrorsInUseLsb*NumberWidth] = in_use;
      error_number[t3_reg_pkg::ErrorsLockedLsb*NumberWidth] = locked;
      error_number[t3_reg_pkg::ErrorsDamagedLsb*NumberWidth +: NumberWidth] =
          banks_in(slot_damaged) + NumberWidth'(row_damaged);
    end
  end

  // A damaged row has a bit above its number.
  localparam logic [ErrorBits-1:0] OfRow = ErrorBits'(1 << 16);
  assign error_whats = {
      (slot_damaged != '0) ? slot_damaged_what : row_what | OfRow,
      access_what, access_what, row_what, armed_what, row_outside_what, row_stray_what, outside_what,
      weight_what, stray_what, overrun_what};

  t3_errors #(
    .NumberWidth(NumberWidth),
    .ErrorBits  (ErrorBits)
  ) u_errors (
    .clk_i,
    .rst_ni,
    .clear_i      (cleared),
    .number_i     (error_number),
    .what_i       (error_whats),
    .forget_i     (error_forget),
    .rearm_i      (error_rearm),
    .errors_o     (errors),
    .counts_o     (error_counts),
    .first_valid_o(error_first),
    .first_cause_o(error_cause),
    .first_what_o (error_what),
    .any_o        (error_event)
  );

  // ---- busy -----------------------------------------------------------------------------------
  // Of registers alone, and of few: what is inside moves within a fixed time, so `busy_o` need not know when.
  assign work = lanes_work || router_work || slots_work || c_valid_q || rows_work || waiting_work;
  assign busy_o = work || rows_active || waiting_active || walk_active || axil_active || regs_active || stalled_q != '0;

  `T3_ASSERT(a_clear_finds_nothing_inside, !cleared || !(lanes_work || router_work))

  logic unused_bits;
  assign unused_bits = ^{s_axil_awprot_i, s_axil_arprot_i, fill_settings, region, completion, c_q};

endmodule
