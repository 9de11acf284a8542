// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_clear: opens the lanes only after a walk over every index, and walks only without work inside.
module formal_clear #(
  parameter int IndexWidth = 3
) (
  input logic clk_i,
  input logic start_i,
  input logic work_i
);
  `T3_FORMAL_RESET
  localparam int Count = 1 << IndexWidth;

  logic open, walk, finished, first, pending, active;
  logic [IndexWidth-1:0] index;
  (* hierconn *) wire [1:0] \u_dut.state_q ;
  t3_clear #(
    .IndexWidth(IndexWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .start_i, .work_i, .open_o(open), .walk_o(walk), .index_o(index),
    .finished_o(finished), .first_o(first), .pending_o(pending), .active_o(active)
  );

  // Which indices the present walk has visited, and whether a walk was asked for.
  logic [Count-1:0] walked_q;
  logic opened_q;  // once since reset
  logic past_q, open_q, start_q, work_q, finished_q, walk_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    opened_q <= rst_q && (opened_q || open);
    open_q <= open;
    start_q <= start_i;
    work_q <= work_i;
    finished_q <= finished;
    walk_q <= walk;
    if (!rst_q || !walk) walked_q <= '0;
    else walked_q[index] <= 1'b1;
  end

  always @(posedge clk_i) if (rst_q) begin
    clear_state: assert (\u_dut.state_q != 2'd3);
    clear_rests_at_zero: assert (walk || index == '0);
    clear_walks: assert (!walk || walked_q == Count'((1 << index) - 1));
    clear_all: assert (!finished || (walked_q | (Count'(1) << index)) == '1);
    clear_opens_after_the_end: assert (!(past_q && open && !open_q) || finished_q);
    clear_closes_at_once: assert (!(past_q && open_q && start_q) || !open);
    clear_waits_for_work: assert (!(past_q && walk && !walk_q) || !work_q);
    clear_pending: assert (pending == !open);
    clear_first: assert (first == !(opened_q || open));
    cover_second_walk: cover (past_q && finished && $past(walked_q[1]));
    cover_drains: cover (pending && !walk && work_q && !work_i);
  end
endmodule
