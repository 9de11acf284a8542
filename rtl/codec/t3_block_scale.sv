// SPDX-License-Identifier: Apache-2.0
/// What the largest magnitude of a block says: the shared exponent, and the scale of the numbers' lowest bit.
///
/// Promise: combinational. `exponent_o` is the exponent that the magnitude has as fp32; NotFinite for an infinity or a
/// NaN. `scale_o` less the exponent of a value, which is at least 1, is by how many places its significand is shifted to
/// the right (t3_block_quantize). It is at least the exponent of the largest value.
///
/// Why: of subnormal fp16 only the position of the first one counts, and only the largest of a block has to be asked.
module t3_block_scale (
  input  logic                               bf16_i,
  input  logic [t3_codec_pkg::SizeWidth-1:0] size_i,
  input  logic [14:0]                        largest_i,
  output logic [7:0]                         exponent_o,
  output logic [8:0]                         scale_o
);

  logic [3:0] bits, first;
  logic [4:0] fp16_exponent;
  logic subnormal;

  always_comb begin : p_first
    first = '0;  // of fp16's fraction
    for (int i = 0; i < 10; i++) begin
      if (largest_i[i]) first = 4'(i);
    end
  end

  always_comb begin : p_scale
    bits = t3_codec_pkg::bits_of(size_i);
    fp16_exponent = largest_i[14:10];
    subnormal = fp16_exponent == '0;
    if (bf16_i) begin
      exponent_o = largest_i[14:7];
      scale_o = {1'b0, exponent_o == '0 ? 8'd1 : exponent_o} + 9'd9 - {5'd0, bits};
    end else begin
      exponent_o = fp16_exponent == '1 ? t3_codec_pkg::NotFinite
                 : !subnormal ? {3'd0, fp16_exponent} + 8'd112
                 : largest_i == '0 ? '0 : {4'd0, first} + 8'd103;
      // The lowest bit stands for 2^-24 at least, the least that fp16 has.
      scale_o = !subnormal ? {4'd0, fp16_exponent} + 9'd12 - {5'd0, bits}
              : first + 4'd2 > bits ? {5'd0, first} + 9'd3 - {5'd0, bits} : 9'd1;
    end
  end

endmodule
