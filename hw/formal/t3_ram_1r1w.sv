// SPDX-License-Identifier: Apache-2.0
/// The worst t3_ram_1r1w that its promise allows: a read of the word that is written at the same edge
/// returns any value. Its words are one vector, so that a checker can look at each.
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

  logic [Depth*Width-1:0] words_q;
  (* anyseq *) logic [Width-1:0] anything;

  always_ff @(posedge clk_i) begin : p_ram
    for (int i = 0; i < Depth; i++) begin
      if (en_i && we_i && waddr_i == IndexWidth'(i)) words_q[i*Width +: Width] <= wdata_i;
      if (en_i && re_i && raddr_i == IndexWidth'(i)) begin
        rdata_o <= (we_i && waddr_i == raddr_i) ? anything : words_q[i*Width +: Width];
      end
    end
  end

endmodule
