// SPDX-License-Identifier: Apache-2.0
/// The one memory of the unit: one write port, one synchronous read port, one clock.
///
/// Promise: `rdata_o` shows the word at `raddr_i` one cycle after `re_i`, and holds it until the next `re_i`. While
/// `en_i` is low, nothing is read or written. A read of the word that is written at the same edge returns any
/// value; a user that needs the new word forwards it. Contents are undefined after power-up and are not reset:
/// users walk the addresses.
///
/// Why: the promise is so small that any foundry macro or FPGA block RAM keeps it. Replace this
/// file to use one; nothing else in the unit infers a memory of more than a few words.
///
///   en_i     ___/‾‾‾\___________
///   re_i     ___/‾‾‾\___________
///   raddr_i  ---< A >-----------
///   rdata_o  -------< mem[A] >--   held
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

  (* no_rw_check *)  // see the promise: no logic for a read of the word that is being written
  logic [Width-1:0] mem_q [Depth];

  always_ff @(posedge clk_i) begin : p_write
    if (en_i) begin
      if (we_i) mem_q[waddr_i] <= wdata_i;
    end
  end

  always_ff @(posedge clk_i) begin : p_read
    if (en_i) begin
      if (re_i) rdata_o <= mem_q[raddr_i];
    end
  end

endmodule
