// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_waiting with t3_queue: docs/tracker.md, promise 7, with aborts. While no more slots wait than QueueDepth, any two
/// of them are shown in the order in which their completions were counted, although software may make any slot idle
/// while it waits, at any time, and that slot is done again later: then it leaves in its new turn, and none before its.
/// Nothing is shown that does not wait.
///
/// Assumed: a slot that was forgotten is not pushed before hints were sorted since, which is when a region is turned
/// on; nothing is pushed while they are; a slot that is forgotten has been pushed.
///
/// With Told = 0 t3_waiting is not told of what is forgotten, as in t3_stack_join. Then such a slot counts as one that
/// waits until hints were sorted: it may have a place until then.
module formal_forgets #(
  parameter int Told = 1,
  localparam int Slots = 4,
  localparam int Depth = 2,
  localparam int SlotWidth = 2
) (
  input logic                 clk_i,
  input logic                 clear_i,
  input logic                 push_i,
  input logic [SlotWidth-1:0] push_slot_i,
  input logic                 forget_i,
  input logic [SlotWidth-1:0] forget_slot_i,
  input logic                 sort_i,
  input logic                 grant_i,
  input logic                 ready_i
);
  `T3_FORMAL_RESET
  logic offer, look, valid, shown_spoiled, waiting, work, active, hold, stale;
  logic [SlotWidth-1:0] slot, shown;
  logic [Slots-1:0] waits_q, dirty_q;
  logic b_ask_q, b_offer_q, hit;
  logic [SlotWidth-1:0] b_slot_q;
  assign hit = b_ask_q && waits_q[b_slot_q];
  t3_waiting #(
    .Slots(Slots), .Depth(Depth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .sort_i, .look_i(1'b0), .forgotten_i(forget_i && Told != 0), .settled_i(1'b1), .quiet_i(1'b1),
    .hold_o(hold), .push_i, .push_slot_i, .offer_o(offer), .look_o(look), .slot_o(slot), .grant_i, .hit_i(hit),
    .spoiled_i(1'b0), .valid_o(valid), .ready_i, .shown_o(shown), .shown_spoiled_o(shown_spoiled), .waiting_o(waiting),
    .stale_o(stale), .work_o(work), .active_o(active)
  );

  (* anyconst *) logic [SlotWidth-1:0] first;
  (* anyconst *) logic [SlotWidth-1:0] then;
  logic [2:0] count;
  logic before_q, shows, sorts_q, first_goes, then_goes;
  assign shows = b_offer_q && hit;
  always_comb begin
    count = '0;
    for (int s = 0; s < Slots; s++) count = count + 3'(waits_q[s] || (Told == 0 && dirty_q[s]));
    assume (first != then);
    assume (rst_q || !(push_i || forget_i || sort_i || grant_i || clear_i));
    assume (!grant_i || offer || look);
    assume (!clear_i || !(push_i || grant_i || b_ask_q || forget_i || sort_i || hold));
    assume (!push_i || (!hold && !waits_q[push_slot_i] && count < 3'(Depth) && !dirty_q[push_slot_i] && !sort_i));
    // A bank does one thing at a time: what is asked for in this cycle is not armed in it.
    assume (!forget_i || (waits_q[forget_slot_i] && !b_ask_q));
    assume (!sort_i || !hold);
  end
  assign first_goes = (shows && b_slot_q == first) || (forget_i && forget_slot_i == first);
  assign then_goes = (shows && b_slot_q == then) || (forget_i && forget_slot_i == then);
  always_ff @(posedge clk_i) begin
    b_ask_q <= rst_q && grant_i;
    b_offer_q <= rst_q && grant_i && offer;
    b_slot_q <= slot;
    if (!rst_q || clear_i) begin
      waits_q <= '0;
      dirty_q <= '0;
      before_q <= 1'b0;
      sorts_q <= 1'b0;
    end else begin
      // A sort that began after the last slot was forgotten, or with it, has ended.
      sorts_q <= sort_i || (!forget_i && sorts_q && hold);
      if (sorts_q && !hold && !forget_i) dirty_q <= '0;
      if (shows) waits_q[b_slot_q] <= 1'b0;
      if (forget_i) begin
        waits_q[forget_slot_i] <= 1'b0;
        dirty_q[forget_slot_i] <= 1'b1;
      end
      if (push_i) waits_q[push_slot_i] <= 1'b1;
      if (push_i && push_slot_i == then) before_q <= waits_q[first] && !first_goes;
      else if (first_goes || then_goes) before_q <= 1'b0;
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    forgets_order: assert (!(shows && b_slot_q == then && before_q));
    cover_again: cover (shows && b_slot_q == first && dirty_q[then] && count == 3'd2);
    cover_full_of_old: cover (hold && count == 3'd1);
    cover_before: cover (before_q && (Told == 0 || dirty_q != '0) && shows);
  end
endmodule
