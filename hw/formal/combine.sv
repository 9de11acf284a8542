// SPDX-License-Identifier: Apache-2.0
/// t3_combine against a plain loop, for every input.
module formal_combine #(
  parameter int NumLanes = 4,
  parameter int KeyWidth = 3,
  parameter int GranWidth = 4
) (
  input logic                          en_i,
  input logic [NumLanes-1:0]           mask_i,
  input logic [NumLanes*KeyWidth-1:0]  key_i,
  input logic [NumLanes*GranWidth-1:0] gran_i,
  input logic [NumLanes*8-1:0]         bytes_i
);
  logic [KeyWidth-1:0] key, shared;
  logic [GranWidth-1:0] gran, lowest;
  logic [7+$clog2(NumLanes):0] bytes, sum;
  t3_combine #(
    .NumLanes(NumLanes), .KeyWidth(KeyWidth), .GranWidth(GranWidth)
  ) u_dut (
    .en_i, .mask_i, .key_i, .gran_i, .bytes_i, .key_o(key), .gran_o(gran), .bytes_o(bytes)
  );

  (* anyconst *) logic [KeyWidth-1:0] some;
  always_comb begin
    sum = '0;
    lowest = '1;
    shared = some;
    for (int i = 0; i < NumLanes; i++) begin
      if (mask_i[i]) begin
        assume (key_i[i*KeyWidth +: KeyWidth] == some);
        assume (bytes_i[i*8 +: 8] <= 8'd128);
        sum = sum + bytes_i[i*8 +: 8];
        if (gran_i[i*GranWidth +: GranWidth] < lowest) lowest = gran_i[i*GranWidth +: GranWidth];
      end
    end
    assume (!en_i || mask_i != '0);
    if (en_i) begin
      combine_bytes: assert (bytes == sum);
      combine_lowest: assert (gran == lowest);
      combine_key: assert (key == shared);
    end else begin
      combine_quiet: assert (bytes == '0 && gran == '0 && key == '0);
    end
    cover_all: cover (en_i && mask_i == '1 && bytes == 512);
  end
endmodule
