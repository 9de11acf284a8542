// SPDX-License-Identifier: Apache-2.0
/// The codec of a DMA engine: an encoder in its read path, a decoder in its write path. docs/block-codec.md is its
/// specification. The two share nothing; each is of use alone.
module t3_block_codec #(
  parameter int UserWidth = 1,
  localparam int Values = t3_codec_pkg::Values,
  localparam int SizeWidth = t3_codec_pkg::SizeWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  // To the link: a block of values, and as it is written.
  input  logic                 read_valid_i,
  output logic                 read_ready_o,
  input  logic [Values*16-1:0] read_values_i,
  input  logic                 read_bf16_i,
  input  logic [SizeWidth-1:0] read_size_i,
  input  logic [UserWidth-1:0] read_user_i,
  output logic                 send_valid_o,
  input  logic                 send_ready_i,
  output logic [7:0]           send_exponent_o,
  output logic [Values*8-1:0]  send_numbers_o,
  output logic                 send_bf16_o,
  output logic [SizeWidth-1:0] send_size_o,
  output logic [UserWidth-1:0] send_user_o,
  // From the link.
  input  logic                 arrive_valid_i,
  output logic                 arrive_ready_o,
  input  logic [7:0]           arrive_exponent_i,
  input  logic [Values*8-1:0]  arrive_numbers_i,
  input  logic                 arrive_bf16_i,
  input  logic [SizeWidth-1:0] arrive_size_i,
  input  logic [UserWidth-1:0] arrive_user_i,
  output logic                 write_valid_o,
  input  logic                 write_ready_i,
  output logic [Values*16-1:0] write_values_o,
  output logic [UserWidth-1:0] write_user_o
);

  t3_block_encode #(.UserWidth(UserWidth)) u_encode (
    .clk_i, .rst_ni,
    .in_valid_i(read_valid_i), .in_ready_o(read_ready_o), .in_values_i(read_values_i), .in_bf16_i(read_bf16_i),
    .in_size_i(read_size_i), .in_user_i(read_user_i),
    .out_valid_o(send_valid_o), .out_ready_i(send_ready_i), .out_exponent_o(send_exponent_o),
    .out_numbers_o(send_numbers_o), .out_bf16_o(send_bf16_o), .out_size_o(send_size_o), .out_user_o(send_user_o)
  );

  t3_block_decode #(.UserWidth(UserWidth)) u_decode (
    .clk_i, .rst_ni,
    .in_valid_i(arrive_valid_i), .in_ready_o(arrive_ready_o), .in_exponent_i(arrive_exponent_i),
    .in_numbers_i(arrive_numbers_i), .in_bf16_i(arrive_bf16_i), .in_size_i(arrive_size_i), .in_user_i(arrive_user_i),
    .out_valid_o(write_valid_o), .out_ready_i(write_ready_i), .out_values_o(write_values_o), .out_user_o(write_user_o)
  );

endmodule
