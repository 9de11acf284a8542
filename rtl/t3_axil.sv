// SPDX-License-Identifier: Apache-2.0
/// AXI4-Lite front: turns the five channels into one write and one read request at a time.
///
/// Promise: AW and W may come in any order and distance; reads and writes are independent of each
/// other; one word of each channel is taken before the answer to the previous one has left; a
/// response waits for its ready for ever. No output depends combinationally on an input. A write
/// with partial strobes is answered SLVERR here and never becomes a request.
///
///   AW ─► held ─┐
///   W  ─► held ─┴► wr_valid ... wr_done ─► B held ─► B
///   AR ─► held ──► rd_valid ... rd_done ─► R held ─► R
module t3_axil (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [15:0] awaddr_i,
  input  logic        awprivileged_i,
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
  output logic [1:0]  rresp_o,

  /// A request stays up until its `done`, which may come in the same cycle.
  output logic        wr_valid_o,
  output logic [15:0] wr_addr_o,
  output logic [31:0] wr_data_o,
  output logic        wr_privileged_o,
  input  logic        wr_done_i,
  input  logic        wr_error_i,
  output logic        rd_valid_o,
  output logic [15:0] rd_addr_o,
  input  logic        rd_done_i,
  input  logic [31:0] rd_data_i,
  input  logic        rd_error_i,

  /// A register of this module changes at the next edge.
  output logic        active_o
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  logic aw_held_q, aw_privileged_q, w_held_q, w_full_q, b_valid_q;
  logic ar_held_q, r_valid_q;
  logic [15:0] aw_addr_q, ar_addr_q;
  logic [31:0] w_data_q, r_data_q;
  logic [1:0] b_resp_q, r_resp_q;

  logic wr_go, wr_partial, wr_end, rd_end;
  assign wr_go = aw_held_q && w_held_q && !b_valid_q;
  assign wr_partial = wr_go && !w_full_q;
  assign wr_valid_o = wr_go && w_full_q;
  assign wr_addr_o = aw_addr_q;
  assign wr_data_o = w_data_q;
  assign wr_privileged_o = aw_privileged_q;
  assign wr_end = wr_partial || (wr_valid_o && wr_done_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_write
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q <= 1'b0;
      b_valid_q <= 1'b0;
      b_resp_q <= Okay;
    end else if (awvalid_i || wvalid_i || aw_held_q || w_held_q || b_valid_q) begin
      if (wr_end) begin
        aw_held_q <= 1'b0;
        w_held_q <= 1'b0;
        b_valid_q <= 1'b1;
        b_resp_q <= (wr_partial || wr_error_i) ? SlvErr : Okay;
      end else begin
        if (awvalid_i) aw_held_q <= 1'b1;
        if (wvalid_i) w_held_q <= 1'b1;
        if (bready_i) b_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_write_data
    if (awvalid_i && !aw_held_q) begin
      aw_addr_q <= awaddr_i;
      aw_privileged_q <= awprivileged_i;
    end
    if (wvalid_i && !w_held_q) begin
      w_data_q <= wdata_i;
      w_full_q <= wstrb_i == 4'hF;
    end
  end

  assign rd_valid_o = ar_held_q && !r_valid_q;
  assign rd_addr_o = ar_addr_q;
  assign rd_end = rd_valid_o && rd_done_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_read
    if (!rst_ni) begin
      ar_held_q <= 1'b0;
      r_valid_q <= 1'b0;
      r_data_q <= '0;
      r_resp_q <= Okay;
    end else if (arvalid_i || ar_held_q || r_valid_q) begin
      if (rd_end) begin
        ar_held_q <= 1'b0;
        r_valid_q <= 1'b1;
        r_data_q <= rd_error_i ? '0 : rd_data_i;
        r_resp_q <= rd_error_i ? SlvErr : Okay;
      end else begin
        if (arvalid_i) ar_held_q <= 1'b1;
        if (rready_i) r_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_read_address
    if (arvalid_i && !ar_held_q) ar_addr_q <= araddr_i;
  end

  assign awready_o = !aw_held_q;
  assign wready_o = !w_held_q;
  assign bvalid_o = b_valid_q;
  assign bresp_o = b_resp_q;
  assign arready_o = !ar_held_q;
  assign rvalid_o = r_valid_q;
  assign rdata_o = r_data_q;
  assign rresp_o = r_resp_q;

  assign active_o = wr_go || rd_valid_o;

endmodule
