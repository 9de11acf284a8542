// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_regs: what the proof unit assumes of it. An access to a slot or row is one at a time, held as it is until it is
/// done; no count is above the largest one; nothing is armed while a walk is under way or begins, and no fill
/// begins beside one; the settings of a region that is not off stay, and so does the window that it refers to.
///
/// Assumed: a write stays until it is done (proof axil); walks are idle until one is started (proof fill).
module formal_regs #(
  localparam int WgWidth = 8,
  localparam int AddrWidth = 32,
  localparam int CountWidth = 17,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = 1,
  localparam int SlotWidth = 4,
  localparam int RowWidth = 4,
  localparam int RowCountWidth = t3_pkg::RowCountWidth,
  localparam int WindowBits = 2 * PageWidth,
  localparam int RegionBits = t3_pkg::region_bits(WindowWidth, WgWidth, SlotWidth, RowWidth)
) (
  input logic        clk_i,
  input logic        wr_valid_i,
  input logic [15:0] wr_addr_i,
  input logic [31:0] wr_data_i,
  input logic        wr_privileged_i,
  input logic        rd_valid_i,
  input logic [15:0] rd_addr_i,
  input logic        slot_done_i,
  input logic        row_done_i,
  input logic        walk_idle_i
);
  `T3_FORMAL_RESET
  `T3_REGION_T(region_t);
  localparam int SlotBits = 3 + SlotWidth + CountWidth;
  localparam int RowBits = 3 + RowWidth + RowCountWidth;

  logic wr_done, slot_arm, slot_look, slot_force, row_arm, row_look, row_force, clear, fill, fill_region;
  logic [SlotWidth-1:0] slot_number;
  logic [RowWidth-1:0] row_number;
  logic [CountWidth-1:0] slot_value, fill_value;
  logic [RowCountWidth-1:0] row_value;
  logic [2*WindowBits-1:0] windows;
  logic [2*RegionBits-1:0] regions;

  (* hierconn *) wire \u_dut.access_q ;
  (* hierconn *) wire \u_dut.access_arm_q ;
  (* hierconn *) wire \u_dut.wr_slot ;
  (* hierconn *) wire \u_dut.wr_row ;
  t3_regs #(
    .NumLanes(2), .NumBanks(2), .WgWidth(WgWidth), .WfWidth(1), .AddrWidth(AddrWidth), .WeightWidth(8),
    .CountWidth(CountWidth), .NumWindows(2), .NumRegions(2), .NumSlots(16), .NumRows(16)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .wr_valid_i, .wr_addr_i, .wr_data_i, .wr_privileged_i, .wr_done_o(wr_done), .rd_valid_i,
    .rd_addr_i, .slot_arm_o(slot_arm), .slot_look_o(slot_look), .slot_number_o(slot_number), .slot_value_o(slot_value),
    .slot_force_o(slot_force), .slot_done_i, .row_arm_o(row_arm), .row_look_o(row_look), .row_number_o(row_number),
    .row_value_o(row_value), .row_force_o(row_force), .row_done_i, .clear_o(clear), .fill_o(fill),
    .fill_region_o(fill_region), .fill_value_o(fill_value), .walk_idle_i, .windows_o(windows), .regions_o(regions)
  );

  logic past_q, wr_stays_q, idle_stays_q;
  logic [48:0] wr_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    wr_stays_q <= rst_q && wr_valid_i && !wr_done;
    wr_q <= {wr_privileged_i, wr_addr_i, wr_data_i};
    idle_stays_q <= rst_q && walk_idle_i && !clear && !fill;
  end
  always_comb begin
    assume (rst_q || !(wr_valid_i || rd_valid_i));
    assume (!wr_stays_q || (wr_valid_i && {wr_privileged_i, wr_addr_i, wr_data_i} == wr_q));
    assume (!idle_stays_q || walk_idle_i);
  end

  // What was asked in the cycle before, if it is not done; and a region's settings and window.
  logic slot_stays_q, row_stays_q, used_q;
  logic [SlotBits-1:0] slot, slot_q;
  logic [RowBits-1:0] row, row_q;
  (* anyconst *) logic which;
  region_t region, fixed;
  logic [RegionBits-1:0] fixed_q;
  logic [WindowBits-1:0] window, window_q;
  assign slot = {slot_arm, slot_look, slot_force, slot_number, slot_value};
  assign row = {row_arm, row_look, row_force, row_number, row_value};
  assign region = which ? regions[RegionBits +: RegionBits] : regions[0 +: RegionBits];
  assign window = region.window ? windows[WindowBits +: WindowBits] : windows[0 +: WindowBits];
  always_comb begin
    fixed = region;
    fixed.on = 1'b0;
    fixed.stopped = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    slot_stays_q <= rst_q && (slot_arm || slot_look) && !slot_done_i;
    row_stays_q <= rst_q && (row_arm || row_look) && !row_done_i;
    slot_q <= slot;
    row_q <= row;
    used_q <= rst_q && (region.on || region.stopped);
    fixed_q <= fixed;
    window_q <= window;
  end

  always @(posedge clk_i) if (rst_q) begin
    regs_one_access: assert (3'(slot_arm) + 3'(slot_look) + 3'(row_arm) + 3'(row_look) <= 3'd1);
    regs_slot_held: assert (!slot_stays_q || slot == slot_q);
    regs_row_held: assert (!row_stays_q || row == row_q);
    regs_counts: assert ((!slot_arm || slot_value <= CountWidth'(1 << (CountWidth - 1)))
                         && (!fill || fill_value <= CountWidth'(1 << (CountWidth - 1)))
                         && (!row_arm || row_value <= RowCountWidth'(1 << (RowCountWidth - 1))));
    regs_no_arm_beside_a_walk: assert (!(slot_arm || row_arm) || (walk_idle_i && !clear && !fill));
    regs_no_fill_beside_a_walk: assert (!fill || walk_idle_i);
    regs_settings_stay: assert (!used_q || (fixed == fixed_q && window == window_q));
    regs_states: assert (!(region.on && region.stopped));
    // The write that an arming access is of is still there.
    regs_write: assert (!(\u_dut.access_q && \u_dut.access_arm_q ) || \u_dut.wr_slot || \u_dut.wr_row );
    cover_arms: cover (slot_stays_q && slot_arm && slot_value == CountWidth'(1 << (CountWidth - 1)));
    cover_fills: cover (fill && fill_region);
    cover_used: cover (used_q && wr_stays_q && row_arm && row_force);
  end
endmodule
