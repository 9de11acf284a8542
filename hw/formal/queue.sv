// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_queue against a list of words: nothing is lost, doubled, reordered or invented, the output is stable
/// until it is taken, a word is at the output at most two cycles after the last one left it, whether or not
/// others are pushed, and a clear forgets all. A RAM read that collides with a write returns any value.
module formal_queue #(
  parameter int Depth = 4,
  parameter int Width = 2
) (
  input logic             clk_i,
  input logic             clear_i,
  input logic             push_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i
);
  `T3_FORMAL_RESET
  localparam int PtrWidth = $clog2(Depth);
  localparam int Places = Depth + 2;

  logic valid, active, corrected, damaged;
  logic [Width-1:0] data;
  logic [PtrWidth:0] count;
  (* hierconn *) wire [PtrWidth:0] \u_dut.count_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.read_ptr_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.write_ptr_q ;
  (* hierconn *) wire \u_dut.mid_valid_q ;
  (* hierconn *) wire [Width-1:0] \u_dut.mid ;
  (* hierconn *) wire [Depth*Width-1:0] \u_dut.u_ram.u_ram.words_q ;
  t3_queue #(
    .Depth(Depth), .Width(Width)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .push_i, .data_i, .valid_o(valid), .ready_i, .data_o(data),
    .count_o(count), .corrected_o(corrected), .damaged_o(damaged), .active_o(active)
  );

  // The list, oldest word lowest.
  logic [Places*Width-1:0] list_q, list_popped;
  logic [3:0] count_q, count_popped;
  assign list_popped = (valid && ready_i) ? list_q >> Width : list_q;
  assign count_popped = count_q - 4'(valid && ready_i);

  // What the owner promises: at most Depth words that have not left, and none in a clear.
  always_comb assume (!push_i || (count_q < 4'(Depth) && !clear_i));

  always_ff @(posedge clk_i) begin
    if (!rst_q || clear_i) begin
      count_q <= '0;
    end else begin
      count_q <= count_popped + 4'(push_i);
      for (int i = 0; i < Places; i++) begin
        list_q[i*Width +: Width] <= (push_i && count_popped == 4'(i))
                                    ? data_i : list_popped[i*Width +: Width];
      end
    end
  end

  // The words in the RAM, and all inside, in the order in which they will leave.
  logic [Depth*Width-1:0] stored;
  logic [Places*Width-1:0] inside;
  always_comb begin
    stored = \u_dut.u_ram.u_ram.words_q ;
    for (int i = 0; i < Depth; i++) begin
      if (32'(i) < 32'(\u_dut.read_ptr_q )) stored = {stored[Width-1:0], stored[Depth*Width-1:Width]};
    end
    inside = (2*Width+Depth*Width)'(stored);
    if (\u_dut.mid_valid_q ) inside = {inside[Places*Width-Width-1:0], \u_dut.mid };
    if (valid) inside = {inside[Places*Width-Width-1:0], data};
  end

  logic same;
  always_comb begin
    same = 1'b1;
    for (int i = 0; i < Places; i++) begin
      if (32'(i) < 32'(count_q) && inside[i*Width +: Width] != list_q[i*Width +: Width]) same = 1'b0;
    end
  end

  // Cycles that words have been inside and none at the output.
  logic [1:0] hidden_q;
  logic seen_q, ready_past_q, clear_past_q;
  logic [Width-1:0] data_past_q;
  always_ff @(posedge clk_i) begin
    hidden_q <= (!rst_q || clear_i || valid || count_q == '0) ? '0 : hidden_q + 2'd1;
    seen_q <= rst_q && valid;
    ready_past_q <= ready_i;
    clear_past_q <= clear_i;
    data_past_q <= data;
  end

  always @(posedge clk_i) if (rst_q) begin
    queue_count: assert (count_q == 4'(valid) + 4'(\u_dut.mid_valid_q ) + 4'(\u_dut.count_q ));
    queue_bound: assert (count_q <= 4'(Depth));
    queue_pointers: assert (PtrWidth'(\u_dut.write_ptr_q - \u_dut.read_ptr_q )
                            == PtrWidth'(\u_dut.count_q ));
    queue_words: assert (same);
    queue_live: assert (hidden_q < 2'd2);
    queue_occupancy: assert (4'(count) == count_q);
    queue_not_stuck: assert (valid || count_q == '0 || active);
    queue_stable: assert (!(seen_q && !ready_past_q && !clear_past_q) || (valid && data == data_past_q));
    queue_output: assert (!valid || data == list_q[0 +: Width]);
    queue_unprotected: assert (!corrected && !damaged);
    cover_hidden: cover (hidden_q == 2'd1);
    cover_full: cover (count_q == 4'(Depth));
    cover_drained: cover (seen_q && count_q == '0 && \u_dut.read_ptr_q == PtrWidth'(2));
  end
endmodule
