// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Small first-in first-out queue of registers with a registered head.
///
/// Promise: a word pushed into an empty queue is at `data_o` in the next cycle; one push and one
/// pop per cycle; order is kept; `full_o`, `valid_o` and `data_o` are registers' outputs, so a push
/// may not rely on a pop of the same cycle to make room. A push while full or a pop while not
/// `valid_o` is not allowed.
///
/// Why: consumers compare and route the head in the same cycle, so it must not come through a
/// read multiplexer.
///
///             +--------------- empty, or last word leaves -------+
///   data_i ---+--> tail (Depth - 1 words, circular) --> mux -----+--> head_q --> data_o
module t3_fifo #(
  parameter int Depth = 8,
  parameter int Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             full_o,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             pop_i
);

  localparam int TailDepth = Depth - 1;
  localparam int PtrWidth = t3_pkg::index_width(TailDepth);
  localparam int CountWidth = $clog2(Depth + 1);
  localparam logic [PtrWidth-1:0] LastPtr = PtrWidth'(TailDepth - 1);

  initial if (Depth < 2) $fatal(1, "t3_fifo: Depth must be at least 2");

  logic [Width-1:0] tail_q [TailDepth];
  logic [Width-1:0] head_q;
  logic [PtrWidth-1:0] write_ptr_q, read_ptr_q;
  logic [CountWidth-1:0] count_q;
  logic valid_q, full_q;

  logic only_head;  // the tail is empty
  logic to_head;    // the pushed word skips the tail
  assign only_head = count_q == CountWidth'(1);
  assign to_head = !valid_q || (pop_i && only_head);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      valid_q <= 1'b0;
      full_q <= 1'b0;
      write_ptr_q <= '0;
      read_ptr_q <= '0;
      count_q <= '0;
    end else if (push_i || pop_i) begin
      // A push never meets a full queue, so only a push alone can fill it.
      valid_q <= push_i || !only_head;
      full_q <= push_i && !pop_i && count_q == CountWidth'(Depth - 1);
      if (push_i && !to_head) begin
        write_ptr_q <= (write_ptr_q == LastPtr) ? '0 : write_ptr_q + PtrWidth'(1);
      end
      if (pop_i && !only_head) begin
        read_ptr_q <= (read_ptr_q == LastPtr) ? '0 : read_ptr_q + PtrWidth'(1);
      end
      if (push_i != pop_i) begin
        count_q <= push_i ? count_q + CountWidth'(1) : count_q - CountWidth'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_data
    if (push_i || pop_i) begin
      if (push_i && to_head) begin
        head_q <= data_i;
      end else if (pop_i && !only_head) begin
        head_q <= tail_q[read_ptr_q];
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_tail
    if (push_i && !to_head) tail_q[write_ptr_q] <= data_i;
  end

  assign full_o = full_q;
  assign valid_o = valid_q;
  assign data_o = head_q;

  `T3_ASSERT(push_fits, !(push_i && full_q))
  `T3_ASSERT(pop_has_a_word, !(pop_i && !valid_q))

endmodule
