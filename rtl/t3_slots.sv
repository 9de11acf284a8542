// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
`include "t3_types.svh"
/// The banks of slots, and what may happen to a slot besides updates.
///
/// Promise: each bank takes one update per cycle. A bank's completion is at `completed_o` in the cycle after B
/// (t3_bank) if no other bank's is; one per cycle, round robin, none while `hold_i` is up; a bank takes no update while
/// its completions find no place. Updates of a region that does not count (any more) do nothing. One access per cycle, to any bank, goes before
/// updates: software's before that of the queue of waiting slots (`ask_*`). A step of a fill goes before
/// updates and `ask_*`, to all banks at once; its owner leaves it out while `access_takes_o` is up.
///
///   router ──► A: fill, access or update ─► t3_bank B ─► completions (2) ─► round robin ─► completed_o
///
/// Why: accesses are rare, so that going first costs updates nothing that can be measured, and each is answered in
/// a fixed time. Completions have two places for each bank, because several banks may complete at once.
module t3_slots #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumBanks = 8,
  parameter int NumRegions = 8,
  parameter int NumSlots = 4096,
  parameter int CountWidth = 23,
  parameter int SumWidth = 11,
  parameter int JoinedWidth = 4,
  parameter int NumberWidth = 12,
  parameter int WalkWidth = 9,
  parameter int TimesWidth = 9,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int BankBits = $clog2(NumBanks),
  localparam int IndexWidth = SlotWidth - BankBits,
  localparam int KeyWidth = RegionWidth + SlotWidth,
  localparam int NumberedWidth = JoinedWidth + BankBits,
  localparam int CompletionBits = `T3_COMPLETION_BITS,
  localparam int ErrorBits = `T3_ERROR_BITS
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Joined updates, from the router; keys are T3_KEY_T.
  input  logic [NumBanks-1:0]          valid_i,
  output logic [NumBanks-1:0]          pop_o,
  input  logic [NumBanks*KeyWidth-1:0] key_i,
  input  logic [NumBanks*SumWidth-1:0] weight_i,
  input  logic [NumBanks*JoinedWidth-1:0] joined_i,
  /// Of each region: it counts.
  input  logic [NumRegions-1:0] live_i,
  input  logic [NumRegions-1:0] triggers_i,

  /// T3_FILL_T, T3_ACCESS_T, T3_ANSWER_T.
  input  logic [`T3_FILL_BITS-1:0]   fill_i,
  input  logic [`T3_ACCESS_BITS-1:0] access_i,
  output logic [`T3_ANSWER_BITS-1:0] answer_o,

  /// Access of t3_waiting.
  input  logic                 ask_offer_i,
  input  logic                 ask_look_i,
  input  logic [SlotWidth-1:0] ask_slot_i,
  output logic                 ask_grant_o,
  output logic                 ask_hit_o,
  output logic                 ask_spoiled_o,

  /// Software's access takes this cycle: no fill.
  output logic access_takes_o,

  /// In B: so many updates, joined, counted; were dropped.
  output logic [NumberedWidth-1:0] counted_o,
  output logic [NumberedWidth-1:0] dropped_o,

  input  logic                      hold_i,
  output logic                      completed_o,
  output logic [CompletionBits-1:0] completion_o,

  /// T3_EVENT_T, in B; one cycle later words that were corrected, by bank.
  output logic [`T3_EVENT_BITS-1:0] overrun_o,
  output logic [`T3_EVENT_BITS-1:0] stray_o,
  output logic [`T3_EVENT_BITS-1:0] refused_o,
  output logic [`T3_EVENT_BITS-1:0] damaged_o,
  output logic [NumBanks-1:0]  corrected_o,
  /// In B: a slot that waits was armed. A completion waits for its turn.
  output logic                 forgotten_o,
  output logic                 completing_o,
  /// A completion of this region waits for its turn.
  input  logic [RegionWidth-1:0] asked_region_i,
  output logic                   of_region_o,

  /// An operation, a completion or an answer is inside; an update or a completion.
  output logic work_o,
  output logic inside_o
);

  `T3_FILL_T(fill_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);
  `T3_KEY_T(key_t);
  `T3_COMPLETION_T(completion_t);

  // ---- accesses: one per cycle ----------------------------------------------------------------
  fill_t fill;
  access_t access;
  answer_t answer_q;
  logic [IndexWidth-1:0] fill_index;
  logic sw_go, sw_busy_q, sw_answer_q, side, side_offer, side_look, side_arm, b_ask_q;
  logic [SlotWidth-1:0] side_slot;
  logic [BankBits-1:0] side_bank, b_bank_q;

  assign fill = fill_i;
  assign fill_index = fill.index[IndexWidth-1:0];
  assign access = access_i;
  assign sw_go = (access.arm || access.look) && !access.row && !sw_busy_q;
  assign ask_grant_o = (ask_offer_i || ask_look_i) && !sw_go && !fill.step;
  assign side_arm = sw_go && access.arm;
  assign side_look = sw_go ? access.look : ask_grant_o && ask_look_i;
  assign side_offer = ask_grant_o && ask_offer_i;
  assign side_slot = sw_go ? access.number[SlotWidth-1:0] : ask_slot_i;
  assign side = sw_go || ask_grant_o;
  assign access_takes_o = sw_go;
  assign answer_o = answer_q;

  t3_fold #(.SlotWidth(SlotWidth), .BankBits(BankBits)) u_side_bank (.slot_i(side_slot), .bank_o(side_bank));

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_side
    if (!rst_ni) begin
      {sw_busy_q, sw_answer_q, b_ask_q} <= '0;
    end else begin
      if (sw_go) sw_busy_q <= 1'b1;
      if (answer_q.done) sw_busy_q <= 1'b0;
      sw_answer_q <= sw_go;
      b_ask_q <= ask_grant_o;
    end
  end

  logic [CountWidth-1:0] value_q;  // what is armed in B
  logic force_q;
  always_ff @(posedge clk_i) begin : p_side_b
    if (side) b_bank_q <= side_bank;
    if (side_arm || fill.step) begin
      value_q <= fill.step ? fill.value : access.value;
      force_q <= fill.step ? fill.forced : access.forced;
    end
  end

  // ---- banks ----------------------------------------------------------------------------------
  logic [NumBanks-1:0] forgotten, update, room, b_update_q, bank_active, done, refused, overrun, stray, corrected, damaged;
  logic [NumBanks-1:0] bank_waits, bank_spoiled, done_valid, done_full, done_pop;
  logic [NumBanks*CountWidth-1:0] bank_missing;
  logic [NumBanks*CompletionBits-1:0] done_head, done_tail;
  logic [NumBanks*ErrorBits-1:0] what;
  logic [NumBanks*JoinedWidth-1:0] b_joined, b_counted, b_dropped;
  logic [NumBanks-1:0] b_live;
  logic [BankBits-1:0] fill_fold;

  t3_fold #(.SlotWidth(IndexWidth), .BankBits(BankBits)) u_fill_fold (.slot_i(fill_index), .bank_o(fill_fold));

  // Places for the completion of the update in B, and of one more.
  assign room = ~done_valid | (~done_full & ~b_update_q);
  assign pop_o = update;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_b_update
    if (!rst_ni) begin
      b_update_q <= '0;
    end else if ((update | b_update_q) != '0) begin
      b_update_q <= update;
    end
  end

  t3_queue2_ctrl #(.Count(NumBanks)) u_completions (
    .clk_i, .rst_ni,
    .push_i(done), .pop_i(done_pop), .valid_o(done_valid), .full_o(done_full)
  );

  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic side_here, fill_here;
    logic [BankBits-1:0] b_fold;
    logic [SlotWidth-1:0] fill_slot;
    logic [IndexWidth-1:0] index, b_index;
    logic [RegionWidth-1:0] b_region;
    logic [RegionWidth-1:0] region;
    logic [IndexWidth-1:0] word;
    logic [BankBits-1:0] unused_low;  // follows from the word and the bank
    logic [SlotWidth-1:0] b_slot;
    logic [CompletionBits-1:0] completion, head_q, tail_q;

    assign {region, word, unused_low} = key_i[b*KeyWidth +: KeyWidth];
    assign fill_slot = {fill_index, fill_fold ^ BankBits'(b)};
    assign fill_here = fill.step && fill_slot >= fill.first && fill_slot <= fill.last;
    assign side_here = side && side_bank == BankBits'(b);
    assign update[b] = valid_i[b] && room[b] && !fill.step && !side_here;
    assign index = side_here ? side_slot[SlotWidth-1:BankBits]
                 : fill.step ? fill_index : word;

    t3_bank #(
      .Protection(Protection), .Depth(1 << IndexWidth), .Width(CountWidth), .WeightWidth(SumWidth),
      .TagWidth(JoinedWidth + RegionWidth)
    ) u_bank (
      .clk_i, .rst_ni,
      .update_i(update[b]), .arm_i((side_here && side_arm) || fill_here), .offer_i(side_here && side_offer),
      .look_i(side_here && side_look), .index_i(index), .weight_i(weight_i[b*SumWidth +: SumWidth]),
      .tag_i({joined_i[b*JoinedWidth +: JoinedWidth], region}),
      .value_i(value_q), .force_i(force_q),
      .index_o(b_index), .tag_o({b_joined[b*JoinedWidth +: JoinedWidth], b_region}), .waits_i(triggers_i[b_region]),
      .ignore_i(!b_live[b]),
      .done_o(done[b]), .overrun_o(overrun[b]), .stray_o(stray[b]), .refused_o(refused[b]),
      .forgotten_o(forgotten[b]), .waits_o(bank_waits[b]),
      .spoiled_o(bank_spoiled[b]), .missing_o(bank_missing[b*CountWidth +: CountWidth]), .corrected_o(corrected[b]),
      .damaged_o(damaged[b]), .active_o(bank_active[b])
    );

    t3_fold #(.SlotWidth(IndexWidth), .BankBits(BankBits)) u_fold (.slot_i(b_index), .bank_o(b_fold));

    assign b_live[b] = live_i[b_region];
    assign b_counted[b*JoinedWidth +: JoinedWidth] =
        (b_update_q[b] && b_live[b]) ? b_joined[b*JoinedWidth +: JoinedWidth] : '0;
    assign b_dropped[b*JoinedWidth +: JoinedWidth] =
        (b_update_q[b] && !b_live[b]) ? b_joined[b*JoinedWidth +: JoinedWidth] : '0;

    // T3_COMPLETION_T, T3_ERROR_T.
    assign b_slot = {b_index, b_fold ^ BankBits'(b)};
    assign completion = {triggers_i[b_region], b_region, b_slot};
    assign what[b*ErrorBits +: ErrorBits] =
        {b_update_q[b] ? b_region : RegionWidth'(0), t3_pkg::InfoWidth'(b_slot)};

    // Written before it is known that the update completes its slot: what is not valid may be anything.
    always_ff @(posedge clk_i) begin : p_completions
      if (done_pop[b] || (b_update_q[b] && !done_valid[b])) head_q <= done_full[b] ? tail_q : completion;
      if (b_update_q[b] && !done_full[b]) tail_q <= completion;
    end
    assign done_head[b*CompletionBits +: CompletionBits] = head_q;
    assign done_tail[b*CompletionBits +: CompletionBits] = tail_q;
  end

  // ---- how many updates -----------------------------------------------------------------------
  always_comb begin : p_numbers
    counted_o = '0;
    dropped_o = '0;
    if (b_update_q != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        counted_o = counted_o + NumberedWidth'(b_counted[b*JoinedWidth +: JoinedWidth]);
        dropped_o = dropped_o + NumberedWidth'(b_dropped[b*JoinedWidth +: JoinedWidth]);
      end
    end
  end

  // ---- answers --------------------------------------------------------------------------------
  assign ask_hit_o = b_ask_q && bank_waits[b_bank_q];
  assign ask_spoiled_o = bank_spoiled[b_bank_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_answer
    if (!rst_ni) begin
      answer_q <= '0;
    end else begin
      answer_q.done <= sw_answer_q;
      if (sw_answer_q) begin
        answer_q.refused <= refused[b_bank_q];
        answer_q.waits <= bank_waits[b_bank_q];
        answer_q.spoiled <= bank_spoiled[b_bank_q];
        answer_q.missing <= bank_missing[b_bank_q*CountWidth +: CountWidth];
      end
    end
  end

  // ---- completions: one per cycle -------------------------------------------------------------
  // Which is next does not wait for whether there is a next: `hold_i` comes late.
  logic [NumBanks-1:0] turn;
  assign completed_o = done_valid != '0 && !hold_i;
  assign done_pop = hold_i ? '0 : turn;

  always_comb begin : p_of_region
    of_region_o = 1'b0;
    if (done_valid != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if ((done_valid[b] && done_head[b*CompletionBits+SlotWidth +: RegionWidth] == asked_region_i)
            || (done_full[b] && done_tail[b*CompletionBits+SlotWidth +: RegionWidth] == asked_region_i)) begin
          of_region_o = 1'b1;
        end
      end
    end
  end

  t3_arb_rr #(.Count(NumBanks)) u_turns (
    .clk_i, .rst_ni,
    .req_i(done_valid), .take_i(completed_o), .grant_o(turn)
  );

  always_comb begin : p_completed
    completion_o = '0;
    if (done_valid != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (turn[b]) completion_o = completion_o | done_head[b*CompletionBits +: CompletionBits];
      end
    end
  end

  // ---- errors ---------------------------------------------------------------------------------
  logic [ErrorBits-1:0] overrun_what, stray_what, refused_what, damaged_what;
  always_comb begin : p_events
    overrun_what = '0;
    stray_what = '0;
    refused_what = '0;
    damaged_what = '0;
    if ((overrun | stray | refused | damaged) != '0) begin
      for (int b = NumBanks - 1; b >= 0; b--) begin
        if (overrun[b]) overrun_what = what[b*ErrorBits +: ErrorBits];
        if (stray[b]) stray_what = what[b*ErrorBits +: ErrorBits];
        if (refused[b]) refused_what = what[b*ErrorBits +: ErrorBits];
        if (damaged[b]) damaged_what = ErrorBits'(what[b*ErrorBits +: t3_pkg::InfoWidth]);
      end
    end
  end
  assign overrun_o = {TimesWidth'(overrun), overrun_what};
  assign stray_o = {TimesWidth'(stray), stray_what};
  assign refused_o = {TimesWidth'(refused), refused_what};
  assign damaged_o = {TimesWidth'(damaged), damaged_what};

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_corrected
    if (!rst_ni) begin
      corrected_o <= '0;
    end else if ((corrected | corrected_o) != '0) begin
      corrected_o <= corrected;
    end
  end

  assign forgotten_o = forgotten != '0;
  assign completing_o = done_valid != '0;
  assign inside_o = (b_update_q | done_valid) != '0;
  assign work_o = bank_active != '0 || done_valid != '0 || corrected_o != '0 || sw_busy_q;

  `T3_ASSERT(no_fill_beside_an_access, !fill.step || !side)

endmodule
