// SPDX-License-Identifier: Apache-2.0
/// Adds two floating-point numbers of fp16, bf16 or fp32, whichever `format_i` says.
///
/// Promise: combinational. A number is {sign, exponent, fraction}: an exponent shorter than 8 bits stands at the
/// low end of its field, a fraction shorter than ManWidth at the high end of its own, zeros beside them. The sum
/// is rounded to nearest, ties to even; subnormal numbers are kept; what is too large is infinity; every NaN is
/// the quiet one whose sign is 0 and of whose fraction only the top bit is set. x + (-x) is +0.
///
/// Why: addition does not care for the bias of an exponent. So the formats differ only in the exponent that means
/// infinity and in the bit at which they round, and one adder does for all. A sum that loses more than one
/// leading bit is exact, so rounding and the long shift to the left stand side by side.
///
///   larger ─────────────────────────────►│ │──► right by one, in place or left by one ─► round ──┐
///                                        │±│                                                     ├──► sum
///   smaller ─► right by the difference ─►│ │──► left by the leading zeros, or until the exponent ┘
///              of the exponents                 is 1
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
  logic a_sign, b_sign, subtract, a_normal, b_normal, b_scaled, same_scale, late, b_larger;
  logic [7:0] a_exp, b_exp, a_scale, b_scale, scale, less, distance;
  logic [ManWidth-1:0] a_man, b_man;
  logic [SigWidth-1:0] a_sig, b_sig, first, second;

  assign {a_sign, a_exp, a_man} = a_i;
  assign {b_sign, b_exp, b_man} = b_i;

  always_comb begin : p_order
    subtract = a_sign != b_sign;
    a_normal = a_exp != '0;
    b_normal = b_exp != '0;
    a_sig = {a_normal, a_man, 3'b0};
    b_sig = {b_normal, b_man, 3'b0};
    a_scale = a_normal ? a_exp : 8'd1;
    b_scale = b_normal ? b_exp : 8'd1;
    less = a_scale - b_scale;
    b_scaled = b_scale > a_scale;
    distance = b_scaled ? b_scale - a_scale : less;
    scale = b_scaled ? b_scale : a_scale;
    first = b_scaled ? b_sig : a_sig;
    second = b_scaled ? a_sig : b_sig;
    // Of the same scale, it takes the fractions to say which is larger; meanwhile the other one is aligned.
    same_scale = less == '0;
    late = same_scale && subtract && b_sig > a_sig;
    b_larger = b_scaled || late;
  end

  // ---- align, add -----------------------------------------------------------------------------------
  logic [SigWidth-1:0] aligned, moved, larger, smaller;
  logic lost;
  logic [SigWidth:0] total;

  always_comb begin : p_align
    aligned = second;
    lost = 1'b0;
    moved = '0;
    for (int s = 0; s < Steps; s++) begin
      if (distance[s]) begin
        moved = aligned >> (1 << s);
        lost = lost || (moved << (1 << s)) != aligned;
        aligned = moved;
      end
    end
    if ((distance >> Steps) != '0) aligned = '0;  // so far away that nothing of it is heard
    aligned[0] = aligned[0] || lost;
    larger = late ? aligned : first;
    smaller = late ? first : aligned;
    total = {1'b0, larger} + ({1'b0, smaller} ^ {(SigWidth+1){subtract}}) + (SigWidth+1)'(subtract);
  end

  // ---- the first one ----------------------------------------------------------------------------------
  // Where the exponent is 1 the significand stays as it is, with or without its hidden bit: a one set there
  // stops the search.
  logic [SigWidth-1:0] stop, seen;
  logic [7:0] scale_less;
  logic carry, in_place, far;

  always_comb begin : p_seen
    scale_less = scale - 8'd1;
    stop = (scale_less >> Steps) != '0 ? '0 : (SigWidth'(1) << (SigWidth - 1)) >> Steps'(scale_less);
    seen = total[SigWidth-1:0] | stop;
    carry = total[SigWidth];
    in_place = seen[SigWidth-1];
    far = !carry && seen[SigWidth-1:SigWidth-2] == '0;
  end

  // Two places to the left or more: such a sum has no bits below its last one.
  logic [SigWidth-1:0] far_sig;
  logic [Steps-1:0] zeros;
  logic [7:0] far_exp;

  always_comb begin : p_far
    zeros = '0;
    for (int i = 0; i < SigWidth; i++) begin
      if (seen[i]) zeros = Steps'(SigWidth - 1 - i);
    end
    far_sig = total[SigWidth-1:0] << zeros;
    far_exp = far_sig[SigWidth-1] ? scale - 8'(zeros) : '0;
  end

  // One to the right, in place, or one to the left: may have to be rounded.
  logic [SigWidth-1:0] near_sig;
  logic [ManWidth+2:0] fraction;
  logic [ManWidth+2:0] below;  // of the fraction and the three bits: those below the last bit
  logic half, rest, odd, up;
  logic [7:0] near_exp, up_exp, result_exp;
  logic [ManWidth-1:0] near_man, up_man, result_man;

  always_comb begin : p_near
    near_sig = carry ? {total[SigWidth:2], total[1] || total[0]}
             : in_place ? total[SigWidth-1:0] : {total[SigWidth-2:0], 1'b0};
    near_exp = carry ? scale + 8'd1 : !near_sig[SigWidth-1] ? '0 : in_place ? scale : scale_less;
    fraction = near_sig[ManWidth+2:0];
    below = {unit, 3'b0} - (ManWidth+3)'(1);
    half = ((fraction << 1) & {unit, 3'b0}) != '0;
    rest = (fraction & (below >> 1)) != '0;
    odd = (fraction & {unit, 3'b0}) != '0;
    up = half && (odd || rest);
    near_man = fraction[ManWidth+2:3] & ~below[ManWidth+2:3];
    {up_exp, up_man} = {near_exp, near_man} + {8'd0, unit};
    result_exp = far ? far_exp : up ? up_exp : near_exp;
    result_man = far ? far_sig[ManWidth+2:3] : up ? up_man : near_man;
  end

  // ---- infinity, NaN ----------------------------------------------------------------------------------
  logic a_special, b_special, nan;

  always_comb begin : p_result
    a_special = a_exp == infinite;
    b_special = b_exp == infinite;
    nan = (a_special && a_man != '0) || (b_special && b_man != '0) || (a_special && b_special && subtract);
    sum_o = {b_larger ? b_sign : a_sign, result_exp, result_man};
    if (total == '0 && subtract) sum_o[Width-1] = 1'b0;
    if (near_exp == infinite || result_exp == infinite) sum_o[Width-2:0] = {infinite, ManWidth'(0)};
    if (a_special || b_special) sum_o = {a_special ? a_sign : b_sign, infinite, ManWidth'(0)};
    if (nan) sum_o = {1'b0, infinite, 1'b1, (ManWidth-1)'(0)};
  end

endmodule
