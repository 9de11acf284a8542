// SPDX-License-Identifier: Apache-2.0
// Assertions of the unit, for simulation and formal tools only. Yosys defines SYNTHESIS itself, so
// formal runs ask for them with FORMAL.
`ifndef T3_ASSERT_SVH
`define T3_ASSERT_SVH

`ifdef FORMAL
`define T3_ASSERT_ON
`endif
`ifndef SYNTHESIS
`define T3_ASSERT_ON
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
