// SPDX-License-Identifier: Apache-2.0
/// The arithmetic of the block codec: any values of which none is larger than the one that makes the scale, in either
/// format, in numbers of any size.
///
/// Magnitudes are whole numbers here: significand times 2^(exponent - 1), in units of the format's least value. The unit
/// of a number is 2^(scale - 1) of those, so a number and a value are compared where the smaller one of the two powers is
/// left out.
module formal_block_codec #(
  localparam int Width = 24
) (
  input logic       bf16_i,
  input logic [1:0] size_i,
  input logic [1:0] which_i
);
  (* anyconst *) logic [63:0] values;
  logic [15:0] value, back;
  logic [14:0] largest;
  logic [7:0] exponent, number, magnitude, most;
  logic [8:0] scale;
  logic finite;

  assign value = values[which_i*16+:16];
  assign finite = exponent != t3_codec_pkg::NotFinite;

  t3_block_largest #(.Count(4)) u_largest (.magnitudes_i({values[62:48], values[46:32], values[30:16], values[14:0]}), .largest_o(largest));
  t3_block_scale u_scale (.bf16_i, .size_i, .largest_i(largest), .exponent_o(exponent), .scale_o(scale));
  t3_block_quantize u_dut (.bf16_i, .size_i, .value_i(value), .finite_i(finite), .scale_i(scale), .number_o(number));
  logic [8:0] back_unit;
  logic back_nan;
  t3_block_unit u_unit (.bf16_i, .size_i, .exponent_i(exponent), .unit_o(back_unit), .nan_o(back_nan));
  t3_block_dequantize u_dequantize (
    .bf16_i, .unit_i(back_unit), .nan_i(back_nan), .number_i(number), .value_o(back)
  );

  // Significand and exponent, from 1 on.
  logic [10:0] sig, back_sig;
  logic [7:0] exp, back_exp;
  always_comb begin : p_read
    sig = bf16_i ? {3'd0, value[14:7] != '0, value[6:0]} : {value[14:10] != '0, value[9:0]};
    exp = bf16_i ? value[14:7] : {3'd0, value[14:10]};
    if (exp == '0) exp = 8'd1;
    back_sig = bf16_i ? {3'd0, back[14:7] != '0, back[6:0]} : {back[14:10] != '0, back[9:0]};
    back_exp = bf16_i ? back[14:7] : {3'd0, back[14:10]};
    if (back_exp == '0) back_exp = 8'd1;
    magnitude = number[7] ? -number : number;
    most = (8'd1 << (t3_codec_pkg::bits_of(size_i) - 4'd1)) - 8'd1;
  end

  // The error of the number in units of the value's last bit, and a unit of the number in the same.
  logic [8:0] distance;
  logic [Width-1:0] unit, wide, error;
  logic near;
  always_comb begin : p_error
    distance = scale - {1'b0, exp};
    near = distance <= 9'd12;
    unit = Width'(1) << distance[3:0];
    wide = Width'(magnitude) << distance[3:0];
    error = wide > Width'(sig) ? wide - Width'(sig) : Width'(sig) - wide;
  end

  // What comes back, in units of the smaller one of the two last bits.
  logic [Width-1:0] there, here;
  logic [8:0] apart;
  always_comb begin : p_back
    apart = scale > {1'b0, back_exp} ? scale - {1'b0, back_exp} : {1'b0, back_exp} - scale;
    there = scale > {1'b0, back_exp} ? Width'(back_sig) : Width'(back_sig) << apart[3:0];
    here = scale > {1'b0, back_exp} ? Width'(magnitude) << apart[3:0] : Width'(magnitude);
  end

  // What a second transfer makes of it.
  logic [7:0] again;
  t3_block_quantize u_again (
    .bf16_i, .size_i, .value_i(back), .finite_i(finite), .scale_i(scale), .number_o(again)
  );

  // The bits of the largest one as fp32 have this exponent.
  logic special;
  assign special = bf16_i ? value[14:7] == '1 : value[14:10] == '1;

  always_comb begin : p_promises
    codec_largest: assert (largest >= value[14:0]);
    codec_not_finite: assert (!special || !finite);
    codec_scale: assert (!finite || scale >= {1'b0, exp});
    codec_fits: assert (magnitude <= most && number[7] == (value[15] && magnitude != '0));
    codec_far: assert (!finite || near || magnitude == '0);
    codec_half: assert (!finite || !near || error << 1 <= unit || (magnitude == most && error < unit && wide < Width'(sig)));
    codec_even: assert (!finite || !near || error << 1 != unit || !magnitude[0] || magnitude == most);
    codec_exact: assert (!finite || magnitude == '0 || (apart <= 9'd10 && here == there && back[15] == number[7]));
    codec_zero: assert (!finite || magnitude != '0 || back == '0);
    codec_nan: assert (finite || back == (bf16_i ? 16'h7fc0 : 16'h7e00));
    codec_again: assert (!finite || again == number);
    cover_most: cover (finite && magnitude == most && error << 1 > unit);
    cover_tie: cover (finite && near && error << 1 == unit && size_i == t3_codec_pkg::Bits6 && bf16_i);
    cover_subnormal: cover (finite && !bf16_i && largest < 15'h400 && magnitude > 8'd40);
    cover_nan: cover (!finite && !special);
  end
endmodule
