// SPDX-License-Identifier: Apache-2.0
// Corner cases of rtl/switch that its unit tests must reach, as t3_cover_points.sv has those of the tracker.
`include "t3_switch_types.svh"
`define T3_COVER(label, condition) \
  label: cover property (@(posedge clk_i) disable iff (!rst_ni) (condition));

/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off SYNCASYNCNET */

module t3_merge_tags_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic go_i,
  input logic update_q,
  input logic visit_q,
  input logic clear_q,
  input logic forwarded_q,
  input logic drain_i,
  input logic taken,
  input logic freed,
  input logic [`T3_MOVE_BITS-1:0] move_o
);
  `T3_MOVE_T(move_t);
  move_t move;
  assign move = move_o;
  `T3_COVER(an_update_takes_a_free_entry, go_i && taken)
  `T3_COVER(an_update_is_added, update_q && move.add && !move.leave)
  `T3_COVER(a_sum_is_complete, go_i && update_q && freed)
  `T3_COVER(an_entry_makes_room, go_i && update_q && move.leave && move.store)
  `T3_COVER(an_update_passes, update_q && move.pass && !drain_i)
  `T3_COVER(an_update_passes_a_unit_that_drains, update_q && move.pass && drain_i)
  `T3_COVER(a_visit_puts_out_in_a_round, go_i && visit_q && freed && !drain_i)
  `T3_COVER(a_visit_puts_out_in_a_drain, go_i && visit_q && freed && drain_i)
  `T3_COVER(a_visit_marks, go_i && visit_q && !freed)
  `T3_COVER(an_update_finds_what_the_one_before_wrote, update_q && forwarded_q)
  `T3_COVER(a_visit_finds_what_an_update_wrote, visit_q && forwarded_q)
  `T3_COVER(an_update_follows_the_walk, update_q && $past(clear_q))
  `T3_COVER(an_operation_waits, !go_i && update_q)
endmodule

bind t3_merge_tags t3_merge_tags_cover u_cover (.*);

module t3_merge_data_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic go,
  input logic from_d,
  input logic c_missed_q,
  input logic e_valid_q,
  input logic [`T3_MOVE_BITS-1:0] c_move_q,
  input logic [`T3_MOVE_BITS-1:0] d_move_q
);
  `T3_MOVE_T(move_t);
  move_t c_move, d_move;
  assign c_move = c_move_q;
  assign d_move = d_move_q;
  `T3_COVER(an_addition_takes_what_d_adds, go && c_move.add && from_d && d_move.add)
  `T3_COVER(an_addition_takes_what_d_writes, go && c_move.add && from_d && !d_move.add)
  `T3_COVER(an_addition_takes_what_d_wrote, go && c_move.add && c_missed_q && !from_d)
  `T3_COVER(it_takes_the_newer_of_two, go && c_move.add && c_missed_q && from_d)
  `T3_COVER(what_leaves_takes_what_d_writes, go && c_move.leave && !c_move.add && c_move.read && from_d)
  `T3_COVER(all_cycles_wait, !go && c_move_q != '0 && d_move_q != '0 && e_valid_q)
  `T3_COVER(something_leaves_every_cycle, go && c_move.leave && d_move.leave && e_valid_q)
endmodule

bind t3_merge_data t3_merge_data_cover u_cover (.*);

module t3_link_turns_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic [1:0] valid_i,
  input logic [1:0] credit_i,
  input logic [1:0] may,
  input logic [1:0] send_o
);
  `T3_COVER(both_classes_may_go, may == 2'b11)
  `T3_COVER(updates_wait_for_credits_and_writes_go, valid_i == 2'b11 && send_o == 2'b10 && !may[0])
  `T3_COVER(writes_wait_for_credits_and_updates_go, valid_i == 2'b11 && send_o == 2'b01 && !may[1])
  `T3_COVER(both_wait_for_credits, valid_i == 2'b11 && may == 2'b00)
  `T3_COVER(a_credit_comes_as_one_goes, (send_o & credit_i) != '0)
endmodule

bind t3_link_turns t3_link_turns_cover u_cover (.*);

module t3_merge_sweep_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic go_i,
  input logic due,
  input logic want,
  input logic update_i,
  input logic found_i,
  input logic visiting_q,
  input logic [1:0] state_q,
  input logic at_last,
  input logic step,
  input logic empty_i,
  input logic drain_i
);
  `T3_COVER(a_visit_is_due, go_i && due && update_i)
  `T3_COVER(a_visit_gives_way, go_i && want && !due && update_i)
  `T3_COVER(a_set_is_visited_again, go_i && visiting_q && found_i)
  `T3_COVER(a_round_ends, go_i && step && at_last && !drain_i)
  `T3_COVER(a_round_ends_because_nothing_is_left, go_i && state_q == 2'd2 && empty_i)
endmodule

bind t3_merge_sweep t3_merge_sweep_cover u_cover (.*);

/* verilator lint_on SYNCASYNCNET */
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on DECLFILENAME */
