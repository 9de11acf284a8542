// SPDX-License-Identifier: Apache-2.0
/// t3_join against a plain loop, for every input.
module formal_join #(
  parameter int NumLanes = 4,
  parameter int KeyWidth = 3,
  parameter int WeightWidth = 5,
  localparam int SumWidth = WeightWidth + $clog2(NumLanes)
) (
  input logic                            en_i,
  input logic [NumLanes-1:0]             mask_i,
  input logic [NumLanes*KeyWidth-1:0]    key_i,
  input logic [NumLanes*WeightWidth-1:0] weight_i
);
  logic [KeyWidth-1:0] key;
  logic [SumWidth-1:0] weight, sum;
  t3_join #(
    .NumLanes(NumLanes), .KeyWidth(KeyWidth), .WeightWidth(WeightWidth)
  ) u_dut (
    .en_i, .mask_i, .key_i, .weight_i, .key_o(key), .weight_o(weight)
  );

  (* anyconst *) logic [KeyWidth-1:0] some;
  always_comb begin
    sum = '0;
    for (int i = 0; i < NumLanes; i++) begin
      if (mask_i[i]) begin
        assume (key_i[i*KeyWidth +: KeyWidth] == some);
        sum = sum + SumWidth'(weight_i[i*WeightWidth +: WeightWidth]);
      end
    end
    assume (!en_i || mask_i != '0);
    if (en_i) begin
      join_weight: assert (weight == sum);
      join_key: assert (key == some);
    end else begin
      join_quiet: assert (weight == '0 && key == '0);
    end
    cover_all: cover (en_i && mask_i == '1 && weight == SumWidth'(NumLanes << (WeightWidth - 1)));
  end
endmodule
