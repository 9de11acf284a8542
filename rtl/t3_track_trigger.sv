// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
`include "t3_types.svh"
/// Track-and-trigger unit: takes the bytes of the updates that enter a memory's queues off the counts of the
/// commands that wait for them, and says when a count is zero, once. docs/tracker.md is its specification.
///
/// Promise: every lane takes an update per cycle as long as banks keep up; no update is refused for good, whatever
/// happens at the other ports. With empty queues a slot is at `done_*` eleven cycles after the cycle in which a
/// lane takes the update that completes it. All outputs are functions of registers.
///
///   lane 0 ─► ┌──────────┐   ┌───────────┐   ┌──────────┐           ┌─► t3_regions, irq
///     …       │ t3_lanes ├─► │ t3_router ├─► │ t3_slots ├─ completed ┼─► t3_rows ────► rel_*
///   lane n ─► └──────────┘   └───────────┘   └──────────┘           └─► t3_waiting ─► done_*
///                                               ▲     ▲                     │ asks
///   s_axil_* ─► t3_axil ─► t3_regs, t3_counters ┴─────┴─ t3_fill ◄──────────┘
///
/// t3_start lets a region begin behind everything that was taken before.
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
  /// 0: a unit without rows.
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
  output logic                rel_spoiled_o,

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
  localparam int RegionBits = `T3_REGION_BITS;
  localparam int EventBits = `T3_EVENT_BITS;
  localparam int BankBits = $clog2(NumBanks);
  localparam int WalkWidth = (SlotWidth - BankBits > RowWidth) ? SlotWidth - BankBits : RowWidth;
  localparam int NumberWidth = (SlotWidth > RowWidth) ? SlotWidth : RowWidth;
  localparam int KeyWidth = RegionWidth + SlotWidth;
  localparam int SumWidth = WeightWidth + $clog2(NumLanes);
  localparam int JoinedWidth = $clog2(NumLanes) + 1;
  localparam int NumberedWidth = JoinedWidth + BankBits;
  // Who may see an error in one cycle: each lane; or each bank, and the rows.
  localparam int TimesWidth = ((NumLanes > NumBanks) ? NumLanes : NumBanks) + 1;
  localparam int DoneWidth = t3_pkg::DoneWidth;
  localparam int RowQueueDepth = 16;

  `T3_REGION_T(region_t);
  `T3_REG2HW_T(reg2hw_t);
  `T3_WRITES_T(writes_t);
  `T3_HW2REG_T(hw2reg_t);
  `T3_ERROR_STATE_T(error_state_t);
  `T3_COMPLETION_T(completion_t);
  `T3_FILL_T(fill_t);
  `T3_EVENT_T(event_t);

  `T3_PARAMETER(NumLanes, NumLanes >= 1 && NumLanes <= 16 && (NumLanes & (NumLanes - 1)) == 0,
                "NumLanes: expected 1, 2, 4, 8 or 16")
  `T3_PARAMETER(NumBanks, NumBanks >= 2 && NumBanks <= 16 && (NumBanks & (NumBanks - 1)) == 0,
                "NumBanks: expected 2, 4, 8 or 16")
  `T3_PARAMETER(WgWidth, !(WgWidth < 8 || WgWidth > 16), "WgWidth: expected 8 to 16")
  `T3_PARAMETER(WfWidth, WfWidth >= 1 && WfWidth <= 3, "WfWidth: expected 1 to 3")
  `T3_PARAMETER(AddrWidth, !(AddrWidth < 32 || AddrWidth > 48), "AddrWidth: expected 32 to 48")
  `T3_PARAMETER(WeightWidth, !(WeightWidth < 8 || WeightWidth > 14), "WeightWidth: expected 8 to 14")
  `T3_PARAMETER(CountWidth, !(CountWidth < 17 || CountWidth > 27) && CountWidth % 2 == 1
                && !(CountWidth == 25 && Protection == t3_pkg::ProtectSecded),
                "CountWidth: expected an odd number, 17 to 27, but not 25 with SECDED")
  `T3_PARAMETER(NumWindows, NumWindows >= 1 && NumWindows <= 8, "NumWindows: expected 1 to 8")
  `T3_PARAMETER(NumRegions, NumRegions >= 1 && NumRegions <= 16, "NumRegions: expected 1 to 16")
  `T3_PARAMETER(NumSlots, !(NumSlots < 16 || NumSlots > 8192) && (NumSlots & (NumSlots - 1)) == 0
                && NumSlots >= 2 * NumBanks, "NumSlots: expected a power of two, 16 to 8192, at least 2 x NumBanks")
  `T3_PARAMETER(NumRows, NumRows == 0 || (!(NumRows < 16 || NumRows > 4096) && (NumRows & (NumRows - 1)) == 0),
                "NumRows: expected 0, or a power of two, 16 to 4096")
  `T3_PARAMETER(LaneDepth, LaneDepth >= 2 && LaneDepth <= 64, "LaneDepth: expected 2 to 64")
  `T3_PARAMETER(QueueDepth, !(QueueDepth < 16 || QueueDepth > 1024) && (QueueDepth & (QueueDepth - 1)) == 0,
                "QueueDepth: expected a power of two, 16 to 1024")
  `T3_PARAMETER(Protection, Protection >= 0 && Protection <= 2, "Protection: expected 0, 1 or 2")

  // Settings, and counts that only software sees, have no reset: they become 0 in the first cycle behind it.
  logic first_q, cleared, zero;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_first
    if (!rst_ni) begin
      first_q <= 1'b1;
    end else if (first_q) begin
      first_q <= 1'b0;
    end
  end
  assign zero = cleared || first_q;

  // ---- registers ------------------------------------------------------------------------------
  logic [`T3_REQUEST_BITS-1:0] request;
  logic [`T3_REPLY_BITS-1:0] reply;
  logic axil_active;

  t3_axil u_axil (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i, .s_axil_awprot_i,
    .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i, .s_axil_wstrb_i,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o,
    .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_araddr_i, .s_axil_arprot_i,
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .request_o(request), .reply_i(reply), .active_o(axil_active)
  );

  reg2hw_t reg2hw;
  writes_t writes;
  hw2reg_t hw2reg;
  logic [`T3_ACCESS_BITS-1:0] access;
  logic [`T3_ANSWER_BITS-1:0] slot_answer, row_answer;
  logic [`T3_EVENT_BITS-1:0] in_use, locked;
  logic walk_idle, regs_active, turn_on;
  logic [RegionWidth-1:0] asked_region;
  logic [SlotWidth-1:0] filled_first, filled_last;
  logic slots_of_region, rows_of_region, filled_stopped;
  fill_t fill;

  t3_regs #(
    .Protection(Protection), .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth),
    .AddrWidth(AddrWidth), .WeightWidth(WeightWidth), .CountWidth(CountWidth), .NumWindows(NumWindows),
    .NumRegions(NumRegions), .NumSlots(NumSlots), .NumRows(NumRows), .TimesWidth(TimesWidth)
  ) u_regs (
    .clk_i, .rst_ni, .zero_i(first_q),
    .request_i(request), .reply_o(reply), .reg2hw_o(reg2hw), .writes_o(writes), .hw2reg_i(hw2reg),
    .access_o(access), .slot_answer_i(slot_answer), .row_answer_i(row_answer),
    .asked_region_o(asked_region), .settings_used_i(slots_of_region || rows_of_region), .walk_idle_i(walk_idle),
    .fill_first_i(fill.first), .fill_last_i(fill.last), .filled_first_o(filled_first), .filled_last_o(filled_last),
    .filled_stopped_o(filled_stopped), .turn_on_o(turn_on), .in_use_o(in_use), .locked_o(locked),
    .active_o(regs_active)
  );

  logic [NumRegions*RegionBits-1:0] regions;
  logic [NumRegions*DoneWidth-1:0] target;
  logic [NumRegions-1:0] region_off, region_live, region_triggers, starting;
  region_t region;
  assign regions = reg2hw.regions;

  always_comb begin : p_settings
    region = '0;
    for (int r = 0; r < NumRegions; r++) begin
      region = regions[r*RegionBits +: RegionBits];
      region_off[r] = !region.on && !region.stopped;
      region_live[r] = region.on && !region.stopped && !starting[r];
      region_triggers[r] = region.trigger;
      target[r*DoneWidth +: DoneWidth] = region.target;
    end
  end

  // ---- walks ----------------------------------------------------------------------------------
  logic lanes_open, filling, clearing, clear_walk, slots_taken, rows_taken, work;
  assign clearing = !lanes_open;

  t3_fill #(
    .SlotWidth(SlotWidth), .BankBits(BankBits), .CountWidth(CountWidth), .WalkWidth(WalkWidth)
  ) u_fill (
    .clk_i, .rst_ni,
    .clear_i(writes.ctrl_clear), .fill_i(writes.fill_write), .value_i(writes.fill_bytes[CountWidth-1:0]),
    .first_i(filled_first), .last_i(filled_last), .force_i(filled_stopped),
    .work_i(work), .hold_i(slots_taken || rows_taken),
    .open_o(lanes_open), .idle_o(walk_idle), .filling_o(filling), .clear_walk_o(clear_walk), .cleared_o(cleared),
    .fill_o(fill)
  );

  // ---- a region is turned on --------------------------------------------------------------------
  logic lanes_inside, router_work, slots_inside, rows_inside, slots_stale, rows_stale, slots_sorting, rows_sorting;
  logic sort, lanes_hold, start_work;

  t3_start #(.NumRegions(NumRegions)) u_start (
    .clk_i, .rst_ni,
    .turn_on_i(turn_on), .region_i(writes.reg_write_index),
    .inside_i(lanes_inside || router_work || slots_inside || rows_inside || clear_walk),
    .stale_i(slots_stale || rows_stale), .sort_o(sort), .sorting_i(slots_sorting || rows_sorting),
    .hold_o(lanes_hold), .starting_o(starting), .work_o(start_work)
  );

  // ---- lanes ----------------------------------------------------------------------------------
  logic [NumLanes-1:0] head_valid, head_pop, tracked, untracked, dropped, stalled;
  logic [NumLanes*BankBits-1:0] head_bank;
  logic [NumLanes*KeyWidth-1:0] head_key;
  logic [NumLanes*WeightWidth-1:0] head_weight;
  logic [`T3_EVENT_BITS-1:0] weight_error, outside;
  logic lanes_work;

  t3_lanes #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .WeightWidth(WeightWidth), .NumWindows(NumWindows), .NumRegions(NumRegions), .NumSlots(NumSlots),
    .NumRows(NumRows), .Depth(LaneDepth), .TimesWidth(TimesWidth)
  ) u_lanes (
    .clk_i, .rst_ni,
    .open_i(lanes_open), .enable_i(reg2hw.ctrl_enable), .hold_i(lanes_hold), .live_i(region_live),
    .windows_i(reg2hw.windows), .regions_i(regions),
    .valid_i(lane_valid_i), .ready_o(lane_ready_o), .wg_i(lane_wg_i), .wf_i(lane_wf_i), .addr_i(lane_addr_i),
    .weight_i(lane_weight_i),
    .valid_o(head_valid), .pop_i(head_pop), .bank_o(head_bank), .key_o(head_key), .weight_o(head_weight),
    .tracked_o(tracked), .untracked_o(untracked), .dropped_o(dropped), .stalled_o(stalled),
    .weight_error_o(weight_error), .outside_o(outside), .work_o(lanes_work), .inside_o(lanes_inside)
  );

  // ---- lanes to banks -------------------------------------------------------------------------
  logic [NumBanks-1:0] update_valid, update_pop;
  logic [NumBanks*KeyWidth-1:0] update_key;
  logic [NumBanks*SumWidth-1:0] update_weight;
  logic [NumBanks*JoinedWidth-1:0] update_joined;

  t3_router #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .KeyWidth(KeyWidth), .WeightWidth(WeightWidth)
  ) u_router (
    .clk_i, .rst_ni,
    .valid_i(head_valid), .pop_o(head_pop), .bank_i(head_bank), .key_i(head_key), .weight_i(head_weight),
    .valid_o(update_valid), .pop_i(update_pop), .key_o(update_key), .weight_o(update_weight),
    .joined_o(update_joined), .work_o(router_work)
  );

  // ---- slots ----------------------------------------------------------------------------------
  logic ask_offer, ask_look, ask_grant, ask_hit, ask_spoiled, hold, completed, slots_work;
  logic [SlotWidth-1:0] ask_slot;
  completion_t completion;
  logic [NumBanks-1:0] slot_corrected;
  logic [`T3_EVENT_BITS-1:0] overrun, stray, armed_early;
  event_t slot_damaged;
  logic [NumberedWidth-1:0] bank_tracked, bank_dropped;
  logic forgotten, completing;

  t3_slots #(
    .Protection(Protection), .NumBanks(NumBanks), .NumRegions(NumRegions), .NumSlots(NumSlots),
    .CountWidth(CountWidth), .SumWidth(SumWidth), .JoinedWidth(JoinedWidth), .NumberWidth(NumberWidth),
    .WalkWidth(WalkWidth),
    .TimesWidth(TimesWidth)
  ) u_slots (
    .clk_i, .rst_ni,
    .valid_i(update_valid), .pop_o(update_pop), .key_i(update_key), .weight_i(update_weight),
    .joined_i(update_joined), .live_i(region_live), .triggers_i(region_triggers), .fill_i(fill),
    .access_i(access), .answer_o(slot_answer), .access_takes_o(slots_taken),
    .ask_offer_i(ask_offer), .ask_look_i(ask_look), .ask_slot_i(ask_slot), .ask_grant_o(ask_grant), .ask_hit_o(ask_hit),
    .ask_spoiled_o(ask_spoiled), .counted_o(bank_tracked), .dropped_o(bank_dropped), .hold_i(hold || slots_sorting),
    .completed_o(completed), .completion_o(completion),
    .overrun_o(overrun), .stray_o(stray), .refused_o(armed_early), .damaged_o(slot_damaged),
    .corrected_o(slot_corrected), .forgotten_o(forgotten), .completing_o(completing),
    .asked_region_i(asked_region), .of_region_o(slots_of_region), .work_o(slots_work),
    .inside_o(slots_inside)
  );

  // ---- completions ----------------------------------------------------------------------------
  logic [NumRegions*DoneWidth-1:0] done_counts;
  logic [NumRegions-1:0] reached;
  logic counted, triggered, regions_work, commands_waiting, waiting_active, waiting_work;

  t3_regions #(.NumRegions(NumRegions), .NumSlots(NumSlots)) u_regions (
    .clk_i, .rst_ni,
    .clear_i(zero), .completed_i(completed), .completion_i(completion), .target_i(target), .off_i(region_off),
    .restart_i(writes.reg_done_write), .retarget_i(writes.reg_target_write),
    .restart_region_i(writes.reg_write_index),
    .done_o(done_counts), .reached_o(reached), .counted_o(counted), .triggered_o(triggered), .work_o(regions_work)
  );

  t3_waiting #(.Protection(Protection), .Slots(NumSlots), .Depth(QueueDepth)) u_waiting (
    .clk_i, .rst_ni,
    .clear_i(clear_walk), .sort_i(sort), .look_i(writes.ctrl_look), .forgotten_i(forgotten && !clear_walk),
    .settled_i(!completing), .quiet_i(1'b1), .hold_o(slots_sorting),
    .push_i(completed && completion.triggers), .push_slot_i(completion.slot),
    .offer_o(ask_offer), .look_o(ask_look), .slot_o(ask_slot), .grant_i(ask_grant), .hit_i(ask_hit),
    .spoiled_i(ask_spoiled),
    .valid_o(done_valid_o), .ready_i(done_ready_i), .shown_o(done_slot_o), .shown_spoiled_o(done_spoiled_o),
    .waiting_o(commands_waiting), .stale_o(slots_stale), .work_o(waiting_work), .active_o(waiting_active)
  );

  // ---- rows -----------------------------------------------------------------------------------
  logic rows_waiting, released, row_corrected, rows_active, rows_work;
  // Members have names of their own here: Yosys drops those of structs in a generate block.
  logic rows_step, rows_look, state_write;
  logic [RowWidth-1:0] rows_index;
  logic [RegionWidth-1:0] state_region;
  logic [`T3_EVENT_BITS-1:0] row_stray, row_outside, row_armed_early;
  event_t row_damaged;

  assign rows_step = clear_walk && fill.step;
  assign rows_index = fill.index[RowWidth-1:0];
  assign rows_look = writes.ctrl_look;
  assign state_write = writes.reg_state_write;
  assign state_region = writes.reg_write_index;

  if (NumRows != 0) begin : gen_rows
    t3_rows #(
      .Protection(Protection), .WgWidth(WgWidth), .NumWindows(NumWindows), .NumRegions(NumRegions),
      .NumSlots(NumSlots), .NumRows(NumRows), .QueueDepth(RowQueueDepth), .NumberWidth(NumberWidth),
      .CountWidth(CountWidth), .TimesWidth(TimesWidth)
    ) u_rows (
      .clk_i, .rst_ni,
      .clear_i(clear_walk), .clear_step_i(rows_step), .clear_row_i(rows_index),
      .completed_i(completed), .completion_i(completion), .regions_i(regions),
      .state_write_i(state_write), .state_region_i(state_region), .hold_o(hold), .access_i(access),
      .answer_o(row_answer), .access_takes_o(rows_taken), .sort_i(sort), .look_i(rows_look),
      .sorting_o(rows_sorting), .stale_o(rows_stale),
      .rel_valid_o, .rel_ready_i, .rel_row_o, .rel_spoiled_o, .waiting_o(rows_waiting), .released_o(released),
      .stray_o(row_stray), .outside_o(row_outside), .refused_o(row_armed_early), .damaged_o(row_damaged),
      .corrected_o(row_corrected), .active_o(rows_active), .work_o(rows_work), .inside_o(rows_inside),
      .asked_region_i(asked_region), .of_region_o(rows_of_region)
    );
  end else begin : gen_no_rows
    assign {hold, row_answer, rows_taken, rows_sorting, rows_stale, rows_of_region, rows_inside, rows_waiting} = '0;
    assign {rel_valid_o, rel_row_o, rel_spoiled_o, released, row_corrected, rows_active, rows_work} = '0;
    assign {row_stray, row_outside, row_armed_early, row_damaged} = '0;

    logic unused_rows;
    assign unused_rows = ^{rel_ready_i, rows_step, rows_look, state_write, rows_index, state_region};
  end

  // ---- what software reads --------------------------------------------------------------------
  logic [`T3_COUNTS_BITS-1:0] counts;
  logic [t3_pkg::Causes*`T3_EVENT_BITS-1:0] events;
  logic [t3_pkg::IrqWidth-1:0] irq_status;
  logic [NumRegions-1:0] region_done;
  logic any_error, errors_work, irq_active, counters_work;
  event_t damaged;
  error_state_t error_state;

  t3_counters #(.Protection(Protection), .NumLanes(NumLanes), .NumBanks(NumBanks)) u_counters (
    .clk_i, .rst_ni, .clear_i(zero),
    .tracked_i(tracked), .untracked_i(untracked), .dropped_i(dropped), .bank_tracked_i(bank_tracked),
    .bank_dropped_i(bank_dropped), .stalled_i(stalled), .completed_i(counted),
    .triggered_i(triggered), .taken_i(done_valid_o && done_ready_i), .released_i(released),
    .corrected_i({row_corrected, slot_corrected}), .counts_o(counts),
    .work_o(counters_work)
  );

  always_comb begin : p_events
    damaged = slot_damaged;
    if (slot_damaged.times == '0) damaged.what = row_damaged.what;
    damaged.times[NumBanks] = row_damaged.times[0];
    if (clear_walk) damaged = '0;  // a word that is not written yet is anything
    events = '0;
    if ((overrun | stray | weight_error | outside | row_stray | row_outside | armed_early | row_armed_early | in_use
         | locked | damaged) != '0) begin
      events[t3_reg_pkg::ErrorsOverrunLsb*EventBits +: EventBits] = overrun;
      events[t3_reg_pkg::ErrorsStrayLsb*EventBits +: EventBits] = stray;
      events[t3_reg_pkg::ErrorsWeightLsb*EventBits +: EventBits] = weight_error;
      events[t3_reg_pkg::ErrorsOutsideLsb*EventBits +: EventBits] = outside;
      events[t3_reg_pkg::ErrorsRowStrayLsb*EventBits +: EventBits] = row_stray;
      events[t3_reg_pkg::ErrorsRowOutsideLsb*EventBits +: EventBits] = row_outside;
      events[t3_reg_pkg::ErrorsArmedEarlyLsb*EventBits +: EventBits] = armed_early;
      events[t3_reg_pkg::ErrorsRowArmedEarlyLsb*EventBits +: EventBits] = row_armed_early;
      events[t3_reg_pkg::ErrorsInUseLsb*EventBits +: EventBits] = in_use;
      events[t3_reg_pkg::ErrorsLockedLsb*EventBits +: EventBits] = locked;
      events[t3_reg_pkg::ErrorsDamagedLsb*EventBits +: EventBits] = damaged;
    end
  end

  t3_errors #(.TimesWidth(TimesWidth), .RegionWidth(RegionWidth)) u_errors (
    .clk_i, .rst_ni, .clear_i(zero),
    .events_i(events), .forget_i(writes.errors), .rearm_i(writes.error_first_valid),
    .state_o(error_state), .any_o(any_error), .work_o(errors_work)
  );

  t3_irq #(.NumRegions(NumRegions)) u_irq (
    .clk_i, .rst_ni, .clear_i(cleared),
    .writes_i(writes), .enable_i(reg2hw.irq_enable), .reached_i(reached), .error_i(any_error),
    .damaged_i(error_state.errors[t3_reg_pkg::ErrorsDamagedLsb]),
    .status_o(irq_status), .region_done_o(region_done), .irq_o, .alert_o, .active_o(irq_active)
  );

  assign hw2reg.ctrl_clear = clearing;
  assign hw2reg.status_busy = work || filling || clearing;
  assign hw2reg.status_commands = commands_waiting;
  assign hw2reg.status_rows = rows_waiting;
  assign hw2reg.status_waiting = stalled != '0;
  assign hw2reg.status_filling = filling;
  assign hw2reg.irq_status = irq_status;
  assign hw2reg.region_done = region_done;
  assign hw2reg.counts = counts;
  assign hw2reg.error_state = error_state;
  assign hw2reg.reg_done = done_counts;

  // ---- busy -----------------------------------------------------------------------------------
  // Of registers alone, and of few: what is inside moves within a fixed time, so `busy_o` need not know when.
  assign work = lanes_work || router_work || slots_work || regions_work || rows_work || waiting_work || errors_work
                || counters_work || start_work;
  assign busy_o = work || rows_active || waiting_active || !walk_idle || axil_active || regs_active || irq_active
                  || stalled != '0 || first_q;

  `T3_ASSERT(a_clear_finds_nothing_inside, !cleared || !(lanes_work || router_work))

  logic unused_bits;
  assign unused_bits = ^{reg2hw, writes, region, fill, completion};

endmodule
