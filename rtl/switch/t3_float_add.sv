// SPDX-License-Identifier: Apache-2.0
/// Adds two floating-point numbers of fp16, bf16 or fp32, whichever `format_i` says.
///
/// Promise: combinational. A number is {sign, exponent, fraction}: an exponent shorter than 8 bits stands at the
/// low end of its field, a fraction shorter than ManWidth at the high end of its own, zeros beside them. The sum
/// is rounded to nearest, ties to even; subnormal numbers are kept; what is too large is infinity; every NaN is
/// the quiet one whose sign is 0 and of whose fraction only the top bit is set. x + (-x) is +0.
///
/// Why: addition does not care for the bias of an exponent. So the formats differ only in the exponent that means
/// infinity and in the bit at which they round, and one adder does for all.
///
///   larger ──────────────────────────────┐
///   smaller ─► right by the difference ─►│±├─► left by the leading zeros ─► round ─► sum
///              of the exponents            or until the exponent is 1
module t3_float_add #(
  parameter int ManWidth = 23,
  localparam int Width = 1 + 8 + ManWidth
) (
  input  logic [t3_switch_pkg::FormatWidth-1:0] format_i,
  input  logic [Width-1:0]                      a_i,
  input  logic [Width-1:0]                      b_i,
  output logic [Width-1:0]                      sum_o
);

  // A significand: hidden bit, fraction, and three bits below: guard, round, and one for all others.
  localparam int SigWidth = 1 + ManWidth + 3;
  localparam int Steps = $clog2(SigWidth);
  localparam int Fp16Lsb = ManWidth - 10;
  localparam int Bf16Lsb = ManWidth - 7;

  logic [7:0] infinite;       // exponent of infinity and NaN
  logic [ManWidth-1:0] unit;  // the last bit of the fraction

  always_comb begin : p_format
    infinite = 8'hff;
    unit = ManWidth'(1);
    if (format_i == t3_switch_pkg::FormatFp16) begin
      infinite = 8'h1f;
      unit = ManWidth'(1) << Fp16Lsb;
    end
    if (format_i == t3_switch_pkg::FormatBf16) unit = ManWidth'(1) << Bf16Lsb;
  end

  // ---- larger and smaller -------------------------------------------------------------------------
  logic a_sign, b_sign, swap, subtract, a_normal, b_normal;
  logic [7:0] a_exp, b_exp, a_scale, b_scale, scale, a_less_b, b_less_a, distance;
  logic [ManWidth-1:0] a_man, b_man;
  logic [SigWidth-1:0] larger, smaller;

  assign {a_sign, a_exp, a_man} = a_i;
  assign {b_sign, b_exp, b_man} = b_i;

  always_comb begin : p_order
    swap = {b_exp, b_man} > {a_exp, a_man};
    subtract = a_sign != b_sign;
    a_normal = a_exp != '0;
    b_normal = b_exp != '0;
    a_scale = a_normal ? a_exp : 8'd1;
    b_scale = b_normal ? b_exp : 8'd1;
    a_less_b = a_scale - b_scale;
    b_less_a = b_scale - a_scale;
    distance = swap ? b_less_a : a_less_b;
    scale = swap ? b_scale : a_scale;
    larger = swap ? {b_normal, b_man, 3'b0} : {a_normal, a_man, 3'b0};
    smaller = swap ? {a_normal, a_man, 3'b0} : {b_normal, b_man, 3'b0};
  end

  // ---- align, add -----------------------------------------------------------------------------------
  logic [SigWidth-1:0] aligned, moved;
  logic lost;
  logic [SigWidth:0] total;

  always_comb begin : p_align
    aligned = smaller;
    lost = 1'b0;
    moved = '0;
    for (int s = 0; s < Steps; s++) begin
      if (distance[s]) begin
        moved = aligned >> (1 << s);
        lost = lost || (moved << (1 << s)) != aligned;
        aligned = moved;
      end
    end
    if ((distance >> Steps) != '0) begin
      lost = lost || aligned != '0;
      aligned = '0;
    end
    aligned[0] = aligned[0] || lost;
    total = {1'b0, larger} + ({1'b0, aligned} ^ {(SigWidth+1){subtract}}) + (SigWidth+1)'(subtract);
  end

  // ---- normalize --------------------------------------------------------------------------------------
  // Where the exponent is 1 the significand stays as it is, with or without its hidden bit: a one set there
  // stops the search for the first one.
  logic [SigWidth-1:0] stop, seen, normal;
  logic [Steps-1:0] zeros;
  logic [7:0] exponent;

  always_comb begin : p_normalize
    stop = ((scale - 8'd1) >> Steps) != '0 ? '0 : (SigWidth'(1) << (SigWidth - 1)) >> Steps'(scale - 8'd1);
    seen = total[SigWidth-1:0] | stop;
    zeros = '0;
    for (int i = 0; i < SigWidth; i++) begin
      if (seen[i]) zeros = Steps'(SigWidth - 1 - i);
    end
    if (total[SigWidth]) begin
      normal = {total[SigWidth:2], total[1] || total[0]};
      exponent = scale + 8'd1;
    end else begin
      normal = total[SigWidth-1:0] << zeros;
      exponent = normal[SigWidth-1] ? scale - 8'(zeros) : '0;
    end
  end

  // ---- round ------------------------------------------------------------------------------------------
  logic [ManWidth+2:0] below;  // of the fraction and the three bits: those below the last bit
  logic [ManWidth+2:0] fraction;
  logic half, rest, odd, up;
  logic [7:0] result_exp;
  logic [ManWidth-1:0] result_man;

  always_comb begin : p_round
    fraction = normal[ManWidth+2:0];
    below = {unit, 3'b0} - (ManWidth+3)'(1);
    half = ((fraction << 1) & {unit, 3'b0}) != '0;
    rest = (fraction & (below >> 1)) != '0;
    odd = (fraction & {unit, 3'b0}) != '0;
    up = half && (odd || rest);
    {result_exp, result_man} = {exponent, fraction[ManWidth+2:3] & ~below[ManWidth+2:3]}
                               + {8'd0, unit & {ManWidth{up}}};
  end

  // ---- infinity, NaN ----------------------------------------------------------------------------------
  logic a_special, b_special, nan;

  always_comb begin : p_result
    a_special = a_exp == infinite;
    b_special = b_exp == infinite;
    nan = (a_special && a_man != '0) || (b_special && b_man != '0) || (a_special && b_special && subtract);
    sum_o = {swap ? b_sign : a_sign, result_exp, result_man};
    if (total == '0 && subtract) sum_o[Width-1] = 1'b0;
    if (exponent == infinite || result_exp == infinite) sum_o[Width-2:0] = {infinite, ManWidth'(0)};
    if (a_special || b_special) sum_o = {a_special ? a_sign : b_sign, infinite, ManWidth'(0)};
    if (nan) sum_o = {1'b0, infinite, 1'b1, (ManWidth-1)'(0)};
  end

endmodule
