// SPDX-License-Identifier: Apache-2.0
/// Adds check bits to a word, for t3_decode.
///
/// Promise: the lower bits of the code are the word itself; with no protection it is the word and nothing else.
/// Parity is one bit. SECDED has a bit for each power of two below the positions, and one for the parity of all. A
/// word of all zeros and one of all ones are wrong, as a memory without power or a stuck line gives them: with
/// parity for odd widths; with SECDED for widths below 2^Checks - 1 - Checks of which the positions do not cancel
/// out, as for those of the slots and rows.
///
/// Why: the position of a data bit is the number that t3_decode finds if it is wrong: the numbers from
/// three on that are not powers of two. Those are the check bits' own.
module t3_encode #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int Width = 16,
  localparam int CodeWidth = Width + t3_pkg::check_width(Protection, Width)
) (
  input  logic [Width-1:0]     data_i,
  output logic [CodeWidth-1:0] code_o
);

  if (Protection == t3_pkg::ProtectSecded) begin : gen_secded
    localparam int Checks = CodeWidth - Width - 1;
    logic [Checks-1:0] checks;
    for (genvar c = 0; c < Checks; c++) begin : gen_check
      localparam logic [t3_pkg::CodeMost-1:0] Mask = t3_pkg::code_mask(c);
      assign checks[c] = ^(~data_i & Mask[Width-1:0]);
    end
    assign code_o = {^{checks, data_i}, checks, data_i};
  end else if (Protection == t3_pkg::ProtectParity) begin : gen_parity
    assign code_o = {~^data_i, data_i};
  end else begin : gen_none
    assign code_o = data_i;
  end

endmodule
