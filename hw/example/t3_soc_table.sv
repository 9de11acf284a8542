// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// The table of a DMA engine: where the block of a slot is, and where it goes. Software writes it (AXI4-Lite, write
/// only): at 4·slot the source's word in bits 15:0, the first workgroup of the block in 30:16, and in bit 31 whether the
/// words are to be added at the target; at 0x8000 + 4·slot the target's word.
///
/// Promise: the row of `cmd_i` is there in the cycle behind `re_i`, and stays until the next one.
module t3_soc_table #(
  localparam int CmdWidth = t3_soc_pkg::SlotWidth,
  localparam int WgWidth = t3_soc_pkg::WgWidth,
  localparam int IndexWidth = t3_soc_pkg::IndexWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                  re_i,
  input  logic [CmdWidth-1:0]   cmd_i,
  output logic                  add_o,
  output logic [WgWidth-1:0]    first_wg_o,
  output logic [IndexWidth-1:0] source_o,
  output logic [IndexWidth-1:0] target_o,

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

  localparam int AddBit = 31;
  localparam int WgLsb = 16;

  logic wr_valid, wr_target, wr_error;
  logic [15:0] wr_addr;
  logic [31:0] wr_data;
  logic unused_active, unused_request;
  `T3_REQUEST_T(request_t);
  `T3_REPLY_T(reply_t);
  request_t request;
  reply_t reply;

  t3_axil u_axil (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i(awvalid_i), .s_axil_awready_o(awready_o), .s_axil_awaddr_i(awaddr_i), .s_axil_awprot_i(3'b000),
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready_o), .s_axil_wdata_i(wdata_i), .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid_o), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp_o),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready_o), .s_axil_araddr_i(araddr_i), .s_axil_arprot_i(3'b000),
    .s_axil_rvalid_o(rvalid_o), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata_o), .s_axil_rresp_o(rresp_o),
    .request_o(request), .reply_i(reply), .active_o(unused_active)
  );

  // Every request is answered at once; nothing can be read.
  assign wr_valid = request.wr_valid;
  assign wr_addr = request.wr_addr;
  assign wr_data = request.wr_data;
  assign unused_request = ^request;
  always_comb begin : p_reply
    reply.wr_done = request.wr_valid;
    reply.wr_error = wr_error;
    reply.rd_done = request.rd_valid;
    reply.rd_error = 1'b1;
    reply.rd_data = '0;
  end

  assign wr_target = wr_addr[15];
  assign wr_error = wr_addr[14:CmdWidth+2] != '0 || wr_addr[1:0] != '0;

  logic unused_bits;
  assign unused_bits = ^{wr_data[AddBit-1:WgLsb+WgWidth], wr_data[WgLsb-1:IndexWidth]};

  t3_ram_1r1w #(
    .Depth(t3_soc_pkg::Slots),
    .Width(1 + WgWidth + IndexWidth)
  ) u_sources (
    .clk_i,
    .en_i   (1'b1),
    .we_i   (wr_valid && !wr_error && !wr_target),
    .waddr_i(wr_addr[2 +: CmdWidth]),
    .wdata_i({wr_data[AddBit], wr_data[WgLsb +: WgWidth], wr_data[IndexWidth-1:0]}),
    .re_i   (re_i),
    .raddr_i(cmd_i),
    .rdata_o({add_o, first_wg_o, source_o})
  );
  t3_ram_1r1w #(
    .Depth(t3_soc_pkg::Slots),
    .Width(IndexWidth)
  ) u_targets (
    .clk_i,
    .en_i   (1'b1),
    .we_i   (wr_valid && !wr_error && wr_target),
    .waddr_i(wr_addr[2 +: CmdWidth]),
    .wdata_i(wr_data[IndexWidth-1:0]),
    .re_i   (re_i),
    .raddr_i(cmd_i),
    .rdata_o(target_o)
  );

endmodule
