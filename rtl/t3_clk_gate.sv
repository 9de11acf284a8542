// SPDX-License-Identifier: Apache-2.0
/// A clock gate: `clk_o` has the pulses of `clk_i` behind those of its low phases in which an enable is up at the end.
///
/// Promise: no pulse is cut. `test_en_i` lets all pulses through, as scan needs.
///
/// Why: this is a model, for simulation. A chip replaces this file by a module of the same name around the clock gating
/// cell of its library; with pulp-platform's tech_cells_generic that is one instance of tc_clk_gating, whose ports these
/// are. A module with `assign clk_o = clk_i;` is allowed, too: nothing relies on the clock standing still.
module t3_clk_gate (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);

  logic en_q;

  always_latch begin : p_enable
    if (!clk_i) en_q = en_i || test_en_i;
  end

  assign clk_o = clk_i && en_q;

endmodule
