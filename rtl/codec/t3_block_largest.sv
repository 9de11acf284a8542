// SPDX-License-Identifier: Apache-2.0
/// The largest of some magnitudes, as integers: those of fp16 and of bf16 are in the order of their bits.
module t3_block_largest #(
  /// A power of two.
  parameter int Count = 8
) (
  input  logic [Count*15-1:0] magnitudes_i,
  output logic [14:0]         largest_o
);

  // A tree: at each level one half of those that are left is compared with the other. What is behind them no longer counts.
  logic [Count*15-1:0] left;

  always_comb begin : p_largest
    left = magnitudes_i;
    for (int level = 1; level <= $clog2(Count); level++) begin
      for (int i = 0; i < Count / 2; i++) begin
        if (left[(i+(Count>>level))*15+:15] > left[i*15+:15]) left[i*15+:15] = left[(i+(Count>>level))*15+:15];
      end
    end
    largest_o = left[14:0];
  end

endmodule
