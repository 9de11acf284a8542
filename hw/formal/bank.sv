// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_bank of four words against what the checker keeps: how many bytes each slot was armed with and how many
/// have come since. A slot is done in the cycle in which the last of them comes, once, and in no other;
/// what else happens to a word, and what is said of it, is what docs/tracker.md says. A RAM read that collides with a write
/// returns any value.
///
/// Assumed: one operation per cycle; a word is armed with a count; the words are armed or cleared first.
module formal_bank #(
  parameter int Width = 4,
  parameter int WeightWidth = 5
) (
  input logic                   clk_i,
  input logic                   update_i,
  input logic                   arm_i,
  input logic                   offer_i,
  input logic                   look_i,
  input logic [1:0]             index_i,
  input logic [WeightWidth-1:0] weight_i,
  input logic                   tag_i,
  input logic [Width-1:0]       value_i,
  input logic                   force_i,
  input logic                   waits_i,
  input logic                   ignore_i
);
  `T3_FORMAL_RESET
  localparam int Most = 1 << (Width - 1);
  localparam int SumWidth = Width + WeightWidth;

  logic [1:0] index;
  logic tag, done, overrun, stray, refused, waits, spoiled, corrected, damaged, active;
  logic [Width-1:0] missing;
  (* hierconn *) wire \u_dut.forwarded_q ;
  (* hierconn *) wire [Width-1:0] \u_dut.forward_q ;
  (* hierconn *) wire [Width-1:0] \u_dut.ram_word ;
  (* hierconn *) wire \u_dut.update_q ;
  (* hierconn *) wire \u_dut.arm_q ;
  (* hierconn *) wire \u_dut.offer_q ;
  (* hierconn *) wire \u_dut.look_q ;
  (* hierconn *) wire [1:0] \u_dut.index_q ;
  (* hierconn *) wire [WeightWidth-1:0] \u_dut.weight_q ;
  (* hierconn *) wire [4*Width-1:0] \u_dut.u_ram.u_ram.words_q ;
  // The operation in B, as it was given.
  logic b_update_q, b_arm_q, b_offer_q, b_look_q, b_tag_q, b_force_q;
  logic [1:0] b_index_q;
  logic [WeightWidth-1:0] b_weight_q;
  logic [Width-1:0] b_value_q;
  t3_bank #(
    .Depth(4), .Width(Width), .WeightWidth(WeightWidth), .TagWidth(1)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .update_i, .arm_i, .offer_i, .look_i, .index_i, .weight_i, .tag_i, .value_i(b_value_q),
    .force_i(b_force_q), .index_o(index), .tag_o(tag), .waits_i, .ignore_i, .done_o(done), .overrun_o(overrun),
    .stray_o(stray), .refused_o(refused), .waits_o(waits), .spoiled_o(spoiled), .missing_o(missing),
    .corrected_o(corrected), .damaged_o(damaged), .active_o(active)
  );

  always_comb begin
    assume (3'(update_i) + 3'(arm_i) + 3'(offer_i) + 3'(look_i) <= 3'd1);
    assume (rst_q || !(update_i || arm_i || offer_i || look_i));
    assume (!arm_i || value_i <= Width'(Most));
  end

  always_ff @(posedge clk_i) begin
    b_update_q <= rst_q && update_i;
    b_arm_q <= rst_q && arm_i;
    b_offer_q <= rst_q && offer_i;
    b_look_q <= rst_q && look_i;
    b_index_q <= index_i;
    b_weight_q <= weight_i;
    b_tag_q <= tag_i;
    b_force_q <= force_i;
    b_value_q <= value_i;
  end

  // Each slot: armed with so many bytes, so many of them have come. It counts while some are missing.
  logic [4*SumWidth-1:0] armed_q, came_q;
  logic [3:0] waits_q, spoiled_q;
  logic [SumWidth-1:0] armed, came;
  logic counts, counted;
  assign armed = armed_q[b_index_q*SumWidth +: SumWidth];
  assign came = came_q[b_index_q*SumWidth +: SumWidth];
  assign counts = came < armed;
  assign counted = b_update_q && !ignore_i;

  logic completes, surplus, accepted;
  assign completes = counted && counts && came + SumWidth'(b_weight_q) == armed;
  assign surplus = counted && counts && came + SumWidth'(b_weight_q) > armed;
  assign accepted = b_arm_q && (b_force_q || !(counts || waits_q[b_index_q]));

  for (genvar k = 0; k < 4; k++) begin : gen_slot
    logic here;
    assign here = b_index_q == 2'(k);
    always_ff @(posedge clk_i) begin
      if (!rst_q) begin
        armed_q[k*SumWidth +: SumWidth] <= '0;
        came_q[k*SumWidth +: SumWidth] <= '0;
        waits_q[k] <= 1'b0;
        spoiled_q[k] <= 1'b0;
      end else if (here && accepted) begin
        armed_q[k*SumWidth +: SumWidth] <= SumWidth'(b_value_q);
        came_q[k*SumWidth +: SumWidth] <= '0;
        waits_q[k] <= 1'b0;
        spoiled_q[k] <= 1'b0;
      end else if (here && surplus) begin
        armed_q[k*SumWidth +: SumWidth] <= '0;
        came_q[k*SumWidth +: SumWidth] <= '0;
        spoiled_q[k] <= 1'b1;
      end else if (here && counted && counts) begin
        came_q[k*SumWidth +: SumWidth] <= came + SumWidth'(b_weight_q);
        waits_q[k] <= completes && waits_i;
      end else if (here && counted && waits_q[k]) begin
        spoiled_q[k] <= 1'b1;
      end else if (here && b_offer_q) begin
        waits_q[k] <= 1'b0;
      end
    end
  end

  // The word of a slot.
  logic [4*Width-1:0] words;
  logic in_range, exclusive;
  always_comb begin
    in_range = 1'b1;
    exclusive = 1'b1;
    for (int k = 0; k < 4; k++) begin
      if (armed_q[k*SumWidth +: SumWidth] > SumWidth'(Most)
          || came_q[k*SumWidth +: SumWidth] > armed_q[k*SumWidth +: SumWidth]) in_range = 1'b0;
      if ((waits_q[k] || spoiled_q[k])
          && came_q[k*SumWidth +: SumWidth] != armed_q[k*SumWidth +: SumWidth]) exclusive = 1'b0;
      words[k*Width +: Width] = (waits_q[k] || spoiled_q[k])
          ? Width'(Most) | Width'({spoiled_q[k], waits_q[k]})
          : Width'(armed_q[k*SumWidth +: SumWidth] - came_q[k*SumWidth +: SumWidth]);
    end
    // Cleared.
    if (!rst_q) assume (\u_dut.u_ram.u_ram.words_q == '0);
  end

  logic b_any;
  assign b_any = b_update_q || b_arm_q || b_offer_q || b_look_q;

  always @(posedge clk_i) if (rst_q) begin
    // What the words mean, and that B has the operation and the word it should.
    bank_words: assert (\u_dut.u_ram.u_ram.words_q == words);
    bank_range: assert (in_range && exclusive);
    bank_operation: assert ({\u_dut.update_q , \u_dut.arm_q , \u_dut.offer_q , \u_dut.look_q }
                            == {b_update_q, b_arm_q, b_offer_q, b_look_q}
                            && (!b_any || \u_dut.index_q == b_index_q)
                            && (!b_update_q || \u_dut.weight_q == b_weight_q)
                            && (!b_arm_q || b_value_q <= Width'(Most))
                            && 3'(b_update_q) + 3'(b_arm_q) + 3'(b_offer_q) + 3'(b_look_q) <= 3'd1);
    bank_read: assert (!b_any || (\u_dut.forwarded_q ? \u_dut.forward_q : \u_dut.ram_word )
                                 == words[b_index_q*Width +: Width]);
    // The promises.
    bank_done_when_all_came: assert (done == completes);
    bank_overrun: assert (overrun == surplus);
    bank_stray: assert (stray == (counted && !counts && !spoiled_q[b_index_q]));
    bank_refuses: assert (refused == (b_arm_q && !accepted));
    bank_says_who: assert (!b_any || (index == b_index_q && (!b_update_q || tag == b_tag_q)));
    bank_shows: assert (!b_any || (missing == Width'(armed - came) && waits == waits_q[b_index_q]
                                   && spoiled == spoiled_q[b_index_q]));
    bank_quiet: assert (active == b_any && !corrected && !damaged);
    cover_largest: cover (completes && armed == SumWidth'(Most) && came != '0);
    cover_twice: cover (completes && waits_i && $past(counted) && $past(b_index_q) == b_index_q);
    cover_both: cover (b_offer_q && waits && spoiled);
    cover_forced: cover (accepted && counts);
  end
endmodule
