// SPDX-License-Identifier: Apache-2.0
/// t3_tracker with the ports of t3_track_trigger, so that the bench of that unit drives it, and its gate's enable.
module t3_flat_tracker #(
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
  input  logic                            rst_ni,
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
  output logic                            clk_en_o
);
  t3_port_pkg::update_t update;
  t3_port_pkg::axil_req_t req;
  t3_port_pkg::axil_rsp_t rsp;
  t3_port_pkg::said_t done, rel;
  logic [NumLanes*t3_port_pkg::UpdateBits-1:0] lane_data;
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
  ) u_tracker (
    .clk_i, .rst_ni, .test_en_i(1'b0), .clk_en_o,
    .lane_tvalid_i(lane_valid_i), .lane_tready_o(lane_ready_o), .lane_tdata_i(lane_data),
    .done_tvalid_o(done_valid_o), .done_tready_i(done_ready_i), .done_tdata_o(done),
    .rel_tvalid_o(rel_valid_o), .rel_tready_i(rel_ready_i), .rel_tdata_o(rel),
    .s_axil_req_i(req), .s_axil_rsp_o(rsp), .irq_o, .alert_o, .busy_o
  );

  // How often the clock of the unit inside has risen.
  logic [31:0] pulses_q = '0;
  always @(posedge u_tracker.u_unit.clk_i) pulses_q <= pulses_q + 32'd1;

endmodule
