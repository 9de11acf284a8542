// SPDX-License-Identifier: Apache-2.0
/// A number of a block as a value of fp16 or bf16: t3_block_quantize the other way round.
///
/// Promise: combinational. The value is the number times its unit (t3_block_unit), exactly; 0 has no sign. The quiet NaN
/// with `nan_i`. What no encoder writes, a value beyond the format's range, is infinity.
module t3_block_dequantize (
  input  logic        bf16_i,
  input  logic [8:0]  unit_i,
  input  logic        nan_i,
  /// Bits above the number's size must be copies of its sign.
  input  logic [7:0]  number_i,
  output logic [15:0] value_o
);

  logic [7:0] magnitude;
  logic [2:0] first;
  logic [3:0] fraction_bits;
  logic [8:0] exponent, place;
  logic normal;
  logic [10:0] significand;
  logic [14:0] finite;

  always_comb begin : p_first
    magnitude = number_i[7] ? -number_i : number_i;
    first = '0;
    for (int i = 0; i < 8; i++) begin
      if (magnitude[i]) first = 3'(i);
    end
  end

  always_comb begin : p_value
    fraction_bits = bf16_i ? 4'd7 : 4'd10;
    place = unit_i + {6'd0, first};
    normal = place >= {5'd0, fraction_bits};
    exponent = normal ? place - {5'd0, fraction_bits} + 9'd1 : '0;
    significand = {3'd0, magnitude} << (normal ? fraction_bits - {1'b0, first} : unit_i[3:0]);
    finite = bf16_i ? {exponent[7:0], significand[6:0]} : {exponent[4:0], significand[9:0]};
    // The one bf16 beyond its range has the exponent of infinity, and no fraction.
    if (!bf16_i && exponent >= 9'd31) finite = 15'h7c00;
    value_o = {number_i[7], finite};
    if (magnitude == '0) value_o = '0;
    if (nan_i) value_o = bf16_i ? 16'h7fc0 : 16'h7e00;
  end

  logic unused;
  assign unused = significand[10];

endmodule
