// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_start, for any region: turned on while something is inside, or hints are out of date, it does not count, and lanes
/// are held, until a sort of hints that began with nothing inside, not before it was turned on, has ended. Lanes are
/// held for one sort, and two cycles without one, beyond the last cycle in which something was inside or a hint out of
/// date, however often regions are turned on.
///
/// Assumed: a sort begins in the cycle after it was asked for; nothing comes inside while lanes are held.
module formal_start #(
  localparam int NumRegions = 3,
  localparam int RegionWidth = 2
) (
  input logic                   clk_i,
  input logic                   turn_on_i,
  input logic [RegionWidth-1:0] region_i,
  input logic                   inside_i,
  input logic                   stale_i,
  input logic                   sorting_i
);
  `T3_FORMAL_RESET
  logic sort, hold, work;
  logic [NumRegions-1:0] starting;
  (* hierconn *) wire [1:0] \u_dut.state_q ;
  (* hierconn *) wire \u_dut.again_q ;
  t3_start #(.NumRegions(NumRegions)) u_dut (
    .clk_i, .rst_ni(rst_q), .turn_on_i, .region_i, .inside_i, .stale_i, .sort_o(sort), .sorting_i, .hold_o(hold),
    .starting_o(starting), .work_o(work)
  );

  (* anyconst *) logic [RegionWidth-1:0] x;
  logic empty_q, sort_q, needs_q, sorted_q, its, quiet, sorted_since_q;
  logic [1:0] quiet_q;
  assign its = turn_on_i && region_i == x && (inside_i || stale_i);
  assign quiet = hold && !inside_i && !sorting_i;
  always_ff @(posedge clk_i) begin
    empty_q <= rst_q && hold && !inside_i;
    sort_q <= rst_q && sort;
    needs_q <= rst_q && (its || (needs_q && !(sorted_q && !sorting_i)));
    sorted_q <= rst_q && (sort || (sorted_q && !its && sorting_i));
    sorted_since_q <= rst_q && hold && !inside_i && !stale_i && (sort || sorted_since_q);
    quiet_q <= (rst_q && quiet) ? quiet_q + 2'd1 : '0;
  end
  always_comb begin
    assume (rst_q || !turn_on_i);
    assume (32'(region_i) < NumRegions && 32'(x) < NumRegions);
    assume (!sort_q || sorting_i);
    assume (!empty_q || !inside_i);
  end

  always @(posedge clk_i) if (rst_q) begin
    start_waits: assert (!needs_q || (hold && starting[x]));
    start_sorts: assert (!sort || !(inside_i || sorting_i));
    start_state: assert (\u_dut.state_q != 2'd3 && hold == (\u_dut.state_q != 2'd0) && (\u_dut.state_q != 2'd2 || empty_q)
                         && (!\u_dut.again_q || \u_dut.state_q == 2'd2) && (hold || starting == '0)
                         && (!sort_q || (\u_dut.state_q == 2'd2 && !\u_dut.again_q )));
    start_needs: assert (!needs_q || (sorted_q ? \u_dut.state_q == 2'd2
                                               : \u_dut.state_q == 2'd1 || (\u_dut.state_q == 2'd2 && \u_dut.again_q )));
    start_once: assert (!sorted_since_q || (\u_dut.state_q == 2'd2 && !\u_dut.again_q ) || !hold);
    start_goes_on: assert (!(sort && sorted_since_q) && !(quiet && quiet_q >= 2'd2));
    start_quiet: assert (!(quiet && quiet_q == 2'd1) || \u_dut.state_q == 2'd1);
    cover_again: cover (needs_q && sorted_q && starting == 3'b011 && \u_dut.again_q );
    cover_on_at_once: cover (turn_on_i && !hold && !inside_i && !stale_i);
  end
endmodule
