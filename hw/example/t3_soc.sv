// SPDX-License-Identifier: Apache-2.0
/// A small GPU-side system around the unit: memory with addition, tracker, DMA engine, links to the
/// neighbours in the ring, and a sequencer in the place of software. An example for
/// docs/tracker-integration.md, whole but small: hw/example/run connects several of it to a ring.
///
/// Promise: a store to the own memory is added there, one to the window of the next GPU goes out on
/// the link and is added there. What the tracker triggers is sent on by the DMA engine, as
/// `t3_soc_boot` programs it. A row on `rel_*` is complete in this memory. Streams have valid and
/// ready; `out_*` is a register and holds what it shows. No stream waits for another one but in
/// this way: `in_*` and stores wait for the tracker's lanes and for each other's turns at a
/// channel, stores to the window and the DMA engine for `out_*`. So a ring of these cannot stop.
///
///   GPU's stores ─┬─────────► ┌───────────────┐ ─ updates ─► ┌─────────────────┐ ─► rel_*
///                 │     ┌───► │ t3_soc_memory │              │ t3_track_trigger│
///                 │     │     └───────┬───────┘              └────────┬────────┘
///          in_* ──│─────┘             │ reads                         │ done_*
///                 │             ┌─────┴──────┐ ◄──────────────────────┘
///       next GPU's└─► turns ◄── │ t3_soc_dma │    t3_soc_boot ─► AXI4-Lite of tracker and DMA engine
///                       └─► out_*            │
module t3_soc #(
  parameter int Gpu = 0,
  parameter int Gpus = 2,
  localparam int WgWidth = t3_soc_pkg::WgWidth,
  localparam int WfWidth = t3_soc_pkg::WfWidth,
  localparam int AddrWidth = t3_soc_pkg::AddrWidth,
  localparam int WordWidth = t3_soc_pkg::WordWidth,
  localparam int WriteWidth = t3_soc_pkg::WriteWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// What the GPU's kernel stores: a word of tile (wg, wf), to be added. `run_o` says when it may
  /// begin.
  input  logic                 store_valid_i,
  output logic                 store_ready_o,
  input  logic [WgWidth-1:0]   store_wg_i,
  input  logic [WfWidth-1:0]   store_wf_i,
  input  logic [AddrWidth-1:0] store_addr_i,
  input  logic [WordWidth-1:0] store_data_i,

  /// Links to the next GPU and from the previous one: {add, wg, wf, index, data}.
  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [WriteWidth-1:0] out_o,
  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  input  logic [WriteWidth-1:0] in_i,

  /// Rows of tiles that are complete.
  output logic                            rel_valid_o,
  input  logic                            rel_ready_i,
  output logic [t3_soc_pkg::RowWidth-1:0] rel_row_o,
  output logic                            rel_spoiled_o,

  output logic run_o,
  output logic done_o,
  output logic failed_o,
  /// May feed the enable of a clock gate (docs/tracker-integration.md, "Clock gating and scan").
  output logic tracker_busy_o,
  /// To what looks after broken hardware: a memory of the tracker had a word that cannot be corrected.
  output logic tracker_alert_o
);

  localparam int IndexWidth = t3_soc_pkg::IndexWidth;
  localparam int Channels = t3_soc_pkg::Channels;
  localparam int SlotWidth = t3_soc_pkg::SlotWidth;
  localparam int WeightWidth = t3_soc_pkg::WeightWidth;
  localparam int DmaBit = 16;  // of the addresses of registers: the DMA engine's

  initial begin : p_check
    if (Gpus < 2 || Gpus > t3_soc_pkg::MostGpus) $fatal(1, "Gpus: expected 2 to 4");
    if (Gpu < 0 || Gpu >= Gpus) $fatal(1, "Gpu: expected one of the ring");
  end

  // ---- stores: to the own memory or to the window -----------------------------------------------
  logic store_away, store_own_ready, store_away_ready;
  logic [WriteWidth-1:0] store;
  logic [IndexWidth-1:0] store_index;
  logic unused_store_addr;
  assign store_away = store_addr_i[t3_soc_pkg::WindowBit];
  assign store_index = store_addr_i[t3_soc_pkg::WordLog2 +: IndexWidth];
  assign unused_store_addr = ^{store_addr_i[AddrWidth-1:t3_soc_pkg::WindowBit+1],
                               store_addr_i[t3_soc_pkg::WordLog2-1:0]};
  assign store = {1'b1, store_wg_i, store_wf_i, store_index, store_data_i};
  assign store_ready_o = store_away ? store_away_ready : store_own_ready;

  // ---- the memory and its updates -------------------------------------------------------------
  logic [Channels-1:0] lane_valid, lane_ready;
  logic [Channels*WgWidth-1:0] lane_wg;
  logic [Channels*WfWidth-1:0] lane_wf;
  logic [Channels*AddrWidth-1:0] lane_addr;
  logic [Channels*WeightWidth-1:0] lane_weight;
  logic dma_rd_valid, dma_rd_ready, dma_rd_rvalid;
  logic [IndexWidth-1:0] dma_rd_index;
  logic [WordWidth-1:0] dma_rd_rdata;

  t3_soc_memory u_memory (
    .clk_i,
    .rst_ni,
    .link_valid_i (in_valid_i),
    .link_ready_o (in_ready_o),
    .link_i       (in_i),
    .store_valid_i(store_valid_i && !store_away),
    .store_ready_o(store_own_ready),
    .store_i      (store),
    .rd_valid_i   (dma_rd_valid),
    .rd_ready_o   (dma_rd_ready),
    .rd_index_i   (dma_rd_index),
    .rd_rvalid_o  (dma_rd_rvalid),
    .rd_rdata_o   (dma_rd_rdata),
    .lane_valid_o (lane_valid),
    .lane_ready_i (lane_ready),
    .lane_wg_o    (lane_wg),
    .lane_wf_o    (lane_wf),
    .lane_addr_o  (lane_addr),
    .lane_weight_o(lane_weight)
  );

  // ---- software -------------------------------------------------------------------------------
  // One access at a time, so an answer is of the slave that was asked.
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready, irq;
  logic [31:0] awaddr, araddr;
  logic [31:0] wdata, rdata;
  logic [1:0] bresp, rresp;
  logic dma_write, dma_read;
  logic [1:0] slave_awready, slave_wready, slave_bvalid, slave_arready, slave_rvalid;
  logic [3:0] slave_bresp, slave_rresp;
  logic [63:0] slave_rdata;
  logic unused_map;
  assign unused_map = ^{awaddr[31:DmaBit+1], araddr[31:DmaBit+1]};
  assign dma_write = awaddr[DmaBit];
  assign dma_read = araddr[DmaBit];
  assign awready = slave_awready[dma_write];
  assign wready = slave_wready[dma_write];
  assign bvalid = slave_bvalid[dma_write];
  assign bresp = slave_bresp[dma_write*2 +: 2];
  assign arready = slave_arready[dma_read];
  assign rvalid = slave_rvalid[dma_read];
  assign rresp = slave_rresp[dma_read*2 +: 2];
  assign rdata = slave_rdata[dma_read*32 +: 32];

  t3_soc_boot #(
    .Gpu (Gpu),
    .Gpus(Gpus)
  ) u_boot (
    .clk_i,
    .rst_ni,
    .awvalid_o(awvalid),
    .awready_i(awready),
    .awaddr_o (awaddr),
    .wvalid_o (wvalid),
    .wready_i (wready),
    .wdata_o  (wdata),
    .bvalid_i (bvalid),
    .bready_o (bready),
    .bresp_i  (bresp),
    .arvalid_o(arvalid),
    .arready_i(arready),
    .araddr_o (araddr),
    .rvalid_i (rvalid),
    .rready_o (rready),
    .rdata_i  (rdata),
    .rresp_i  (rresp),
    .irq_i    (irq),
    .run_o,
    .done_o,
    .failed_o
  );

  // ---- the unit -------------------------------------------------------------------------------
  logic done_valid, done_ready, done_spoiled;
  logic [SlotWidth-1:0] done_slot;

  t3_track_trigger #(
    .NumLanes   (Channels),
    .NumBanks   (2),
    .WgWidth    (WgWidth),
    .WfWidth    (WfWidth),
    .AddrWidth  (AddrWidth),
    .WeightWidth(WeightWidth),
    .CountWidth (17),
    .NumWindows (2),
    .NumRegions (4),
    .NumSlots   (t3_soc_pkg::Slots),
    .NumRows    (t3_soc_pkg::RowSlots),
    .LaneDepth  (4),
    .QueueDepth (16)
  ) u_tracker (
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
    .rel_valid_o,
    .rel_ready_i,
    .rel_row_o,
    .rel_spoiled_o,
    .s_axil_awvalid_i(awvalid && !dma_write),
    .s_axil_awready_o(slave_awready[0]),
    .s_axil_awaddr_i (awaddr[15:0]),
    .s_axil_awprot_i (3'b000),
    .s_axil_wvalid_i (wvalid && !dma_write),
    .s_axil_wready_o (slave_wready[0]),
    .s_axil_wdata_i  (wdata),
    .s_axil_wstrb_i  (4'hF),
    .s_axil_bvalid_o (slave_bvalid[0]),
    .s_axil_bready_i (bready),
    .s_axil_bresp_o  (slave_bresp[1:0]),
    .s_axil_arvalid_i(arvalid && !dma_read),
    .s_axil_arready_o(slave_arready[0]),
    .s_axil_araddr_i (araddr[15:0]),
    .s_axil_arprot_i (3'b000),
    .s_axil_rvalid_o (slave_rvalid[0]),
    .s_axil_rready_i (rready),
    .s_axil_rdata_o  (slave_rdata[31:0]),
    .s_axil_rresp_o  (slave_rresp[1:0]),
    .irq_o           (irq),
    .alert_o         (tracker_alert_o),
    .busy_o          (tracker_busy_o)
  );

  // ---- the DMA engine and the link out --------------------------------------------------------
  logic dma_valid, dma_ready;
  logic [WriteWidth-1:0] dma;

  t3_soc_dma u_dma (
    .clk_i,
    .rst_ni,
    .cmd_valid_i  (done_valid),
    .cmd_ready_o  (done_ready),
    .cmd_i        (done_slot),
    .cmd_spoiled_i(done_spoiled),
    .rd_valid_o   (dma_rd_valid),
    .rd_ready_i   (dma_rd_ready),
    .rd_index_o   (dma_rd_index),
    .rd_rvalid_i  (dma_rd_rvalid),
    .rd_rdata_i   (dma_rd_rdata),
    .out_valid_o  (dma_valid),
    .out_ready_i  (dma_ready),
    .out_o        (dma),
    .awvalid_i    (awvalid && dma_write),
    .awready_o    (slave_awready[1]),
    .awaddr_i     (awaddr[15:0]),
    .wvalid_i     (wvalid && dma_write),
    .wready_o     (slave_wready[1]),
    .wdata_i      (wdata),
    .wstrb_i      (4'hF),
    .bvalid_o     (slave_bvalid[1]),
    .bready_i     (bready),
    .bresp_o      (slave_bresp[3:2]),
    .arvalid_i    (arvalid && dma_read),
    .arready_o    (slave_arready[1]),
    .araddr_i     (araddr[15:0]),
    .rvalid_o     (slave_rvalid[1]),
    .rready_i     (rready),
    .rdata_o      (slave_rdata[63:32]),
    .rresp_o      (slave_rresp[3:2])
  );

  logic [1:0] out_request, out_grant;
  assign out_request = (!out_valid_o || out_ready_i) ? {dma_valid, store_valid_i && store_away} : '0;
  assign {dma_ready, store_away_ready} = out_grant;

  t3_arb_rr #(
    .Count(2)
  ) u_out_turns (
    .clk_i,
    .rst_ni,
    .req_i  (out_request),
    .take_i (out_request != '0),
    .grant_o(out_grant)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_out_valid
    if (!rst_ni) begin
      out_valid_o <= 1'b0;
    end else if (!out_valid_o || out_ready_i) begin
      out_valid_o <= out_request != '0;
    end
  end

  always_ff @(posedge clk_i) begin : p_out
    if (out_grant != '0) out_o <= dma_ready ? dma : store;
  end

endmodule
