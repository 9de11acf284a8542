// SPDX-License-Identifier: Apache-2.0
/// Joins the updates of one slot that several lanes deliver in one cycle.
///
/// Promise: combinational. `weight_o` is the sum over the lanes in `mask_i`, which is not empty; `key_o` is
/// the key that they all share. Both are zero while `en_i` is low, so an idle bank does not toggle.
module t3_join #(
  parameter int NumLanes = 8,
  parameter int KeyWidth = 15,
  parameter int WeightWidth = 8,
  localparam int SumWidth = WeightWidth + $clog2(NumLanes)
) (
  input  logic                            en_i,
  input  logic [NumLanes-1:0]             mask_i,
  input  logic [NumLanes*KeyWidth-1:0]    key_i,
  input  logic [NumLanes*WeightWidth-1:0] weight_i,
  output logic [KeyWidth-1:0]             key_o,
  output logic [SumWidth-1:0]             weight_o
);

  always_comb begin : p_join
    key_o = '0;
    weight_o = '0;
    if (en_i) begin
      for (int i = 0; i < NumLanes; i++) begin
        key_o = key_o | (mask_i[i] ? key_i[i*KeyWidth +: KeyWidth] : '0);
        weight_o = weight_o + (mask_i[i] ? SumWidth'(weight_i[i*WeightWidth +: WeightWidth]) : '0);
      end
    end
  end

endmodule
