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
  input logic [NumLanes-1:0] push_head,
  input logic [NumLanes-1:0] push_tail,
  input logic [NumLanes-1:0] pop_tail,
  input logic [NumLanes-1:0] tracked_q,
  input logic [NumLanes-1:0] untracked_q
);
  `T3_COVER(every_lane_takes_an_update, load1 == '1)
  `T3_COVER(every_lanes_queue_is_full, full_q == '1)
  `T3_COVER(a_lane_refuses_while_open, open_i && (valid_i & ~ready_o) != '0)
  `T3_COVER(an_update_waits_at_closed_lanes, !open_i && valid_i != '0)
  `T3_COVER(a_full_queue_is_popped, (full_q & pop_i) != '0)
  `T3_COVER(a_queue_moves_at_full_rate, (push_tail & pop_tail) != '0)
  `T3_COVER(the_head_is_replaced_at_once, (push_head & head_valid_q & pop_i) != '0)
  `T3_COVER(a_bubble_closes_up_behind_a_full_queue,
            (full_q & l3_valid_q & ~l2_valid_q & l1_valid_q) != '0)
  `T3_COVER(three_stages_wait_for_the_queue, (full_q & l3_valid_q & l2_valid_q & l1_valid_q) != '0)
  `T3_COVER(no_lane_finds_a_region, untracked_q == '1)
  `T3_COVER(one_finds_a_region_and_one_does_not, tracked_q != '0 && untracked_q != '0)
  `T3_COVER(an_update_meets_a_disabled_unit, !enable_i && l1_valid_q != '0)
  `T3_COVER(an_update_is_taken_and_one_found_untracked,
            (load1 & l1_valid_q & ~load2) != '0)
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

  `T3_COVER(all_lanes_update_one_tile, NumLanes > 1 && whole != '0)
  `T3_COVER(every_bank_is_granted, grant == '1)
  `T3_COVER(every_bank_holds_an_update_back, waiting == '1)
  `T3_COVER(one_bank_waits_while_another_is_granted, waiting != '0 && grant != '0)
  `T3_COVER(lanes_of_different_tiles_want_one_bank, fights != '0)
  `T3_COVER(some_lanes_combine_and_others_lose, partly != '0)
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

// ---- banks --------------------------------------------------------------------------------------
module t3_banks_cover #(
  parameter int NumBanks = 8,
  parameter int Ways = 4,
  parameter int CntWidth = 18,
  parameter int SumWidth = 11,
  parameter int TotalWidth = 25,
  parameter int ParkedWidth = 2,
  parameter int WayWidth = 2
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumBanks-1:0] pop_o,
  input logic [NumBanks-1:0] b1_valid_q,
  input logic [NumBanks-1:0] leave,
  input logic [NumBanks-1:0] run,
  input logic [NumBanks-1:0] evict_q,
  input logic [NumBanks-1:0] read_q,
  input logic [NumBanks-1:0] wait_q,
  input logic [NumBanks-1:0] resume_q,
  input logic [NumBanks-1:0] records_out_q,
  input logic [NumBanks-1:0] evicts,
  input logic [NumBanks-1:0] fills,
  input logic [NumBanks-1:0] completes,
  input logic [NumBanks-1:0] overruns,
  input logic [NumBanks-1:0] live_up_q,
  input logic [NumBanks-1:0] live_down_q,
  input logic [NumBanks-1:0] spill_gnt_i,
  input logic [NumBanks-1:0] spill_rvalid_i,
  input logic own_record,
  input logic [NumBanks-1:0] done_valid_o,
  input logic [NumBanks-1:0] done_full,
  input logic [NumBanks-1:0] done_pop_i,
  // Of bank 0.
  input logic forwarded,
  input logic parked_forwarded,
  input logic parks,
  input logic hit,
  input logic room,
  input logic [WayWidth-1:0] way,
  input logic [t3_pkg::SpilledWidth-1:0] spilled,
  input logic [ParkedWidth-1:0] parked,
  input logic [ParkedWidth-1:0] parked_next,
  input logic [CntWidth-1:0] expected,
  input logic [CntWidth-1:0] counted,
  input logic [SumWidth-1:0] bytes
);
  localparam logic [t3_pkg::SpilledWidth-1:0] SpilledMax = '1;
  logic first, miss;
  logic [TotalWidth:0] sum;
  assign sum = (TotalWidth+1)'(counted) + (TotalWidth+1)'(bytes);
  assign first = b1_valid_q[0] && leave[0];
  assign miss = b1_valid_q[0] && run[0] && !hit;

  `T3_COVER(every_bank_takes_an_update, pop_o == '1)
  `T3_COVER(updates_of_one_entry_in_successive_cycles, first && forwarded && hit)
  `T3_COVER(an_entry_of_the_forwarded_set_but_another_way, first && forwarded && !hit)
  `T3_COVER(a_parked_count_is_forwarded, first && parked_forwarded && parked != '0)
  `T3_COVER(the_last_way_is_hit, first && Ways > 1 && hit && way == WayWidth'(Ways - 1))
  `T3_COVER(the_last_way_is_evicted, miss && Ways > 1 && !room && way == WayWidth'(Ways - 1))
  `T3_COVER(the_first_way_is_evicted, miss && Ways > 1 && !room && way == '0)

  `T3_COVER(a_completion_waits_for_its_queue, (b1_valid_q & completes & done_full & run) != '0)
  `T3_COVER(every_banks_completion_queue_is_full, done_full == '1)
  `T3_COVER(a_full_completion_queue_is_popped, (done_full & done_pop_i) != '0)
  `T3_COVER(a_tile_starts_and_completes_in_one_update, first && !hit && completes[0] && run[0])
  `T3_COVER(one_bank_gains_an_entry_and_another_loses_one,
            (live_up_q & ~live_down_q) != '0 && (live_down_q & ~live_up_q) != '0)

  `T3_COVER(a_set_is_full_while_a_trigger_is_pending, (evict_q & done_valid_o) != '0)
  `T3_COVER(every_bank_evicts, evict_q == '1)
  `T3_COVER(every_bank_waits_for_a_record, wait_q == '1)
  `T3_COVER(one_bank_evicts_while_another_reads, evict_q != '0 && (read_q | wait_q) != '0)
  `T3_COVER(an_eviction_with_records_out_reads_too, (evict_q & spill_gnt_i & records_out_q) != '0)
  `T3_COVER(an_eviction_without_records_out_does_not, (evict_q & spill_gnt_i & ~records_out_q) != '0)
  `T3_COVER(a_miss_with_room_reads_its_record, (run & fills) != '0)
  `T3_COVER(a_record_is_found, spill_rvalid_i != '0 && own_record)
  `T3_COVER(a_foreign_record_is_ignored, spill_rvalid_i != '0 && !own_record)
  `T3_COVER(an_answer_arrives_while_another_bank_counts,
            spill_rvalid_i != '0 && (leave & ~spill_rvalid_i) != '0)
  `T3_COVER(an_answer_arrives_while_another_bank_is_granted,
            spill_rvalid_i != '0 && spill_gnt_i != '0)
  `T3_COVER(a_tile_completes_from_its_record, (leave & resume_q & completes) != '0)
  `T3_COVER(a_tile_overruns_from_its_record, (leave & resume_q & overruns) != '0)
  `T3_COVER(a_completion_from_a_record_waits_for_its_queue, (resume_q & completes & done_full) != '0)
  `T3_COVER(an_eviction_in_a_set_of_saturated_count, miss && !room && spilled == SpilledMax)
  `T3_COVER(a_miss_with_room_in_a_set_of_saturated_count, miss && room && spilled == SpilledMax)

  `T3_COVER(a_tile_is_parked_from_its_record, first && resume_q[0] && parked_next != '0)
  `T3_COVER(a_parked_count_goes_up_by_one, first && parked != '0 && parked_next > parked)
  `T3_COVER(a_parked_count_is_at_its_largest, first && parked_next == '1)
  `T3_COVER(a_contribution_too_many_to_park,
            first && parks && parked_next == '0 && !completes[0] && !overruns[0] && expected != '0
            && sum == (TotalWidth+1)'(1 << ParkedWidth) * (TotalWidth+1)'(expected))
  `T3_COVER(a_parked_tile_returns_to_a_set_with_records_out,
            miss && room && parked != '0 && spilled != '0)
  `T3_COVER(a_parked_tile_returns_to_a_full_set, miss && !room && parked != '0)
  `T3_COVER(a_parked_tile_returns_to_a_full_set_with_records_out,
            miss && !room && parked != '0 && spilled != '0)
  `T3_COVER(a_tile_overruns_after_it_was_parked, first && parked != '0 && overruns[0])
  `T3_COVER(a_count_no_longer_fits, first && overruns[0] && sum[TotalWidth:CntWidth] != '0)
  `T3_COVER(an_empty_tile_is_updated, first && overruns[0] && expected == '0)
endmodule

bind t3_banks t3_banks_cover #(
  .NumBanks   (NumBanks),
  .Ways       (Ways),
  .CntWidth   (CntWidth),
  .SumWidth   (SumWidth),
  .TotalWidth (TotalWidth),
  .ParkedWidth(ParkedWidth),
  .WayWidth   (WayWidth)
) u_cover (
  .forwarded       (gen_bank[0].forwarded_q),
  .parked_forwarded(gen_bank[0].parked_forwarded_q),
  .parks           (gen_bank[0].parks_q),
  .hit             (gen_bank[0].hit),
  .room            (gen_bank[0].room),
  .way             (gen_bank[0].way),
  .spilled         (gen_bank[0].spilled),
  .parked          (gen_bank[0].parked),
  .parked_next     (gen_bank[0].parked_next),
  .expected        (gen_bank[0].expected_q),
  .counted         (gen_bank[0].counted),
  .bytes           (gen_bank[0].bytes_q),
  .*
);

// ---- record port --------------------------------------------------------------------------------
module t3_spill_port_cover #(
  parameter int NumBanks = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumBanks-1:0] req_i,
  input logic [NumBanks-1:0] write_i,
  input logic take,
  input logic pop,
  input logic valid,
  input logic full,
  input logic mem_write_o,
  input logic rvalid_q,
  input logic mem_ready_i,
  input logic mem_rvalid_i
);
  `T3_COVER(every_bank_asks, req_i == '1)
  `T3_COVER(some_banks_write_and_others_read,
            (req_i & write_i) != '0 && (req_i & ~write_i) != '0)
  `T3_COVER(the_memory_refuses_a_write, valid && mem_write_o && !mem_ready_i)
  `T3_COVER(the_memory_refuses_a_read, valid && !mem_write_o && !mem_ready_i)
  `T3_COVER(a_bank_waits_behind_two_refused_requests, full && !mem_ready_i && req_i != '0)
  `T3_COVER(a_bank_waits_as_the_first_of_two_leaves, full && pop && req_i != '0)
  `T3_COVER(requests_in_successive_cycles, pop && take)
  `T3_COVER(a_request_and_an_answer_in_one_cycle, pop && mem_rvalid_i)
  `T3_COVER(answers_in_successive_cycles, rvalid_q && mem_rvalid_i)
endmodule

bind t3_spill_port t3_spill_port_cover #(.NumBanks(NumBanks)) u_cover (.*);

// ---- slots --------------------------------------------------------------------------------------
module t3_slots_cover #(
  parameter int SlotWidth = 12
) (
  input logic clk_i,
  input logic rst_ni,
  input logic read_i,
  input logic [SlotWidth-1:0] read_slot,
  input logic count_i,
  input logic [SlotWidth-1:0] slot_q,
  input logic forwarded_q,
  input logic entered_forwarded_q,
  input logic left_forwarded_q,
  input logic last,
  input logic none,
  input logic refused,
  input logic turn,
  input logic queued_o,
  input logic sw_hold_i,
  input logic sw_wr_valid_i,
  input logic sw_rd_valid_i,
  input logic sw_write_q,
  input logic sw_read_i,
  input logic sw_count_q,
  input logic valid_o,
  input logic ready_i
);
  `T3_COVER(software_writes_and_reads_at_once, sw_wr_valid_i && sw_rd_valid_i)
  `T3_COVER(software_waits_for_the_clear, sw_hold_i && sw_wr_valid_i)
  `T3_COVER(completions_of_one_slot_in_successive_cycles, count_i && forwarded_q)
  `T3_COVER(a_completion_right_after_a_write_of_its_slot,
            sw_count_q && sw_write_q && read_i && read_slot == slot_q)
  `T3_COVER(software_reads_a_slot_right_after_a_completion,
            count_i && sw_read_i && !sw_write_q && read_slot == slot_q)
  `T3_COVER(software_writes_a_slot_right_after_a_completion,
            count_i && sw_read_i && sw_write_q && read_slot == slot_q)
  `T3_COVER(software_sees_a_slot_right_after_it_fell, sw_count_q && entered_forwarded_q)
  `T3_COVER(software_sees_a_slot_as_it_is_taken, sw_count_q && left_forwarded_q)
  `T3_COVER(a_slot_is_armed_early, refused)
  `T3_COVER(a_stray_right_after_the_last, count_i && forwarded_q && none)
  `T3_COVER(the_last_right_after_another, count_i && forwarded_q && last)
  `T3_COVER(slots_fall_in_successive_cycles, turn && queued_o)
  `T3_COVER(nobody_takes_the_slot, valid_o && !ready_i)
endmodule

bind t3_slots t3_slots_cover #(.SlotWidth(SlotWidth)) u_cover (.*);

// ---- trigger unit -------------------------------------------------------------------------------
module t3_trigger_cover #(
  parameter int NumBanks = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumBanks-1:0] done_valid_i,
  input logic sw_take,
  input logic fell,
  input logic triggered_o,
  input logic notified_o
);
  `T3_COVER(every_bank_has_a_completion, done_valid_i == '1)
  `T3_COVER(software_takes_the_turn_of_a_completion, sw_take && done_valid_i != '0)
  `T3_COVER(a_command_triggers_and_notifies, triggered_o && notified_o)
  `T3_COVER(a_command_only_triggers, triggered_o && !notified_o)
  `T3_COVER(a_command_only_notifies, !triggered_o && notified_o)
  `T3_COVER(a_command_does_neither, fell && !triggered_o && !notified_o)
endmodule

bind t3_trigger t3_trigger_cover #(.NumBanks(NumBanks)) u_cover (.*);

// ---- rows ---------------------------------------------------------------------------------------
module t3_release_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic completed_i,
  input logic counts,
  input logic sw_take,
  input logic wants_turn_o,
  input logic r1_valid_q,
  input logic r2_valid_q
);
  `T3_COVER(a_completion_of_a_region_that_does_not_release, completed_i && !counts)
  `T3_COVER(software_waits_for_a_completion, wants_turn_o)
  `T3_COVER(software_gets_a_row_without_a_completion_before, sw_take && !r1_valid_q && !r2_valid_q)
endmodule

bind t3_release t3_release_cover u_cover (.*);

module t3_ready_queue_cover #(
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
  input logic out_valid_q
);
  `T3_COVER(every_slot_waits,
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
endmodule

bind t3_ready_queue t3_ready_queue_cover #(.Depth(Depth), .PtrWidth(PtrWidth)) u_cover (.*);

// ---- registers ----------------------------------------------------------------------------------
module t3_axil_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic awvalid_i,
  input logic wvalid_i,
  input logic arvalid_i,
  input logic bready_i,
  input logic rready_i,
  input logic aw_held_q,
  input logic w_held_q,
  input logic ar_held_q,
  input logic b_valid_q,
  input logic r_valid_q,
  input logic wr_partial,
  input logic wr_end,
  input logic wr_error_i,
  input logic rd_end,
  input logic rd_error_i
);
  `T3_COVER(the_address_waits_for_its_data, aw_held_q && !w_held_q && !wvalid_i)
  `T3_COVER(the_data_wait_for_their_address, w_held_q && !aw_held_q && !awvalid_i)
  `T3_COVER(address_and_data_come_together, awvalid_i && wvalid_i && !aw_held_q && !w_held_q)
  `T3_COVER(a_write_waits_for_the_answer_before, aw_held_q && w_held_q && b_valid_q)
  `T3_COVER(a_read_waits_for_the_answer_before, ar_held_q && r_valid_q)
  `T3_COVER(the_master_refuses_a_write_response, b_valid_q && !bready_i)
  `T3_COVER(the_master_refuses_a_read_response, r_valid_q && !rready_i)
  `T3_COVER(a_write_and_a_read_end_together, wr_end && rd_end)
  `T3_COVER(a_partial_write, wr_partial)
  `T3_COVER(a_write_to_nowhere, wr_end && !wr_partial && wr_error_i)
  `T3_COVER(a_read_from_nowhere, rd_end && rd_error_i)
  `T3_COVER(an_address_is_refused, awvalid_i && aw_held_q)
  `T3_COVER(data_are_refused, wvalid_i && w_held_q)
  `T3_COVER(a_read_address_is_refused, arvalid_i && ar_held_q)
endmodule

bind t3_axil t3_axil_cover u_cover (.*);

module t3_regs_cover #(
  parameter int NumRegions = 8,
  parameter int RegionWidth = 3,
  parameter int Regions = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic wr_valid_i,
  input logic wr_error,
  input logic [15:0] wr_addr_i,
  input logic [31:0] wr_data_i,
  input logic write_irq_status,
  input logic write_region_done,
  input logic [t3_pkg::IrqWidth-1:0] irq_set,
  input logic [Regions-1:0] region_done_set,
  input logic cleared_i,
  input logic issued_i,
  input logic [RegionWidth-1:0] issued_region_i,
  input logic reg_restart,
  input logic [RegionWidth-1:0] wr_reg_index,
  input logic clear_start_o,
  input logic clearing_i
);
  `T3_COVER(an_event_and_its_clear_in_one_cycle,
            write_irq_status
            && (irq_set & wr_data_i[t3_pkg::IrqWidth-1:0]) != '0)
  `T3_COVER(a_region_is_done_as_its_bit_is_cleared,
            write_region_done
            && (region_done_set[NumRegions-1:0] & wr_data_i[NumRegions-1:0]) != '0)
  `T3_COVER(a_region_starts_again_as_it_issues,
            reg_restart && issued_i && wr_reg_index == issued_region_i)
  `T3_COVER(a_region_starts_again_as_another_issues,
            reg_restart && issued_i && wr_reg_index != issued_region_i)
  `T3_COVER(a_clear_is_asked_for_while_one_runs, clear_start_o && clearing_i)
  `T3_COVER(a_write_in_the_last_cycle_of_a_clear,
            wr_valid_i && !wr_error && wr_addr_i < t3_reg_pkg::GeoBase && cleared_i)
endmodule

bind t3_regs t3_regs_cover #(
  .NumRegions (NumRegions),
  .RegionWidth(RegionWidth),
  .Regions    (Regions)
) u_cover (.*);

module t3_clear_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic start_i,
  input logic work_i,
  input logic open_o,
  input logic walk_o,
  input logic pending_o
);
  `T3_COVER(a_clear_finds_work_inside, pending_o && !walk_o && work_i)
  `T3_COVER(a_clear_finds_nothing_inside, open_o && start_i && !work_i)
endmodule

bind t3_clear t3_clear_cover u_cover (.*);

// ---- whole unit ---------------------------------------------------------------------------------
module t3_track_trigger_cover #(
  parameter int NumLanes = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumLanes-1:0] lane_valid_i,
  input logic [NumLanes-1:0] lane_ready_o,
  input logic dma_valid_o,
  input logic dma_ready_i,
  input logic mem_valid_o,
  input logic mem_ready_i,
  input logic mem_rvalid_i,
  input logic s_axil_wvalid_i,
  input logic irq_o,
  input logic busy_o
);
  `T3_COVER(every_interface_is_held_back,
            (lane_valid_i & ~lane_ready_o) != '0 && dma_valid_o && !dma_ready_i && mem_valid_o
            && !mem_ready_i)
  `T3_COVER(every_interface_moves,
            (lane_valid_i & lane_ready_o) != '0 && dma_valid_o && dma_ready_i && mem_valid_o
            && mem_ready_i)
  `T3_COVER(a_record_arrives_with_an_update,
            mem_rvalid_i && (lane_valid_i & lane_ready_o) != '0)
  `T3_COVER(software_writes_while_updates_arrive,
            s_axil_wvalid_i && (lane_valid_i & lane_ready_o) != '0)
  `T3_COVER(an_interrupt_waits_for_software, irq_o && !busy_o)
  `T3_COVER(a_command_waits_in_an_idle_unit, dma_valid_o && !dma_ready_i && !busy_o)
endmodule

bind t3_track_trigger t3_track_trigger_cover #(.NumLanes(NumLanes)) u_cover (.*);

/* verilator lint_on SYNCASYNCNET */
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on DECLFILENAME */
