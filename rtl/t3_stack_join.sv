// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Joins the streams `done_*` of the units of several memory stacks: says a slot when each stack that has bytes of it
/// has said its share, once. docs/stack-join.md is its specification.
///
/// Promise: a slot that was armed with a set of shares is at `done_*` once, when and only when every stack of the set
/// has said it; spoiled if one of them was, or if a stack said it that had no share to say. Up to QueueDepth slots
/// leave in the order of their last shares, others in turn (t3_waiting). Shares are taken whatever happens at `done_*`:
/// `share_ready_o` of a stack is low for Stacks + 1 cycles at most, and those of the walk after reset, or of a sort
/// behind a command. A slot is at `done_*` five cycles after its last share was taken if nothing else is to be done. A
/// command works behind all shares that were taken before it. All outputs are functions of registers.
///
///   share 0 ─► place ─┐
///     …               ├─► A: turns, word read ─► B: a share less, or armed ─ done ─► t3_waiting ─► done_*
///   share n ─► place ─┤              ▲                                                │ asks
///   cmd ─► walk ──────┘              └────────────────────────────────────────────────┘
///
/// Why: what is missing stands in one word for each slot, so nothing can be full, and a slot that is armed anew has
/// nothing left of the time before. One place at each input is enough: a unit shows a slot every third cycle at most.
module t3_stack_join #(
  parameter int Stacks = 4,
  parameter int NumSlots = 4096,
  parameter int QueueDepth = 64,
  /// Of the memories: t3_pkg::ProtectNone, ProtectParity or ProtectSecded.
  parameter int Protection = t3_pkg::ProtectNone,
  localparam int SlotWidth = t3_pkg::index_width(NumSlots)
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// `done_*` of each stack's unit.
  input  logic [Stacks-1:0]           share_valid_i,
  output logic [Stacks-1:0]           share_ready_o,
  input  logic [Stacks*SlotWidth-1:0] share_slot_i,
  input  logic [Stacks-1:0]           share_spoiled_i,
  output logic                 done_valid_o,
  input  logic                 done_ready_i,
  output logic [SlotWidth-1:0] done_slot_o,
  output logic                 done_spoiled_o,
  /// For the slots from `first` to `last`: arm them with this set of shares, with none: make them idle; those that miss
  /// shares or wait only with `force`. Without `write`: only look. It has ended when `cmd_ready_o` is up again.
  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  logic                 cmd_write_i,
  input  logic [SlotWidth-1:0] cmd_first_i,
  input  logic [SlotWidth-1:0] cmd_last_i,
  input  logic [Stacks-1:0]    cmd_shares_i,
  input  logic                 cmd_force_i,
  /// Of the command before: it left a slot as it was; what it found at its last slot.
  output logic                 cmd_refused_o,
  output logic [Stacks-1:0]    seen_missing_o,
  output logic                 seen_waits_o,
  output logic                 seen_spoiled_o,
  /// Look through all slots for those that wait.
  input  logic                 look_i,
  /// Pulses: a share that its slot did not miss; a word that cannot be corrected; one that was. Of this slot and stack.
  output logic                 stray_o,
  output logic                 damaged_o,
  output logic                 corrected_o,
  output logic [SlotWidth-1:0] event_slot_o,
  output logic [Stacks-1:0]    event_stack_o,

  /// A slot waits, or may wait, for `done_ready_i`. A register changes at the next edge though no input is valid.
  output logic waiting_o,
  output logic busy_o
);

  typedef enum logic [1:0] {Clear, Idle, Walk, Sort} state_e;
  typedef struct packed {
    logic              waits;
    logic              spoiled;  // with nothing missing, and not waiting: it was damaged, and is never said
    logic [Stacks-1:0] missing;
  } word_t;
  localparam int WordWidth = Stacks + 2;
  // Odd, so that under protection a word of all zeros and one of all ones are damaged.
  localparam int HeldWidth = (Protection == t3_pkg::ProtectNone) ? WordWidth : WordWidth | 1;

  `T3_PARAMETER(Stacks, Stacks >= 2 && Stacks <= 8, "Stacks: expected 2 to 8")
  `T3_PARAMETER(NumSlots, !(NumSlots < 16 || NumSlots > 8192) && (NumSlots & (NumSlots - 1)) == 0,
                "NumSlots: expected a power of two, 16 to 8192")
  `T3_PARAMETER(QueueDepth, !(QueueDepth < 16 || QueueDepth > 1024) && (QueueDepth & (QueueDepth - 1)) == 0,
                "QueueDepth: expected a power of two, 16 to 1024")
  `T3_PARAMETER(Protection, Protection >= 0 && Protection <= 2, "Protection: expected 0, 1 or 2")

  // ---- a place for each share, and commands -----------------------------------------------------
  state_e state_q;
  logic ask_offer, ask_look, go_ask, go_walk, b_walk, clear, sort, sorting, stale, refused, write_q, force_q, sorts_q;
  logic [SlotWidth-1:0] ask_slot, index, at_q, last_q;
  logic [Stacks-1:0] go_share, held_q, held_d, held_spoiled_q, shares_q, before_q;
  logic [Stacks*SlotWidth-1:0] held_slot_q;

  assign share_ready_o = ~held_q;
  assign held_d = (held_q & ~go_share) | (share_valid_i & ~held_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_held
    if (!rst_ni) held_q <= '0;
    else if ((held_q | share_valid_i) != '0) held_q <= held_d;
  end

  always_ff @(posedge clk_i) begin : p_share
    for (int s = 0; s < Stacks; s++) begin
      if (share_valid_i[s] && !held_q[s]) begin
        held_slot_q[s*SlotWidth +: SlotWidth] <= share_slot_i[s*SlotWidth +: SlotWidth];
        held_spoiled_q[s] <= share_spoiled_i[s];
      end
    end
  end

  // A walk begins behind the shares that were taken before (before_q). Slots that it made idle while they waited may
  // have hints: these are dropped behind it. The one after reset is as a command that makes all slots idle.
  assign cmd_ready_o = state_q == Idle;
  assign clear = state_q == Clear;
  assign sort = state_q == Sort && sorts_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_command
    if (!rst_ni) begin
      state_q <= Clear;
      {write_q, force_q} <= '1;
      {at_q, shares_q, before_q, sorts_q, cmd_refused_o} <= '0;
      last_q <= '1;
    end else if (state_q != Idle || cmd_valid_i) begin
      before_q <= before_q & ~go_share;
      if (go_walk) at_q <= at_q + SlotWidth'(1);
      if (refused) cmd_refused_o <= 1'b1;
      if (sort) sorts_q <= 1'b0;
      unique case (state_q)
        Idle: begin
          state_q <= Walk;
          {write_q, force_q, shares_q} <= {cmd_write_i, cmd_force_i, cmd_shares_i};
          {at_q, last_q} <= {cmd_first_i, cmd_last_i};
          before_q <= held_d;
          sorts_q <= cmd_write_i && (cmd_force_i || stale);
          cmd_refused_o <= 1'b0;
        end
        Sort: if (!sorts_q && !sorting) state_q <= Idle;
        default: if (go_walk && at_q == last_q) state_q <= Sort;
      endcase
    end
  end

  // ---- A: a share, an ask of t3_waiting, or a step of a walk -------------------------------------
  // In this order: behind a step comes every share that waits, before the next one.
  logic [Stacks+1:0] asks, turn, b_turn_q;
  assign asks = {clear || (state_q == Walk && before_q == '0),
                 (state_q == Idle || state_q == Walk) ? held_q : '0, ask_offer || ask_look};
  assign {go_walk, go_share, go_ask} = turn;

  t3_arb_rr #(.Count(Stacks + 2)) u_turns (
    .clk_i, .rst_ni,
    .req_i(asks), .take_i(asks != '0), .grant_o(turn)
  );

  always_comb begin : p_index
    index = go_ask ? ask_slot : go_walk ? at_q : '0;
    for (int s = 0; s < Stacks; s++) begin
      if (go_share[s]) index = index | held_slot_q[s*SlotWidth +: SlotWidth];
    end
  end

  // ---- B: what the word is, and what becomes of it ------------------------------------------------
  logic [Stacks-1:0] b_share;
  logic b_ask, b_offer_q, b_spoiled_q, write, forwarded_q, done, stray, arms, busy;
  logic corrected, damaged, ram_corrected, ram_damaged;
  logic [SlotWidth-1:0] b_slot_q;
  logic [WordWidth-1:0] forward_q;
  logic [HeldWidth-1:0] held_word;
  word_t word, next;
  assign {b_walk, b_share, b_ask} = b_turn_q;
  assign arms = b_walk && write_q && force_q;  // whatever the word is: after power-up it is anything

  t3_ram_protected #(.Protection(Protection), .Depth(NumSlots), .Width(HeldWidth)) u_ram (
    .clk_i,
    .en_i(asks != '0 || write), .we_i(write), .waddr_i(b_slot_q), .wdata_i(HeldWidth'(next)), .re_i(asks != '0),
    .raddr_i(index), .rdata_o(held_word), .corrected_o(ram_corrected), .damaged_o(ram_damaged)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_turn
    if (!rst_ni) b_turn_q <= '0;
    else if ((asks | b_turn_q) != '0) b_turn_q <= turn;
  end

  always_ff @(posedge clk_i) begin : p_operands
    if (asks != '0) begin
      b_slot_q <= index;
      b_offer_q <= ask_offer;
      b_spoiled_q <= (go_share & held_spoiled_q) != '0;
      forwarded_q <= write && b_slot_q == index;
      if (write) forward_q <= next;
    end
  end

  always_comb begin : p_word
    word = '0;
    corrected = b_turn_q != '0 && ram_corrected && !forwarded_q && !arms;
    damaged = b_turn_q != '0 && ram_damaged && !forwarded_q && !arms;
    if (b_turn_q != '0 && !arms) word = forwarded_q ? forward_q : held_word[WordWidth-1:0];
    if (damaged) word = {2'b01, Stacks'(0)};
    busy = word.missing != '0 || word.waits;
  end

  always_comb begin : p_next
    next = word;
    write = corrected || damaged || b_share != '0;
    done = 1'b0;
    stray = 1'b0;
    refused = 1'b0;
    if ((word.missing & b_share) != '0) begin
      next.missing = word.missing & ~b_share;
      next.spoiled = word.spoiled || b_spoiled_q;
      next.waits = next.missing == '0;
      done = next.waits;
    end else if (b_share != '0) begin
      stray = busy || !word.spoiled;
      next.spoiled = busy || word.spoiled;
    end
    if (b_walk && write_q) begin
      refused = busy;
      if (!busy) next = {2'b00, shares_q};
      write = write || !busy;
    end
    if (b_ask && b_offer_q && word.waits) {write, next} = {1'b1, WordWidth'(0)};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_seen
    if (!rst_ni) begin
      {stray_o, damaged_o, corrected_o, event_slot_o, event_stack_o} <= '0;
      {seen_waits_o, seen_spoiled_o, seen_missing_o} <= '0;
    end else if (b_turn_q != '0 || stray_o || damaged_o || corrected_o) begin
      {stray_o, damaged_o, corrected_o} <= {stray, damaged, corrected};
      if (stray || damaged || corrected) {event_slot_o, event_stack_o} <= {b_slot_q, b_share};
      if (b_walk) {seen_waits_o, seen_spoiled_o, seen_missing_o} <= word;
    end
  end

  // ---- out ----------------------------------------------------------------------------------------
  logic waiting_work, waiting_active, unused_bits;
  assign unused_bits = ^{held_word, waiting_work};
  assign busy_o = {held_q, b_turn_q, stray_o, damaged_o, corrected_o} != '0 || !cmd_ready_o || waiting_active;

  t3_waiting #(.Protection(Protection), .Slots(NumSlots), .Depth(QueueDepth)) u_waiting (
    .clk_i, .rst_ni,
    .clear_i(clear), .sort_i(sort), .look_i(look_i && !clear), .forgotten_i(1'b0),
    .settled_i(1'b1), .quiet_i(1'b1), .hold_o(sorting), .push_i(done), .push_slot_i(b_slot_q),
    .offer_o(ask_offer), .look_o(ask_look), .slot_o(ask_slot), .grant_i(go_ask), .hit_i(b_ask && word.waits),
    .spoiled_i(word.spoiled), .valid_o(done_valid_o), .ready_i(done_ready_i), .shown_o(done_slot_o),
    .shown_spoiled_o(done_spoiled_o), .waiting_o, .stale_o(stale), .work_o(waiting_work), .active_o(waiting_active)
  );
  `T3_ASSERT(one_operation, $onehot0(b_turn_q))
  `T3_ASSERT(nothing_comes_behind_a_walk, !sort || b_share == '0)

endmodule
