// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Gives a word to every port of a mask: the plain writes of a multicast to the output ports of a switch.
///
/// Promise: each port of `mask_i` takes the word once, in a cycle of its own choice; `ready_o` is up in the cycle in
/// which the last of them does. A word per cycle while all its ports are ready. `valid_o` and `ready_o` are
/// combinational: functions of what the other side of the word says and of the ports that have taken it.
/// `valid_i` and `mask_i` stay until `ready_o`; the data needs no wires here. A word whose mask is empty is
/// dropped.
///
/// Why: no port waits for another one, so words that several inputs give to the same outputs cannot wait for each
/// other in a circle, in whatever order the outputs take them.
///
///   valid_i, mask_i ──┬─► valid_o[0]      taken_q: has taken this word
///                     ├─► valid_o[1]
///                     └─► …
module t3_multicast #(
  parameter int Ports = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [Ports-1:0] mask_i,
  output logic             ready_o,
  output logic [Ports-1:0] valid_o,
  input  logic [Ports-1:0] ready_i
);

  logic [Ports-1:0] taken_q, open;

  assign open = mask_i & ~taken_q;
  assign valid_o = valid_i ? open : '0;
  assign ready_o = (open & ~ready_i) == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_taken
    if (!rst_ni) taken_q <= '0;
    else if (valid_i) taken_q <= ready_o ? '0 : taken_q | (open & ready_i);
  end

  `T3_ASSERT(mask_stays, (taken_q & ~mask_i) == '0 || !valid_i)

endmodule
