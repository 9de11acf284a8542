// SPDX-License-Identifier: Apache-2.0
/// t3_encode and t3_decode: any word, any one or two bits of its code wrong; a code of zeros only, or of ones
/// only, is damaged.
module formal_code #(
  parameter int Protection = 2,
  parameter int Width = 23,
  localparam int CodeWidth = Width + t3_pkg::check_width(Protection, Width)
) (
  input logic [CodeWidth-1:0] one_i,
  input logic [CodeWidth-1:0] other_i
);
  (* anyconst *) logic [Width-1:0] word;
  logic [CodeWidth-1:0] code;
  logic [Width-1:0] data;
  logic corrected, damaged;

  t3_encode #(.Protection(Protection), .Width(Width)) u_encode (.data_i(word), .code_o(code));
  t3_decode #(.Protection(Protection), .Width(Width)) u_dut (
    .code_i(code ^ one_i ^ other_i), .data_o(data), .corrected_o(corrected), .damaged_o(damaged)
  );

  // A word of all zeros, and one of all ones, as a broken memory may give.
  logic zeros_wrong, ones_wrong, zeros_known, ones_known;
  logic [Width-1:0] unused_zeros, unused_ones;
  t3_decode #(.Protection(Protection), .Width(Width)) u_zeros (
    .code_i({CodeWidth{1'b0}}), .data_o(unused_zeros), .corrected_o(zeros_known), .damaged_o(zeros_wrong)
  );
  t3_decode #(.Protection(Protection), .Width(Width)) u_ones (
    .code_i({CodeWidth{1'b1}}), .data_o(unused_ones), .corrected_o(ones_known), .damaged_o(ones_wrong)
  );

  // One bit at most in each.
  logic none, one, two;
  assign none = one_i == other_i;
  assign one = (one_i == '0) != (other_i == '0);
  assign two = one_i != '0 && other_i != '0 && one_i != other_i;
  always_comb begin
    assume ((one_i & (one_i - CodeWidth'(1))) == '0);
    assume ((other_i & (other_i - CodeWidth'(1))) == '0);
    code_right: assert (!none || (data == word && !corrected && !damaged));
    if (Protection == t3_pkg::ProtectSecded) begin
      code_corrects: assert (!one || (data == word && corrected && !damaged));
      code_notices: assert (!two || (damaged && !corrected));
    end else begin
      code_parity: assert (!one || (damaged && !corrected));
    end
    code_stuck: assert (zeros_wrong && ones_wrong && !zeros_known && !ones_known);
    cover_one: cover (one && word != '0);
    cover_two: cover (two && word != '0);
  end
endmodule
