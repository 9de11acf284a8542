// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_fill: opens the lanes only after a walk over every word, and walks only without work inside; a fill
/// visits exactly the words that it was given, once each, and rests between them while nothing holds it; with the
/// range, the value and the force that it was given.
module formal_fill #(
  parameter int SlotWidth = 4,
  parameter int BankBits = 1,
  parameter int CountWidth = 3,
  localparam int WalkWidth = SlotWidth - BankBits
) (
  input logic                  clk_i,
  input logic                  clear_i,
  input logic                  fill_i,
  input logic [SlotWidth-1:0]  first_i,
  input logic [SlotWidth-1:0]  last_i,
  input logic [CountWidth-1:0] value_i,
  input logic                  force_i,
  input logic                  work_i,
  input logic                  hold_i
);
  `T3_FORMAL_RESET
  localparam int Count = 1 << WalkWidth;

  `T3_FILL_T(fill_t);
  fill_t fill;
  logic open, idle, filling, clearing, clear_walk, cleared, step;
  logic [WalkWidth-1:0] index;
  assign step = fill.step;
  assign index = fill.index;
  assign clearing = !open;
  (* hierconn *) wire [1:0] \u_dut.state_q ;
  (* hierconn *) wire \u_dut.rest_q ;
  t3_fill #(
    .SlotWidth(SlotWidth), .BankBits(BankBits), .CountWidth(CountWidth), .WalkWidth(WalkWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .fill_i, .first_i, .last_i, .value_i, .force_i, .work_i, .hold_i, .open_o(open),
    .idle_o(idle), .filling_o(filling), .clear_walk_o(clear_walk), .cleared_o(cleared), .fill_o(fill)
  );

  always_comb assume (!fill_i || (idle && first_i <= last_i));

  // Which words the present walk has visited, and which it has to.
  logic [Count-1:0] walked_q, wanted_q, here;
  logic [SlotWidth-1:0] first_q, last_q;
  logic [CountWidth-1:0] value_q;
  logic force_q;
  logic [WalkWidth-1:0] first_index, last_index;
  assign first_index = first_q[SlotWidth-1:BankBits];
  assign last_index = last_q[SlotWidth-1:BankBits];
  logic past_q, open_q, clear_q, work_q, cleared_q, walk_q, filling_q, step_q, hold_q;
  assign here = Count'(1) << index;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    open_q <= open;
    clear_q <= clear_i;
    work_q <= work_i;
    cleared_q <= cleared;
    walk_q <= clear_walk;
    filling_q <= filling;
    hold_q <= hold_i;
    step_q <= rst_q && step;
    if (!rst_q || (clear_i && open) || idle || (clearing && !clear_walk)) walked_q <= '0;
    else if (step) walked_q <= walked_q | here;
    if (!rst_q || (clear_i && open)) begin
      first_q <= '0;
      last_q <= '1;
      value_q <= '0;
      force_q <= 1'b1;
    end else if (fill_i) begin
      first_q <= first_i;
      last_q <= last_i;
      value_q <= value_i;
      force_q <= force_i;
    end
  end
  always_comb begin
    for (int i = 0; i < Count; i++) begin
      wanted_q[i] = WalkWidth'(i) >= first_index && WalkWidth'(i) <= last_index;
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    fill_range: assert (idle || (fill.first == first_q && fill.last == last_q && fill.value == value_q && fill.forced == force_q
                                 && index >= first_index && index <= last_index
                                 && (!clearing || (first_q == '0 && last_q == '1 && value_q == '0 && force_q))));
    fill_walked: assert (idle || walked_q == (wanted_q & Count'((Count+1)'(here) - (Count+1)'(1))));
    fill_states: assert (2'(idle) + 2'(filling) + 2'(clearing) == 2'd1
                         && (!clear_walk || clearing) && (!cleared || (clear_walk && step))
                         && (!step || clear_walk || filling));
    // The promises.
    fill_visits_once: assert (!step || (walked_q & here) == '0);
    fill_visits_its_own: assert (!step || (wanted_q & here) != '0);
    fill_visits_all: assert (!(past_q && filling_q && idle) || (step_q && !clear_q));
    fill_ends: assert (!(past_q && filling_q && idle) || walked_q == wanted_q);
    fill_rests: assert (!filling || !(step && step_q && filling_q));
    fill_held: assert (!hold_i || !step);
    clear_all: assert (!cleared || (walked_q | here) == '1);
    clear_opens_after_the_end: assert (!(past_q && open && !open_q) || cleared_q);
    clear_closes_at_once: assert (!(past_q && open_q && clear_q) || !open);
    clear_waits_for_work: assert (!(past_q && clear_walk && !walk_q) || !work_q);
    clear_walks_on: assert (!clear_walk || hold_i || step);
    cover_fill_of_three: cover (filling && step && index == last_index && first_index == 3'd2 && last_index == 3'd4);
    cover_cleared_from_fill: cover (past_q && filling_q && clearing);
    cover_walk_held: cover (cleared && hold_q);
    cover_drains: cover (clearing && !clear_walk && work_q && !work_i);
  end
endmodule
