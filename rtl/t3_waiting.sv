// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Shows each slot that waits, once, to who takes it.
///
/// Promise: a slot that waits when `push_i` names it, or from then on, is shown at `valid_o` once, as long as
/// `ready_i` comes, and no other slot is. `push_i` is never refused. Up to Depth slots leave in the order of their
/// pushes. Those that find the queue full leave in the order of their numbers, in turn with those of the queue.
/// What is shown stays until it is taken.
///
/// A hint of a slot that software has made idle has a place only until hints are sorted: of each the slot is looked at,
/// and the hint stays, in its order, only if the slot waits. That takes three cycles a hint, and those in which the bank is
/// in use; `hold_o` is up meanwhile. Sorted is on `sort_i`, and when such a hint may be in the queue and the queue is
/// almost full, as soon as `quiet_i` says that no push is on its way. So hints that are out of date take no place from
/// others, and a slot that is armed and done anew leaves in its turn, if hints are sorted in between.
///
/// A slot is shown after its bank was asked with `offer_o`: `hit_i` says that it waited, and from then on it does not.
///
///   push_i ─► t3_queue ─► offer ──► bank ─► hit ─► valid_o
///     full └► look through all slots ──┘
///
/// Why: the queue holds hints. The word of the slot itself says whether it waits, so a hint that is out of date or
/// damaged shows nothing wrong, and a queue of a few places does where each slot needs a place: after
/// a hint was lost all slots are looked at, one after the other, in the time in which the taker takes.
module t3_waiting #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int Slots = 4096,
  parameter int Depth = 64,
  /// Pushes that may come after `hold_o` has risen.
  parameter int Behind = 0,
  localparam int SlotWidth = t3_pkg::index_width(Slots)
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// While up, nothing is pushed, and all hints are forgotten.
  input  logic clear_i,
  /// Drop the hints of slots that do not wait. Look through all slots.
  input  logic sort_i,
  input  logic look_i,
  /// A slot that waits was made idle, or armed; no completion waits to be pushed; no push comes while `hold_o` is up.
  input  logic forgotten_i,
  input  logic settled_i,
  input  logic quiet_i,
  output logic hold_o,

  input  logic                 push_i,
  input  logic [SlotWidth-1:0] push_slot_i,

  /// Asks the bank of a slot: offer, or only look; held until `grant_i`. The answer comes in the cycle after.
  output logic                 offer_o,
  output logic                 look_o,
  output logic [SlotWidth-1:0] slot_o,
  input  logic                 grant_i,
  input  logic                 hit_i,
  input  logic                 spoiled_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [SlotWidth-1:0] shown_o,
  output logic                 shown_spoiled_o,

  /// Slots wait, or may wait; the queue may have hints of slots that do not.
  output logic                 waiting_o,
  output logic                 stale_o,
  /// An answer or a sort is under way; a register changes at the next edge even if `ready_i` and `push_i` are low.
  output logic                 work_o,
  output logic                 active_o
);

  localparam int PlacesWidth = $clog2(Depth) + 1;

  logic asked_q, asked_look_q, asked_found_q, asked_sort_q, found_turn_q, look_turn_q;
  logic [SlotWidth-1:0] asked_slot_q;
  logic sort_q;
  logic [PlacesWidth-1:0] sort_left_q;  // hints that were not looked at yet

  // ---- hints ----------------------------------------------------------------------------------
  logic hint_valid, hint_pop, full, lost, queue_corrected, queue_damaged, queue_active;
  logic [SlotWidth-1:0] hint;
  logic [PlacesWidth-1:0] places;
  logic keep;  // the hint that was looked at goes back
  assign full = places >= PlacesWidth'(Depth);

  t3_queue #(.Protection(Protection), .Depth(Depth), .Width(SlotWidth)) u_hints (
    .clk_i, .rst_ni,
    .clear_i, .push_i((push_i && !full) || keep), .data_i(keep ? asked_slot_q : push_slot_i), .valid_o(hint_valid),
    .ready_i(hint_pop), .data_o(hint),
    .count_o(places), .corrected_o(queue_corrected), .damaged_o(queue_damaged), .active_o(queue_active)
  );
  assign lost = (push_i && full) || queue_damaged || look_i;

  // ---- look through all slots -----------------------------------------------------------------
  // left_q slots are still to be looked at, from look_q on; found_q: look_q waits.
  logic [SlotWidth:0] left_q;
  logic [SlotWidth-1:0] look_q;
  logic found_q;

  // ---- ask, one slot at a time ----------------------------------------------------------------
  logic valid_q, shown_spoiled_q, wants_found, wants_hint, wants_look, wants_sort;
  logic [SlotWidth-1:0] shown_q;

  always_comb begin : p_ask
    wants_sort = sort_q && !asked_q && hint_valid && sort_left_q != '0;
    wants_found = !sort_q && !asked_q && !valid_q && found_q && (found_turn_q || !hint_valid);
    wants_hint = !asked_q && !valid_q && hint_valid && !wants_found && !sort_q;
    wants_look = !sort_q && !asked_q && left_q != '0 && !found_q && (look_turn_q || !wants_hint);
    look_o = wants_look || wants_sort;
    offer_o = !look_o && (wants_found || wants_hint);
    slot_o = (wants_look || wants_found) ? look_q : hint;
  end
  assign hint_pop = grant_i && ((offer_o && !wants_found) || wants_sort);
  assign keep = asked_q && asked_sort_q && hit_i;

  // fresh_q: a hint that no sort has seen may be out of date; unsettled_q: or will be, as its slot's completion is not
  // pushed yet. stale_q: one that software or a look has made so may be in the queue, where `sort_i` will find it.
  logic fresh_q, unsettled_q, stale_q, crowded, sort_starts;
  assign crowded = fresh_q && places != '0 && places >= PlacesWidth'((Depth > Behind) ? Depth - Behind : 1);
  assign hold_o = crowded || sort_q;
  assign sort_starts = sort_i || (crowded && quiet_i && !sort_q);
  assign stale_o = (stale_q || forgotten_i) && places != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_stale
    if (!rst_ni) begin
      {fresh_q, unsettled_q, stale_q} <= '0;
    end else if (forgotten_i || fresh_q || unsettled_q || sort_i || clear_i || asked_found_q) begin
      if (sort_starts) fresh_q <= 1'b0;
      if (unsettled_q && settled_i) {unsettled_q, fresh_q} <= 2'b01;
      if (sort_i) stale_q <= 1'b0;
      if (asked_q && asked_found_q && !asked_look_q) stale_q <= 1'b1;
      if (forgotten_i) {unsettled_q, fresh_q, stale_q} <= '1;
      if (clear_i) {unsettled_q, fresh_q, stale_q} <= '0;
    end
  end

  // A damaged hint is none of those that are left; where none is left, the rest is over.
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_sort
    if (!rst_ni) begin
      {sort_q, asked_sort_q, sort_left_q} <= '0;
    end else if (sort_starts || sort_q) begin
      if (sort_starts) sort_left_q <= places;
      else if (wants_sort && grant_i) sort_left_q <= sort_left_q - PlacesWidth'(1);
      asked_sort_q <= wants_sort && grant_i;
      sort_q <= sort_starts || asked_q || (sort_left_q != '0 && places != '0);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      {asked_q, asked_look_q, asked_found_q, found_turn_q, look_turn_q, valid_q, found_q, left_q, look_q} <=
       '0;
    end else if (active_o || push_i || queue_damaged || look_i || (valid_q && ready_i)) begin
      asked_q <= grant_i;
      if (grant_i) begin
        asked_look_q <= look_o;
        asked_found_q <= wants_found;
        if (!wants_sort) look_turn_q <= !look_o;
        if (offer_o) found_turn_q <= !wants_found;
      end
      if (valid_q && ready_i) valid_q <= 1'b0;
      if (asked_q && !asked_look_q && hit_i) valid_q <= 1'b1;
      if (asked_q && asked_look_q && !asked_sort_q) begin
        left_q <= left_q - (SlotWidth+1)'(1);
        found_q <= hit_i;
        if (!hit_i) look_q <= look_q + SlotWidth'(1);
      end
      if (asked_q && asked_found_q) begin
        found_q <= 1'b0;
        look_q <= look_q + SlotWidth'(1);
      end
      if (lost) left_q <= (SlotWidth+1)'(Slots);
      if (clear_i) begin
        left_q <= '0;
        found_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_slot
    if (grant_i) asked_slot_q <= slot_o;
    if (asked_q && !asked_look_q && hit_i) begin
      shown_q <= asked_slot_q;
      shown_spoiled_q <= spoiled_i;
    end
  end

  assign valid_o = valid_q;
  assign shown_o = shown_q;
  assign shown_spoiled_o = shown_spoiled_q;
  assign waiting_o = valid_q || asked_q || found_q || hint_valid || places != '0 || left_q != '0;
  assign work_o = asked_q || hold_o;
  assign active_o = offer_o || look_o || asked_q || queue_active || clear_i || sort_q || crowded || unsettled_q;

  logic unused_queue;
  assign unused_queue = queue_corrected;

  `T3_ASSERT(nothing_comes_while_it_sorts, !sort_q || !(push_i || clear_i))
  `T3_ASSERT(a_grant_is_asked_for, !grant_i || offer_o || look_o)

endmodule
