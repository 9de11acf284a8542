// SPDX-License-Identifier: Apache-2.0
/// Adds two words of 32 bits: one fp32 number, or two of fp16 or bf16.
///
/// Promise: combinational; each number as t3_float_add says. With FormatNone the sum means nothing.
///
/// Why: the upper number of a pair is added where the number of 32 bits is, so only the lower one needs an adder of
/// its own, of 10 bits of fraction.
module t3_lane_add (
  input  logic [t3_switch_pkg::FormatWidth-1:0] format_i,
  input  logic [31:0]                           a_i,
  input  logic [31:0]                           b_i,
  output logic [31:0]                           sum_o
);

  logic fp16, fp32;
  assign fp16 = format_i == t3_switch_pkg::FormatFp16;
  assign fp32 = format_i == t3_switch_pkg::FormatFp32;

  // fp16 is {sign, 5 bits, 10 bits}, bf16 {sign, 8 bits, 7 bits}.
  logic [31:0] a_high, b_high, high;
  logic [18:0] a_low, b_low, low;

  always_comb begin : p_spread
    a_high = fp32 ? a_i : fp16 ? {a_i[31], 3'b0, a_i[30:16], 13'b0} : {a_i[31:16], 16'b0};
    b_high = fp32 ? b_i : fp16 ? {b_i[31], 3'b0, b_i[30:16], 13'b0} : {b_i[31:16], 16'b0};
    // The adder of the lower number rests while there is none.
    a_low = fp32 ? '0 : fp16 ? {a_i[15], 3'b0, a_i[14:0]} : {a_i[15:0], 3'b0};
    b_low = fp32 ? '0 : fp16 ? {b_i[15], 3'b0, b_i[14:0]} : {b_i[15:0], 3'b0};
    sum_o = fp32 ? high
          : fp16 ? {high[31], high[27:13], low[18], low[14:0]}
          : {high[31:16], low[18:3]};
  end

  t3_float_add #(.ManWidth(23)) u_high (.format_i, .a_i(a_high), .b_i(b_high), .sum_o(high));
  t3_float_add #(.ManWidth(10)) u_low (.format_i, .a_i(a_low), .b_i(b_low), .sum_o(low));

  logic unused_high;
  assign unused_high = ^{high[12:0], low[17:15]};

endmodule
