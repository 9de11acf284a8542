// SPDX-License-Identifier: Apache-2.0
/// Stands for the adder of a lane where a proof is about who is added to whom, and in which order: any function of
/// format and operands, the same in all cycles. A checker may assume more of it, or ask it.
module t3_lane_add #(
  localparam int Width = t3_switch_pkg::LaneWidth,
  localparam int Index = t3_switch_pkg::FormatWidth + 2 * Width
) (
  input  logic [t3_switch_pkg::FormatWidth-1:0] format_i,
  input  logic [t3_switch_pkg::LaneWidth-1:0]   a_i,
  input  logic [t3_switch_pkg::LaneWidth-1:0]   b_i,
  output logic [t3_switch_pkg::LaneWidth-1:0]   sum_o
);

  (* anyconst *) logic [2**Index*Width-1:0] sums;
  assign sum_o = sums[{format_i, a_i, b_i}*Width +: Width];

endmodule
