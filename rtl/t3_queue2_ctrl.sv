// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Control of Count queues of two places each; their owner keeps the words.
///
/// Promise: one push and one pop per queue and cycle; `full_o` and `valid_o` are registers, so a
/// push may not rely on a pop of the same cycle to make room. In the cycle of a push the owner
/// writes its word to the head (`to_head_o`) or to the tail (`to_tail_o`), and moves the tail to
/// the head where `shift_o` is up. A push while full or a pop while not valid is not allowed.
///
/// Why: with one bit per queue in each vector this takes a few gates per queue, and a few
/// instructions for all queues in a simulator. A word toggles nothing while it does not move.
///
///             +------- empty, or the last word leaves (to_head) -------+
///   word -----+--> tail (to_tail) -------- shift ----------------------+--> head
module t3_queue2_ctrl #(
  parameter int Count = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Count-1:0] push_i,
  input  logic [Count-1:0] pop_i,
  output logic [Count-1:0] valid_o,
  output logic [Count-1:0] full_o,
  output logic [Count-1:0] to_head_o,
  output logic [Count-1:0] to_tail_o,
  output logic [Count-1:0] shift_o
);

  logic [Count-1:0] head_q, tail_q;

  assign to_head_o = push_i & (~head_q | pop_i);
  assign to_tail_o = push_i & ~to_head_o;
  assign shift_o = pop_i & tail_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else if ((push_i | pop_i) != '0) begin
      head_q <= to_head_o | shift_o | (head_q & ~pop_i);
      tail_q <= to_tail_o | (tail_q & ~pop_i);
    end
  end

  assign valid_o = head_q;
  assign full_o = tail_q;

  `T3_ASSERT(push_fits, (push_i & tail_q) == '0)
  `T3_ASSERT(pop_has_a_word, (pop_i & ~head_q) == '0)

endmodule
