// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Control of Count queues of two places each; their owner keeps the words.
///
/// Promise: one push and one pop per queue and cycle; `full_o` and `valid_o` are registers, so a
/// push may not rely on a pop of the same cycle to make room. The owner writes a word that comes to the tail, and to the
/// head the tail if `full_o`, else the word that comes: with each pop, and while the head is not valid. A push while full
/// or a pop while not valid is not allowed.
///
/// Why: with one bit per queue in each vector this takes a few gates per queue, and a few
/// instructions for all queues in a simulator. What is not valid may be anything, so words wait for no late `push_i`.
module t3_queue2_ctrl #(
  parameter int Count = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Count-1:0] push_i,
  input  logic [Count-1:0] pop_i,
  output logic [Count-1:0] valid_o,
  output logic [Count-1:0] full_o
);

  logic [Count-1:0] head_q, tail_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else if ((push_i | pop_i) != '0) begin
      head_q <= push_i | tail_q | (head_q & ~pop_i);
      tail_q <= (tail_q | (push_i & head_q)) & ~pop_i;
    end
  end

  assign valid_o = head_q;
  assign full_o = tail_q;

  `T3_ASSERT(push_fits, (push_i & tail_q) == '0)
  `T3_ASSERT(pop_has_a_word, (pop_i & ~head_q) == '0)

endmodule
