// SPDX-License-Identifier: Apache-2.0
/// The trackers of a GPU with several memory stacks: a unit beside each stack, a join of what they say, and one of the
/// rows that they release (docs/stack-join.md, "Assembling it"). Vectors have stack 0 in their lowest bits.
///
///   lanes of stack s ─► t3_track_trigger s ─┬─ done_* ─► t3_stack_join of slots ─► done_*
///   s_axil_* s ────────►                    └─ rel_* ──► t3_stack_join of rows ──► rel_*
///
/// Promise: that of its parts. A command goes to the join of rows if `cmd_rows_i` is up, else to that of slots.
///
/// Why: the streams of units and joins have the same fields, so what takes `done_*` and `rel_*` of one unit takes
/// these. Registers stay where they are, because software arms each share with the bytes in its stack.
module t3_stacks #(
  parameter int Stacks = 4,
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int WeightWidth = 8,
  parameter int NumSlots = 4096,
  parameter int NumRows = 256,
  parameter int QueueDepth = 64,
  parameter int Protection = t3_pkg::ProtectNone,
  localparam int Lanes = Stacks * NumLanes,
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [Lanes-1:0]             lane_valid_i,
  output logic [Lanes-1:0]             lane_ready_o,
  input  logic [Lanes*WgWidth-1:0]     lane_wg_i,
  input  logic [Lanes*WfWidth-1:0]     lane_wf_i,
  input  logic [Lanes*AddrWidth-1:0]   lane_addr_i,
  input  logic [Lanes*WeightWidth-1:0] lane_weight_i,

  output logic                 done_valid_o,
  input  logic                 done_ready_i,
  output logic [SlotWidth-1:0] done_slot_o,
  output logic                 done_spoiled_o,
  output logic                 rel_valid_o,
  input  logic                 rel_ready_i,
  output logic [RowWidth-1:0]  rel_row_o,
  output logic                 rel_spoiled_o,

  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  logic                 cmd_rows_i,
  input  logic                 cmd_write_i,
  input  logic [SlotWidth-1:0] cmd_first_i,
  input  logic [SlotWidth-1:0] cmd_last_i,
  input  logic [Stacks-1:0]    cmd_shares_i,
  input  logic                 cmd_force_i,
  output logic                 cmd_refused_o,

  input  logic [Stacks-1:0]    s_axil_awvalid_i,
  output logic [Stacks-1:0]    s_axil_awready_o,
  input  logic [Stacks*16-1:0] s_axil_awaddr_i,
  input  logic [Stacks*3-1:0]  s_axil_awprot_i,
  input  logic [Stacks-1:0]    s_axil_wvalid_i,
  output logic [Stacks-1:0]    s_axil_wready_o,
  input  logic [Stacks*32-1:0] s_axil_wdata_i,
  input  logic [Stacks*4-1:0]  s_axil_wstrb_i,
  output logic [Stacks-1:0]    s_axil_bvalid_o,
  input  logic [Stacks-1:0]    s_axil_bready_i,
  output logic [Stacks*2-1:0]  s_axil_bresp_o,
  input  logic [Stacks-1:0]    s_axil_arvalid_i,
  output logic [Stacks-1:0]    s_axil_arready_o,
  input  logic [Stacks*16-1:0] s_axil_araddr_i,
  input  logic [Stacks*3-1:0]  s_axil_arprot_i,
  output logic [Stacks-1:0]    s_axil_rvalid_o,
  input  logic [Stacks-1:0]    s_axil_rready_i,
  output logic [Stacks*32-1:0] s_axil_rdata_o,
  output logic [Stacks*2-1:0]  s_axil_rresp_o,

  output logic [Stacks-1:0] irq_o,
  output logic [Stacks-1:0] alert_o,
  /// Of the joins: a share too many; a word that cannot be corrected.
  output logic stray_o,
  output logic damaged_o,
  output logic busy_o
);

  logic [Stacks-1:0] done_valid, done_ready, done_spoiled, rel_valid, rel_ready, rel_spoiled, busy;
  logic [Stacks*SlotWidth-1:0] done_slot;
  logic [Stacks*RowWidth-1:0] rel_row;

  for (genvar s = 0; s < Stacks; s++) begin : gen_stack
    t3_track_trigger #(
      .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
      .WeightWidth(WeightWidth), .NumSlots(NumSlots), .NumRows(NumRows), .QueueDepth(QueueDepth),
      .Protection(Protection)
    ) u_unit (
      .clk_i, .rst_ni,
      .lane_valid_i(lane_valid_i[s*NumLanes +: NumLanes]), .lane_ready_o(lane_ready_o[s*NumLanes +: NumLanes]),
      .lane_wg_i(lane_wg_i[s*NumLanes*WgWidth +: NumLanes*WgWidth]),
      .lane_wf_i(lane_wf_i[s*NumLanes*WfWidth +: NumLanes*WfWidth]),
      .lane_addr_i(lane_addr_i[s*NumLanes*AddrWidth +: NumLanes*AddrWidth]),
      .lane_weight_i(lane_weight_i[s*NumLanes*WeightWidth +: NumLanes*WeightWidth]),
      .done_valid_o(done_valid[s]), .done_ready_i(done_ready[s]), .done_slot_o(done_slot[s*SlotWidth +: SlotWidth]),
      .done_spoiled_o(done_spoiled[s]),
      .rel_valid_o(rel_valid[s]), .rel_ready_i(rel_ready[s]), .rel_row_o(rel_row[s*RowWidth +: RowWidth]),
      .rel_spoiled_o(rel_spoiled[s]),
      .s_axil_awvalid_i(s_axil_awvalid_i[s]), .s_axil_awready_o(s_axil_awready_o[s]),
      .s_axil_awaddr_i(s_axil_awaddr_i[s*16 +: 16]), .s_axil_awprot_i(s_axil_awprot_i[s*3 +: 3]),
      .s_axil_wvalid_i(s_axil_wvalid_i[s]), .s_axil_wready_o(s_axil_wready_o[s]),
      .s_axil_wdata_i(s_axil_wdata_i[s*32 +: 32]), .s_axil_wstrb_i(s_axil_wstrb_i[s*4 +: 4]),
      .s_axil_bvalid_o(s_axil_bvalid_o[s]), .s_axil_bready_i(s_axil_bready_i[s]),
      .s_axil_bresp_o(s_axil_bresp_o[s*2 +: 2]),
      .s_axil_arvalid_i(s_axil_arvalid_i[s]), .s_axil_arready_o(s_axil_arready_o[s]),
      .s_axil_araddr_i(s_axil_araddr_i[s*16 +: 16]), .s_axil_arprot_i(s_axil_arprot_i[s*3 +: 3]),
      .s_axil_rvalid_o(s_axil_rvalid_o[s]), .s_axil_rready_i(s_axil_rready_i[s]),
      .s_axil_rdata_o(s_axil_rdata_o[s*32 +: 32]), .s_axil_rresp_o(s_axil_rresp_o[s*2 +: 2]),
      .irq_o(irq_o[s]), .alert_o(alert_o[s]), .busy_o(busy[s])
    );
  end

  // What commands found, and which slot an error is of: for software that wants to know more than this example's.
  logic [1:0] cmd_ready, refused, stray, damaged, corrected, waits, spoiled, waiting, join_busy;
  logic [2*Stacks-1:0] missing, event_stack;
  logic [SlotWidth-1:0] event_slot;
  logic [RowWidth-1:0] event_row;

  t3_stack_join #(
    .Stacks(Stacks), .NumSlots(NumSlots), .QueueDepth(QueueDepth), .Protection(Protection)
  ) u_slots (
    .clk_i, .rst_ni,
    .share_valid_i(done_valid), .share_ready_o(done_ready), .share_slot_i(done_slot), .share_spoiled_i(done_spoiled),
    .done_valid_o, .done_ready_i, .done_slot_o, .done_spoiled_o,
    .cmd_valid_i(cmd_valid_i && cmd_ready_o && !cmd_rows_i), .cmd_ready_o(cmd_ready[0]), .cmd_write_i, .cmd_first_i,
    .cmd_last_i, .cmd_shares_i, .cmd_force_i, .cmd_refused_o(refused[0]), .seen_missing_o(missing[Stacks-1:0]),
    .seen_waits_o(waits[0]), .seen_spoiled_o(spoiled[0]), .look_i(1'b0),
    .stray_o(stray[0]), .damaged_o(damaged[0]), .corrected_o(corrected[0]), .event_slot_o(event_slot),
    .event_stack_o(event_stack[Stacks-1:0]), .waiting_o(waiting[0]), .busy_o(join_busy[0])
  );

  t3_stack_join #(
    .Stacks(Stacks), .NumSlots(NumRows), .QueueDepth(16), .Protection(Protection)
  ) u_rows (
    .clk_i, .rst_ni,
    .share_valid_i(rel_valid), .share_ready_o(rel_ready), .share_slot_i(rel_row), .share_spoiled_i(rel_spoiled),
    .done_valid_o(rel_valid_o), .done_ready_i(rel_ready_i), .done_slot_o(rel_row_o), .done_spoiled_o(rel_spoiled_o),
    .cmd_valid_i(cmd_valid_i && cmd_ready_o && cmd_rows_i), .cmd_ready_o(cmd_ready[1]), .cmd_write_i,
    .cmd_first_i(RowWidth'(cmd_first_i)), .cmd_last_i(RowWidth'(cmd_last_i)), .cmd_shares_i, .cmd_force_i,
    .cmd_refused_o(refused[1]), .seen_missing_o(missing[2*Stacks-1:Stacks]), .seen_waits_o(waits[1]),
    .seen_spoiled_o(spoiled[1]), .look_i(1'b0),
    .stray_o(stray[1]), .damaged_o(damaged[1]), .corrected_o(corrected[1]), .event_slot_o(event_row),
    .event_stack_o(event_stack[2*Stacks-1:Stacks]), .waiting_o(waiting[1]), .busy_o(join_busy[1])
  );

  assign cmd_ready_o = cmd_ready == '1;
  assign cmd_refused_o = refused[cmd_rows_i];
  assign stray_o = stray != '0;
  assign damaged_o = damaged != '0;
  assign busy_o = busy != '0 || join_busy != '0;

  logic unused_seen;
  assign unused_seen = ^{missing, waits, spoiled, waiting, event_stack, event_slot, event_row, corrected};

endmodule
