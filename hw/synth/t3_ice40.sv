// SPDX-License-Identifier: Apache-2.0
/// t3_track_trigger between the flip-flops of an iCE40's pins, so that place and route sees all of it.
///
/// Promise: nothing of the unit can be optimised away, and every path between it and a pin is a path
/// between flip-flops, which counts for the frequency: an input comes from a pin's flip-flop, and
/// four outputs are joined into one by XOR.
///
/// Why: the unit has far more ports than any package of the family has pins, and the harness has to
/// be small. The flip-flops of the pins cost no logic cell. Inputs that are not used together share
/// pins: a register's data and a lane's address; the two register addresses.
///
///   in_i ─► SB_IO ─► inputs ─► t3_track_trigger ─► outputs, XOR of four ─► SB_IO ─► out_o
module t3_ice40 #(
  parameter int NumLanes = 1,
  parameter int NumBanks = 2,
  parameter int WgWidth = 8,
  parameter int WfWidth = 1,
  parameter int AddrWidth = 32,
  parameter int WeightWidth = 8,
  parameter int CountWidth = 17,
  parameter int NumWindows = 1,
  parameter int NumRegions = 1,
  parameter int NumSlots = 512,
  parameter int NumRows = 256,
  parameter int LaneDepth = 2,
  parameter int QueueDepth = 16,
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows),
  localparam int InWidth = NumLanes * (1 + WgWidth + WfWidth + WeightWidth) + 2 + 63,
  localparam int OutWidth = NumLanes + 2 + SlotWidth + 1 + RowWidth + 44,
  localparam int FoldedWidth = (OutWidth + 3) / 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [InWidth-1:0]     in_i,
  output logic [FoldedWidth-1:0] out_o
);

  // PIN_TYPE of SB_IO: an input register; an output register, always driven.
  localparam logic [5:0] RegisteredInput = 6'b000000;
  localparam logic [5:0] RegisteredOutput = 6'b010100;

  logic [InWidth-1:0] in_q;
  logic [4*FoldedWidth-1:0] out;

  for (genvar i = 0; i < InWidth; i++) begin : gen_in
    SB_IO #(
      .PIN_TYPE(RegisteredInput)
    ) u_pin (
      .PACKAGE_PIN(in_i[i]),
      .INPUT_CLK  (clk_i),
      .D_IN_0     (in_q[i])
    );
  end

  for (genvar i = 0; i < FoldedWidth; i++) begin : gen_out
    SB_IO #(
      .PIN_TYPE(RegisteredOutput)
    ) u_pin (
      .PACKAGE_PIN(out_o[i]),
      .OUTPUT_CLK (clk_i),
      .D_OUT_0    (^out[4*i +: 4])
    );
  end

  logic [NumLanes-1:0] lane_valid;
  logic [NumLanes*WgWidth-1:0] lane_wg;
  logic [NumLanes*WfWidth-1:0] lane_wf;
  logic [NumLanes*AddrWidth-1:0] lane_addr;
  logic [NumLanes*WeightWidth-1:0] lane_weight;
  logic done_ready, rel_ready;
  logic awvalid, wvalid, bready, arvalid, rready;
  logic [15:0] awaddr, araddr;
  logic [2:0] awprot, arprot;
  logic [31:0] wdata;
  logic [3:0] wstrb;
  assign {lane_valid, lane_wg, lane_wf, lane_weight, done_ready, rel_ready,
          awvalid, wvalid, bready, arvalid, rready, awaddr, awprot, arprot, wdata, wstrb} = in_q;
  assign araddr = awaddr;
  assign lane_addr = {NumLanes{AddrWidth'(wdata)}};

  logic [NumLanes-1:0] lane_ready;
  logic done_valid, done_spoiled, rel_valid, rel_spoiled;
  logic [SlotWidth-1:0] done_slot;
  logic [RowWidth-1:0] rel_row;
  logic awready, wready, bvalid, arready, rvalid, irq, alert, busy;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata;
  assign out = (4 * FoldedWidth)'({
      lane_ready, done_valid, done_slot, done_spoiled, rel_valid, rel_row, rel_spoiled,
      awready, wready, bvalid, arready, rvalid, irq, alert, busy, bresp, rresp, rdata});

  t3_track_trigger #(
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
    .NumRows    (NumRows),
    .LaneDepth  (LaneDepth),
    .QueueDepth (QueueDepth)
  ) u_unit (
    .clk_i,
    .rst_ni,
    .lane_valid_i    (lane_valid),
    .lane_ready_o    (lane_ready),
    .lane_wg_i       (lane_wg),
    .lane_wf_i       (lane_wf),
    .lane_addr_i     (lane_addr),
    .lane_weight_i   (lane_weight),
    .done_valid_o    (done_valid),
    .done_ready_i    (done_ready),
    .done_slot_o     (done_slot),
    .done_spoiled_o  (done_spoiled),
    .rel_valid_o     (rel_valid),
    .rel_ready_i     (rel_ready),
    .rel_row_o       (rel_row),
    .rel_spoiled_o   (rel_spoiled),
    .s_axil_awvalid_i(awvalid),
    .s_axil_awready_o(awready),
    .s_axil_awaddr_i (awaddr),
    .s_axil_awprot_i (awprot),
    .s_axil_wvalid_i (wvalid),
    .s_axil_wready_o (wready),
    .s_axil_wdata_i  (wdata),
    .s_axil_wstrb_i  (wstrb),
    .s_axil_bvalid_o (bvalid),
    .s_axil_bready_i (bready),
    .s_axil_bresp_o  (bresp),
    .s_axil_arvalid_i(arvalid),
    .s_axil_arready_o(arready),
    .s_axil_araddr_i (araddr),
    .s_axil_arprot_i (arprot),
    .s_axil_rvalid_o (rvalid),
    .s_axil_rready_i (rready),
    .s_axil_rdata_o  (rdata),
    .s_axil_rresp_o  (rresp),
    .irq_o           (irq),
    .alert_o         (alert),
    .busy_o          (busy)
  );

endmodule
