// SPDX-License-Identifier: Apache-2.0
/// Reads what t3_block_encode writes: 32 values of fp16 or bf16 from an exponent and numbers of 8, 6 or 4 bits.
/// docs/block-codec.md is its specification.
///
/// Promise: as that of t3_block_encode, with a Latency of 2 cycles; a value is its number times the unit that exponent
/// and size name, exactly.
///
///   numbers ─► A: apart, unit ─► B: values ─► out
module t3_block_decode #(
  parameter int UserWidth = 1,
  localparam int Values = t3_codec_pkg::Values,
  localparam int SizeWidth = t3_codec_pkg::SizeWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [7:0]           in_exponent_i,
  input  logic [Values*8-1:0]  in_numbers_i,
  input  logic                 in_bf16_i,
  input  logic [SizeWidth-1:0] in_size_i,
  input  logic [UserWidth-1:0] in_user_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [Values*16-1:0] out_values_o,
  output logic [UserWidth-1:0] out_user_o
);

  localparam int Latency = 2;

  logic go;
  logic [Latency-1:0] valid_q;
  logic bf16_q, nan, nan_q;
  logic [UserWidth-1:0] user_q;
  logic [8:0] unit, unit_q;
  logic [Values*8-1:0] numbers, numbers_q;
  logic [Values*16-1:0] values;

  assign go = !valid_q[Latency-1] || out_ready_i;
  assign in_ready_o = go;
  assign out_valid_o = valid_q[Latency-1];

  t3_block_unit u_unit (
    .bf16_i(in_bf16_i), .size_i(in_size_i), .exponent_i(in_exponent_i), .unit_o(unit), .nan_o(nan)
  );

  for (genvar i = 0; i < Values; i++) begin : gen_value
    logic [7:0] eight;
    logic [5:0] six;
    logic [3:0] four;
    assign eight = in_numbers_i[i*8+:8];
    assign six = in_numbers_i[i*6+:6];
    assign four = in_numbers_i[i*4+:4];
    assign numbers[i*8+:8] = in_size_i == t3_codec_pkg::Bits8 ? eight
                           : in_size_i == t3_codec_pkg::Bits6 ? {{2{six[5]}}, six} : {{4{four[3]}}, four};
    t3_block_dequantize u_dequantize (
      .bf16_i(bf16_q), .unit_i(unit_q), .nan_i(nan_q), .number_i(numbers_q[i*8+:8]), .value_o(values[i*16+:16])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) valid_q <= '0;
    else if (go) valid_q <= {valid_q[0], in_valid_i};
  end

  always_ff @(posedge clk_i) begin : p_stages
    if (go) begin
      {bf16_q, user_q, unit_q, nan_q} <= {in_bf16_i, in_user_i, unit, nan};
      numbers_q <= numbers;
      out_values_o <= values;
      out_user_o <= user_q;
    end
  end

endmodule
