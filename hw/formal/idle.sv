// SPDX-License-Identifier: Apache-2.0
/// The whole unit, out of reset, in any state. `may_stop_o` is docs/tracker.md's condition for
/// stopping the clock; the runner proves that no register changes at the next edge while it is up,
/// and that no input reaches an output but through a register (proof idle). What waits at an output
/// stream stays (proof ports). With T3_GATED the unit is in t3_tracker, whose gate lets every pulse
/// through (t3_clk_gate.sv), and the condition is that the gate's enable is low (proof gate).
module formal_idle #(
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
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows)
) (
  input  logic                            clk_i,
  input  logic [NumLanes-1:0]             lane_valid_i,
  output logic [NumLanes-1:0]             lane_ready_o,
  input  logic [NumLanes*WgWidth-1:0]     lane_wg_i,
  input  logic [NumLanes*WfWidth-1:0]     lane_wf_i,
  input  logic [NumLanes*AddrWidth-1:0]   lane_addr_i,
  input  logic [NumLanes*WeightWidth-1:0] lane_weight_i,
  output logic                            done_valid_o,
  input  logic                            done_ready_i,
  output logic [SlotWidth-1:0]            done_slot_o,
  output logic                            done_spoiled_o,
  output logic                            rel_valid_o,
  input  logic                            rel_ready_i,
  output logic [RowWidth-1:0]             rel_row_o,
  output logic                            rel_spoiled_o,
  input  logic                            s_axil_awvalid_i,
  output logic                            s_axil_awready_o,
  input  logic [15:0]                     s_axil_awaddr_i,
  input  logic [2:0]                      s_axil_awprot_i,
  input  logic                            s_axil_wvalid_i,
  output logic                            s_axil_wready_o,
  input  logic [31:0]                     s_axil_wdata_i,
  input  logic [3:0]                      s_axil_wstrb_i,
  output logic                            s_axil_bvalid_o,
  input  logic                            s_axil_bready_i,
  output logic [1:0]                      s_axil_bresp_o,
  input  logic                            s_axil_arvalid_i,
  output logic                            s_axil_arready_o,
  input  logic [15:0]                     s_axil_araddr_i,
  input  logic [2:0]                      s_axil_arprot_i,
  output logic                            s_axil_rvalid_o,
  input  logic                            s_axil_rready_i,
  output logic [31:0]                     s_axil_rdata_o,
  output logic [1:0]                      s_axil_rresp_o,
  output logic                            irq_o,
  output logic                            alert_o,
  output logic                            busy_o,
  output logic                            may_stop_o
);
  logic rst_ni;
  assign rst_ni = 1'b1;

`ifdef T3_GATED
  t3_port_pkg::update_t update;
  t3_port_pkg::axil_req_t req;
  t3_port_pkg::axil_rsp_t rsp;
  t3_port_pkg::said_t done, rel;
  logic [NumLanes*t3_port_pkg::UpdateBits-1:0] lane_data;
  logic clk_en;
  always_comb begin : p_lanes
    for (int l = 0; l < NumLanes; l++) begin
      update = '0;
      update.wg = 16'(lane_wg_i[l*WgWidth +: WgWidth]);
      update.wf = 8'(lane_wf_i[l*WfWidth +: WfWidth]);
      update.addr = 48'(lane_addr_i[l*AddrWidth +: AddrWidth]);
      update.weight = 16'(lane_weight_i[l*WeightWidth +: WeightWidth]);
      lane_data[l*t3_port_pkg::UpdateBits +: t3_port_pkg::UpdateBits] = update;
    end
  end
  assign req = {s_axil_awaddr_i, s_axil_awprot_i, s_axil_awvalid_i, s_axil_wdata_i, s_axil_wstrb_i, s_axil_wvalid_i,
                s_axil_bready_i, s_axil_araddr_i, s_axil_arprot_i, s_axil_arvalid_i, s_axil_rready_i};
  assign {s_axil_awready_o, s_axil_wready_o, s_axil_bresp_o, s_axil_bvalid_o, s_axil_arready_o, s_axil_rdata_o,
          s_axil_rresp_o, s_axil_rvalid_o} = rsp;
  assign done_spoiled_o = done.spoiled;
  assign done_slot_o = done.number[SlotWidth-1:0];
  assign rel_spoiled_o = rel.spoiled;
  assign rel_row_o = rel.number[RowWidth-1:0];

  t3_tracker #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .WeightWidth(WeightWidth), .CountWidth(CountWidth), .NumWindows(NumWindows), .NumRegions(NumRegions),
    .NumSlots(NumSlots), .NumRows(NumRows), .LaneDepth(LaneDepth), .QueueDepth(QueueDepth)
  ) u_dut (
    .clk_i, .rst_ni, .test_en_i(1'b0), .clk_en_o(clk_en),
    .lane_tvalid_i(lane_valid_i), .lane_tready_o(lane_ready_o), .lane_tdata_i(lane_data),
    .done_tvalid_o(done_valid_o), .done_tready_i(done_ready_i), .done_tdata_o(done),
    .rel_tvalid_o(rel_valid_o), .rel_tready_i(rel_ready_i), .rel_tdata_o(rel),
    .s_axil_req_i(req), .s_axil_rsp_o(rsp), .irq_o, .alert_o, .busy_o
  );
`else
  t3_track_trigger #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .WeightWidth(WeightWidth), .CountWidth(CountWidth), .NumWindows(NumWindows), .NumRegions(NumRegions),
    .NumSlots(NumSlots), .NumRows(NumRows), .LaneDepth(LaneDepth), .QueueDepth(QueueDepth)
  ) u_dut (.*);
