// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_stack_join whole, with t3_waiting and its queue: docs/stack-join.md, promises 1 to 6, of any slot, whatever comes
/// at the ports in any cycle, a reset among it. For the slot the checker keeps the stacks that have not said it,
/// whether one was spoiled, and whether it waits. A share is counted in the cycle in which `share_ready_o` of its stack
/// rises again (B); steps of commands and asks of t3_waiting are those of B.
///
/// A slot that waits is behind something that moves: a hint of it is in the queue, or is still to be looked at, or it is
/// being asked for. Proof `waiting` shows that each of these comes to its end, `stack_join_order` the order.
module formal_stack_join #(
  parameter int Stacks = 2,
  localparam int Slots = 4,
  localparam int Depth = 2,
  localparam int SlotWidth = 2
) (
  input logic                        clk_i,
  input logic                        reset_i,
  input logic [Stacks-1:0]           share_valid_i,
  input logic [Stacks*SlotWidth-1:0] share_slot_i,
  input logic [Stacks-1:0]           share_spoiled_i,
  input logic                        done_ready_i,
  input logic                        cmd_valid_i,
  input logic                        cmd_write_i,
  input logic [SlotWidth-1:0]        cmd_first_i,
  input logic [SlotWidth-1:0]        cmd_last_i,
  input logic [Stacks-1:0]           cmd_shares_i,
  input logic                        cmd_force_i,
  input logic                        look_i
);
  `T3_FORMAL_RESET
  localparam int SortMost = 3 * Depth + 2;
  logic run;
  assign run = rst_q && !reset_i;

  logic [Stacks-1:0] ready, seen_missing, event_stack;
  logic valid, spoiled, cmd_ready, refused, seen_waits, seen_spoiled, stray, damaged, corrected, waiting, busy;
  logic [SlotWidth-1:0] shown, event_slot;
  (* hierconn *) wire [Stacks+1:0] \u_dut.b_turn_q ;
  (* hierconn *) wire \u_dut.b_offer_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.b_slot_q ;
  (* hierconn *) wire [1:0] \u_dut.state_q ;
  (* hierconn *) wire \u_dut.sort ;
  (* hierconn *) wire \u_dut.sorting ;
  (* hierconn *) wire \u_dut.done ;
  (* hierconn *) wire [SlotWidth:0] \u_dut.u_waiting.left_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_waiting.look_q ;
  (* hierconn *) wire \u_dut.u_waiting.found_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_sort_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_look_q ;
  (* hierconn *) wire \u_dut.u_waiting.hint_valid ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_waiting.hint ;
  (* hierconn *) wire \u_dut.u_waiting.u_hints.mid_valid_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_waiting.u_hints.mid ;
  (* hierconn *) wire [1:0] \u_dut.u_waiting.u_hints.count_q ;
  (* hierconn *) wire \u_dut.u_waiting.u_hints.read_ptr_q ;
  (* hierconn *) wire [Depth*SlotWidth-1:0] \u_dut.u_waiting.u_hints.u_ram.u_ram.words_q ;
  (* hierconn *) wire [Slots*(Stacks+2)-1:0] \u_dut.u_ram.u_ram.words_q ;
  t3_stack_join #(
    .Stacks(Stacks), .NumSlots(Slots), .QueueDepth(Depth)
  ) u_dut (
    .clk_i, .rst_ni(run), .share_valid_i, .share_ready_o(ready), .share_slot_i, .share_spoiled_i,
    .done_valid_o(valid), .done_ready_i, .done_slot_o(shown), .done_spoiled_o(spoiled),
    .cmd_valid_i, .cmd_ready_o(cmd_ready), .cmd_write_i, .cmd_first_i, .cmd_last_i, .cmd_shares_i, .cmd_force_i,
    .cmd_refused_o(refused), .seen_missing_o(seen_missing), .seen_waits_o(seen_waits), .seen_spoiled_o(seen_spoiled),
    .look_i, .stray_o(stray), .damaged_o(damaged), .corrected_o(corrected), .event_slot_o(event_slot),
    .event_stack_o(event_stack), .waiting_o(waiting), .busy_o(busy)
  );

  // ---- what came ----------------------------------------------------------------------------------
  // Of each stack: a share was taken and not counted; it is counted now.
  logic [Stacks-1:0] taken_q, taken_spoiled_q, taken_mine_q, takes, counts;
  (* anyconst *) logic [SlotWidth-1:0] slot;
  assign takes = share_valid_i & ready;
  assign counts = taken_q & ready;

  // A command, from its first cycle to its last: shares that were taken before it; its next step.
  logic on_q, write_q, force_q, refused_q, step;
  logic [SlotWidth-1:0] at_q, last_q;
  logic [Stacks-1:0] shares_q, before_q;
  assign step = \u_dut.b_turn_q [Stacks+1] && on_q;

  // The slot.
  logic [Stacks-1:0] missing_q, said;
  logic spoiled_q, waits_q, shows_q, shows_spoiled_q, stray_q, here, asked, strays, keeps;
  assign here = \u_dut.b_slot_q == slot;
  assign said = counts & taken_mine_q;
  assign asked = \u_dut.b_turn_q [0] && \u_dut.b_offer_q && here && waits_q;
  assign strays = (said & ~missing_q) != '0;
  assign keeps = !write_q || (!force_q && (missing_q != '0 || waits_q));

  // What is at the port: stays; was shown in this cycle.
  logic held_q, held_spoiled_q;
  logic [SlotWidth-1:0] held_slot_q;

  logic cleared_q;  // the walk after reset is over
  logic [SlotWidth+1:0] clears_q;
  (* anyconst *) logic [1:0] stack;
  logic [2:0] open_q;    // cycles in which this stack waits, those of a sort not counted
  logic [4:0] sort_q;
  logic sorted_q;        // one sort has ended in which it waited
  // It was made idle while it waited; a sort that began behind that, or with it, is under way.
  logic dirty_q, cleans_q, forgets;
  assign forgets = step && here && !keeps && waits_q;

  always_comb assume (stack < 2'(Stacks));

  always_ff @(posedge clk_i) begin
    if (!run) begin
      {taken_q, on_q, missing_q, spoiled_q, waits_q, shows_q, stray_q, held_q, cleared_q} <= '0;
      {clears_q, open_q, sort_q, sorted_q, refused_q, before_q, dirty_q, cleans_q} <= '0;
    end else begin
      taken_q <= (taken_q & ~ready) | takes;
      before_q <= before_q & ~counts;
      for (int s = 0; s < Stacks; s++) begin
        if (takes[s]) begin
          taken_mine_q[s] <= share_slot_i[s*SlotWidth +: SlotWidth] == slot;
          taken_spoiled_q[s] <= share_spoiled_i[s];
        end
      end
      if (cmd_valid_i && cmd_ready) begin
        on_q <= 1'b1;
        {write_q, force_q, shares_q, at_q, last_q} <= {cmd_write_i, cmd_force_i, cmd_shares_i, cmd_first_i, cmd_last_i};
        before_q <= (taken_q & ~ready) | takes;
        refused_q <= 1'b0;
      end
      if (step) begin
        at_q <= at_q + SlotWidth'(1);
        if (at_q == last_q) on_q <= 1'b0;
        if (here && keeps && write_q) refused_q <= 1'b1;
      end

      if (said != '0) begin
        if (strays) begin
          spoiled_q <= missing_q != '0 || waits_q;
        end else begin
          missing_q <= missing_q & ~said;
          spoiled_q <= spoiled_q || (said & taken_spoiled_q) != '0;
          waits_q <= (missing_q & ~said) == '0;
        end
      end
      if (step && here && !keeps) begin
        missing_q <= shares_q;
        {spoiled_q, waits_q} <= '0;
      end
      if (asked) {spoiled_q, waits_q} <= '0;
      stray_q <= strays;
      shows_q <= asked;
      shows_spoiled_q <= spoiled_q;

      held_q <= valid && !done_ready_i;
      held_slot_q <= shown;
      held_spoiled_q <= spoiled;

      cleans_q <= \u_dut.sort || (!forgets && cleans_q && \u_dut.sorting );
      if (forgets) dirty_q <= 1'b1;
      else if (cleans_q && !\u_dut.sorting ) dirty_q <= 1'b0;

      if (cmd_ready) cleared_q <= 1'b1;
      if (!cleared_q) clears_q <= clears_q + (SlotWidth+2)'(1);
      sort_q <= (\u_dut.state_q == 2'd3 && cleared_q) ? sort_q + 5'd1 : '0;
      if (ready[stack]) begin
        open_q <= '0;
        sorted_q <= 1'b0;
      end else if (cleared_q && \u_dut.state_q != 2'd3) begin
        open_q <= open_q + 3'd1;
        if (sort_q != '0) sorted_q <= 1'b1;
      end
    end
  end

  // Where the slot will be found, if it waits.
  logic hinted, to_look, under_way, place;
  logic [SlotWidth-1:0] behind;
  always_comb begin
    hinted = (\u_dut.u_waiting.hint_valid && \u_dut.u_waiting.hint == slot)
             || (\u_dut.u_waiting.u_hints.mid_valid_q && \u_dut.u_waiting.u_hints.mid == slot);
    for (int i = 0; i < Depth; i++) begin
      place = 1'(i) - \u_dut.u_waiting.u_hints.read_ptr_q ;
      if (2'(place) < \u_dut.u_waiting.u_hints.count_q
          && \u_dut.u_waiting.u_hints.u_ram.u_ram.words_q [i*SlotWidth +: SlotWidth] == slot) hinted = 1'b1;
    end
    behind = slot - \u_dut.u_waiting.look_q ;
    to_look = \u_dut.u_waiting.found_q ? behind == '0 || (SlotWidth+1)'(behind) <= \u_dut.u_waiting.left_q
                                       : (SlotWidth+1)'(behind) < \u_dut.u_waiting.left_q ;
    under_way = \u_dut.b_turn_q [0] && here && (\u_dut.b_offer_q || \u_dut.u_waiting.asked_sort_q );
  end

  // The words: what B writes is in the RAM in the next cycle.
  logic [Stacks+1:0] word;
  assign word = \u_dut.u_ram.u_ram.words_q [slot*(Stacks+2) +: Stacks+2];

  always @(posedge clk_i) if (run) begin
    // 1, 2
    join_shows_what_is_due: assert ((valid && !held_q && shown == slot) == shows_q);
    join_shows_spoiled: assert (!shows_q || spoiled == shows_spoiled_q);
    join_stays: assert (!held_q || (valid && shown == held_slot_q && spoiled == held_spoiled_q));
    join_waits_when_all_came: assert (!(waits_q && missing_q != '0));
    join_none_lost: assert (!waits_q || hinted || to_look || under_way);
    join_says_that_it_waits: assert (!waits_q || waiting);
    join_stray: assert ((stray && event_slot == slot) == stray_q && (!stray_q || $onehot(event_stack)));
    join_no_damage: assert (!damaged && !corrected);
    join_word: assert (!cleared_q || word == {waits_q, spoiled_q, missing_q});
    // 3
    join_one_at_a_time: assert ($onehot0(counts));
    // 3, with proof `stack_join_order`: what it assumes
    join_sorts: assert (!dirty_q || !cmd_ready);
    join_sorts_quietly: assert (!(\u_dut.done && (\u_dut.sort || \u_dut.sorting ))
                                && !(\u_dut.sorting && (forgets || \u_dut.sort )));
    // 4
    join_takes: assert (open_q <= 3'(Stacks + 1) && sort_q <= 5'(SortMost) && !(sorted_q && sort_q != '0));
    // 5
    join_walk_after_reset: assert (clears_q <= (SlotWidth+2)'(Slots + 2));
    join_counts_before_a_command: assert (!step || before_q == '0);
    join_steps: assert (!step || \u_dut.b_slot_q == at_q);
    join_ends: assert (!cmd_ready || !on_q);
    join_refused: assert (!refused_q || refused);
    join_asks: assert (\u_dut.b_turn_q [0] == \u_dut.u_waiting.asked_q
                       && !(valid && \u_dut.u_waiting.asked_q && !\u_dut.u_waiting.asked_look_q ));
    join_busy: assert (busy || !(taken_q != '0 || on_q || waits_q && !valid));
    cover_said: cover (shows_q && !shows_spoiled_q);
    cover_spoiled: cover (shows_q && shows_spoiled_q);
    cover_aborted: cover (step && here && !keeps && missing_q != '0 && missing_q != '1 && shares_q == '0);
    cover_forgotten: cover (step && here && !keeps && waits_q && \u_dut.u_waiting.left_q != '0);
    cover_refused: cover (refused_q && cmd_ready);
    cover_waits_long: cover (open_q == 3'(Stacks + 1));
    cover_stray: cover (stray_q && missing_q != '0);
  end
endmodule
