// SPDX-License-Identifier: Apache-2.0
/// t3_track_trigger between the flip-flops of an iCE40's pins, so that place and route sees all of it.
///
/// Promise: nothing of the unit can be optimised away, and every path between it and a pin is a path
/// between flip-flops, which counts for the frequency: an input comes from a pin's flip-flop, and
/// four outputs are joined into one by XOR.
///
/// Why: the unit has far more ports than any package of the family has pins, and the harness has to
/// be small. The flip-flops of the pins cost no logic cell. Inputs that are not used together share
/// pins: the four words of a record, a register's data and a lane's address; the two register
/// addresses.
///
///   in_i ─► SB_IO ─► inputs ─► t3_track_trigger ─► outputs, XOR of four ─► SB_IO ─► out_o
module t3_ice40 #(
  parameter int NumLanes = 1,
  parameter int NumBanks = 2,
  parameter int SetsPerBank = 128,
  parameter int Ways = 1,
  parameter int WgWidth = 8,
  parameter int WfWidth = 1,
  parameter int AddrWidth = 32,
  parameter int CntWidth = 12,
  parameter int NumRegions = 1,
  parameter int NumGeometries = 1,
  parameter int CmdDepth = 64,
  parameter int LaneFifoDepth = 2,
  parameter int ParkDepth = 256,
  parameter int ParkedWidth = 1,
  parameter int ReleaseRows = 16,
  localparam int BankWidth = t3_pkg::index_width(NumBanks),
  localparam int CmdWidth = t3_pkg::index_width(CmdDepth),
  localparam int RowWidth = t3_pkg::index_width(ReleaseRows),
  localparam int CommandWidth = CmdWidth + t3_pkg::RegionPortWidth + WgWidth,
  localparam int NoticeWidth = CommandWidth + WfWidth + AddrWidth,
  localparam int InWidth = NumLanes * (1 + WgWidth + WfWidth + t3_pkg::BytesWidth) + 4 + BankWidth
                           + 63,
  localparam int OutWidth = NumLanes + 3 + RowWidth + CommandWidth + NoticeWidth + 3 + AddrWidth + BankWidth
                            + t3_pkg::RecordWidth + 43,
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
  logic [NumLanes*t3_pkg::BytesWidth-1:0] lane_bytes;
  logic dma_ready, rel_ready, mem_ready, mem_rvalid;
  logic [BankWidth-1:0] mem_rid;
  logic [31:0] mem_rdata;
  logic awvalid, wvalid, bready, arvalid, rready;
  logic [15:0] awaddr, araddr;
  logic [2:0] awprot, arprot;
  logic [31:0] wdata;
  logic [3:0] wstrb;
  assign {lane_valid, lane_wg, lane_wf, lane_bytes, dma_ready, rel_ready, mem_ready, mem_rvalid,
          mem_rid, awvalid, wvalid, bready, arvalid, rready, awaddr, awprot, arprot, wdata, wstrb} = in_q;
  assign mem_rdata = wdata;
  assign araddr = awaddr;
  assign lane_addr = {NumLanes{AddrWidth'(wdata)}};

  logic [NumLanes-1:0] lane_ready;
  logic [RowWidth-1:0] rel_row;
  logic dma_valid, rel_valid, ntf_valid, mem_valid, mem_write, mem_rready;
  logic [CommandWidth-1:0] dma;
  logic [NoticeWidth-1:0] ntf;
  logic [AddrWidth-1:0] mem_addr;
  logic [BankWidth-1:0] mem_id;
  logic [t3_pkg::RecordWidth-1:0] mem_wdata;
  logic awready, wready, bvalid, arready, rvalid, irq, busy;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata;
  assign out = (4 * FoldedWidth)'({
      lane_ready, dma_valid, dma, rel_valid, rel_row, ntf_valid, ntf, mem_valid, mem_write, mem_rready, mem_addr, mem_id,
      mem_wdata, awready, wready, bvalid, arready, rvalid, irq, busy, bresp, rresp, rdata});

  t3_track_trigger #(
    .NumLanes     (NumLanes),
    .NumBanks     (NumBanks),
    .SetsPerBank  (SetsPerBank),
    .Ways         (Ways),
    .WgWidth      (WgWidth),
    .WfWidth      (WfWidth),
    .AddrWidth    (AddrWidth),
    .CntWidth     (CntWidth),
    .NumRegions   (NumRegions),
    .NumGeometries(NumGeometries),
    .CmdDepth     (CmdDepth),
    .LaneFifoDepth(LaneFifoDepth),
    .ParkDepth    (ParkDepth),
    .ParkedWidth  (ParkedWidth),
    .ReleaseRows  (ReleaseRows)
  ) u_unit (
    .clk_i,
    .rst_ni,
    .lane_valid_i    (lane_valid),
    .lane_ready_o    (lane_ready),
    .lane_wg_i       (lane_wg),
    .lane_wf_i       (lane_wf),
    .lane_addr_i     (lane_addr),
    .lane_bytes_i    (lane_bytes),
    .dma_valid_o     (dma_valid),
    .dma_ready_i     (dma_ready),
    .dma_cmd_o       (dma[CommandWidth-1 -: CmdWidth]),
    .dma_region_o    (dma[WgWidth +: t3_pkg::RegionPortWidth]),
    .dma_wg_o        (dma[WgWidth-1:0]),
    .rel_valid_o     (rel_valid),
    .rel_ready_i     (rel_ready),
    .rel_row_o       (rel_row),
    .ntf_valid_o     (ntf_valid),
    .ntf_cmd_o       (ntf[NoticeWidth-1 -: CmdWidth]),
    .ntf_region_o    (ntf[WgWidth+WfWidth+AddrWidth +: t3_pkg::RegionPortWidth]),
    .ntf_wg_o        (ntf[WfWidth+AddrWidth +: WgWidth]),
    .ntf_wf_o        (ntf[AddrWidth +: WfWidth]),
    .ntf_addr_o      (ntf[AddrWidth-1:0]),
    .mem_valid_o     (mem_valid),
    .mem_ready_i     (mem_ready),
    .mem_write_o     (mem_write),
    .mem_addr_o      (mem_addr),
    .mem_id_o        (mem_id),
    .mem_wdata_o     (mem_wdata),
    .mem_rvalid_i    (mem_rvalid),
    .mem_rready_o    (mem_rready),
    .mem_rid_i       (mem_rid),
    .mem_rdata_i     ({4{mem_rdata}}),
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
    .busy_o          (busy)
  );

endmodule
