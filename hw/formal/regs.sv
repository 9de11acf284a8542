// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_regs: what the proof unit assumes of it. An access to a slot or row is one at a time, held as it is until it is
/// done; no count is above the largest one; nothing is armed while a walk is under way or begins, and no fill
/// begins beside one; the settings of a region that is not off, or whose completions are inside, stay, but for its target;
/// and so does the window that a region which is not off refers to.
///
/// Assumed: a write stays until it is done (proof axil); walks are idle until one is started (proof fill).
module formal_regs #(
  localparam int WgWidth = 8,
  localparam int AddrWidth = 32,
  localparam int CountWidth = 17,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int NumWindows = 2,
  localparam int NumRegions = 2,
  localparam int WindowWidth = 1,
  localparam int RegionWidth = 1,
  localparam int SlotWidth = 4,
  localparam int RowWidth = 4,
  localparam int NumberWidth = 4,
  localparam int TimesWidth = 1,
  localparam int RowCountWidth = t3_pkg::RowCountWidth,
  localparam int WindowBits = `T3_WINDOW_BITS,
  localparam int RegionBits = `T3_REGION_BITS
) (
  input logic        clk_i,
  input logic        wr_valid_i,
  input logic [15:0] wr_addr_i,
  input logic [31:0] wr_data_i,
  input logic        wr_privileged_i,
  input logic        rd_valid_i,
  input logic [15:0] rd_addr_i,
  input logic [`T3_HW2REG_BITS-1:0] hw2reg_i,
  input logic [`T3_ANSWER_BITS-1:0] slot_answer_i,
  input logic [`T3_ANSWER_BITS-1:0] row_answer_i,
  input logic [NumRegions-1:0] settings_used_i,
  input logic        walk_idle_i,
  input logic [SlotWidth-1:0] fill_first_i,
  input logic [SlotWidth-1:0] fill_last_i
);
  `T3_FORMAL_RESET
  localparam int Most = 1 << (CountWidth - 1);
  `T3_REQUEST_T(request_t);
  `T3_REPLY_T(reply_t);
  `T3_REG2HW_T(reg2hw_t);
  `T3_HW2REG_T(hw2reg_t);
  `T3_WRITES_T(writes_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);
  `T3_REGION_T(region_t);

  request_t request;
  reply_t reply;
  reg2hw_t reg2hw;
  writes_t writes;
  access_t access;
  answer_t slot_answer, row_answer;
  logic [`T3_EVENT_BITS-1:0] in_use, locked;
  logic active, turn_on;
  logic asked_region, filled_stopped;
  logic [SlotWidth-1:0] filled_first, filled_last;
  assign request = {wr_valid_i, wr_privileged_i, wr_addr_i, wr_data_i, rd_valid_i, rd_addr_i};
  assign slot_answer = slot_answer_i;
  assign row_answer = row_answer_i;

  logic rst_past_q;
  (* hierconn *) wire \u_dut.wr_memory ;
  t3_regs #(
    .NumLanes(2), .NumBanks(2), .WgWidth(WgWidth), .WfWidth(1), .AddrWidth(AddrWidth), .WeightWidth(8),
    .CountWidth(CountWidth), .NumWindows(NumWindows), .NumRegions(NumRegions), .NumSlots(16), .NumRows(16),
    .TimesWidth(TimesWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .zero_i(!rst_past_q), .request_i(request), .reply_o(reply), .reg2hw_o(reg2hw), .writes_o(writes), .hw2reg_i,
    .access_o(access), .slot_answer_i, .row_answer_i, .asked_region_o(asked_region),
    .settings_used_i(settings_used_i[asked_region]), .walk_idle_i, .fill_first_i, .fill_last_i,
    .filled_first_o(filled_first), .filled_last_o(filled_last), .filled_stopped_o(filled_stopped),
    .turn_on_o(turn_on), .in_use_o(in_use), .locked_o(locked),
    .active_o(active)
  );

  logic walks;
  assign walks = writes.ctrl_clear || writes.fill_write;

  logic past_q, wr_stays_q, idle_stays_q;
  logic [48:0] wr_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    rst_past_q <= rst_q;
    wr_stays_q <= rst_q && wr_valid_i && !reply.wr_done;
    wr_q <= {wr_privileged_i, wr_addr_i, wr_data_i};
    idle_stays_q <= rst_q && walk_idle_i && !walks;
  end
  always_comb begin
    assume (rst_past_q || !(wr_valid_i || rd_valid_i));  // t3_axil, of its reset
    assume (!wr_stays_q || (wr_valid_i && {wr_privileged_i, wr_addr_i, wr_data_i} == wr_q));
    assume (!idle_stays_q || walk_idle_i);
  end

  // What was asked in the cycle before, if it is not done; and a region's settings and window.
  logic stays_q, used_q, inside_q;
  access_t access_q;
  (* anyconst *) logic which;
  region_t region, fixed;
  logic [RegionBits-1:0] fixed_q;
  logic [WindowBits-1:0] window, window_q;
  logic [NumRegions*RegionBits-1:0] regions;
  logic [NumWindows*WindowBits-1:0] windows;
  assign regions = reg2hw.regions;
  assign windows = reg2hw.windows;
  assign region = which ? regions[RegionBits +: RegionBits] : regions[0 +: RegionBits];
  assign window = region.window ? windows[WindowBits +: WindowBits] : windows[0 +: WindowBits];
  // The region that is turned on, and whether its slots are, or would be, those of a fill or of a write by force.
  hw2reg_t hw2reg;
  region_t region0, region1;
  logic is_on, was_on_q, turned_q, forced_ok;
  assign hw2reg = hw2reg_i;
  assign region0 = regions[0 +: RegionBits];
  assign region1 = regions[RegionBits +: RegionBits];
  assign is_on = region.on && !region.stopped;
  assign forced_ok = (region0.stopped || region1.stopped)
                     && !(region0.on && !region0.stopped && region0.slot_first <= access.number
                          && access.number <= region0.slot_last)
                     && !(region1.on && !region1.stopped && region1.slot_first <= access.number
                          && access.number <= region1.slot_last);
  logic filling_q, fill_touches_q, filled_alone;
  region_t filled;
  assign filled = writes.fill_region[0] ? region1 : region0;
  assign filled_alone = !(filled.on && !filled.stopped)
                        && !(is_on && region.slot_first <= filled.slot_last && filled.slot_first <= region.slot_last);
  always_ff @(posedge clk_i) begin
    was_on_q <= rst_q && is_on;
    turned_q <= rst_q && turn_on && writes.reg_write_index == which;
    filling_q <= rst_q && hw2reg.status_filling;
    fill_touches_q <= fill_first_i <= region.slot_last && region.slot_first <= fill_last_i;
  end

  always_comb begin
    fixed = region;
    fixed.on = 1'b0;
    fixed.stopped = 1'b0;
    fixed.target = '0;
  end
  always_ff @(posedge clk_i) begin
    stays_q <= rst_q && (access.arm || access.look) && !(access.row ? row_answer.done : slot_answer.done);
    access_q <= access;
    used_q <= rst_q && rst_past_q && (region.on || region.stopped);
    inside_q <= rst_q && rst_past_q && settings_used_i[which];
    fixed_q <= fixed;
    window_q <= window;
  end

  always @(posedge clk_i) if (rst_q) begin
    regs_one_access: assert (!(access.arm && access.look));
    regs_held: assert (!stays_q || access == access_q);
    regs_counts: assert ((!access.arm || access.row || access.value <= CountWidth'(Most))
                         && (!writes.fill_write || writes.fill_bytes <= 27'(Most))
                         && (!access.arm || !access.row
                             || access.value[RowCountWidth-1:0] <= RowCountWidth'(1 << (RowCountWidth - 1))));
    regs_no_arm_beside_a_walk: assert (!access.arm || (walk_idle_i && !walks));
    regs_no_fill_beside_a_walk: assert (!writes.fill_write || walk_idle_i);
    regs_settings_stay: assert (!used_q || (fixed == fixed_q && window == window_q));
    regs_settings_stay_inside: assert (!inside_q || fixed == fixed_q);
    regs_turned_on: assert (!rst_past_q || turned_q == (is_on && !was_on_q));
    regs_not_on_while_filled: assert (!(rst_past_q && is_on && !was_on_q && filling_q) || !fill_touches_q);
    regs_no_force_on_what_runs: assert (!(access.arm && !access.row && access.forced) || forced_ok);
    regs_fills: assert (!writes.fill_write || {filled_first, filled_last, filled_stopped}
                        == {filled.slot_first, filled.slot_last, filled.stopped});
    regs_fill_leaves_what_runs: assert (!writes.fill_write || filled_alone);
    // The write that an arming access is of is still there.
    regs_write: assert (!access.arm || \u_dut.wr_memory );
    cover_arms: cover (stays_q && access.arm && !access.row && access.value == CountWidth'(Most));
    cover_fills: cover (writes.fill_write && writes.fill_region == 4'd1);
    cover_used: cover (used_q && wr_stays_q && access.arm && !access.row && access.forced);
  end
endmodule
