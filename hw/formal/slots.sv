// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_slots of 2 banks x 2 words with t3_bank, for any slot: armed with b bytes, by software or by a fill, it is done
/// when and only when b bytes of updates have come, and each time that it is done, that leaves as one
/// completion, with its region; none leaves else; one leaves per cycle while none is held, and
/// none waits for more than one of each other bank. A fill arms
/// exactly the slots of its range; a stopped region counts nothing. Software's access is answered in the third
/// cycle after it began, with what its slot was; the queue's is answered in the next cycle. A RAM read that
/// collides with a write returns any value.
///
/// Assumed: an update is at the bank of its slot; the words are cleared first; no fill beside software's access.
module formal_slots #(
  parameter int CountWidth = 4,
  parameter int SumWidth = 4,
  localparam int KeyWidth = 3,
  localparam int CompletionBits = 4,
  localparam int RegionWidth = 1,
  localparam int SlotWidth = 2,
  localparam int NumberWidth = 2,
  localparam int WalkWidth = 1,
  localparam int TimesWidth = 2,
  localparam int ErrorBits = `T3_ERROR_BITS
) (
  input logic                  clk_i,
  input logic [1:0]            valid_i,
  input logic [2*KeyWidth-1:0] key_i,
  input logic [2*SumWidth-1:0] weight_i,
  input logic [1:0]            stopped_i,
  input logic [1:0]            triggers_i,
  input logic                  fill_i,
  input logic                  fill_index_i,
  input logic [1:0]            fill_first_i,
  input logic [1:0]            fill_last_i,
  input logic [CountWidth-1:0] fill_value_i,
  input logic                  fill_force_i,
  input logic                  sw_arm_i,
  input logic                  sw_look_i,
  input logic [1:0]            sw_slot_i,
  input logic [CountWidth-1:0] sw_value_i,
  input logic                  sw_force_i,
  input logic                  row_arm_i,
  input logic                  row_look_i,
  input logic                  ask_offer_i,
  input logic                  ask_look_i,
  input logic [1:0]            ask_slot_i,
  input logic                  hold_i
);
  `T3_FORMAL_RESET
  localparam int Most = 1 << (CountWidth - 1);
  localparam int WideWidth = CountWidth + SumWidth;
  `T3_FILL_T(fill_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);
  `T3_EVENT_T(event_t);

  fill_t fill;
  access_t access;
  answer_t answer;
  event_t overrun, stray, refused, damaged;
  assign fill = {fill_i, fill_index_i, fill_first_i, fill_last_i, fill_value_i, fill_force_i};
  // An access to a row is none of its.
  assign access = {!(sw_arm_i || sw_look_i), sw_arm_i || row_arm_i, sw_look_i || row_look_i, sw_force_i, sw_slot_i,
                   sw_value_i};

  logic ask_grant, ask_hit, ask_spoiled, sw_takes, completed, work;
  logic [1:0] pop, corrected;
  logic [CompletionBits-1:0] completion;

  (* hierconn *) wire \u_dut.sw_busy_q ;
  (* hierconn *) wire \u_dut.sw_answer_q ;
  (* hierconn *) wire \u_dut.b_ask_q ;
  (* hierconn *) wire \u_dut.b_bank_q ;
  (* hierconn *) wire [1:0] \u_dut.b_update_q ;
  (* hierconn *) wire [1:0] \u_dut.done_valid ;
  (* hierconn *) wire [1:0] \u_dut.done_full ;
  (* hierconn *) wire [1:0] \u_dut.done ;
  (* hierconn *) wire [1:0] \u_dut.done_pop ;
  (* hierconn *) wire [1:0] \u_dut.u_turns.after_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.gen_bank[0].head_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.gen_bank[0].tail_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.gen_bank[1].head_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.gen_bank[1].tail_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.update_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.arm_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.offer_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.look_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.index_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.tag_q ;
  (* hierconn *) wire \u_dut.force_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.forwarded_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.gen_bank[0].u_bank.weight_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.value_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.gen_bank[0].u_bank.forward_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.gen_bank[0].u_bank.ram_word ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.gen_bank[0].u_bank.u_ram.u_ram.words_q ;
  (* hierconn *) wire \u_dut.gen_bank[1].u_bank.update_q ;
  (* hierconn *) wire \u_dut.gen_bank[1].u_bank.arm_q ;
  (* hierconn *) wire \u_dut.gen_bank[1].u_bank.offer_q ;
  (* hierconn *) wire \u_dut.gen_bank[1].u_bank.look_q ;
  (* hierconn *) wire \u_dut.gen_bank[1].u_bank.index_q ;
  (* hierconn *) wire \u_dut.gen_bank[1].u_bank.tag_q ;
  (* hierconn *) wire \u_dut.gen_bank[1].u_bank.forwarded_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.gen_bank[1].u_bank.weight_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.gen_bank[1].u_bank.forward_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.gen_bank[1].u_bank.ram_word ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.gen_bank[1].u_bank.u_ram.u_ram.words_q ;
  t3_slots #(
    .NumBanks(2), .NumRegions(2), .NumSlots(4), .CountWidth(CountWidth), .SumWidth(SumWidth), .NumberWidth(NumberWidth),
    .WalkWidth(WalkWidth), .TimesWidth(TimesWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .valid_i, .pop_o(pop), .key_i, .weight_i, .joined_i('0), .live_i(~stopped_i),
    .triggers_i, .asked_region_i(1'b0), .fill_i(fill),
    .access_i(access), .answer_o(answer), .ask_offer_i, .ask_look_i, .ask_slot_i, .ask_grant_o(ask_grant),
    .ask_hit_o(ask_hit), .ask_spoiled_o(ask_spoiled), .access_takes_o(sw_takes), .hold_i, .completed_o(completed),
    .completion_o(completion), .overrun_o(overrun), .stray_o(stray), .refused_o(refused), .damaged_o(damaged),
    .corrected_o(corrected), .work_o(work)
  );

  // ---- what the neighbours promise ------------------------------------------------------------
  logic sw_wants_q, sw_arm_q;
  logic [1:0] sw_slot_q;
  logic [CountWidth-1:0] sw_value_q;
  logic sw_force_q;
  always_ff @(posedge clk_i) begin
    sw_wants_q <= rst_q && (sw_arm_i || sw_look_i) && !answer.done;
    sw_arm_q <= sw_arm_i;
    sw_slot_q <= sw_slot_i;
    sw_value_q <= sw_value_i;
    sw_force_q <= sw_force_i;
  end
  always_comb begin
    assume (rst_q || !(valid_i != '0 || fill_i || sw_arm_i || sw_look_i || ask_offer_i || ask_look_i));
    assume (!(sw_arm_i && sw_look_i) && !(ask_offer_i && ask_look_i));
    assume (!(sw_arm_i || sw_look_i) || !(row_arm_i || row_look_i));
    assume (!sw_wants_q || (sw_arm_i == sw_arm_q && sw_look_i == !sw_arm_q && sw_slot_i == sw_slot_q
                            && sw_value_i == sw_value_q && sw_force_i == sw_force_q));
    assume (sw_value_i <= CountWidth'(Most) && fill_value_i <= CountWidth'(Most));
    assume (!(fill_i && sw_takes));
    for (int b = 0; b < 2; b++) begin
      assume (!valid_i[b] || (key_i[b*KeyWidth] ^ key_i[b*KeyWidth+1]) == 1'(b));
    end
    if (!rst_q) begin
      assume (\u_dut.gen_bank[0].u_bank.u_ram.u_ram.words_q == '0);
      assume (\u_dut.gen_bank[1].u_bank.u_ram.u_ram.words_q == '0);
    end
  end

  // ---- the slot watched -----------------------------------------------------------------------
  (* anyconst *) logic [1:0] x;
  logic bank;
  assign bank = x[0] ^ x[1];

  // What is done with it in A, and, one cycle later, in B.
  logic a_update, a_fill, a_arm, a_offer, a_look, a_region, sw_begins;
  assign sw_begins = sw_takes;
  assign a_update = pop[bank] && key_i[bank*KeyWidth +: 2] == x;
  assign a_region = key_i[bank*KeyWidth+2];
  assign a_fill = fill_i && fill_index_i == x[1] && fill_first_i <= x && x <= fill_last_i;
  assign a_arm = sw_begins && sw_arm_i && sw_slot_i == x;
  assign a_look = (sw_begins && sw_look_i && sw_slot_i == x) || (ask_grant && ask_look_i && ask_slot_i == x);
  assign a_offer = ask_grant && ask_offer_i && ask_slot_i == x;

  logic b_update_q, b_arm_q, b_offer_q, b_look_q, b_force_q, b_region_q, b_sw_q, b_ask_q;
  logic [SumWidth-1:0] b_weight_q;
  logic [CountWidth-1:0] b_value_q;
  always_ff @(posedge clk_i) begin
    b_update_q <= rst_q && a_update;
    b_arm_q <= rst_q && (a_arm || a_fill);
    b_offer_q <= rst_q && a_offer;
    b_look_q <= rst_q && a_look;
    b_sw_q <= rst_q && sw_begins && sw_slot_i == x;
    b_ask_q <= rst_q && ask_grant && ask_slot_i == x;
    b_region_q <= a_region;
    b_weight_q <= weight_i[bank*SumWidth +: SumWidth];
    b_value_q <= a_fill ? fill_value_i : sw_value_i;
    b_force_q <= a_fill ? fill_force_i : sw_force_i;
  end

  // Armed with so many bytes, so many have come.
  logic [WideWidth-1:0] armed_q, came_q, sum;
  logic waits_q, spoiled_q, counts, counted, completes, surplus, accepted;
  assign sum = came_q + WideWidth'(b_weight_q);
  assign counts = came_q < armed_q;
  assign counted = b_update_q && !stopped_i[b_region_q];
  assign completes = counted && counts && sum == armed_q;
  assign surplus = counted && counts && sum > armed_q;
  assign accepted = b_arm_q && (b_force_q || !(counts || waits_q));
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      armed_q <= '0;
      came_q <= '0;
      waits_q <= 1'b0;
      spoiled_q <= 1'b0;
    end else if (accepted) begin
      armed_q <= WideWidth'(b_value_q);
      came_q <= '0;
      waits_q <= 1'b0;
      spoiled_q <= 1'b0;
    end else if (surplus) begin
      armed_q <= '0;
      came_q <= '0;
      spoiled_q <= 1'b1;
    end else if (counted && counts) begin
      came_q <= sum;
      waits_q <= completes && triggers_i[b_region_q];
    end else if (counted && waits_q) begin
      spoiled_q <= 1'b1;
    end else if (b_offer_q) begin
      waits_q <= 1'b0;
    end
  end
  logic [CountWidth-1:0] word;
  assign word = (waits_q || spoiled_q) ? CountWidth'(Most) | CountWidth'({spoiled_q, waits_q})
                                       : CountWidth'(armed_q - came_q);

  // Times that it was done, and completions of it that are inside or have left: per region, because each has its
  // own count.
  logic [1:0] inside, waiting_q;
  logic region;  // one region watched
  (* anyconst *) logic some_region;
  assign region = some_region;
  logic leaves;
  assign leaves = completed && completion[2:0] == {region, x};
  always_ff @(posedge clk_i) begin
    if (!rst_q) waiting_q <= '0;
    else waiting_q <= waiting_q + 2'(completes && b_region_q == region) - 2'(leaves);
  end
  logic [CompletionBits-1:0] head, tail;
  assign head = bank ? \u_dut.gen_bank[1].head_q : \u_dut.gen_bank[0].head_q ;
  assign tail = bank ? \u_dut.gen_bank[1].tail_q : \u_dut.gen_bank[0].tail_q ;
  assign inside = 2'(\u_dut.done_valid [bank] && head[2:0] == {region, x})
                  + 2'(\u_dut.done_full [bank] && tail[2:0] == {region, x});

  // Completions of the other bank that left while one of this bank waited.
  logic [1:0] others_q;
  logic its_turn;
  assign its_turn = bank ? \u_dut.u_turns.after_q == 2'b10 : \u_dut.u_turns.after_q != 2'b10;
  always_ff @(posedge clk_i) begin
    if (!rst_q || !\u_dut.done_valid [bank] || \u_dut.done_pop [bank]) others_q <= '0;
    else if (completed) others_q <= others_q + 2'd1;
  end

  // The words of each bank's queue are slots of the bank.
  logic own_slots;
  assign own_slots = (!\u_dut.done_valid [0] || (^\u_dut.gen_bank[0].head_q [1:0]) == 1'b0)
                     && (!\u_dut.done_full [0] || (^\u_dut.gen_bank[0].tail_q [1:0]) == 1'b0)
                     && (!\u_dut.done_valid [1] || (^\u_dut.gen_bank[1].head_q [1:0]) == 1'b1)
                     && (!\u_dut.done_full [1] || (^\u_dut.gen_bank[1].tail_q [1:0]) == 1'b1);

  // The bank of the slot.
  logic u_update, u_arm, u_offer, u_look, u_index, u_tag, u_force, u_forwarded;
  logic [SumWidth-1:0] u_weight;
  logic [CountWidth-1:0] u_value, u_forward, u_ram_word, u_word;
  always_comb begin
    u_update = bank ? \u_dut.gen_bank[1].u_bank.update_q : \u_dut.gen_bank[0].u_bank.update_q ;
    u_arm = bank ? \u_dut.gen_bank[1].u_bank.arm_q : \u_dut.gen_bank[0].u_bank.arm_q ;
    u_offer = bank ? \u_dut.gen_bank[1].u_bank.offer_q : \u_dut.gen_bank[0].u_bank.offer_q ;
    u_look = bank ? \u_dut.gen_bank[1].u_bank.look_q : \u_dut.gen_bank[0].u_bank.look_q ;
    u_index = bank ? \u_dut.gen_bank[1].u_bank.index_q : \u_dut.gen_bank[0].u_bank.index_q ;
    u_tag = bank ? \u_dut.gen_bank[1].u_bank.tag_q : \u_dut.gen_bank[0].u_bank.tag_q ;
    u_force = \u_dut.force_q ;
    u_forwarded = bank ? \u_dut.gen_bank[1].u_bank.forwarded_q : \u_dut.gen_bank[0].u_bank.forwarded_q ;
    u_weight = bank ? \u_dut.gen_bank[1].u_bank.weight_q : \u_dut.gen_bank[0].u_bank.weight_q ;
    u_value = \u_dut.value_q ;
    u_forward = bank ? \u_dut.gen_bank[1].u_bank.forward_q : \u_dut.gen_bank[0].u_bank.forward_q ;
    u_ram_word = bank ? \u_dut.gen_bank[1].u_bank.ram_word : \u_dut.gen_bank[0].u_bank.ram_word ;
    u_word = bank ? \u_dut.gen_bank[1].u_bank.u_ram.u_ram.words_q [x[1]*CountWidth +: CountWidth]
                  : \u_dut.gen_bank[0].u_bank.u_ram.u_ram.words_q [x[1]*CountWidth +: CountWidth];
  end

  // ---- software's access ----------------------------------------------------------------------
  // Cycles since it began, and what it should be told.
  logic [1:0] since_q;
  logic told_x_q, told_refused_q, told_waits_q, told_spoiled_q;
  logic [CountWidth-1:0] told_missing_q;
  always_ff @(posedge clk_i) begin
    since_q <= !rst_q ? 2'd0 : sw_begins ? 2'd1 : (since_q == 2'd0 || answer.done) ? 2'd0 : since_q + 2'd1;
    told_x_q <= rst_q && b_sw_q;
    told_refused_q <= b_arm_q && !accepted;
    told_waits_q <= waits_q;
    told_spoiled_q <= spoiled_q;
    told_missing_q <= CountWidth'(armed_q - came_q);
  end

  // Reports of bank 0, which is the lowest.
  logic is_stray, is_refused;
  assign is_stray = counted && !counts && !spoiled_q;
  assign is_refused = b_arm_q && !accepted;

  always @(posedge clk_i) if (rst_q) begin
    // What B has, and what the word means.
    slots_word: assert (u_word == word && armed_q <= WideWidth'(Most) && came_q <= armed_q
                        && (!(waits_q || spoiled_q) || !counts));
    slots_operation: assert ((u_update && u_index == x[1]) == b_update_q && (u_arm && u_index == x[1]) == b_arm_q
                             && (u_offer && u_index == x[1]) == b_offer_q && (u_look && u_index == x[1]) == b_look_q
                             && 3'(u_update) + 3'(u_arm) + 3'(u_offer) + 3'(u_look) <= 3'd1
                             && (!b_update_q || (u_tag == b_region_q && u_weight == b_weight_q))
                             && (!b_arm_q || (u_value == b_value_q && u_force == b_force_q
                                              && b_value_q <= CountWidth'(Most))));
    slots_read: assert (!(b_update_q || b_arm_q || b_offer_q || b_look_q)
                        || (u_forwarded ? u_forward : u_ram_word) == word);
    slots_updates: assert (\u_dut.b_update_q
                           == {\u_dut.gen_bank[1].u_bank.update_q , \u_dut.gen_bank[0].u_bank.update_q });
    slots_room: assert ((\u_dut.done_full & ~\u_dut.done_valid ) == '0
                        && (\u_dut.done_full & \u_dut.b_update_q ) == '0);
    slots_queues: assert (own_slots);
    // The promises.
    slots_completes_once: assert (waiting_q == inside);
    slots_one_per_cycle: assert (completed == (!hold_i && \u_dut.done_valid != '0));
    slots_fair: assert (others_q == '0 || (others_q == 2'd1 && its_turn));
    slots_takes: assert (!(valid_i[bank] && !fill_i && !sw_takes && !ask_grant && !\u_dut.done_valid [bank]) || pop[bank]);
    slots_pops_what_is_there: assert ((pop & ~valid_i) == '0);
    slots_access: assert (since_q != 2'd3 || answer.done);
    slots_access_state: assert (\u_dut.sw_busy_q == (since_q != 2'd0) && \u_dut.sw_answer_q == (since_q == 2'd1)
                                && answer.done == (since_q == 2'd2) && (since_q == 2'd0 || sw_wants_q)
                                && (!told_x_q || since_q == 2'd2) && (!b_sw_q || since_q == 2'd1));
    slots_begins_at_once: assert (!((sw_arm_i || sw_look_i) && since_q == 2'd0) || sw_begins);
    slots_side: assert ((!b_sw_q || b_arm_q || b_look_q) && (!b_ask_q || b_offer_q || b_look_q)
                        && (!b_sw_q || \u_dut.b_bank_q == bank) && (!b_ask_q || \u_dut.b_bank_q == bank));
    slots_tells: assert (!told_x_q || (answer.done && answer.waits == told_waits_q && answer.spoiled == told_spoiled_q
                                       && answer.missing == told_missing_q && answer.refused == told_refused_q));
    slots_hit: assert (!b_ask_q || (ask_hit == waits_q && ask_spoiled == spoiled_q));
    slots_busy: assert (work || \u_dut.b_update_q == '0);
    slots_reports: assert (overrun.times[bank] || !surplus);
    slots_reports_stray: assert (stray.times[bank] || !is_stray);
    slots_reports_refused: assert (refused.times[bank] || !is_refused);
    slots_says_whose: assert (bank || ((!surplus || overrun.what == {b_region_q, t3_pkg::InfoWidth'(x)})
                                       && (!is_stray || stray.what == {b_region_q, t3_pkg::InfoWidth'(x)})
                                       && (!is_refused || refused.what == ErrorBits'(x))));
    cover_two_inside: cover (waiting_q == 2'd2);
    cover_filled_and_done: cover (completes && armed_q == WideWidth'(5) && came_q == WideWidth'(4));
    cover_both_banks: cover (\u_dut.done == 2'b11);
    cover_told_refused: cover (told_x_q && answer.refused);
    cover_backed_up: cover (\u_dut.done_full == 2'b11 && valid_i == 2'b11);
  end
endmodule
