// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_queue2_ctrl with an owner that keeps the words, against a list of two words.
module formal_queue2_ctrl #(
  parameter int Width = 4
) (
  input logic             clk_i,
  input logic [1:0]       push_i,
  input logic [1:0]       pop_i,
  input logic [Width-1:0] word_i
);
  `T3_FORMAL_RESET

  logic [1:0] valid, full;
  t3_queue2_ctrl #(
    .Count(2)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .push_i, .pop_i, .valid_o(valid), .full_o(full)
  );

  always_comb begin
    assume ((push_i & full) == '0);
    assume ((pop_i & ~valid) == '0);
  end

  // The owner's words of queue 0 (queue 1 does what it likes), and the list.
  logic [Width-1:0] head_q, tail_q, first_q, second_q;
  logic [1:0] count_q;

  always_ff @(posedge clk_i) begin
    if (pop_i[0] || !valid[0]) head_q <= full[0] ? tail_q : word_i;
    if (!full[0]) tail_q <= word_i;

    if (!rst_q) begin
      count_q <= '0;
    end else begin
      count_q <= count_q + 2'(push_i[0]) - 2'(pop_i[0]);
      if (pop_i[0]) first_q <= second_q;
      if (push_i[0]) begin
        if (count_q - 2'(pop_i[0]) == 2'd0) first_q <= word_i;
        else second_q <= word_i;
      end
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    queue_counts: assert (valid[0] == (count_q != 2'd0) && full[0] == (count_q == 2'd2));
    queue_bound: assert (count_q <= 2'd2);
    queue_head: assert (count_q == 2'd0 || head_q == first_q);
    queue_tail: assert (count_q != 2'd2 || tail_q == second_q);
    cover_full_then_empty: cover (full == 2'b11 && pop_i == 2'b11);
    cover_flow_through: cover (valid[0] && !full[0] && push_i[0] && pop_i[0]);
  end
endmodule
