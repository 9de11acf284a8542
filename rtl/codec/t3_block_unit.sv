// SPDX-License-Identifier: Apache-2.0
/// What a number of a block counts, from the shared exponent: a unit of 2^unit_o times the format's least value.
///
/// Promise: combinational. The unit is 2^-6, 2^-4 or 2^-2 of the exponent's power, the smallest magnitude with that
/// exponent as fp32, but never below the format's least value. `nan_o`: there are no numbers.
module t3_block_unit (
  input  logic                               bf16_i,
  input  logic [t3_codec_pkg::SizeWidth-1:0] size_i,
  input  logic [7:0]                         exponent_i,
  output logic [8:0]                         unit_o,
  output logic                               nan_o
);

  logic [8:0] scale, less;

  always_comb begin : p_unit
    // From 2^-133 in bf16, and 2^-24 in fp16.
    scale = {1'b0, exponent_i == '0 ? 8'd1 : exponent_i} + (bf16_i ? 9'd8 : '0);
    less = {5'd0, t3_codec_pkg::bits_of(size_i)} + (bf16_i ? '0 : 9'd101);
    unit_o = scale > less ? scale - less : '0;
    nan_o = exponent_i == t3_codec_pkg::NotFinite;
  end

endmodule
