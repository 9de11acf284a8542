// SPDX-License-Identifier: Apache-2.0
/// Adds the data of two updates, number by number.
///
/// Promise: combinational; each word of 32 bits as t3_lane_add says.
module t3_merge_adders #(
  parameter int DataWidth = 1024
) (
  input  logic [t3_switch_pkg::FormatWidth-1:0] format_i,
  input  logic [DataWidth-1:0]                  a_i,
  input  logic [DataWidth-1:0]                  b_i,
  output logic [DataWidth-1:0]                  sum_o
);

  for (genvar l = 0; l < DataWidth / 32; l++) begin : gen_lane
    t3_lane_add u_add (
      .format_i, .a_i(a_i[l*32 +: 32]), .b_i(b_i[l*32 +: 32]), .sum_o(sum_o[l*32 +: 32])
    );
  end

endmodule
