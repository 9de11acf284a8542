// SPDX-License-Identifier: Apache-2.0
/// Adds up the updates of one wavefront tile that several lanes deliver in one cycle.
///
/// Promise: combinational. `bytes_o` is the sum and `gran_o` the lowest granule over the lanes in
/// `mask_i`, which is not empty; `key_o` is the key they all share. All are zero while `en_i` is low.
///
/// Why: the minimum is a balanced tree, log2(NumLanes) comparators deep, and the shared key is an
/// AND-OR, so one stage is enough. `en_i` gates everything: an idle bank does not toggle.
module t3_combine #(
  parameter int NumLanes = 8,
  parameter int KeyWidth = 24,
  parameter int GranWidth = 43,
  localparam int SumWidth = t3_pkg::BytesWidth + $clog2(NumLanes)
) (
  input  logic                                   en_i,
  input  logic [NumLanes-1:0]                    mask_i,
  input  logic [NumLanes*KeyWidth-1:0]           key_i,
  input  logic [NumLanes*GranWidth-1:0]          gran_i,
  input  logic [NumLanes*t3_pkg::BytesWidth-1:0] bytes_i,
  output logic [KeyWidth-1:0]                    key_o,
  output logic [GranWidth-1:0]                   gran_o,
  output logic [SumWidth-1:0]                    bytes_o
);

  // Node 1 is the root, nodes NumLanes … 2 NumLanes - 1 are the lanes. Words of 64 bits: a
  // simulator then needs no shifts, and hardware does not see the difference.
  localparam int NodeWidth = 64;

  function automatic logic [GranWidth-1:0] lowest(
      input logic [NumLanes-1:0] mask, input logic [NumLanes*GranWidth-1:0] granules);
    logic [2*NumLanes*NodeWidth-1:0] node;
    logic [2*NumLanes-1:0] some;
    node = '0;
    some = '0;
    for (int i = 0; i < NumLanes; i++) begin
      if (mask[i]) begin
        some[NumLanes+i] = 1'b1;
        node[(NumLanes+i)*NodeWidth +: GranWidth] = granules[i*GranWidth +: GranWidth];
      end
    end
    for (int n = NumLanes - 1; n > 0; n--) begin
      if (some[2*n] || some[2*n+1]) begin
        some[n] = 1'b1;
        if (!some[2*n+1] || (some[2*n] && node[2*n*NodeWidth +: GranWidth]
                                          < node[(2*n+1)*NodeWidth +: GranWidth])) begin
          node[n*NodeWidth +: GranWidth] = node[2*n*NodeWidth +: GranWidth];
        end else begin
          node[n*NodeWidth +: GranWidth] = node[(2*n+1)*NodeWidth +: GranWidth];
        end
      end
    end
    lowest = node[NodeWidth +: GranWidth];
  endfunction

  always_comb begin : p_combine
    key_o = '0;
    gran_o = '0;
    bytes_o = '0;
    if (en_i) begin
      for (int i = 0; i < NumLanes; i++) begin
        if (mask_i[i]) begin
          key_o = key_o | key_i[i*KeyWidth +: KeyWidth];
          bytes_o = bytes_o + SumWidth'(bytes_i[i*t3_pkg::BytesWidth +: t3_pkg::BytesWidth]);
        end
      end
      gran_o = lowest(mask_i, gran_i);
    end
  end

endmodule
