// SPDX-License-Identifier: Apache-2.0
// Techmap of $mul for FPGAs with carry chains and without multipliers: one adder per bit of the
// narrower operand. Yosys' own mapping uses full adders of two LUTs each, which takes 250 logic cells
// of an iCE40 more for the unit.
(* techmap_celltype = "$mul" *)
module t3_mul_rows (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;

  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  localparam Rows = A_WIDTH < B_WIDTH ? A_WIDTH : B_WIDTH;
  localparam Width = A_WIDTH < B_WIDTH ? B_WIDTH : A_WIDTH;

  wire _TECHMAP_FAIL_ = A_SIGNED != 0 || B_SIGNED != 0;

  wire [Rows-1:0] narrow;
  wire [Width-1:0] wide;
  generate
    if (A_WIDTH < B_WIDTH) begin : gen_a
      assign narrow = A;
      assign wide = B;
    end else begin : gen_b
      assign narrow = B;
      assign wide = A;
    end
  endgenerate

  // After row i the product's lowest i bits are final; its other Width + 1 are sums[i].
  wire [Rows+Width-1:0] product;
  wire [Rows*(Width+1)-1:0] sums;
  assign sums[Width:0] = narrow[0] ? wide : 0;

  genvar i;
  generate
    for (i = 1; i < Rows; i = i + 1) begin : gen_row
      assign product[i-1] = sums[(i-1)*(Width+1)];
      assign sums[i*(Width+1) +: Width+1] =
          sums[(i-1)*(Width+1)+1 +: Width] + (narrow[i] ? wide : {Width{1'b0}});
    end
  endgenerate
  assign product[Rows+Width-1:Rows-1] = sums[(Rows-1)*(Width+1) +: Width+1];
  assign Y = product;
endmodule
