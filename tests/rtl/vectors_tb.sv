// SPDX-License-Identifier: Apache-2.0
/// Self-checking bench of the track-and-trigger unit for a second simulator, see vectors.svh. What
/// accompanies a valid is compared only while it is up.
module vectors_tb;

  parameter int NumLanes = 8;
  parameter int NumBanks = 8;
  parameter int WgWidth = 16;
  parameter int WfWidth = 3;
  parameter int AddrWidth = 48;
  parameter int WeightWidth = 8;
  parameter int CountWidth = 23;
  parameter int NumWindows = 4;
  parameter int NumRegions = 8;
  parameter int NumSlots = 4096;
  parameter int NumRows = 256;
  parameter int LaneDepth = 4;
  parameter int QueueDepth = 64;
  localparam int SlotWidth = $clog2(NumSlots);
  localparam int RowWidth = $clog2(NumRows);
  localparam int Fields = 37;

  reg clk, rst_n;
  reg [NumLanes-1:0] lane_valid;
  reg [NumLanes*WgWidth-1:0] lane_wg;
  reg [NumLanes*WfWidth-1:0] lane_wf;
  reg [NumLanes*AddrWidth-1:0] lane_addr;
  reg [NumLanes*WeightWidth-1:0] lane_weight;
  reg done_ready, rel_ready;
  reg awvalid, wvalid, bready, arvalid, rready;
  reg [15:0] awaddr, araddr;
  reg [2:0] awprot, arprot;
  reg [31:0] wdata;
  reg [3:0] wstrb;

  wire [NumLanes-1:0] lane_ready;
  wire done_valid, done_spoiled, rel_valid, rel_spoiled;
  wire [SlotWidth-1:0] done_slot;
  wire [RowWidth-1:0] rel_row;
  wire awready, wready, bvalid, arready, rvalid, irq, alert, busy;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;

  // The same outputs as recorded.
  reg [NumLanes-1:0] want_lane_ready;
  reg want_done_valid, want_done_spoiled, want_rel_valid, want_rel_spoiled;
  reg [SlotWidth-1:0] want_done_slot;
  reg [RowWidth-1:0] want_rel_row;
  reg want_awready, want_wready, want_bvalid, want_arready, want_rvalid, want_irq, want_alert, want_busy;
  reg [1:0] want_bresp, want_rresp;
  reg [31:0] want_rdata;

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
    .clk_i           (clk),
    .rst_ni          (rst_n),
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

`include "tests/support/vectors.svh"

  task read;
    begin
      got = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h",
                    rst_n, lane_valid, lane_wg, lane_wf, lane_addr, lane_weight, done_ready,
                    rel_ready, awvalid, awaddr, awprot, wvalid, wdata, wstrb, bready, arvalid,
                    araddr, arprot, rready);
      got = got + $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h",
                          want_lane_ready, want_done_valid, want_done_slot, want_done_spoiled,
                          want_rel_valid, want_rel_row, want_rel_spoiled, want_awready, want_wready,
                          want_bvalid, want_bresp, want_arready, want_rvalid, want_rdata, want_rresp, want_irq,
                          want_alert, want_busy);
    end
  endtask

  // `!==`: an unknown output is a difference too.
  task compare;
    begin
      if (lane_ready !== want_lane_ready) report("lane_ready");
      if (done_valid !== want_done_valid) report("done_valid");
      if (want_done_valid && {done_slot, done_spoiled} !== {want_done_slot, want_done_spoiled})
        report("done_*");
      if (rel_valid !== want_rel_valid) report("rel_valid");
      if (want_rel_valid && {rel_row, rel_spoiled} !== {want_rel_row, want_rel_spoiled}) report("rel_*");
      if ({awready, wready, bvalid, arready, rvalid}
          !== {want_awready, want_wready, want_bvalid, want_arready, want_rvalid})
        report("s_axil_*");
      if (want_bvalid && bresp !== want_bresp) report("bresp");
      if (want_rvalid && {rdata, rresp} !== {want_rdata, want_rresp}) report("rdata");
      if (irq !== want_irq) report("irq");
      if (alert !== want_alert) report("alert");
      if (busy !== want_busy) report("busy");
    end
  endtask

endmodule
