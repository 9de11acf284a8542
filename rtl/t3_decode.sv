// SPDX-License-Identifier: Apache-2.0
/// Checks a word with the check bits of t3_encode, and mends it.
///
/// Promise: a code that nobody changed gives its word, and neither `corrected_o` nor `damaged_o`. With
/// SECDED a code with one bit changed, whichever, gives the word with `corrected_o`, and one with two bits
/// changed `damaged_o`. With parity a code with one bit changed gives `damaged_o`. A damaged word is not to be
/// used. Without protection nothing is noticed. All is combinational.
module t3_decode #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int Width = 16,
  localparam int CodeWidth = Width + t3_pkg::check_width(Protection, Width)
) (
  input  logic [CodeWidth-1:0] code_i,
  output logic [Width-1:0]     data_o,
  output logic                 corrected_o,
  output logic                 damaged_o
);

  if (Protection == t3_pkg::ProtectSecded) begin : gen_secded
    localparam int Checks = CodeWidth - Width - 1;
    // The number of the wrong bit, if it is one: a data bit's position, a check bit's power of two, or zero
    // for the parity bit.
    logic [Checks-1:0] syndrome;
    logic odd, known;
    logic [Width-1:0] wrong;
    for (genvar c = 0; c < Checks; c++) begin : gen_check
      localparam logic [t3_pkg::CodeMost-1:0] Mask = t3_pkg::code_mask(c);
      assign syndrome[c] = ^{~code_i[Width-1:0] & Mask[Width-1:0], code_i[Width+c]};
    end
    assign odd = ^code_i;

    always_comb begin : p_wrong
      wrong = '0;
      if (odd) begin
        for (int d = 0; d < Width; d++) wrong[d] = 32'(syndrome) == t3_pkg::code_position(d);
      end
    end

    assign known = wrong != '0 || (syndrome & (syndrome - Checks'(1))) == '0;
    assign data_o = code_i[Width-1:0] ^ wrong;
    assign corrected_o = odd && known;
    assign damaged_o = odd ? !known : syndrome != '0;
  end else if (Protection == t3_pkg::ProtectParity) begin : gen_parity
    assign data_o = code_i[Width-1:0];
    assign corrected_o = 1'b0;
    assign damaged_o = ~^code_i;
  end else begin : gen_none
    assign data_o = code_i;
    assign corrected_o = 1'b0;
    assign damaged_o = 1'b0;
  end

endmodule
