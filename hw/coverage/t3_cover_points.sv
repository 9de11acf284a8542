// SPDX-License-Identifier: Apache-2.0
// Corner cases of rtl/ that the unit tests must reach, as cover points bound to its modules
// (hw/coverage/run counts them). Each line says what happens in one clock cycle.
`define T3_COVER(label, condition) \
  label: cover property (@(posedge clk_i) disable iff (!rst_ni) (condition));

/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off SYNCASYNCNET */

// ---- lanes --------------------------------------------------------------------------------------
module t3_lanes_cover #(
  parameter int NumLanes = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic open_i,
  input logic enable_i,
  input logic [NumLanes-1:0] valid_i,
  input logic [NumLanes-1:0] ready_o,
  input logic [NumLanes-1:0] pop_i,
  input logic [NumLanes-1:0] load1,
  input logic [NumLanes-1:0] load2,
  input logic [NumLanes-1:0] l1_valid_q,
  input logic [NumLanes-1:0] l2_valid_q,
  input logic [NumLanes-1:0] l3_valid_q,
  input logic [NumLanes-1:0] head_valid_q,
  input logic [NumLanes-1:0] full_q,
  input logic [NumLanes-1:0] push,
  input logic [NumLanes-1:0] push_tail,
  input logic [NumLanes-1:0] pop_tail,
  input logic [NumLanes-1:0] tracked_q,
  input logic [NumLanes-1:0] untracked_q,
  input logic [NumLanes-1:0] dropped_q,
  input logic [NumLanes-1:0] weight_lanes,
  input logic [NumLanes-1:0] outside_lanes
);
  `T3_COVER(every_lane_takes_an_update, load1 == '1)
  `T3_COVER(every_lanes_queue_is_full, full_q == '1)
  `T3_COVER(a_lane_refuses_while_open, open_i && (valid_i & ~ready_o) != '0)
  `T3_COVER(an_update_waits_at_closed_lanes, !open_i && valid_i != '0)
  `T3_COVER(a_full_queue_is_popped, (full_q & pop_i) != '0)
  `T3_COVER(a_queue_moves_at_full_rate, (push_tail & pop_tail) != '0)
  `T3_COVER(the_head_is_replaced_at_once, (push & ~push_tail & head_valid_q & pop_i) != '0)
  `T3_COVER(a_bubble_closes_up_behind_a_full_queue,
            (full_q & l3_valid_q & ~l2_valid_q & l1_valid_q) != '0)
  `T3_COVER(three_stages_wait_for_the_queue, (full_q & l3_valid_q & l2_valid_q & l1_valid_q) != '0)
  `T3_COVER(no_lane_finds_a_region, untracked_q == '1)
  `T3_COVER(one_finds_a_region_and_one_does_not, tracked_q != '0 && untracked_q != '0)
  `T3_COVER(an_update_meets_a_disabled_unit, !enable_i && l1_valid_q != '0)
  `T3_COVER(an_update_is_taken_and_one_found_untracked,
            (load1 & l1_valid_q & ~load2) != '0)
  `T3_COVER(every_lane_drops_an_update, dropped_q == '1)
  `T3_COVER(every_lane_has_a_wrong_weight, weight_lanes == '1)
  `T3_COVER(one_weight_is_wrong_and_another_is_outside, weight_lanes != '0 && outside_lanes != '0)
  `T3_COVER(a_wrong_update_beside_a_right_one, (weight_lanes | outside_lanes) != '0 && (push & ~push_tail) != '0)
endmodule

bind t3_lanes t3_lanes_cover #(.NumLanes(NumLanes)) u_cover (.*);

// ---- router -------------------------------------------------------------------------------------
module t3_router_cover #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumLanes-1:0] valid_i,
  input logic [NumLanes-1:0] pop_o,
  input logic [NumLanes-1:0] held,
  input logic [NumLanes-1:0] candidate,
  input logic [NumBanks-1:0] waiting,
  input logic [NumBanks-1:0] grant,
  input logic [NumBanks-1:0] push,
  input logic [NumBanks-1:0] pop_i,
  input logic [NumBanks*NumLanes-1:0] req,
  input logic [NumBanks*NumLanes-1:0] mask
);
  logic [NumBanks-1:0] whole, fights, partly;
  always_comb begin
    for (int b = 0; b < NumBanks; b++) begin
      whole[b] = mask[b*NumLanes +: NumLanes] == '1;
      fights[b] = grant[b] && (req[b*NumLanes +: NumLanes] & ~mask[b*NumLanes +: NumLanes]) != '0;
      partly[b] = fights[b] && !$onehot(mask[b*NumLanes +: NumLanes]);
    end
  end

  `T3_COVER(all_lanes_update_one_slot, NumLanes > 1 && whole != '0)
  `T3_COVER(every_bank_is_granted, grant == '1)
  `T3_COVER(every_bank_holds_an_update_back, waiting == '1)
  `T3_COVER(one_bank_waits_while_another_is_granted, waiting != '0 && grant != '0)
  `T3_COVER(lanes_of_different_slots_want_one_bank, fights != '0)
  `T3_COVER(some_lanes_join_and_others_lose, partly != '0)
  `T3_COVER(a_lane_is_held_by_its_last_update, (valid_i & held) != '0)
  `T3_COVER(a_lane_behind_a_waiting_bank_is_passed_by_another,
            (candidate & ~pop_o) != '0 && pop_o != '0 && waiting != '0)
  `T3_COVER(a_bank_takes_and_gives_in_one_cycle, (push & pop_i) != '0)
endmodule

bind t3_router t3_router_cover #(.NumLanes(NumLanes), .NumBanks(NumBanks)) u_cover (.*);

// ---- arbiters -----------------------------------------------------------------------------------
module t3_arb_rr_cover #(
  parameter int Count = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic take_i,
  input logic [Count-1:0] after_q,
  input logic [Count-1:0] preferred
);
  `T3_COVER(round_robin_starts_again_at_the_lowest, take_i && after_q != '0 && preferred == '0)
endmodule

bind t3_arb_rr t3_arb_rr_cover #(.Count(Count)) u_cover (.*);

// ---- counts ---------------------------------------------------------------------------------------
module t3_bank_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic update_i,
  input logic arm_i,
  input logic offer_i,
  input logic look_i,
  input logic update_q,
  input logic arm_q,
  input logic offer_q,
  input logic look_q,
  input logic force_i,
  input logic ignore_i,
  input logic forwarded_q,
  input logic counts,
  input logic waits,
  input logic spoiled,
  input logic idle,
  input logic done_o,
  input logic overrun_o,
  input logic stray_o,
  input logic refused_o,
  input logic corrected_o,
  input logic damaged_o
);
  `T3_COVER(an_update_takes_a_part, update_q && counts && !done_o && !overrun_o)
  `T3_COVER(an_update_of_the_word_written_just_now, update_q && forwarded_q && counts)
  `T3_COVER(a_word_is_done_by_the_word_written_just_now, done_o && forwarded_q)
  `T3_COVER(a_stray_for_the_word_done_just_now, stray_o && forwarded_q)
  `T3_COVER(an_overrun, overrun_o)
  `T3_COVER(a_stray_for_an_idle_word, stray_o && idle)
  `T3_COVER(a_stray_for_a_word_that_waits, stray_o && waits)
  `T3_COVER(an_update_for_a_spoiled_word, update_q && spoiled && !waits)
  `T3_COVER(an_update_for_a_word_that_waits_and_is_spoiled, update_q && spoiled && waits)
  `T3_COVER(an_update_of_a_stopped_region, update_q && ignore_i)
  `T3_COVER(a_count_is_not_armed, refused_o && counts)
  `T3_COVER(a_word_that_waits_is_not_armed, refused_o && waits)
  `T3_COVER(a_count_is_armed_by_force, arm_q && force_i && counts)
  `T3_COVER(a_word_that_waits_is_forgotten, arm_q && force_i && waits)
  `T3_COVER(a_spoiled_word_is_armed, arm_q && !force_i && spoiled && !waits)
  `T3_COVER(a_word_that_waits_is_offered, offer_q && waits && !spoiled)
  `T3_COVER(a_word_that_waits_and_is_spoiled_is_offered, offer_q && waits && spoiled)
  `T3_COVER(a_hint_is_out_of_date, offer_q && !waits)
  `T3_COVER(a_word_is_looked_at, look_q)
  `T3_COVER(the_word_armed_just_now_is_updated, update_q && forwarded_q && counts && !done_o)
  `T3_COVER(the_word_done_just_now_is_offered, offer_q && forwarded_q && waits)
  `T3_COVER(another_operation_in_each_cycle, (update_q && arm_i) || (arm_q && update_i))
  `T3_COVER(a_word_is_corrected, corrected_o)
  `T3_COVER(a_word_is_damaged, damaged_o)
endmodule

bind t3_bank t3_bank_cover u_cover (.*);

module t3_slots_cover #(
  parameter int NumBanks = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumBanks-1:0] valid_i,
  input logic [NumBanks-1:0] update,
  input logic [NumBanks-1:0] room,
  input logic [NumBanks-1:0] done,
  input logic [NumBanks-1:0] done_valid,
  input logic [NumBanks-1:0] done_full,
  input logic step,
  input logic hold_i,
  input logic sw_go,
  input logic ask_grant_o,
  input logic ask_offer_i,
  input logic ask_look_i
);
  `T3_COVER(every_bank_takes_an_update, update == '1)
  `T3_COVER(every_bank_is_done, done == '1)
  `T3_COVER(a_bank_waits_for_the_count_of_completions, (valid_i & ~room) != '0)
  `T3_COVER(all_banks_wait_for_the_count_of_completions, done_full == '1)
  `T3_COVER(a_fill_keeps_updates_waiting, step && valid_i != '0)
  `T3_COVER(an_access_keeps_an_update_waiting, sw_go && (valid_i & room & ~update) != '0)
  `T3_COVER(an_offer_keeps_an_update_waiting, ask_grant_o && (valid_i & room & ~update) != '0)
  `T3_COVER(an_access_comes_before_an_offer, sw_go && ask_offer_i)
  `T3_COVER(an_access_comes_before_a_look, sw_go && ask_look_i)
  `T3_COVER(completions_are_held, hold_i && done_valid != '0)
endmodule

bind t3_slots t3_slots_cover #(.NumBanks(NumBanks)) u_cover (.step(fill.step), .*);

// ---- what waits -----------------------------------------------------------------------------------
module t3_waiting_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic push_i,
  input logic full,
  input logic lost,
  input logic found_q,
  input logic hint_valid,
  input logic valid_q,
  input logic ready_i,
  input logic clear_i,
  input logic wants_found,
  input logic wants_hint,
  input logic wants_look,
  input logic grant_i,
  input logic asked_q,
  input logic asked_look_q,
  input logic hit_i,
  input logic queue_damaged
);
  `T3_COVER(a_hint_finds_no_place, push_i && full)
  `T3_COVER(a_hint_is_damaged, queue_damaged)
  `T3_COVER(a_look_finds_one, asked_q && asked_look_q && hit_i)
  `T3_COVER(a_look_finds_none, asked_q && asked_look_q && !hit_i)
  `T3_COVER(an_offer_finds_none, asked_q && !asked_look_q && !hit_i)
  `T3_COVER(a_found_one_waits_for_its_turn, found_q && wants_hint)
  `T3_COVER(a_found_one_has_its_turn, wants_found && hint_valid)
  `T3_COVER(a_hint_and_a_look_want_their_turn, wants_hint && wants_look)
  `T3_COVER(one_is_found_while_another_is_shown, asked_q && asked_look_q && hit_i && valid_q && !ready_i)
  `T3_COVER(an_ask_is_not_granted, (wants_hint || wants_look) && !grant_i)
  `T3_COVER(another_is_lost_while_all_are_looked_at, lost && asked_q && asked_look_q)
  `T3_COVER(a_clear_forgets_hints, clear_i && hint_valid)
  `T3_COVER(one_stands_at_the_port_during_a_clear, clear_i && valid_q)
endmodule

bind t3_waiting t3_waiting_cover u_cover (.*);

module t3_rows_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic r0_valid_q,
  input logic r1_valid_q,
  input logic r2_outside_q,
  input logic sw_wants,
  input logic sw_go,
  input logic hold_o,
  input logic forced,
  input logic ask_offer,
  input logic ask_grant
);
  `T3_COVER(rows_follow_each_other, r0_valid_q && r1_valid_q)
  `T3_COVER(an_access_waits_for_completions, sw_wants && !sw_go)
  `T3_COVER(an_offer_waits_for_completions, ask_offer && !ask_grant && hold_o)
  `T3_COVER(an_access_comes_before_an_offer, sw_wants && ask_offer)
  `T3_COVER(a_row_of_a_stopped_region_is_armed, sw_go && forced)
  `T3_COVER(a_row_outside_and_one_inside_follow_each_other, r2_outside_q && r0_valid_q)
endmodule

bind t3_rows t3_rows_cover u_cover (.*);

module t3_queue_cover #(
  parameter int Depth = 4096,
  parameter int PtrWidth = 12
) (
  input logic clk_i,
  input logic rst_ni,
  input logic push_i,
  input logic ready_i,
  input logic bypass,
  input logic ram_push,
  input logic ram_read,
  input logic [PtrWidth-1:0] write_ptr_q,
  input logic [PtrWidth-1:0] read_ptr_q,
  input logic [PtrWidth:0] count_q,
  input logic mid_valid_q,
  input logic out_valid_q,
  input logic mid_leaves,
  input logic mid_damaged,
  input logic clear_i
);
  `T3_COVER(every_place_is_used,
            out_valid_q && mid_valid_q && count_q == (PtrWidth+1)'(Depth - 2))
  `T3_COVER(a_word_passes_by_the_ram, bypass)
  `T3_COVER(a_word_passes_by_the_ram_as_another_leaves, bypass && out_valid_q)
  `T3_COVER(a_word_in_and_a_word_out, ram_push && ram_read)
  `T3_COVER(the_last_word_of_the_ram_leaves_as_one_comes,
            ram_push && ram_read && count_q == (PtrWidth+1)'(1))
  `T3_COVER(only_the_output_is_left, out_valid_q && !mid_valid_q && count_q == '0 && !ready_i)
  `T3_COVER(the_write_pointer_wraps, ram_push && write_ptr_q == '1)
  `T3_COVER(the_read_pointer_wraps, ram_read && read_ptr_q == '1)
  `T3_COVER(a_push_into_a_refused_queue, push_i && out_valid_q && !ready_i)
  `T3_COVER(a_damaged_word_is_dropped, mid_leaves && mid_damaged)
  `T3_COVER(words_are_forgotten, clear_i && count_q != '0)
endmodule

bind t3_queue t3_queue_cover #(.Depth(Depth), .PtrWidth(PtrWidth)) u_cover (.*);

// ---- software -------------------------------------------------------------------------------------
module t3_axil_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic s_axil_awvalid_i,
  input logic s_axil_wvalid_i,
  input logic s_axil_arvalid_i,
  input logic s_axil_bready_i,
  input logic s_axil_rready_i,
  input logic aw_held_q,
  input logic w_held_q,
  input logic ar_held_q,
  input logic b_valid_q,
  input logic r_valid_q,
  input logic wr_partial,
  input logic wr_end,
  input logic wr_error,
  input logic rd_end,
  input logic rd_error
);
  `T3_COVER(the_address_waits_for_its_data, aw_held_q && !w_held_q && !s_axil_wvalid_i)
  `T3_COVER(the_data_wait_for_their_address, w_held_q && !aw_held_q && !s_axil_awvalid_i)
  `T3_COVER(address_and_data_come_together, s_axil_awvalid_i && s_axil_wvalid_i && !aw_held_q && !w_held_q)
  `T3_COVER(a_write_waits_for_the_answer_before, aw_held_q && w_held_q && b_valid_q)
  `T3_COVER(a_read_waits_for_the_answer_before, ar_held_q && r_valid_q)
  `T3_COVER(the_master_refuses_a_write_response, b_valid_q && !s_axil_bready_i)
  `T3_COVER(the_master_refuses_a_read_response, r_valid_q && !s_axil_rready_i)
  `T3_COVER(a_write_and_a_read_end_together, wr_end && rd_end)
  `T3_COVER(a_partial_write, wr_partial)
  `T3_COVER(a_write_to_nowhere, wr_end && !wr_partial && wr_error)
  `T3_COVER(a_read_from_nowhere, rd_end && rd_error)
  `T3_COVER(an_address_is_refused, s_axil_awvalid_i && aw_held_q)
  `T3_COVER(data_are_refused, s_axil_wvalid_i && w_held_q)
  `T3_COVER(a_read_address_is_refused, s_axil_arvalid_i && ar_held_q)
endmodule

bind t3_axil t3_axil_cover u_cover (.wr_error(reply.wr_error), .rd_error(reply.rd_error), .*);

module t3_regs_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic frozen,
  input logic in_use,
  input logic too_many,
  input logic arm,
  input logic row,
  input logic forced,
  input logic rd_slot,
  input logic rd_row
);
  `T3_COVER(a_write_that_is_locked_and_in_use, frozen && in_use)
  `T3_COVER(a_count_that_is_too_large, too_many)
  `T3_COVER(a_slot_of_a_stopped_region_is_armed, arm && !row && forced)
  `T3_COVER(a_slot_is_written_and_one_is_read, arm && !row && rd_slot)
  `T3_COVER(a_row_is_written_and_one_is_read, arm && row && rd_row)
endmodule

bind t3_regs t3_regs_cover u_cover (.arm(access.arm), .row(access.row), .forced(access.forced), .*);

module t3_irq_cover #(
  parameter int NumRegions = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic clear_i,
  input logic any_write,
  input logic irq_test_write,
  input logic errors_write,
  input logic error_first_write,
  input logic [t3_pkg::IrqWidth-1:0] irq_status,
  input logic [NumRegions-1:0] region_done,
  input logic [t3_pkg::IrqWidth-1:0] set,
  input logic [NumRegions-1:0] reached_i,
  input logic error_i
);
  `T3_COVER(an_event_and_its_clear_in_one_cycle, (irq_status & set) != '0)
  `T3_COVER(a_region_is_done_as_its_bit_is_cleared, (region_done & reached_i) != '0)
  `T3_COVER(an_error_as_errors_are_forgotten, errors_write && error_i)
  `T3_COVER(an_error_as_the_first_one_is_forgotten, error_first_write && error_i)
  `T3_COVER(an_event_beside_a_test, irq_test_write && (error_i || reached_i != '0))
  `T3_COVER(a_write_in_the_last_cycle_of_a_clear, any_write && clear_i)
endmodule

bind t3_irq t3_irq_cover #(.NumRegions(NumRegions)) u_cover (
  .any_write(writes_i != '0), .irq_test_write(writes.irq_test_write), .errors_write(writes.errors_write),
  .error_first_write(writes.error_first_write), .irq_status(writes.irq_status), .region_done(writes.region_done), .*);

module t3_regions_cover #(
  parameter int NumRegions = 8,
  parameter int RegionWidth = t3_pkg::index_width(NumRegions)
) (
  input logic clk_i,
  input logic rst_ni,
  input logic counted_o,
  input logic [RegionWidth-1:0] region,
  input logic restart_i,
  input logic [RegionWidth-1:0] restart_region_i
);
  `T3_COVER(a_region_starts_again_as_it_completes,
            restart_i && counted_o && region == restart_region_i)
  `T3_COVER(a_region_starts_again_as_another_completes,
            restart_i && counted_o && region != restart_region_i)
endmodule

bind t3_regions t3_regions_cover #(.NumRegions(NumRegions)) u_cover (
  .region(completion_q.region), .*);

module t3_fill_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic clear_i,
  input logic work_i,
  input logic hold_i,
  input logic idle_o,
  input logic filling_o,
  input logic clearing_o,
  input logic clear_walk_o,
  input logic forced_q
);
  `T3_COVER(a_clear_finds_work_inside, clearing_o && !clear_walk_o && work_i)
  `T3_COVER(a_clear_finds_nothing_inside, clearing_o && !clear_walk_o && !work_i)
  `T3_COVER(a_clear_ends_a_fill, clear_i && filling_o)
  `T3_COVER(a_clear_is_asked_for_while_one_runs, clear_i && clearing_o)
  `T3_COVER(a_walk_waits_for_an_access, clear_walk_o && hold_i)
  `T3_COVER(a_fill_waits_for_an_access, filling_o && hold_i)
  `T3_COVER(a_fill_by_force, filling_o && forced_q)
  `T3_COVER(a_fill_without_force, filling_o && !forced_q)
endmodule

bind t3_fill t3_fill_cover u_cover (.clearing_o(!open_o), .*);

// ---- the unit -------------------------------------------------------------------------------------
module t3_track_trigger_cover #(
  parameter int NumLanes = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumLanes-1:0] lane_valid_i,
  input logic [NumLanes-1:0] lane_ready_o,
  input logic done_valid_o,
  input logic done_ready_i,
  input logic done_spoiled_o,
  input logic rel_valid_o,
  input logic rel_ready_i,
  input logic rel_spoiled_o,
  input logic s_axil_wvalid_i,
  input logic irq_o,
  input logic alert_o,
  input logic busy_o
);
  `T3_COVER(every_interface_is_held_back,
            (lane_valid_i & ~lane_ready_o) != '0 && done_valid_o && !done_ready_i && rel_valid_o
            && !rel_ready_i)
  `T3_COVER(every_interface_moves,
            (lane_valid_i & lane_ready_o) != '0 && done_valid_o && done_ready_i && rel_valid_o
            && rel_ready_i)
  `T3_COVER(software_writes_while_updates_arrive,
            s_axil_wvalid_i && (lane_valid_i & lane_ready_o) != '0)
  `T3_COVER(an_interrupt_waits_for_software, irq_o && !busy_o)
  `T3_COVER(an_alert_waits_for_software, alert_o && !busy_o)
  `T3_COVER(a_slot_waits_in_an_idle_unit, done_valid_o && !done_ready_i && !busy_o)
  `T3_COVER(a_row_waits_in_an_idle_unit, rel_valid_o && !rel_ready_i && !busy_o)
  `T3_COVER(a_slot_is_shown_that_a_stray_has_spoiled, done_valid_o && done_spoiled_o)
  `T3_COVER(a_row_is_shown_that_a_stray_has_spoiled, rel_valid_o && rel_spoiled_o)
endmodule

bind t3_track_trigger t3_track_trigger_cover #(.NumLanes(NumLanes)) u_cover (.*);

/* verilator lint_on SYNCASYNCNET */
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on DECLFILENAME */
