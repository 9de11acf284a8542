// SPDX-License-Identifier: Apache-2.0
/// A value of fp16 or bf16 as a number of 8, 6 or 4 bits, two's complement, in units of the block's scale.
///
/// Promise: combinational. `number_o` is the value over the scale, rounded to nearest, ties to even; what is larger than
/// the largest number is that. So it is within half a unit, and where it is the largest number, within one. 0 for all
/// values of a block that is not finite. Bits above the number's size are copies of its sign.
module t3_block_quantize (
  input  logic                               bf16_i,
  input  logic [t3_codec_pkg::SizeWidth-1:0] size_i,
  input  logic [15:0]                        value_i,
  input  logic                               finite_i,
  input  logic [8:0]                         scale_i,
  output logic [7:0]                         number_o
);

  localparam int SigWidth = 11;             // hidden bit, and fp16's fraction
  localparam int Steps = $clog2(SigWidth + 1);

  logic [7:0] exponent, most, rounded;
  logic [SigWidth-1:0] significand;
  logic [2*SigWidth-1:0] shifted;
  logic [8:0] distance;
  logic half, rest, far;

  always_comb begin : p_quantize
    exponent = bf16_i ? value_i[14:7] : {3'd0, value_i[14:10]};
    significand = bf16_i ? {3'd0, exponent != '0, value_i[6:0]} : {exponent != '0, value_i[9:0]};
    distance = scale_i - {1'b0, exponent == '0 ? 8'd1 : exponent};
    // A place more than the significand has, and it is below half a unit.
    far = distance > 9'(SigWidth);
    shifted = {significand, SigWidth'(0)} >> distance[Steps-1:0];
    half = shifted[SigWidth-1];
    rest = shifted[SigWidth-2:0] != '0;
    rounded = shifted[SigWidth+7:SigWidth] + {7'd0, half && (rest || shifted[SigWidth])};
    most = (8'd1 << (t3_codec_pkg::bits_of(size_i) - 4'd1)) - 8'd1;
    if (rounded > most) rounded = most;
    if (far || !finite_i) rounded = '0;
    number_o = value_i[15] ? -rounded : rounded;
  end

  logic unused;
  assign unused = ^shifted[2*SigWidth-1:SigWidth+8];

endmodule
