// SPDX-License-Identifier: Apache-2.0
/// Self-checking bench for a second simulator: repeats what the unit tests recorded (recording.h),
/// one line per clock cycle, and compares every output in every cycle; what accompanies a valid
/// only while it is up. `+vectors=<file>`; prints PASS or FAIL with the number of cycles.
module vectors_tb;

  parameter int NumLanes = 8;
  parameter int NumBanks = 8;
  parameter int SetsPerBank = 64;
  parameter int Ways = 4;
  parameter int WgWidth = 16;
  parameter int WfWidth = 3;
  parameter int AddrWidth = 48;
  parameter int CntWidth = 18;
  parameter int NumRegions = 8;
  parameter int NumGeometries = 2;
  parameter int CmdDepth = 4096;
  parameter int LaneFifoDepth = 8;
  parameter int ParkDepth = 4096;
  parameter int ParkedWidth = 2;
  parameter int ReleaseRows = 256;
  localparam int BankWidth = $clog2(NumBanks);
  localparam int CmdWidth = $clog2(CmdDepth);
  localparam int RowWidth = $clog2(ReleaseRows);
  localparam int Fields = 50;

  reg clk, rst_n;
  reg [NumLanes-1:0] lane_valid;
  reg [NumLanes*WgWidth-1:0] lane_wg;
  reg [NumLanes*WfWidth-1:0] lane_wf;
  reg [NumLanes*AddrWidth-1:0] lane_addr;
  reg [NumLanes*8-1:0] lane_bytes;
  reg dma_ready, rel_ready, mem_ready, mem_rvalid;
  reg [BankWidth-1:0] mem_rid;
  reg [127:0] mem_rdata;
  reg awvalid, wvalid, bready, arvalid, rready;
  reg [15:0] awaddr, araddr;
  reg [31:0] wdata;
  reg [3:0] wstrb;

  wire [NumLanes-1:0] lane_ready;
  wire dma_valid, rel_valid, ntf_valid, mem_valid, mem_write, mem_rready;
  wire [RowWidth-1:0] rel_row;
  wire [CmdWidth-1:0] dma_cmd, ntf_cmd;
  wire [3:0] dma_region, ntf_region;
  wire [WgWidth-1:0] dma_wg, ntf_wg;
  wire [WfWidth-1:0] ntf_wf;
  wire [AddrWidth-1:0] ntf_addr, mem_addr;
  wire [BankWidth-1:0] mem_id;
  wire [127:0] mem_wdata;
  wire awready, wready, bvalid, arready, rvalid, irq, busy;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;

  // The same outputs as recorded.
  reg [NumLanes-1:0] want_lane_ready;
  reg [RowWidth-1:0] want_rel_row;
  reg want_dma_valid, want_rel_valid, want_ntf_valid, want_mem_valid, want_mem_write, want_mem_rready;
  reg [CmdWidth-1:0] want_dma_cmd, want_ntf_cmd;
  reg [3:0] want_dma_region, want_ntf_region;
  reg [WgWidth-1:0] want_dma_wg, want_ntf_wg;
  reg [WfWidth-1:0] want_ntf_wf;
  reg [AddrWidth-1:0] want_ntf_addr, want_mem_addr;
  reg [BankWidth-1:0] want_mem_id;
  reg [127:0] want_mem_wdata;
  reg want_awready, want_wready, want_bvalid, want_arready, want_rvalid, want_irq, want_busy;
  reg [1:0] want_bresp, want_rresp;
  reg [31:0] want_rdata;

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
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .lane_valid_i    (lane_valid),
    .lane_ready_o    (lane_ready),
    .lane_wg_i       (lane_wg),
    .lane_wf_i       (lane_wf),
    .lane_addr_i     (lane_addr),
    .lane_bytes_i    (lane_bytes),
    .dma_valid_o     (dma_valid),
    .dma_ready_i     (dma_ready),
    .dma_cmd_o       (dma_cmd),
    .dma_region_o    (dma_region),
    .dma_wg_o        (dma_wg),
    .rel_valid_o     (rel_valid),
    .rel_ready_i     (rel_ready),
    .rel_row_o       (rel_row),
    .ntf_valid_o     (ntf_valid),
    .ntf_cmd_o       (ntf_cmd),
    .ntf_region_o    (ntf_region),
    .ntf_wg_o        (ntf_wg),
    .ntf_wf_o        (ntf_wf),
    .ntf_addr_o      (ntf_addr),
    .mem_valid_o     (mem_valid),
    .mem_ready_i     (mem_ready),
    .mem_write_o     (mem_write),
    .mem_addr_o      (mem_addr),
    .mem_id_o        (mem_id),
    .mem_wdata_o     (mem_wdata),
    .mem_rvalid_i    (mem_rvalid),
    .mem_rready_o    (mem_rready),
    .mem_rid_i       (mem_rid),
    .mem_rdata_i     (mem_rdata),
    .s_axil_awvalid_i(awvalid),
    .s_axil_awready_o(awready),
    .s_axil_awaddr_i (awaddr),
    .s_axil_awprot_i (3'b000),
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
    .s_axil_arprot_i (3'b000),
    .s_axil_rvalid_o (rvalid),
    .s_axil_rready_i (rready),
    .s_axil_rdata_o  (rdata),
    .s_axil_rresp_o  (rresp),
    .irq_o           (irq),
    .busy_o          (busy)
  );

  integer file, got, cycles, differences;
  reg [8*1024-1:0] name;

  task report(input [8*12-1:0] port);
    begin
      differences = differences + 1;
      if (differences <= 10) $display("cycle %0d: %0s differs", cycles, port);
    end
  endtask

  // `!==`: an unknown output is a difference too.
  task compare;
    begin
      if (lane_ready !== want_lane_ready) report("lane_ready");
      if (dma_valid !== want_dma_valid) report("dma_valid");
      if (want_dma_valid
          && {dma_cmd, dma_region, dma_wg} !== {want_dma_cmd, want_dma_region, want_dma_wg})
        report("dma_*");
      if (rel_valid !== want_rel_valid) report("rel_valid");
      if (want_rel_valid && rel_row !== want_rel_row) report("rel_row");
      if (ntf_valid !== want_ntf_valid) report("ntf_valid");
      if (want_ntf_valid
          && {ntf_cmd, ntf_region, ntf_wg, ntf_wf, ntf_addr}
             !== {want_ntf_cmd, want_ntf_region, want_ntf_wg, want_ntf_wf, want_ntf_addr})
        report("ntf_*");
      if (mem_valid !== want_mem_valid) report("mem_valid");
      if (want_mem_valid
          && {mem_write, mem_addr, mem_id, mem_wdata}
             !== {want_mem_write, want_mem_addr, want_mem_id, want_mem_wdata})
        report("mem_*");
      if (mem_rready !== want_mem_rready) report("mem_rready");
      if ({awready, wready, bvalid, arready, rvalid}
          !== {want_awready, want_wready, want_bvalid, want_arready, want_rvalid})
        report("s_axil_*");
      if (want_bvalid && bresp !== want_bresp) report("bresp");
      if (want_rvalid && {rdata, rresp} !== {want_rdata, want_rresp}) report("rdata");
      if (irq !== want_irq) report("irq");
      if (busy !== want_busy) report("busy");
    end
  endtask

  initial begin
    cycles = 0;
    differences = 0;
    clk = 1'b0;
    if (!$value$plusargs("vectors=%s", name)) begin
      $display("FAIL: +vectors=<file> is missing");
      $finish;
    end
    file = $fopen(name, "r");
    if (file == 0) begin
      $display("FAIL: cannot read %0s", name);
      $finish;
    end
    got = Fields;
    while (got == Fields) begin
      got = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h",
                    rst_n, lane_valid, lane_wg, lane_wf, lane_addr, lane_bytes, dma_ready,
                    rel_ready, mem_ready, mem_rvalid, mem_rid, mem_rdata, awvalid, awaddr, wvalid, wdata,
                    wstrb, bready, arvalid, araddr, rready);
      got = got + $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h",
                          want_lane_ready, want_dma_valid, want_dma_cmd, want_dma_region,
                          want_dma_wg, want_rel_valid, want_rel_row, want_ntf_valid, want_ntf_cmd, want_ntf_region,
                          want_ntf_wg, want_ntf_wf, want_ntf_addr);
      got = got + $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h",
                          want_mem_valid, want_mem_write, want_mem_addr, want_mem_id,
                          want_mem_wdata, want_mem_rready, want_awready, want_wready,
                          want_bvalid, want_bresp, want_arready, want_rvalid, want_rdata,
                          want_rresp, want_irq, want_busy);
      if (got == Fields) begin
        #1;
        if (rst_n) compare;
        clk = 1'b1;
        #1;
        clk = 1'b0;
        cycles = cycles + 1;
      end
    end
    if (differences == 0 && cycles > 0) $display("PASS: %0d cycles", cycles);
    else $display("FAIL: %0d differences in %0d cycles", differences, cycles);
    $finish;
  end

endmodule
