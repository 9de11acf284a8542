// SPDX-License-Identifier: Apache-2.0
/// The ports of t3_ram_1r1w without its words, so that the depth costs nothing: every read returns any
/// value, and a register changes with every write, so that a proof sees the write.
module t3_ram_1r1w #(
  parameter int Depth = 256,
  parameter int Width = 76,
  localparam int IndexWidth = t3_pkg::index_width(Depth)
) (
  input  logic                  clk_i,
  input  logic                  en_i,
  input  logic                  we_i,
  input  logic [IndexWidth-1:0] waddr_i,
  input  logic [Width-1:0]      wdata_i,
  input  logic                  re_i,
  input  logic [IndexWidth-1:0] raddr_i,
  output logic [Width-1:0]      rdata_o
);

  (* anyseq *) logic [Width-1:0] anything;
  (* keep *) logic written_q;

  always_ff @(posedge clk_i) begin : p_ram
    if (en_i && we_i) written_q <= !written_q;
    if (en_i && re_i) rdata_o <= anything;
  end

endmodule
