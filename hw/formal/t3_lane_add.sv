// SPDX-License-Identifier: Apache-2.0
/// Stands for the adder of a lane where a proof is about who is added to whom: whole numbers, whose sums do not
/// depend on the order.
module t3_lane_add (
  input  logic [t3_switch_pkg::FormatWidth-1:0] format_i,
  input  logic [t3_switch_pkg::LaneWidth-1:0]   a_i,
  input  logic [t3_switch_pkg::LaneWidth-1:0]   b_i,
  output logic [t3_switch_pkg::LaneWidth-1:0]   sum_o
);

  assign sum_o = a_i + b_i;

  logic unused_format;
  assign unused_format = ^format_i;

endmodule
