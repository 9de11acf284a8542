// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_waiting: while no more slots wait than its queue has places, any two of them are shown in the order in which
/// their completions came, and no slot is looked for. For any two slots, and any matter between.
///
/// Assumed: a slot is pushed again only after it was shown; each slot that was pushed waits (nobody forgets one).
module formal_order #(
  localparam int Slots = 8,
  localparam int Depth = 4,
  localparam int SlotWidth = 3
) (
  input logic                 clk_i,
  input logic                 clear_i,
  input logic                 push_i,
  input logic [SlotWidth-1:0] push_slot_i,
  input logic                 grant_i,
  input logic                 ready_i
);
  `T3_FORMAL_RESET
  logic offer, look, valid, shown_spoiled, waiting, work, active;
  logic [SlotWidth-1:0] slot, shown;
  localparam int PtrWidth = $clog2(Depth);
  (* hierconn *) wire [SlotWidth:0] \u_dut.left_q ;
  (* hierconn *) wire \u_dut.sort_q ;
  (* hierconn *) wire \u_dut.asked_sort_q ;
  (* hierconn *) wire \u_dut.fresh_q ;
  (* hierconn *) wire \u_dut.unsettled_q ;
  (* hierconn *) wire \u_dut.found_q ;
  (* hierconn *) wire \u_dut.asked_q ;
  (* hierconn *) wire \u_dut.asked_look_q ;
  (* hierconn *) wire \u_dut.asked_found_q ;
  (* hierconn *) wire \u_dut.hint_valid ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.hint ;
  (* hierconn *) wire \u_dut.u_hints.mid_valid_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_hints.mid ;
  (* hierconn *) wire [PtrWidth:0] \u_dut.u_hints.count_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.u_hints.read_ptr_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.u_hints.write_ptr_q ;
  (* hierconn *) wire [Depth*SlotWidth-1:0] \u_dut.u_hints.u_ram.u_ram.words_q ;
  logic b_offer_q;
  logic [SlotWidth-1:0] b_slot_q;
  t3_waiting #(
    .Slots(Slots), .Depth(Depth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .sort_i(1'b0), .look_i(1'b0), .forgotten_i(1'b0), .settled_i(1'b1),
    .quiet_i(1'b1), .push_i, .push_slot_i, .offer_o(offer), .look_o(look), .slot_o(slot), .grant_i,
    .hit_i(b_offer_q), .spoiled_i(1'b0), .valid_o(valid), .ready_i, .shown_o(shown), .shown_spoiled_o(shown_spoiled),
    .waiting_o(waiting), .work_o(work), .active_o(active)
  );

  // How many wait, whether these two do, and whether `first` began to wait before `then` did.
  (* anyconst *) logic [SlotWidth-1:0] first;
  (* anyconst *) logic [SlotWidth-1:0] then;
  logic [2:0] waiting_q;
  logic first_q, then_q, before_q, first_shows, then_shows;
  assign first_shows = b_offer_q && b_slot_q == first;
  assign then_shows = b_offer_q && b_slot_q == then;
  always_comb begin
    assume (first != then);
    assume (!grant_i || offer || look);
    assume (!clear_i || !(push_i || grant_i || b_offer_q));
    assume (!push_i || (waiting_q < 3'(Depth) && rst_q));
    assume (!(push_i && push_slot_i == first && first_q) && !(push_i && push_slot_i == then && then_q));
  end
  always_ff @(posedge clk_i) begin
    b_offer_q <= rst_q && grant_i && offer;
    b_slot_q <= slot;
    if (!rst_q || clear_i) begin
      waiting_q <= '0;
      {first_q, then_q, before_q} <= '0;
    end else begin
      waiting_q <= waiting_q + 3'(push_i) - 3'(b_offer_q);
      if (first_shows) {first_q, before_q} <= '0;
      if (then_shows) {then_q, before_q} <= '0;
      if (push_i && push_slot_i == first) first_q <= 1'b1;
      if (push_i && push_slot_i == then) begin
        then_q <= 1'b1;
        before_q <= first_q && !first_shows;
      end
    end
  end

  // Where each of the two is, from the answer that is under way to the last word of the queue: a bit per place.
  logic [Depth+2:0] first_at, then_at, places;
  logic [PtrWidth-1:0] at;
  logic [SlotWidth-1:0] word;
  always_comb begin
    places = '0;
    first_at = '0;
    then_at = '0;
    at = '0;
    word = '0;
    for (int i = 0; i < Depth + 3; i++) begin
      at = PtrWidth'(i - 3) + \u_dut.u_hints.read_ptr_q ;
      if (i == 0) begin
        places[i] = b_offer_q;
        word = b_slot_q;
      end else if (i == 1) begin
        places[i] = \u_dut.hint_valid ;
        word = \u_dut.hint ;
      end else if (i == 2) begin
        places[i] = \u_dut.u_hints.mid_valid_q ;
        word = \u_dut.u_hints.mid ;
      end else begin
        places[i] = (PtrWidth+1)'(i - 3) < \u_dut.u_hints.count_q ;
        word = \u_dut.u_hints.u_ram.u_ram.words_q [at*SlotWidth +: SlotWidth];
      end
      first_at[i] = places[i] && word == first;
      then_at[i] = places[i] && word == then;
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    order_kept: assert (!(then_shows && before_q));
    order_only_what_waits: assert ((!first_shows || first_q) && (!then_shows || then_q));
    order_nobody_is_looked_for: assert (\u_dut.left_q == '0);
    // The state.
    order_places: assert ((first_at & (first_at - 1'b1)) == '0 && (then_at & (then_at - 1'b1)) == '0
                          && (first_at != '0) == first_q && (then_at != '0) == then_q);
    order_of_places: assert (!(first_q && then_q) || before_q == (first_at < then_at));
    order_before: assert (!before_q || (first_q && then_q));
    order_counts: assert (4'(waiting_q) == 4'(\u_dut.u_hints.count_q ) + 4'(places[0]) + 4'(places[1]) + 4'(places[2])
                          && waiting_q <= 3'(Depth)
                          && PtrWidth'(\u_dut.u_hints.write_ptr_q - \u_dut.u_hints.read_ptr_q )
                             == PtrWidth'(\u_dut.u_hints.count_q ));
    order_asked: assert (!(\u_dut.sort_q || \u_dut.asked_sort_q || \u_dut.fresh_q || \u_dut.unsettled_q )
                         && !\u_dut.found_q && \u_dut.asked_q == b_offer_q
                         && (!b_offer_q || (!\u_dut.asked_look_q && !\u_dut.asked_found_q )));
    cover_full: cover (waiting_q == 3'(Depth) && first_q && before_q);
    cover_both: cover (first_shows && before_q && waiting_q == 3'd4);
  end
endmodule
