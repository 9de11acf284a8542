// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// AXI4-Lite front: turns the five channels into one write and one read request at a time.
///
/// Promise: AW and W may come in any order and distance; reads and writes are independent of each other; one word
/// of each channel is taken before the answer to the previous one has left; a response waits for its ready for
/// ever. No output depends combinationally on an input. A write with partial strobes is answered SLVERR here and
/// never becomes a request.
///
///   AW ─► held ─┐
///   W  ─► held ─┴► wr_valid ... wr_done ─► B held ─► B
///   AR ─► held ──► rd_valid ... rd_done ─► R held ─► R
module t3_axil (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [15:0] s_axil_awaddr_i,
  input  logic [2:0]  s_axil_awprot_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  output logic [1:0]  s_axil_bresp_o,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  input  logic [15:0] s_axil_araddr_i,
  input  logic [2:0]  s_axil_arprot_i,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,

  /// T3_REQUEST_T, T3_REPLY_T.
  output logic [`T3_REQUEST_BITS-1:0] request_o,
  input  logic [`T3_REPLY_BITS-1:0]   reply_i,

  /// A register of this module changes at the next edge.
  output logic active_o
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  `T3_REQUEST_T(request_t);
  `T3_REPLY_T(reply_t);
  request_t request;
  reply_t reply;
  logic aw_held_q, aw_privileged_q, w_held_q, w_full_q, b_valid_q;
  logic ar_held_q, r_valid_q;
  logic [15:0] aw_addr_q, ar_addr_q;
  logic [31:0] w_data_q, r_data_q;
  logic [1:0] b_resp_q, r_resp_q;

  logic wr_go, wr_partial, wr_end, rd_end;
  assign request_o = request;
  assign reply = reply_i;

  always_comb begin : p_request
    request.wr_valid = wr_go && w_full_q;
    request.wr_privileged = aw_privileged_q;
    request.wr_addr = aw_addr_q;
    request.wr_data = w_data_q;
    request.rd_valid = ar_held_q && !r_valid_q;
    request.rd_addr = ar_addr_q;
  end

  assign wr_go = aw_held_q && w_held_q && !b_valid_q;
  assign wr_partial = wr_go && !w_full_q;
  assign wr_end = wr_partial || (request.wr_valid && reply.wr_done);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_write
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q <= 1'b0;
      b_valid_q <= 1'b0;
      b_resp_q <= Okay;
    end else if (s_axil_awvalid_i || s_axil_wvalid_i || aw_held_q || w_held_q || b_valid_q) begin
      if (wr_end) begin
        aw_held_q <= 1'b0;
        w_held_q <= 1'b0;
        b_valid_q <= 1'b1;
        b_resp_q <= (wr_partial || reply.wr_error) ? SlvErr : Okay;
      end else begin
        if (s_axil_awvalid_i) aw_held_q <= 1'b1;
        if (s_axil_wvalid_i) w_held_q <= 1'b1;
        if (s_axil_bready_i) b_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_write_data
    if (s_axil_awvalid_i && !aw_held_q) begin
      aw_addr_q <= s_axil_awaddr_i;
      aw_privileged_q <= s_axil_awprot_i[1:0] == 2'b01;  // privileged and secure
    end
    if (s_axil_wvalid_i && !w_held_q) begin
      w_data_q <= s_axil_wdata_i;
      w_full_q <= s_axil_wstrb_i == 4'hF;
    end
  end

  assign rd_end = request.rd_valid && reply.rd_done;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_read
    if (!rst_ni) begin
      ar_held_q <= 1'b0;
      r_valid_q <= 1'b0;
      r_data_q <= '0;
      r_resp_q <= Okay;
    end else if (s_axil_arvalid_i || ar_held_q || r_valid_q) begin
      if (rd_end) begin
        ar_held_q <= 1'b0;
        r_valid_q <= 1'b1;
        r_data_q <= reply.rd_error ? '0 : reply.rd_data;
        r_resp_q <= reply.rd_error ? SlvErr : Okay;
      end else begin
        if (s_axil_arvalid_i) ar_held_q <= 1'b1;
        if (s_axil_rready_i) r_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_read_address
    if (s_axil_arvalid_i && !ar_held_q) ar_addr_q <= s_axil_araddr_i;
  end

  assign s_axil_awready_o = !aw_held_q;
  assign s_axil_wready_o = !w_held_q;
  assign s_axil_bvalid_o = b_valid_q;
  assign s_axil_bresp_o = b_resp_q;
  assign s_axil_arready_o = !ar_held_q;
  assign s_axil_rvalid_o = r_valid_q;
  assign s_axil_rdata_o = r_data_q;
  assign s_axil_rresp_o = r_resp_q;

  assign active_o = wr_go || request.rd_valid;

  logic unused_prot;
  assign unused_prot = ^{s_axil_awprot_i, s_axil_arprot_i};

endmodule
