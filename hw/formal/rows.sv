// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_rows with t3_bank and t3_waiting, for any row slot: armed with n blocks, it is released when and only when n
/// completions of its row have come, once; a completion belongs to the row that its slot, its region's
/// first slot, phase, reciprocal and first row say, and is reported if there is no such row, or the row does
/// not count. Software's access begins after two cycles at most and is answered two cycles later, with what its
/// row was; the queue's begins after two cycles at most, unless software's does. `rel_*` shows a row that waits.
/// A RAM read that collides with a write returns any value.
///
/// Assumed: the state of no region is written (which rows it owns: random and directed tests); no completion while `hold_o` is up; none of a slot before its region's first one; the settings do not change; a clear finds no completion inside.
module formal_rows #(
  localparam int WgWidth = 2,
  localparam int WindowWidth = 1,
  localparam int RegionWidth = 1,
  localparam int SlotWidth = 2,
  localparam int RowWidth = 2,
  localparam int CountWidth = t3_pkg::RowCountWidth,
  localparam int NumberWidth = 2,
  localparam int TimesWidth = 1,
  localparam int RegionBits = `T3_REGION_BITS,
  localparam int CompletionBits = 4,
  localparam int ErrorBits = 1 + t3_pkg::InfoWidth
) (
  input logic                      clk_i,
  input logic                      clear_i,
  input logic                      clear_step_i,
  input logic [RowWidth-1:0]       clear_row_i,
  input logic                      completed_i,
  input logic [CompletionBits-1:0] completion_i,
  input logic                      sw_arm_i,
  input logic                      sw_look_i,
  input logic [RowWidth-1:0]       sw_row_i,
  input logic [CountWidth-1:0]     sw_value_i,
  input logic                      sw_force_i,
  input logic                      slot_arm_i,
  input logic                      slot_look_i,
  input logic                      rel_ready_i
);
  `T3_FORMAL_RESET
  `T3_REGION_T(region_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);
  `T3_EVENT_T(event_t);
  localparam int Most = 1 << (CountWidth - 1);

  (* anyconst *) logic [2*RegionBits-1:0] regions;
  region_t region0, region1, its, its0;
  assign {region1, region0} = regions;

  access_t access;
  answer_t answer;
  event_t stray, outside, refused, damaged;
  // An access to a slot is none of its.
  assign access = {sw_arm_i || sw_look_i, sw_arm_i || slot_arm_i, sw_look_i || slot_look_i, sw_force_i, sw_row_i,
                   sw_value_i};

  logic hold, sw_takes, rel_valid, waiting, released, corrected, active, work;
  logic [RowWidth-1:0] rel_row;

  (* hierconn *) wire \u_dut.r0_valid_q ;
  (* hierconn *) wire \u_dut.r0_region_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.r0_slot_q ;
  (* hierconn *) wire [SlotWidth:0] \u_dut.r0_number_q ;
  (* hierconn *) wire \u_dut.r1_valid_q ;
  (* hierconn *) wire \u_dut.r1_region_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.r1_slot_q ;
  (* hierconn *) wire [29:0] \u_dut.r1_low_q ;
  (* hierconn *) wire [29:0] \u_dut.r1_high_q ;
  (* hierconn *) wire \u_dut.r2_valid_q ;
  (* hierconn *) wire \u_dut.r2_outside_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.r2_row_q ;
  (* hierconn *) wire \u_dut.r2_region_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.r2_slot_q ;
  (* hierconn *) wire \u_dut.last_wants_q ;
  (* hierconn *) wire \u_dut.r0_last_q ;
  (* hierconn *) wire \u_dut.r1_last_q ;
  (* hierconn *) wire \u_dut.forced ;
  (* hierconn *) wire \u_dut.u_waiting.hold_o ;
  (* hierconn *) wire \u_dut.u_waiting.sort_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_sort_q ;
  (* hierconn *) wire \u_dut.sw_busy_q ;
  (* hierconn *) wire \u_dut.sw_answer_q ;
  (* hierconn *) wire \u_dut.sw_go ;
  (* hierconn *) wire \u_dut.ask_grant ;
  (* hierconn *) wire \u_dut.ask_offer ;
  (* hierconn *) wire \u_dut.ask_look ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.ask_row ;
  (* hierconn *) wire \u_dut.ask_hit ;
  (* hierconn *) wire \u_dut.b_ask_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.done_row_q ;
  (* hierconn *) wire \u_dut.u_bank.update_q ;
  (* hierconn *) wire \u_dut.u_bank.arm_q ;
  (* hierconn *) wire \u_dut.u_bank.offer_q ;
  (* hierconn *) wire \u_dut.u_bank.look_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_bank.index_q ;
  (* hierconn *) wire \u_dut.u_bank.tag_q ;
  (* hierconn *) wire \u_dut.force_q ;
  (* hierconn *) wire \u_dut.u_bank.weight_q ;
  (* hierconn *) wire \u_dut.u_bank.forwarded_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.value_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_bank.forward_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_bank.ram_word ;
  (* hierconn *) wire [4*CountWidth-1:0] \u_dut.u_bank.u_ram.u_ram.words_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_look_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_waiting.asked_slot_q ;
  (* hierconn *) wire [1:0] \u_dut.u_waiting.u_hints.count_q ;
  (* hierconn *) wire \u_dut.u_waiting.u_hints.mid_valid_q ;
  (* hierconn *) wire \u_dut.u_waiting.hint_valid ;
  (* hierconn *) wire \u_dut.u_waiting.push_i ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_waiting.push_slot_i ;
  t3_rows #(
    .WgWidth(WgWidth), .NumWindows(2), .NumRegions(2), .NumSlots(4), .NumRows(4), .QueueDepth(2),
    .NumberWidth(NumberWidth), .CountWidth(CountWidth), .TimesWidth(TimesWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .clear_step_i, .clear_row_i, .completed_i, .completion_i,
    .regions_i(regions), .state_write_i(1'b0), .state_region_i(1'b0), .sort_i(1'b0), .look_i(1'b0), .asked_region_i(1'b0),
    .hold_o(hold),
    .access_i(access), .answer_o(answer), .access_takes_o(sw_takes),
    .rel_valid_o(rel_valid), .rel_ready_i, .rel_row_o(rel_row), .waiting_o(waiting), .released_o(released),
    .stray_o(stray), .outside_o(outside), .refused_o(refused), .damaged_o(damaged), .corrected_o(corrected),
    .active_o(active), .work_o(work)
  );

  // ---- what the neighbours promise ------------------------------------------------------------
  logic sw_wants_q, sw_arm_q, sw_force_q;
  logic [RowWidth-1:0] sw_row_q;
  logic [CountWidth-1:0] sw_value_q;
  always_ff @(posedge clk_i) begin
    sw_wants_q <= rst_q && (sw_arm_i || sw_look_i) && !answer.done;
    sw_arm_q <= sw_arm_i;
    sw_row_q <= sw_row_i;
    sw_value_q <= sw_value_i;
    sw_force_q <= sw_force_i;
  end
  always_comb begin
    assume (rst_q || !(completed_i || clear_i || sw_arm_i || sw_look_i));
    assume (!completed_i || (!hold && !clear_i && completion_i[SlotWidth-1:0] >= its.slot_first));
    assume (!clear_step_i || (clear_i && !sw_takes));
    assume (!clear_i || !(\u_dut.r0_valid_q || \u_dut.r1_valid_q || \u_dut.r2_valid_q || released || \u_dut.u_bank.update_q || \u_dut.u_waiting.hold_o ));
    assume (!(sw_arm_i || sw_look_i) || !(slot_arm_i || slot_look_i));
    assume (!(sw_arm_i && sw_look_i) && sw_value_i <= CountWidth'(Most));
    assume (!sw_wants_q || (sw_arm_i == sw_arm_q && sw_look_i == !sw_arm_q && sw_row_i == sw_row_q
                            && sw_value_i == sw_value_q && sw_force_i == sw_force_q));
    if (!rst_q) assume (\u_dut.u_bank.u_ram.u_ram.words_q == '0);
  end

  // ---- the row watched ------------------------------------------------------------------------
  (* anyconst *) logic [RowWidth-1:0] x;

  // A completion on its way: R0, R1, R2, which is A, and B.
  logic e0_valid_q, e1_valid_q, e2_valid_q, e0_region_q, e1_region_q, e2_region_q;
  logic [SlotWidth-1:0] e0_slot_q, e1_slot_q, e2_slot_q;
  logic [SlotWidth:0] e0_number, e1_number_q;
  logic [29:0] e1_product;
  logic [5:0] e1_row, e2_row_q;
  region_t its1;
  assign its = completion_i[SlotWidth] ? region1 : region0;
  assign its0 = e0_region_q ? region1 : region0;
  assign its1 = e1_region_q ? region1 : region0;
  assign e0_number = (SlotWidth+1)'(SlotWidth'(e0_slot_q - its0.slot_first)) + (SlotWidth+1)'(its0.row_phase);
  assign e1_product = 30'(e1_number_q) * 30'(its1.row_reciprocal);
  assign e1_row = 6'(e1_product >> t3_pkg::ReciprocalLsb) + 6'(its1.row_first);
  always_ff @(posedge clk_i) begin
    e0_valid_q <= rst_q && completed_i && its.rows;
    e0_region_q <= completion_i[SlotWidth];
    e0_slot_q <= completion_i[SlotWidth-1:0];
    e1_valid_q <= rst_q && e0_valid_q;
    e1_region_q <= e0_region_q;
    e1_slot_q <= e0_slot_q;
    e1_number_q <= e0_number;
    e2_valid_q <= rst_q && e1_valid_q;
    e2_region_q <= e1_region_q;
    e2_slot_q <= e1_slot_q;
    e2_row_q <= e1_row;
  end

  logic a_update, a_arm, a_offer, a_look;
  assign a_update = e2_valid_q && e2_row_q == 6'(x);
  assign a_arm = (\u_dut.sw_go && sw_arm_i && sw_row_i == x) || (clear_step_i && clear_row_i == x);
  assign a_offer = \u_dut.ask_grant && \u_dut.ask_offer && \u_dut.ask_row == x;
  assign a_look = (\u_dut.sw_go && sw_look_i && sw_row_i == x)
                  || (\u_dut.ask_grant && \u_dut.ask_look && \u_dut.ask_row == x);

  logic b_update_q, b_arm_q, b_offer_q, b_look_q, b_force_q, b_region_q, b_sw_q, b_asked_q;
  logic [CountWidth-1:0] b_value_q;
  always_ff @(posedge clk_i) begin
    b_update_q <= rst_q && a_update;
    b_arm_q <= rst_q && a_arm;
    b_offer_q <= rst_q && a_offer;
    b_look_q <= rst_q && a_look;
    b_sw_q <= rst_q && \u_dut.sw_go && sw_row_i == x;
    b_asked_q <= rst_q && \u_dut.ask_grant && \u_dut.ask_row == x;
    b_region_q <= e2_region_q;
    b_value_q <= clear_step_i ? '0 : sw_value_i;
    b_force_q <= clear_step_i || \u_dut.forced ;
  end

  // Armed with so many blocks, so many have come.
  logic [CountWidth:0] armed_q, came_q;
  logic waits_q, spoiled_q, counts, completes, accepted;
  assign counts = came_q < armed_q;
  assign completes = b_update_q && counts && came_q + (CountWidth+1)'(1) == armed_q;
  assign accepted = b_arm_q && (b_force_q || !(counts || waits_q));
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      armed_q <= '0;
      came_q <= '0;
      waits_q <= 1'b0;
      spoiled_q <= 1'b0;
    end else if (accepted) begin
      armed_q <= (CountWidth+1)'(b_value_q);
      came_q <= '0;
      waits_q <= 1'b0;
      spoiled_q <= 1'b0;
    end else if (b_update_q && counts) begin
      came_q <= came_q + (CountWidth+1)'(1);
      waits_q <= completes;
    end else if (b_update_q && waits_q) begin
      spoiled_q <= 1'b1;
    end else if (b_offer_q) begin
      waits_q <= 1'b0;
    end
  end
  logic [CountWidth-1:0] word;
  assign word = (waits_q || spoiled_q) ? CountWidth'(Most) | CountWidth'({spoiled_q, waits_q})
                                       : CountWidth'(armed_q - came_q);

  // ---- software's access ----------------------------------------------------------------------
  logic [1:0] since_q, pending_q, asking_q;
  logic told_x_q, told_refused_q, told_waits_q, told_spoiled_q;
  logic [CountWidth-1:0] told_missing_q;
  logic sw_pending;
  assign sw_pending = (sw_arm_i || sw_look_i) && since_q == 2'd0;
  always_ff @(posedge clk_i) begin
    since_q <= !rst_q ? 2'd0 : \u_dut.sw_go ? 2'd1 : (since_q == 2'd0 || answer.done) ? 2'd0 : since_q + 2'd1;
    pending_q <= (rst_q && sw_pending && !\u_dut.sw_go ) ? pending_q + 2'd1 : '0;
    asking_q <= (rst_q && (\u_dut.ask_offer || \u_dut.ask_look ) && !\u_dut.ask_grant && !sw_pending)
                ? asking_q + 2'd1 : '0;
    told_x_q <= rst_q && b_sw_q;
    told_refused_q <= b_arm_q && !accepted;
    told_waits_q <= waits_q;
    told_spoiled_q <= spoiled_q;
    told_missing_q <= CountWidth'(armed_q - came_q);
  end

  // ---- reports, and what is shown -------------------------------------------------------------
  logic completes_q, is_stray, is_outside, is_refused, hit_q, kept_q;
  logic [RowWidth-1:0] kept_row_q;
  assign is_stray = b_update_q && !counts && !spoiled_q;
  assign is_outside = e2_valid_q && e2_row_q >= 6'd4;
  assign is_refused = b_arm_q && !accepted;
  always_ff @(posedge clk_i) begin
    completes_q <= rst_q && completes;
    hit_q <= rst_q && b_offer_q && waits_q;
    kept_q <= rst_q && rel_valid && !rel_ready_i && rel_row == x;
    kept_row_q <= rel_row;
  end

  always @(posedge clk_i) if (rst_q) begin
    rows_r0: assert (\u_dut.r0_valid_q == e0_valid_q && (!e0_valid_q || e0_slot_q >= its0.slot_first)
                     && (!e0_valid_q || (\u_dut.r0_region_q == e0_region_q && \u_dut.r0_slot_q == e0_slot_q
                                         && \u_dut.r0_number_q == e0_number)));
    rows_r1: assert (\u_dut.r1_valid_q == e1_valid_q
                     && (!e1_valid_q || (\u_dut.r1_region_q == e1_region_q && \u_dut.r1_slot_q == e1_slot_q
                                         && \u_dut.r1_low_q + (\u_dut.r1_high_q << 1) == e1_product)));
    rows_r2: assert (\u_dut.r2_valid_q == (e2_valid_q && e2_row_q < 6'd4)
                     && \u_dut.r2_outside_q == (e2_valid_q && e2_row_q >= 6'd4));
    rows_r2_what: assert (!e2_valid_q || (\u_dut.r2_row_q == e2_row_q[1:0] && \u_dut.r2_region_q == e2_region_q
                                          && \u_dut.r2_slot_q == e2_slot_q));
    rows_word: assert (\u_dut.u_bank.u_ram.u_ram.words_q [x*CountWidth +: CountWidth] == word
                       && armed_q <= (CountWidth+1)'(Most) && came_q <= armed_q
                       && (!(waits_q || spoiled_q) || !counts));
    rows_operation: assert ((\u_dut.u_bank.update_q && \u_dut.u_bank.index_q == x) == b_update_q
                            && (\u_dut.u_bank.arm_q && \u_dut.u_bank.index_q == x) == b_arm_q
                            && (\u_dut.u_bank.offer_q && \u_dut.u_bank.index_q == x) == b_offer_q
                            && (\u_dut.u_bank.look_q && \u_dut.u_bank.index_q == x) == b_look_q
                            && 3'(\u_dut.u_bank.update_q ) + 3'(\u_dut.u_bank.arm_q ) + 3'(\u_dut.u_bank.offer_q )
                               + 3'(\u_dut.u_bank.look_q ) <= 3'd1
                            && (!\u_dut.u_bank.update_q || \u_dut.u_bank.weight_q )
                            && (!b_update_q || \u_dut.u_bank.tag_q == b_region_q)
                            && (!b_arm_q || (\u_dut.value_q == b_value_q && \u_dut.force_q == b_force_q
                                             && b_value_q <= CountWidth'(Most))));
    rows_read: assert (!(b_update_q || b_arm_q || b_offer_q || b_look_q)
                       || (\u_dut.u_bank.forwarded_q ? \u_dut.u_bank.forward_q : \u_dut.u_bank.ram_word ) == word);
    rows_asked: assert (\u_dut.b_ask_q == \u_dut.u_waiting.asked_q
                        && (\u_dut.u_waiting.asked_q && \u_dut.u_waiting.asked_slot_q == x) == b_asked_q
                        && (!b_asked_q || (b_offer_q == !\u_dut.u_waiting.asked_look_q && (b_offer_q || b_look_q)))
                        && (!b_offer_q || b_asked_q) && (!b_sw_q || b_arm_q || b_look_q)
                        && !(\u_dut.u_waiting.asked_q && !\u_dut.u_waiting.asked_look_q && rel_valid)
                        && !(\u_dut.u_bank.offer_q && rel_valid));
    rows_sorts: assert (!\u_dut.u_waiting.sort_q || !(\u_dut.r0_valid_q || \u_dut.r1_valid_q || \u_dut.r2_valid_q
                                                      || \u_dut.u_bank.update_q || released || clear_i));
    rows_one_operation: assert (!(\u_dut.b_ask_q || \u_dut.sw_answer_q ) || !\u_dut.u_bank.update_q );
    rows_no_state: assert (!(\u_dut.last_wants_q || \u_dut.r0_last_q || \u_dut.r1_last_q ));
    rows_sort_asks: assert (!\u_dut.u_waiting.asked_sort_q || (\u_dut.u_waiting.sort_q && \u_dut.u_waiting.asked_q
                                                                && \u_dut.u_waiting.asked_look_q ));
    rows_hints: assert (3'(\u_dut.u_waiting.u_hints.count_q ) + 3'(\u_dut.u_waiting.u_hints.mid_valid_q )
                        + 3'(\u_dut.u_waiting.hint_valid ) + 3'(\u_dut.u_waiting.asked_sort_q ) <= 3'd2);
    // The promises.
    rows_released_when_all_came: assert ((released && \u_dut.done_row_q == x) == completes_q);
    rows_queued: assert ((\u_dut.u_waiting.push_i && \u_dut.u_waiting.push_slot_i == x) == completes_q);
    rows_shown: assert (!hit_q || (rel_valid && rel_row == x));
    rows_shown_once: assert ((rel_valid && rel_row == x) == (hit_q || kept_q));
    rows_hit: assert (!b_asked_q || \u_dut.ask_hit == waits_q);
    rows_begins: assert ((pending_q == '0 || sw_wants_q) && (pending_q < 2'd3 || !\u_dut.r2_valid_q )
                         && (pending_q < 2'd2 || !\u_dut.r1_valid_q ) && (pending_q == '0 || !\u_dut.r0_valid_q ));
    rows_access_state: assert (\u_dut.sw_busy_q == (since_q != 2'd0) && \u_dut.sw_answer_q == (since_q == 2'd1)
                               && answer.done == (since_q == 2'd2) && (since_q == 2'd0 || sw_wants_q)
                               && since_q != 2'd3 && (!told_x_q || since_q == 2'd2) && (!b_sw_q || since_q == 2'd1));
    rows_tells: assert (!told_x_q || (answer.done && answer.waits == told_waits_q && answer.spoiled == told_spoiled_q
                                      && answer.missing == told_missing_q && answer.refused == told_refused_q));
    rows_busy: assert (work || !(e0_valid_q || e1_valid_q || e2_valid_q || b_update_q || completes_q));
    rows_stray: assert ((stray.times && stray.what == {b_region_q, t3_pkg::InfoWidth'(x)}) || !is_stray);
    rows_outside: assert (outside.times == is_outside
                          && (!is_outside || outside.what == {e2_region_q, t3_pkg::InfoWidth'(e2_slot_q)}));
    rows_refused: assert ((refused.times && refused.what == ErrorBits'(x)) || !is_refused);
    cover_released: cover (completes && came_q == (CountWidth+1)'(2));
    cover_other_row: cover (completes_q && x == RowWidth'(3) && its1.row_first == 2'd2);
    cover_begins_late: cover (pending_q == 2'd3);
    cover_stray: cover (is_stray);
    cover_outside: cover (is_outside);
    cover_shown: cover (rel_valid && rel_row == x && rel_ready_i);
  end
endmodule
