// SPDX-License-Identifier: Apache-2.0
// What every proof begins with. A checker sees inside the unit under proof through wires declared as
// `(* hierconn *) wire [..] \u_dut.name ;`, which Yosys joins with the signal of that name when it
// flattens the design.
`ifndef T3_FORMAL_SVH
`define T3_FORMAL_SVH

/// rst_q is low in the first cycle only; induction starts anywhere.
`define T3_FORMAL_RESET \
  logic rst_q = 1'b0; \
  always_ff @(posedge clk_i) rst_q <= 1'b1;

`endif
