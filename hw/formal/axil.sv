// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_axil: the rules of AXI4-Lite, for any master and any register file behind it.
module formal_axil (
  input logic        clk_i,
  input logic        awvalid_i,
  input logic [15:0] awaddr_i,
  input logic [2:0]  awprot_i,
  input logic        wvalid_i,
  input logic [31:0] wdata_i,
  input logic [3:0]  wstrb_i,
  input logic        bready_i,
  input logic        arvalid_i,
  input logic [15:0] araddr_i,
  input logic [2:0]  arprot_i,
  input logic        rready_i,
  input logic        wr_done_i,
  input logic        wr_error_i,
  input logic        rd_done_i,
  input logic [31:0] rd_data_i,
  input logic        rd_error_i
);
  `T3_FORMAL_RESET
  logic awready, wready, bvalid, arready, rvalid, wr_valid, rd_valid, active, wr_privileged, privileged_q;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, wr_data;
  logic [15:0] wr_addr, rd_addr;
  (* hierconn *) wire \u_dut.w_full_q ;
  `T3_REQUEST_T(request_t);
  `T3_REPLY_T(reply_t);
  request_t request;
  reply_t reply;
  assign reply = {wr_done_i, wr_error_i, rd_done_i, rd_error_i, rd_data_i};
  assign {wr_valid, wr_privileged, wr_addr, wr_data, rd_valid, rd_addr} = request;
  t3_axil u_dut (
    .clk_i, .rst_ni(rst_q), .s_axil_awvalid_i(awvalid_i), .s_axil_awready_o(awready), .s_axil_awaddr_i(awaddr_i),
    .s_axil_awprot_i(awprot_i), .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready), .s_axil_wdata_i(wdata_i),
    .s_axil_wstrb_i(wstrb_i), .s_axil_bvalid_o(bvalid), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready), .s_axil_araddr_i(araddr_i), .s_axil_arprot_i(arprot_i),
    .s_axil_rvalid_o(rvalid), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata), .s_axil_rresp_o(rresp),
    .request_o(request), .reply_i(reply), .active_o(active)
  );

  // Words taken and not answered, and the newest word of each channel.
  logic [1:0] aws_q, ws_q, ars_q;
  logic [15:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic whole_q;
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      aws_q <= '0;
      ws_q <= '0;
      ars_q <= '0;
    end else begin
      aws_q <= aws_q + 2'(awvalid_i && awready) - 2'(bvalid && bready_i);
      ws_q <= ws_q + 2'(wvalid_i && wready) - 2'(bvalid && bready_i);
      ars_q <= ars_q + 2'(arvalid_i && arready) - 2'(rvalid && rready_i);
    end
    if (awvalid_i && awready) begin
      awaddr_q <= awaddr_i;
      privileged_q <= awprot_i[1:0] == 2'b01;
    end
    if (arvalid_i && arready) araddr_q <= araddr_i;
    if (wvalid_i && wready) begin
      wdata_q <= wdata_i;
      whole_q <= wstrb_i == 4'hF;
    end
  end

  // Values of the cycle before.
  logic past_q, b_waits_q, r_waits_q, request_waits_q, read_waits_q, ends_q, partial_q, error_q;
  logic reads_q, read_error_q, b_free_q;
  logic [1:0] bresp_q, rresp_q;
  logic [31:0] rdata_q, read_data_q, wr_data_q;
  logic [15:0] wr_addr_q, rd_addr_q;
  logic both_held;
  assign both_held = !awready && !wready;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    b_waits_q <= bvalid && !bready_i;
    r_waits_q <= rvalid && !rready_i;
    bresp_q <= bresp;
    rresp_q <= rresp;
    rdata_q <= rdata;
    request_waits_q <= wr_valid && !wr_done_i;
    read_waits_q <= rd_valid && !rd_done_i;
    wr_addr_q <= wr_addr;
    wr_data_q <= wr_data;
    rd_addr_q <= rd_addr;
    b_free_q <= !bvalid;
    ends_q <= both_held && !bvalid && (!whole_q || wr_done_i);
    partial_q <= !whole_q;
    error_q <= wr_error_i;
    reads_q <= rd_valid && rd_done_i;
    read_error_q <= rd_error_i;
    read_data_q <= rd_data_i;
  end

  always @(posedge clk_i) if (rst_q) begin
    // One response for each address and word of data, and none without them.
    axil_b_counts: assert (aws_q == 2'(!awready) + 2'(bvalid) && ws_q == 2'(!wready) + 2'(bvalid));
    axil_r_counts: assert (ars_q == 2'(!arready) + 2'(rvalid));
    // The register file sees exactly what was sent, whole words only.
    axil_request_is_the_masters: assert (!wr_valid || (both_held && whole_q && wr_addr == awaddr_q
                                                       && wr_data == wdata_q && wr_privileged == privileged_q));
    axil_read_is_the_masters: assert (!rd_valid || (!arready && rd_addr == araddr_q));
    // The same while it waits for its turn.
    axil_held_words: assert ((awready || (wr_addr == awaddr_q && wr_privileged == privileged_q)) && (arready || rd_addr == araddr_q)
                             && (wready || (wr_data == wdata_q && \u_dut.w_full_q == whole_q)));
    if (past_q) begin
      axil_b_stable: assert (!b_waits_q || (bvalid && bresp == bresp_q));
      axil_r_stable: assert (!r_waits_q || (rvalid && rresp == rresp_q && rdata == rdata_q));
      axil_request_stable: assert (!request_waits_q || (wr_valid && wr_addr == wr_addr_q
                                                        && wr_data == wr_data_q));
      axil_read_stable: assert (!read_waits_q || (rd_valid && rd_addr == rd_addr_q));
      // Answered in the next cycle, and only then.
      axil_b_at_once: assert ((bvalid && b_free_q) == ends_q);
      axil_b_response: assert (!ends_q || bresp == ((partial_q || error_q) ? 2'b10 : 2'b00));
      axil_r_at_once: assert (!reads_q || (rvalid && rresp == (read_error_q ? 2'b10 : 2'b00)
                                           && rdata == (read_error_q ? 32'd0 : read_data_q)));
    end
    cover_data_first: cover (past_q && ws_q == 2'd1 && aws_q == 2'd0 && awvalid_i);
    cover_pipelined: cover (aws_q == 2'd2 && ws_q == 2'd2);
    cover_partial: cover (bvalid && bresp == 2'b10 && partial_q);
  end
endmodule
