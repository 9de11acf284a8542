// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// t3_track_trigger with typed ports (t3_port_pkg), AXI-Stream's names at its streams, and a gate in front of its clock.
///
/// Promise: that of t3_track_trigger, in the same cycles. `clk_en_o` is the gate's enable: while it is low the clock of
/// the unit stands still, and no register would change if it did not; so the clock may also be stopped further up the
/// tree while it is low, if it comes back in the cycle in which it rises. It depends on inputs of the same cycle; all
/// other outputs are functions of registers. `test_en_i` keeps the clock running.
///
///   clk_i ─► t3_clk_gate ─► t3_track_trigger ◄─► lane_t*, done_t*, rel_t*, s_axil_*
///                 ▲ clk_en_o = busy_o, or something is valid, or is taken
module t3_tracker #(
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
  parameter int Protection = t3_pkg::ProtectNone
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic test_en_i,
  output logic clk_en_o,

  input  logic [NumLanes-1:0]                         lane_tvalid_i,
  output logic [NumLanes-1:0]                         lane_tready_o,
  input  logic [NumLanes*t3_port_pkg::UpdateBits-1:0] lane_tdata_i,  // t3_port_pkg::update_t of each lane

  output logic               done_tvalid_o,
  input  logic               done_tready_i,
  output t3_port_pkg::said_t done_tdata_o,

  output logic               rel_tvalid_o,
  input  logic               rel_tready_i,
  output t3_port_pkg::said_t rel_tdata_o,

  input  t3_port_pkg::axil_req_t s_axil_req_i,
  output t3_port_pkg::axil_rsp_t s_axil_rsp_o,

  output logic irq_o,
  output logic alert_o,
  output logic busy_o
);
  localparam int SlotWidth = t3_pkg::index_width(NumSlots);
  localparam int RowWidth = t3_pkg::index_width(NumRows);

  t3_port_pkg::update_t update;
  t3_port_pkg::axil_req_t req;
  t3_port_pkg::axil_rsp_t rsp;
  t3_port_pkg::said_t done, rel;
  logic [NumLanes*WgWidth-1:0] lane_wg;
  logic [NumLanes*WfWidth-1:0] lane_wf;
  logic [NumLanes*AddrWidth-1:0] lane_addr;
  logic [NumLanes*WeightWidth-1:0] lane_weight;
  logic [NumLanes-1:0] too_wide;
  logic [SlotWidth-1:0] done_slot;
  logic [RowWidth-1:0] rel_row;
  logic done_spoiled, rel_spoiled, clk;

  always_comb begin : p_lanes
    update = '0;
    for (int l = 0; l < NumLanes; l++) begin
      update = lane_tdata_i[l*t3_port_pkg::UpdateBits +: t3_port_pkg::UpdateBits];
      lane_wg[l*WgWidth +: WgWidth] = update.wg[WgWidth-1:0];
      lane_wf[l*WfWidth +: WfWidth] = update.wf[WfWidth-1:0];
      lane_addr[l*AddrWidth +: AddrWidth] = update.addr[AddrWidth-1:0];
      lane_weight[l*WeightWidth +: WeightWidth] = update.weight[WeightWidth-1:0];
      too_wide[l] = (update.wg >> WgWidth) != '0 || (update.wf >> WfWidth) != '0 || (update.addr >> AddrWidth) != '0
                    || (update.weight >> WeightWidth) != '0;
    end
  end

  assign req = s_axil_req_i;
  assign s_axil_rsp_o = rsp;
  assign done.spoiled = done_spoiled;
  assign done.number = 15'(done_slot);
  assign rel.spoiled = rel_spoiled;
  assign rel.number = 15'(rel_row);
  assign done_tdata_o = done;
  assign rel_tdata_o = rel;

  assign clk_en_o = busy_o || lane_tvalid_i != '0 || req.aw_valid || req.w_valid || req.ar_valid
                    || (rsp.b_valid && req.b_ready) || (rsp.r_valid && req.r_ready)
                    || (done_tvalid_o && done_tready_i) || (rel_tvalid_o && rel_tready_i);

  t3_clk_gate u_gate (.clk_i, .en_i(clk_en_o), .test_en_i, .clk_o(clk));

  t3_track_trigger #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .WeightWidth(WeightWidth), .CountWidth(CountWidth), .NumWindows(NumWindows), .NumRegions(NumRegions),
    .NumSlots(NumSlots), .NumRows(NumRows), .LaneDepth(LaneDepth), .QueueDepth(QueueDepth), .Protection(Protection)
  ) u_unit (
    .clk_i(clk), .rst_ni,
    .lane_valid_i(lane_tvalid_i), .lane_ready_o(lane_tready_o), .lane_wg_i(lane_wg), .lane_wf_i(lane_wf),
    .lane_addr_i(lane_addr), .lane_weight_i(lane_weight),
    .done_valid_o(done_tvalid_o), .done_ready_i(done_tready_i), .done_slot_o(done_slot), .done_spoiled_o(done_spoiled),
    .rel_valid_o(rel_tvalid_o), .rel_ready_i(rel_tready_i), .rel_row_o(rel_row), .rel_spoiled_o(rel_spoiled),
    .s_axil_awvalid_i(req.aw_valid), .s_axil_awready_o(rsp.aw_ready), .s_axil_awaddr_i(req.aw.addr),
    .s_axil_awprot_i(req.aw.prot),
    .s_axil_wvalid_i(req.w_valid), .s_axil_wready_o(rsp.w_ready), .s_axil_wdata_i(req.w.data),
    .s_axil_wstrb_i(req.w.strb),
    .s_axil_bvalid_o(rsp.b_valid), .s_axil_bready_i(req.b_ready), .s_axil_bresp_o(rsp.b.resp),
    .s_axil_arvalid_i(req.ar_valid), .s_axil_arready_o(rsp.ar_ready), .s_axil_araddr_i(req.ar.addr),
    .s_axil_arprot_i(req.ar.prot),
    .s_axil_rvalid_o(rsp.r_valid), .s_axil_rready_i(req.r_ready), .s_axil_rdata_o(rsp.r.data),
    .s_axil_rresp_o(rsp.r.resp),
    .irq_o, .alert_o, .busy_o
  );

  `T3_ASSERT(a_update_fits, (lane_tvalid_i & too_wide) == '0)

  logic unused_bits;
  assign unused_bits = ^too_wide;

endmodule