`endif

  // What other proofs (lanes, router, slots, rows, waiting) say about every reachable state: a queue with a tail has a
  // head; an access of software that has begun keeps its unit busy until its answer; a bank's update is
  // known beside it; a bank that was asked answers at once; none is asked for a slot to show while one is shown.
  (* hierconn *) wire \u_dut.u_slots.sw_busy_q ;
  (* hierconn *) wire \u_dut.u_slots.sw_answer_q ;
  (* hierconn *) wire [CountWidth+3:0] \u_dut.u_slots.answer_o ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.sw_busy_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.sw_answer_q ;
  (* hierconn *) wire [CountWidth+3:0] \u_dut.gen_rows.u_rows.answer_o ;
  (* hierconn *) wire \u_dut.u_waiting.asked_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_look_q ;
  (* hierconn *) wire \u_dut.u_waiting.valid_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.asked_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.asked_look_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.valid_q ;
  (* hierconn *) wire \u_dut.u_slots.b_ask_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.b_ask_q ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_slots.b_update_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.update_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.update_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.tail_valid_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.head_valid_q ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_router.full ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_router.valid_o ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_slots.done_full ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_slots.done_valid ;
  logic reachable;
  assign reachable =
      (\u_dut.u_slots.sw_busy_q || !(\u_dut.u_slots.sw_answer_q || \u_dut.u_slots.answer_o [CountWidth+3]))
      && (\u_dut.gen_rows.u_rows.sw_busy_q || !(\u_dut.gen_rows.u_rows.sw_answer_q || \u_dut.gen_rows.u_rows.answer_o [CountWidth+3]))
      && !(\u_dut.u_waiting.valid_q && \u_dut.u_waiting.asked_q && !\u_dut.u_waiting.asked_look_q )
      && !(\u_dut.gen_rows.u_rows.u_waiting.valid_q && \u_dut.gen_rows.u_rows.u_waiting.asked_q
           && !\u_dut.gen_rows.u_rows.u_waiting.asked_look_q )
      && (\u_dut.u_lanes.tail_valid_q & ~\u_dut.u_lanes.head_valid_q ) == '0
      && (\u_dut.u_router.full & ~\u_dut.u_router.valid_o ) == '0
      && (\u_dut.u_slots.done_full & ~\u_dut.u_slots.done_valid ) == '0
      && \u_dut.u_slots.b_update_q [0] == \u_dut.u_slots.gen_bank[0].u_bank.update_q
      && \u_dut.u_slots.b_update_q [1] == \u_dut.u_slots.gen_bank[1].u_bank.update_q
      && \u_dut.u_slots.b_ask_q == \u_dut.u_waiting.asked_q
      && \u_dut.gen_rows.u_rows.b_ask_q == \u_dut.gen_rows.u_rows.u_waiting.asked_q ;
  always_comb assume (reachable);

`ifdef T3_GATED
  assign may_stop_o = reachable && !clk_en;
`else
  assign may_stop_o = reachable &&
      !(busy_o || lane_valid_i != '0 || s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i
        || (s_axil_bvalid_o && s_axil_bready_i) || (s_axil_rvalid_o && s_axil_rready_i)
        || (done_valid_o && done_ready_i) || (rel_valid_o && rel_ready_i));
`endif

  // What the streams offered in the cycle before.
  logic past_q = 1'b0;
  logic done_waits_q, rel_waits_q, b_waits_q, r_waits_q;
  logic [RowWidth:0] rel_q;
  logic [SlotWidth:0] done_q;
  logic [1:0] b_q;
  logic [33:0] r_q;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    done_waits_q <= done_valid_o && !done_ready_i;
    rel_waits_q <= rel_valid_o && !rel_ready_i;
    b_waits_q <= s_axil_bvalid_o && !s_axil_bready_i;
    r_waits_q <= s_axil_rvalid_o && !s_axil_rready_i;
    done_q <= {done_slot_o, done_spoiled_o};
    rel_q <= {rel_row_o, rel_spoiled_o};
    b_q <= s_axil_bresp_o;
    r_q <= {s_axil_rdata_o, s_axil_rresp_o};
  end

  always @(posedge clk_i) if (past_q) begin
    port_done: assert (!done_waits_q || (done_valid_o && {done_slot_o, done_spoiled_o} == done_q));
    port_rel: assert (!rel_waits_q || (rel_valid_o && {rel_row_o, rel_spoiled_o} == rel_q));
    port_b: assert (!b_waits_q || (s_axil_bvalid_o && s_axil_bresp_o == b_q));
    port_r: assert (!r_waits_q || (s_axil_rvalid_o && {s_axil_rdata_o, s_axil_rresp_o} == r_q));
    cover_all_wait: cover (done_waits_q && rel_waits_q && b_waits_q && r_waits_q);
  end
endmodule
