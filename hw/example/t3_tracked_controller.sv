// SPDX-License-Identifier: Apache-2.0
/// The smallest wrapper that a memory controller of four channels needs around the unit: an example
/// for docs/tracker.md. hw/lint/run compiles it.
///
/// Each channel reports a write to a tracked output in the cycle in which the write enters the
/// channel's DRAM queue, and holds it while `report_ready_o` of its lane is low. Commands go to a DMA
/// engine that knows them by number. Records go through a port of the controller that keeps their
/// order and is served ahead of the queues of updates.
module t3_tracked_controller (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [3:0]   report_valid_i,
  output logic [3:0]   report_ready_o,
  input  logic [63:0]  report_wg_i,
  input  logic [11:0]  report_wf_i,
  input  logic [191:0] report_addr_i,
  input  logic [31:0]  report_bytes_i,

  output logic         start_valid_o,
  input  logic         start_ready_i,
  output logic [11:0]  start_cmd_o,

  output logic         record_valid_o,
  input  logic         record_ready_i,
  output logic         record_write_o,
  output logic [47:0]  record_addr_o,
  output logic [2:0]   record_id_o,
  output logic [127:0] record_wdata_o,
  input  logic         record_rvalid_i,
  output logic         record_rready_o,
  input  logic [2:0]   record_rid_i,
  input  logic [127:0] record_rdata_i,

  input  logic         awvalid_i,
  output logic         awready_o,
  input  logic [15:0]  awaddr_i,
  input  logic         wvalid_i,
  output logic         wready_o,
  input  logic [31:0]  wdata_i,
  input  logic [3:0]   wstrb_i,
  output logic         bvalid_o,
  input  logic         bready_i,
  output logic [1:0]   bresp_o,
  input  logic         arvalid_i,
  output logic         arready_o,
  input  logic [15:0]  araddr_i,
  output logic         rvalid_o,
  input  logic         rready_i,
  output logic [31:0]  rdata_o,
  output logic [1:0]   rresp_o,

  output logic         irq_o,
  /// May feed the enable of a clock gate, see "Clock gating" in docs/tracker.md.
  output logic         busy_o
);

  // This engine needs only the command's number; nobody listens to notifications and releases.
  t3_track_trigger #(
    .NumLanes(4)
  ) u_tracker (
    .clk_i,
    .rst_ni,
    .lane_valid_i    (report_valid_i),
    .lane_ready_o    (report_ready_o),
    .lane_wg_i       (report_wg_i),
    .lane_wf_i       (report_wf_i),
    .lane_addr_i     (report_addr_i),
    .lane_bytes_i    (report_bytes_i),
    .dma_valid_o     (start_valid_o),
    .dma_ready_i     (start_ready_i),
    .dma_cmd_o       (start_cmd_o),
    .dma_region_o    (),
    .dma_wg_o        (),
    .ntf_valid_o     (),
    .ntf_cmd_o       (),
    .ntf_region_o    (),
    .ntf_wg_o        (),
    .ntf_wf_o        (),
    .ntf_addr_o      (),
    .rel_valid_o     (),
    .rel_ready_i     (1'b1),
    .rel_row_o       (),
    .mem_valid_o     (record_valid_o),
    .mem_ready_i     (record_ready_i),
    .mem_write_o     (record_write_o),
    .mem_addr_o      (record_addr_o),
    .mem_id_o        (record_id_o),
    .mem_wdata_o     (record_wdata_o),
    .mem_rvalid_i    (record_rvalid_i),
    .mem_rready_o    (record_rready_o),
    .mem_rid_i       (record_rid_i),
    .mem_rdata_i     (record_rdata_i),
    .s_axil_awvalid_i(awvalid_i),
    .s_axil_awready_o(awready_o),
    .s_axil_awaddr_i (awaddr_i),
    .s_axil_awprot_i (3'b000),
    .s_axil_wvalid_i (wvalid_i),
    .s_axil_wready_o (wready_o),
    .s_axil_wdata_i  (wdata_i),
    .s_axil_wstrb_i  (wstrb_i),
    .s_axil_bvalid_o (bvalid_o),
    .s_axil_bready_i (bready_i),
    .s_axil_bresp_o  (bresp_o),
    .s_axil_arvalid_i(arvalid_i),
    .s_axil_arready_o(arready_o),
    .s_axil_araddr_i (araddr_i),
    .s_axil_arprot_i (3'b000),
    .s_axil_rvalid_o (rvalid_o),
    .s_axil_rready_i (rready_i),
    .s_axil_rdata_o  (rdata_o),
    .s_axil_rresp_o  (rresp_o),
    .irq_o,
    .busy_o
  );

endmodule
