// SPDX-License-Identifier: Apache-2.0
/// A memory whose words carry check bits: t3_ram_1r1w between t3_encode and t3_decode.
///
/// Promise: that of t3_ram_1r1w. `corrected_o` and `damaged_o` belong to the word at `rdata_o`, and are held
/// with it; they mean nothing if that word was written while it was read. A corrected word stays wrong in the
/// memory until its user writes it. Without protection this is the memory and nothing else.
///
///   wdata_i ─► t3_encode ─► t3_ram_1r1w ─► t3_decode ─► rdata_o, corrected_o, damaged_o
module t3_ram_protected #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int Depth = 256,
  parameter int Width = 16,
  localparam int IndexWidth = t3_pkg::index_width(Depth),
  localparam int CodeWidth = Width + t3_pkg::check_width(Protection, Width)
) (
  input  logic                  clk_i,
  input  logic                  en_i,
  input  logic                  we_i,
  input  logic [IndexWidth-1:0] waddr_i,
  input  logic [Width-1:0]      wdata_i,
  input  logic                  re_i,
  input  logic [IndexWidth-1:0] raddr_i,
  output logic [Width-1:0]      rdata_o,
  output logic                  corrected_o,
  output logic                  damaged_o
);

  logic [CodeWidth-1:0] write_code, read_code;

  t3_encode #(.Protection(Protection), .Width(Width)) u_encode (
    .data_i(wdata_i), .code_o(write_code)
  );

  t3_ram_1r1w #(.Depth(Depth), .Width(CodeWidth)) u_ram (
    .clk_i,
    .en_i, .we_i, .waddr_i, .wdata_i(write_code), .re_i, .raddr_i, .rdata_o(read_code)
  );

  t3_decode #(.Protection(Protection), .Width(Width)) u_decode (
    .code_i(read_code), .data_o(rdata_o), .corrected_o, .damaged_o
  );

endmodule
