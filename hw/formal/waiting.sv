// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_waiting with its queue, against words that the checker keeps: a slot that waits, and has been pushed, is
/// shown once, however full the queue was; nothing else is shown; what is shown stays until it is taken. Until it is
/// shown, a hint of it is in the queue, or it is one of the slots that are still to be looked at. While there is
/// one of either, and nothing is shown, a bank is asked at most two cycles later; hints, looks and what a look
/// found take turns: none of them waits for more than Others grants of others. So it is shown in bounded time.
///
/// Software may forget a slot that waits, and hints may be sorted, or a look begin, at any time at which the owner may ask for it.
///
/// A slot may wait before it is pushed, as long as any other matter takes, and may wait anew once it was shown. A RAM
/// read that collides with a write returns any value.
module formal_waiting #(
  parameter int Slots = 4,
  parameter int Depth = 2,
  localparam int SlotWidth = $clog2(Slots),
  localparam int PtrWidth = $clog2(Depth)
) (
  input logic                 clk_i,
  input logic                 clear_i,
  input logic                 push_i,
  input logic [SlotWidth-1:0] push_slot_i,
  input logic                 grant_i,
  input logic                 ready_i,
  input logic                 done_i,
  input logic [SlotWidth-1:0] done_slot_i,
  input logic                 sort_i,
  input logic                 look_i,
  input logic                 forget_i,
  input logic [SlotWidth-1:0] forget_slot_i,
  input logic                 settled_i,
  input logic                 stray_i,
  input logic [SlotWidth-1:0] stray_slot_i
);
  `T3_FORMAL_RESET
  logic offer, look, hit, spoiled, valid, shown_spoiled, waiting, work, active, hold;
  logic [SlotWidth-1:0] slot, shown;
  (* hierconn *) wire [PtrWidth:0] \u_dut.u_hints.count_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.u_hints.read_ptr_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.u_hints.write_ptr_q ;
  (* hierconn *) wire \u_dut.u_hints.mid_valid_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_hints.mid ;
  (* hierconn *) wire [Depth*SlotWidth-1:0] \u_dut.u_hints.u_ram.u_ram.words_q ;
  (* hierconn *) wire \u_dut.hint_valid ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.hint ;
  (* hierconn *) wire [SlotWidth:0] \u_dut.left_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.look_q ;
  (* hierconn *) wire \u_dut.found_q ;
  (* hierconn *) wire \u_dut.asked_q ;
  (* hierconn *) wire \u_dut.asked_look_q ;
  (* hierconn *) wire \u_dut.asked_found_q ;
  (* hierconn *) wire \u_dut.look_turn_q ;
  (* hierconn *) wire \u_dut.found_turn_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.asked_slot_q ;
  (* hierconn *) wire \u_dut.wants_found ;
  (* hierconn *) wire \u_dut.wants_sort ;
  (* hierconn *) wire \u_dut.sort_q ;
  (* hierconn *) wire \u_dut.asked_sort_q ;
  t3_waiting #(
    .Slots(Slots), .Depth(Depth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .sort_i, .look_i, .forgotten_i(forget_i), .settled_i, .quiet_i(1'b1),
    .hold_o(hold), .push_i, .push_slot_i, .offer_o(offer), .look_o(look), .slot_o(slot),
    .grant_i, .hit_i(hit), .spoiled_i(spoiled), .valid_o(valid), .ready_i, .shown_o(shown),
    .shown_spoiled_o(shown_spoiled), .waiting_o(waiting), .work_o(work), .active_o(active)
  );

  // Words of the slots, what is to be pushed, and the access in B.
  logic [Slots-1:0] waits_q, spoiled_q, pending_q;
  logic b_offer_q, b_look_q, clear_q;
  logic [SlotWidth-1:0] b_slot_q;
  assign hit = (b_offer_q || b_look_q) && waits_q[b_slot_q];
  assign spoiled = spoiled_q[b_slot_q];

  always_comb begin
    assume (!grant_i || offer || look);
    assume (!clear_i || !(push_i || done_i || stray_i || sort_i || look_i || forget_i || hold));
    // No push while hints are sorted; nothing is sorted twice.
    assume (!hold || !push_i);
    assume (!sort_i || !(hold || push_i));
    assume (!forget_i || (waits_q[forget_slot_i] && !((b_offer_q || b_look_q) && b_slot_q == forget_slot_i)
                          && !(stray_i && stray_slot_i == forget_slot_i)));
    assume (rst_q || !(sort_i || look_i || forget_i));
    // A clear does not end while an answer is under way: it is granted only between steps of the walk.
    assume (!clear_q || clear_i || !(b_offer_q || b_look_q));
    // A completion is pushed once, after the slot began to wait.
    assume (!push_i || pending_q[push_slot_i]);
    assume (!done_i || !(waits_q[done_slot_i] || pending_q[done_slot_i]));
    // A bank does one thing at a time.
    assume (!done_i || !((b_offer_q || b_look_q) && b_slot_q == done_slot_i));
    assume (!stray_i || (waits_q[stray_slot_i] && !((b_offer_q || b_look_q) && b_slot_q == stray_slot_i)));
  end

  always_ff @(posedge clk_i) begin
    b_offer_q <= rst_q && grant_i && offer;
    b_look_q <= rst_q && grant_i && look;
    b_slot_q <= slot;
    if (!rst_q || clear_i) begin
      waits_q <= '0;
      spoiled_q <= '0;
      pending_q <= '0;
    end else begin
      if (push_i) pending_q[push_slot_i] <= 1'b0;
      if (b_offer_q) begin
        waits_q[b_slot_q] <= 1'b0;
        spoiled_q[b_slot_q] <= 1'b0;
      end
      if (done_i) begin
        waits_q[done_slot_i] <= 1'b1;
        pending_q[done_slot_i] <= 1'b1;
      end
      if (stray_i) spoiled_q[stray_slot_i] <= 1'b1;
      if (forget_i) begin
        waits_q[forget_slot_i] <= 1'b0;
        spoiled_q[forget_slot_i] <= 1'b0;
      end
    end
  end

  // What the port showed in the cycle before, and what it must show now.
  logic past_q, kept_q, hit_q, kept_spoiled_q, hit_spoiled_q;
  logic [SlotWidth-1:0] kept_slot_q, hit_slot_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    clear_q <= rst_q && clear_i;
    kept_q <= rst_q && valid && !ready_i;
    kept_slot_q <= shown;
    kept_spoiled_q <= shown_spoiled;
    hit_q <= rst_q && b_offer_q && hit;
    hit_slot_q <= b_slot_q;
    hit_spoiled_q <= spoiled;
  end

  // Where each slot that waits and was pushed will be found.
  logic [Slots-1:0] hinted, to_look, under_way, lost;
  logic [SlotWidth-1:0] behind;
  logic [PtrWidth:0] place;
  always_comb begin
    behind = '0;
    place = '0;
    for (int k = 0; k < Slots; k++) begin
      hinted[k] = (\u_dut.hint_valid && \u_dut.hint == SlotWidth'(k))
                  || (\u_dut.u_hints.mid_valid_q && \u_dut.u_hints.mid == SlotWidth'(k));
      for (int i = 0; i < Depth; i++) begin
        place = (PtrWidth+1)'(PtrWidth'(PtrWidth'(i) - \u_dut.u_hints.read_ptr_q ));
        if (place < \u_dut.u_hints.count_q
            && \u_dut.u_hints.u_ram.u_ram.words_q [i*SlotWidth +: SlotWidth] == SlotWidth'(k)) hinted[k] = 1'b1;
      end
      behind = SlotWidth'(k) - \u_dut.look_q ;
      // From look_q on, or, if that was found, behind it.
      to_look[k] = \u_dut.found_q ? behind == '0 || (SlotWidth+1)'(behind) <= \u_dut.left_q
                                  : (SlotWidth+1)'(behind) < \u_dut.left_q ;
      under_way[k] = (b_offer_q || (b_look_q && \u_dut.asked_sort_q )) && b_slot_q == SlotWidth'(k);
      lost[k] = waits_q[k] && !pending_q[k] && !(hinted[k] || to_look[k] || under_way[k]);
    end
  end

  // Grants of others while a hint, a look, something found could be next; a hint waits for the port, too. So many
  // others can still come before the hint.
  localparam int Others = 3;
  logic [2:0] others_left;
  always_comb begin
    if (\u_dut.asked_q && \u_dut.asked_found_q && !\u_dut.asked_look_q ) others_left = 3'd1;
    else if (\u_dut.found_q || (\u_dut.asked_q && \u_dut.asked_look_q && !\u_dut.asked_sort_q )) others_left = \u_dut.found_turn_q ? 3'd2 : 3'd0;
    else if (\u_dut.look_turn_q ) others_left = \u_dut.found_turn_q ? 3'd3 : 3'd1;
    else others_left = (valid && \u_dut.found_turn_q ) ? 3'd2 : 3'd0;  // looks go on while a slot is shown
  end
  logic [2:0] hint_waits_q, look_waits_q, found_waits_q;
  logic wants_look;
  logic [1:0] silent_q;  // cycles in which nobody asked though something may wait, and nothing is being sorted
  assign wants_look = \u_dut.left_q != '0 && !\u_dut.found_q ;
  always_ff @(posedge clk_i) begin
    if (!rst_q || clear_i) begin
      {hint_waits_q, look_waits_q, found_waits_q} <= '0;
      silent_q <= '0;
    end else begin
      if (!\u_dut.hint_valid || (grant_i && offer && !\u_dut.wants_found )) hint_waits_q <= '0;
      else if (grant_i && !valid && !\u_dut.wants_sort ) hint_waits_q <= hint_waits_q + 3'd1;
      if (!wants_look || (grant_i && look)) look_waits_q <= '0;
      else if (grant_i && !\u_dut.wants_sort ) look_waits_q <= look_waits_q + 3'd1;
      if (!\u_dut.found_q || (grant_i && \u_dut.wants_found )) found_waits_q <= '0;
      else if (grant_i && !\u_dut.wants_sort ) found_waits_q <= found_waits_q + 3'd1;
      silent_q <= (offer || look || valid || b_offer_q || b_look_q || \u_dut.sort_q || !waiting) ? '0 : silent_q + 2'd1;
    end
  end

  always @(posedge clk_i) if (rst_q && past_q) begin
    waiting_shown_once: assert (valid == (kept_q || hit_q) && !(kept_q && hit_q));
    waiting_stays: assert (!kept_q || (shown == kept_slot_q && shown_spoiled == kept_spoiled_q));
    waiting_shows_it: assert (!hit_q || (shown == hit_slot_q && shown_spoiled == hit_spoiled_q));
    waiting_none_lost: assert (lost == '0);
    waiting_says_so: assert ((waits_q & ~pending_q) == '0 || waiting);
    waiting_asks: assert (!(offer && look) && work == (b_offer_q || b_look_q || hold));
    waiting_asks_soon: assert (silent_q <= 2'd2 && (silent_q != 2'd2 || clear_i || offer || look));
    waiting_turns: assert (4'(hint_waits_q) + 4'(others_left) <= 4'(Others)
                           && look_waits_q <= 3'(\u_dut.look_turn_q ) && found_waits_q <= 3'(\u_dut.found_turn_q ));
    waiting_active: assert (active || !(offer || look || work));
    cover_full_house: cover (waits_q == '1 && pending_q == '0 && valid);
    cover_hint_waits: cover (hint_waits_q == 3'(Others));
    cover_spoiled: cover (valid && shown_spoiled);
    cover_stale_hint: cover (b_offer_q && !hit);
    cover_dropped: cover (b_look_q && \u_dut.asked_sort_q && !hit);
    cover_kept: cover (b_look_q && \u_dut.asked_sort_q && hit);
    // The state.
    waiting_queue: assert (4'(\u_dut.u_hints.count_q ) + 4'(\u_dut.u_hints.mid_valid_q )
                           + 4'(\u_dut.hint_valid ) + 4'(\u_dut.asked_sort_q && b_look_q) <= 4'(Depth)
                           && (!\u_dut.asked_sort_q || (\u_dut.sort_q && \u_dut.asked_q && \u_dut.asked_look_q ))
                           && PtrWidth'(\u_dut.u_hints.write_ptr_q - \u_dut.u_hints.read_ptr_q )
                              == PtrWidth'(\u_dut.u_hints.count_q ));
    waiting_silent: assert (clear_i || ((silent_q == '0 || \u_dut.u_hints.mid_valid_q || \u_dut.hint_valid )
                                        && (silent_q < 2'd2 || \u_dut.hint_valid )));
    waiting_queue_moves: assert (\u_dut.u_hints.count_q == '0 || \u_dut.u_hints.mid_valid_q || \u_dut.hint_valid );
    waiting_left: assert (\u_dut.left_q <= (SlotWidth+1)'(Slots));
    waiting_asked: assert (\u_dut.asked_q == (b_offer_q || b_look_q) && !(b_offer_q && b_look_q));
    waiting_asked_for: assert (clear_q || (!(b_offer_q && b_look_q)
                           && (!\u_dut.asked_q || (\u_dut.asked_look_q == b_look_q && \u_dut.asked_slot_q == b_slot_q))
                           && (!b_look_q || \u_dut.asked_sort_q || (b_slot_q == \u_dut.look_q && !\u_dut.found_q
                                             && \u_dut.left_q != '0 && !\u_dut.asked_found_q ))
                           && (!(b_offer_q && \u_dut.asked_found_q )
                               || (b_slot_q == \u_dut.look_q && \u_dut.found_q ))));
    waiting_words: assert ((spoiled_q & ~waits_q) == '0 && !(valid && b_offer_q));
  end
endmodule
