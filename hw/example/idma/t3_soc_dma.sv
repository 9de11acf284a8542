// SPDX-License-Identifier: Apache-2.0
/// The DMA engine of the example with PULP's iDMA inside, in the place of hw/example/t3_soc_dma.sv: same ports, same
/// table, same words on the link. hw/example/run --idma puts it there.
///
/// Promise: that of t3_soc_dma, in other cycles. A command becomes one transfer of a block's bytes at the request port of
/// iDMA's backend (valid and ready), from the source's address to the target's; its AXI reads become reads of the
/// memory, one word at a time, and each word of its AXI writes goes out on the link, with the workgroup and the
/// wavefront of its place in the block. The next command begins when iDMA has said that the one before has ended.
///
///   cmd ─► table ─► request ─► ┌──────┐ ─ AR, R ─► rd_*
///                              │ iDMA │
///            Idle ◄─ response ─└──────┘ ─ AW, W, B ─► out_*
module t3_soc_dma #(
  localparam int CmdWidth = t3_soc_pkg::SlotWidth,
  localparam int WgWidth = t3_soc_pkg::WgWidth,
  localparam int IndexWidth = t3_soc_pkg::IndexWidth,
  localparam int WordWidth = t3_soc_pkg::WordWidth,
  localparam int WriteWidth = t3_soc_pkg::WriteWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                cmd_valid_i,
  output logic                cmd_ready_o,
  input  logic [CmdWidth-1:0] cmd_i,
  input  logic                cmd_spoiled_i,

  output logic                  rd_valid_o,
  input  logic                  rd_ready_i,
  output logic [IndexWidth-1:0] rd_index_o,
  input  logic                  rd_rvalid_i,
  input  logic [WordWidth-1:0]  rd_rdata_i,

  /// Words {add, wg, wf, index, data} for the next GPU's memory.
  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [WriteWidth-1:0] out_o,

  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [15:0] awaddr_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0]  wstrb_i,
  output logic        bvalid_o,
  input  logic        bready_i,
  output logic [1:0]  bresp_o,
  input  logic        arvalid_i,
  output logic        arready_o,
  input  logic [15:0] araddr_i,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o
);

  localparam int CountWidth = t3_soc_pkg::BlockWordsLog2;
  localparam int WfWidth = t3_soc_pkg::WfWidth;
  localparam int WordLog2 = t3_soc_pkg::WordLog2;
  localparam int BlockBytes = t3_soc_pkg::WordBytes << CountWidth;

  // ---- commands -------------------------------------------------------------------------------
  typedef enum logic [1:0] {Idle, Fetch, Request, Wait} state_e;
  state_e state_q;
  logic source_add, take, req_ready, rsp_valid, rsp_error;
  logic [WgWidth-1:0] first_wg;
  logic [IndexWidth-1:0] source_index, target_index;

  t3_soc_table u_table (
    .clk_i, .rst_ni, .re_i(take), .cmd_i, .add_o(source_add), .first_wg_o(first_wg), .source_o(source_index),
    .target_o(target_index),
    .awvalid_i, .awready_o, .awaddr_i, .wvalid_i, .wready_o, .wdata_i, .wstrb_i, .bvalid_o, .bready_i, .bresp_o,
    .arvalid_i, .arready_o, .araddr_i, .rvalid_o, .rready_i, .rdata_o, .rresp_o
  );

  assign cmd_ready_o = state_q == Idle;
  assign take = cmd_ready_o && cmd_valid_i && !cmd_spoiled_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      case (state_q)
        Idle: if (take) state_q <= Fetch;
        Fetch: state_q <= Request;
        Request: if (req_ready) state_q <= Wait;
        default: if (rsp_valid) state_q <= Idle;
      endcase
    end
  end

  // ---- iDMA -----------------------------------------------------------------------------------
  logic ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready;
  logic [31:0] ar_addr, aw_addr;
  logic [7:0] ar_len;
  logic [WordWidth-1:0] w_data, data_q;
  logic [t3_soc_pkg::WordBytes-1:0] w_strb;
  logic unused_addr;
  assign unused_addr = ^{ar_addr, aw_addr};

  idma_backend_synth_rw_axi #(
    .DataWidth(WordWidth), .AddrWidth(32), .NumAxInFlight(2), .BufferDepth(3), .TFLenWidth(16)
  ) u_idma (
    .clk_i, .rst_ni,
    .req_valid_i(state_q == Request), .req_ready_o(req_ready), .req_length_i(16'(BlockBytes)),
    .req_src_addr_i(32'(source_index) << WordLog2), .req_dst_addr_i(32'(target_index) << WordLog2),
    .req_src_protocol_i(idma_pkg::AXI), .req_dst_protocol_i(idma_pkg::AXI), .req_axi_id_i('0),
    .req_src_burst_i(axi_pkg::BURST_INCR), .req_src_cache_i('0), .req_src_lock_i('0), .req_src_prot_i('0),
    .req_src_qos_i('0), .req_src_region_i('0),
    .req_dst_burst_i(axi_pkg::BURST_INCR), .req_dst_cache_i('0), .req_dst_lock_i('0), .req_dst_prot_i('0),
    .req_dst_qos_i('0), .req_dst_region_i('0),
    .req_decouple_aw_i('0), .req_decouple_rw_i('0), .req_src_max_llen_i('0), .req_dst_max_llen_i('0),
    .req_src_reduce_len_i('0), .req_dst_reduce_len_i('0), .req_last_i(1'b1),
    .rsp_valid_o(rsp_valid), .rsp_ready_i(1'b1), .rsp_cause_o(), .rsp_err_type_o(), .rsp_burst_addr_o(),
    .rsp_error_o(rsp_error), .rsp_last_o(), .eh_req_valid_i(1'b0), .eh_req_ready_o(), .eh_req_i('0),
    .axi_ar_id_o(), .axi_ar_addr_o(ar_addr), .axi_ar_len_o(ar_len), .axi_ar_size_o(), .axi_ar_burst_o(),
    .axi_ar_lock_o(), .axi_ar_cache_o(), .axi_ar_prot_o(), .axi_ar_qos_o(), .axi_ar_region_o(), .axi_ar_user_o(),
    .axi_ar_valid_o(ar_valid), .axi_ar_ready_i(ar_ready),
    .axi_r_id_i('0), .axi_r_data_i(data_q), .axi_r_resp_i('0), .axi_r_last_i(r_last), .axi_r_user_i('0),
    .axi_r_valid_i(r_valid), .axi_r_ready_o(r_ready),
    .axi_aw_id_o(), .axi_aw_addr_o(aw_addr), .axi_aw_len_o(), .axi_aw_size_o(), .axi_aw_burst_o(), .axi_aw_lock_o(),
    .axi_aw_cache_o(), .axi_aw_prot_o(), .axi_aw_qos_o(), .axi_aw_region_o(), .axi_aw_atop_o(), .axi_aw_user_o(),
    .axi_aw_valid_o(aw_valid), .axi_aw_ready_i(aw_ready),
    .axi_w_data_o(w_data), .axi_w_strb_o(w_strb), .axi_w_last_o(w_last), .axi_w_user_o(), .axi_w_valid_o(w_valid),
    .axi_w_ready_i(w_ready),
    .axi_b_id_i('0), .axi_b_resp_i('0), .axi_b_user_i('0), .axi_b_valid_i(b_valid), .axi_b_ready_o(b_ready),
    .idma_busy_o()
  );

  // ---- its reads: a burst is taken, and read word by word ----------------------------------------
  logic reading_q, asked_q, held_q;
  logic [7:0] left_q;
  logic [IndexWidth-1:0] read_q;

  assign ar_ready = !reading_q;
  assign rd_valid_o = reading_q && !asked_q && !held_q;
  assign rd_index_o = read_q;
  assign r_valid = held_q;
  assign r_last = left_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_reading
    if (!rst_ni) begin
      {reading_q, asked_q, held_q} <= '0;
    end else begin
      if (ar_valid && ar_ready) reading_q <= 1'b1;
      else if (r_valid && r_ready && r_last) reading_q <= 1'b0;
      if (rd_valid_o && rd_ready_i) asked_q <= 1'b1;
      else if (rd_rvalid_i) asked_q <= 1'b0;
      if (rd_rvalid_i) held_q <= 1'b1;
      else if (r_ready) held_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin : p_read
    if (ar_valid && ar_ready) begin
      left_q <= ar_len;
      read_q <= ar_addr[WordLog2 +: IndexWidth];
    end else if (r_valid && r_ready) begin
      left_q <= left_q - 8'd1;
      read_q <= read_q + IndexWidth'(1);
    end
    if (rd_rvalid_i) data_q <= rd_rdata_i;
  end

  // ---- its writes: words for the next GPU ------------------------------------------------------------
  logic writing_q, answer_q;
  logic [IndexWidth-1:0] write_q;
  logic [CountWidth-1:0] count;
  logic [WgWidth-1:0] wg;
  logic [WfWidth-1:0] wf;
  logic unused_count;
  assign unused_count = ^count;

  assign aw_ready = !writing_q && !answer_q;
  assign out_valid_o = writing_q && w_valid;
  assign w_ready = writing_q && out_ready_i;
  assign b_valid = answer_q;
  assign count = CountWidth'(write_q - target_index);
  assign wg = first_wg + WgWidth'(count[CountWidth-1:t3_soc_pkg::TileWordsLog2]);
  assign wf = count[t3_soc_pkg::WaveWordsLog2 +: WfWidth];
  assign out_o = {source_add, wg, wf, write_q, w_data};
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_writing
    if (!rst_ni) begin
      {writing_q, answer_q} <= '0;
    end else begin
      if (aw_valid && aw_ready) writing_q <= 1'b1;
      else if (w_valid && w_ready && w_last) writing_q <= 1'b0;
      if (w_valid && w_ready && w_last) answer_q <= 1'b1;
      else if (b_ready) answer_q <= 1'b0;
      if (w_valid && w_ready) a_whole_words: assert (w_strb == '1);
      if (rsp_valid) a_no_error: assert (!rsp_error);
    end
  end
  always_ff @(posedge clk_i) begin : p_write
    if (aw_valid && aw_ready) write_q <= aw_addr[WordLog2 +: IndexWidth];
    else if (w_valid && w_ready) write_q <= write_q + IndexWidth'(1);
  end

endmodule
