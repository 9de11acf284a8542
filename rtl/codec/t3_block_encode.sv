// SPDX-License-Identifier: Apache-2.0
/// Writes a block of 32 values of fp16 or bf16 as an exponent that they share and 32 numbers of 8, 6 or 4 bits.
/// docs/block-codec.md is its specification.
///
/// Promise: a block that is taken leaves Latency cycles later, if nobody waits, and one may be taken each cycle. Blocks
/// leave in order and stay until they are taken. Number i is at bit i * 8, 6 or 4 of `out_numbers_o`, zeros above the
/// last one. A block that has fewer values has zeros in their place; its first numbers are what counts. `user` goes with
/// the block. `in_ready_o` follows `out_ready_i`; all other outputs are registers.
///
///   values ─► A: largest of 8 ─► B: largest ─► C: exponent, scale ─► D: numbers ─► E: close together ─► out
module t3_block_encode #(
  parameter int UserWidth = 1,
  localparam int Values = t3_codec_pkg::Values,
  localparam int SizeWidth = t3_codec_pkg::SizeWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [Values*16-1:0] in_values_i,
  input  logic                 in_bf16_i,
  input  logic [SizeWidth-1:0] in_size_i,
  input  logic [UserWidth-1:0] in_user_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [7:0]           out_exponent_o,
  output logic [Values*8-1:0]  out_numbers_o,
  output logic                 out_bf16_o,
  output logic [SizeWidth-1:0] out_size_o,
  output logic [UserWidth-1:0] out_user_o
);

  localparam int Latency = 5;
  localparam int Groups = 4;
  localparam int SideWidth = 1 + SizeWidth + UserWidth;

  // ---- what goes with a block -----------------------------------------------------------------------
  logic go;
  logic [Latency-1:0] valid_q;
  logic [Latency*SideWidth-1:0] side_q;  // stage A lowest
  logic [Latency-1:0] bf16;
  logic [Latency*SizeWidth-1:0] size;

  assign go = !valid_q[Latency-1] || out_ready_i;
  assign in_ready_o = go;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) valid_q <= '0;
    else if (go) valid_q <= {valid_q[Latency-2:0], in_valid_i};
  end

  always_ff @(posedge clk_i) begin : p_side
    if (go) side_q <= {side_q[(Latency-1)*SideWidth-1:0], in_bf16_i, in_size_i, in_user_i};
  end

  for (genvar s = 0; s < Latency; s++) begin : gen_side
    assign size[s*SizeWidth+:SizeWidth] = side_q[s*SideWidth+UserWidth+:SizeWidth];
    assign bf16[s] = side_q[s*SideWidth+UserWidth+SizeWidth];
  end

  // ---- A, B: the largest magnitude --------------------------------------------------------------------
  logic [Values*15-1:0] magnitudes;
  logic [Values*16-1:0] values_a_q, values_b_q, values_c_q;
  logic [Groups*15-1:0] largest_a, largest_a_q;
  logic [14:0] largest_b, largest_b_q;

  for (genvar i = 0; i < Values; i++) begin : gen_magnitude
    assign magnitudes[i*15+:15] = in_values_i[i*16+:15];
  end
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    t3_block_largest #(.Count(Values / Groups)) u_largest (
      .magnitudes_i(magnitudes[g*15*Values/Groups+:15*Values/Groups]), .largest_o(largest_a[g*15+:15])
    );
  end
  t3_block_largest #(.Count(Groups)) u_largest (.magnitudes_i(largest_a_q), .largest_o(largest_b));

  // ---- C: exponent and scale --------------------------------------------------------------------------
  logic [7:0] exponent_c, exponent_c_q, exponent_d_q;
  logic [8:0] scale_c, scale_c_q;

  t3_block_scale u_scale (
    .bf16_i(bf16[1]), .size_i(size[1*SizeWidth+:SizeWidth]), .largest_i(largest_b_q),
    .exponent_o(exponent_c), .scale_o(scale_c)
  );

  // ---- D: numbers ---------------------------------------------------------------------------------------
  logic [Values*8-1:0] numbers_d, numbers_d_q;

  for (genvar i = 0; i < Values; i++) begin : gen_value
    t3_block_quantize u_quantize (
      .bf16_i(bf16[2]), .size_i(size[2*SizeWidth+:SizeWidth]), .value_i(values_c_q[i*16+:16]),
      .finite_i(exponent_c_q != t3_codec_pkg::NotFinite), .scale_i(scale_c_q), .number_o(numbers_d[i*8+:8])
    );
  end

  // ---- E: close together --------------------------------------------------------------------------------
  logic [Values*6-1:0] six;
  logic [Values*4-1:0] four;
  logic [Values*8-1:0] numbers_e;

  for (genvar i = 0; i < Values; i++) begin : gen_close
    assign six[i*6+:6] = numbers_d_q[i*8+:6];
    assign four[i*4+:4] = numbers_d_q[i*8+:4];
  end
  assign numbers_e = size[3*SizeWidth+:SizeWidth] == t3_codec_pkg::Bits8 ? numbers_d_q
                   : size[3*SizeWidth+:SizeWidth] == t3_codec_pkg::Bits6 ? (Values*8)'(six) : (Values*8)'(four);

  always_ff @(posedge clk_i) begin : p_stages
    if (go) begin
      values_a_q <= in_values_i;
      values_b_q <= values_a_q;
      values_c_q <= values_b_q;
      largest_a_q <= largest_a;
      largest_b_q <= largest_b;
      exponent_c_q <= exponent_c;
      scale_c_q <= scale_c;
      exponent_d_q <= exponent_c_q;
      numbers_d_q <= numbers_d;
      out_exponent_o <= exponent_d_q;
      out_numbers_o <= numbers_e;
    end
  end

  assign out_valid_o = valid_q[Latency-1];
  assign {out_bf16_o, out_size_o, out_user_o} = side_q[(Latency-1)*SideWidth+:SideWidth];

  logic unused;
  assign unused = ^{bf16[1:0], bf16[4:3], size[4*SizeWidth+:SizeWidth], size[0+:SizeWidth]};

endmodule
