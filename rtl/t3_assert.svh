// SPDX-License-Identifier: Apache-2.0
// Assertions of the unit, for simulation and formal tools only. Yosys defines SYNTHESIS itself, so
// formal runs ask for them with FORMAL. And the check of a parameter, for all tools.
`ifndef T3_ASSERT_SVH
`define T3_ASSERT_SVH

`ifdef FORMAL
`define T3_ASSERT_ON
`endif
`ifndef SYNTHESIS
`define T3_ASSERT_ON
`endif

/// Elaboration fails, in lint, simulation and synthesis alike, if a parameter is not as it must be. Icarus Verilog 11 has
/// no elaboration messages: there a module is missing whose name has the parameter's.
`ifdef __ICARUS__
`define T3_PARAMETER(name, condition, text) \
  if (!(condition)) begin : gen_illegal_``name \
    illegal_``name u_illegal (); \
  end
`else
`define T3_PARAMETER(name, condition, text) \
  if (!(condition)) begin : gen_illegal_``name \
    $error(text); \
  end
`endif

`ifdef T3_ASSERT_ON
/// `condition` holds at every clock edge outside reset. Needs clk_i and rst_ni in scope.
`define T3_ASSERT(label, condition) \
  always @(posedge clk_i or negedge rst_ni) begin \
    if (rst_ni) begin : label \
      assert (condition); \
    end \
  end
`else
`define T3_ASSERT(label, condition)
`endif

`endif
