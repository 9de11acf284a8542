// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// First-in first-out queue in RAM.
///
/// Promise: a word pushed into an empty queue is at the output in the next cycle; up to one word
/// per cycle in and out; `valid_o` and `data_o` are registers and stay until `ready_i`. There is no
/// back-pressure: the owner pushes at most Depth words that have not left. A word that is damaged in the
/// RAM is dropped in the cycle in which it would have gone on, with `damaged_o`.
///
///                  +------------------ queue empty ------------------+
///   data_i --------+--> RAM (Depth) --> RAM's output register -------+--> out_q --> data_o
///
/// Why: the RAM's output register is a place of the queue, which hides the RAM's read latency. Only
/// this register and `out_q` are flip-flops.
module t3_queue #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int Depth = 64,
  parameter int Width = 12,
  localparam int PtrWidth = t3_pkg::index_width(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// While up, nothing is pushed, and all words are forgotten.
  input  logic             clear_i,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o,
  /// Words inside.
  output logic [PtrWidth:0] count_o,
  /// Pulses: a word from the RAM was corrected; it was damaged.
  output logic             corrected_o,
  output logic             damaged_o,
  /// A register changes at the next edge even if `ready_i` is low.
  output logic             active_o
);

  // Odd, so that under protection a word of all zeros and one of all ones are damaged.
  localparam int HeldWidth = (Protection == t3_pkg::ProtectNone) ? Width : Width | 1;

  logic [PtrWidth-1:0] write_ptr_q, read_ptr_q;
  logic [PtrWidth:0] count_q;  // words in the RAM, without its output register
  logic mid_valid_q, out_valid_q;
  logic mid_corrected, mid_damaged, mid_leaves;
  logic load;  // at the next edge `next` becomes `data_o`
  logic [HeldWidth-1:0] held;
  logic [Width-1:0] mid, out_q, next;

  logic out_free, mid_free, bypass, ram_push, ram_read, awake;

  always_comb begin : p_flow
    out_free = !out_valid_q || ready_i;
    mid_free = !mid_valid_q || out_free;
    bypass = push_i && out_free && !mid_valid_q && count_q == '0;
    ram_push = push_i && !bypass;
    ram_read = count_q != '0 && mid_free;
    awake = push_i || out_valid_q || mid_valid_q || count_q != '0;
    mid_leaves = out_free && mid_valid_q;
    load = bypass || (mid_leaves && !mid_damaged);
    next = mid_valid_q ? mid : data_i;
  end

  assign mid = held[Width-1:0];
  assign corrected_o = mid_leaves && mid_corrected;
  assign damaged_o = mid_leaves && mid_damaged;

  t3_ram_protected #(.Protection(Protection), .Depth(Depth), .Width(HeldWidth)) u_ram (
    .clk_i,
    .en_i(awake), .we_i(ram_push), .waddr_i(write_ptr_q), .wdata_i(HeldWidth'(data_i)), .re_i(ram_read),
    .raddr_i(read_ptr_q), .rdata_o(held), .corrected_o(mid_corrected), .damaged_o(mid_damaged)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      {write_ptr_q, read_ptr_q, count_q, mid_valid_q, out_valid_q} <= '0;
    end else if (clear_i) begin
      {write_ptr_q, read_ptr_q, count_q, mid_valid_q, out_valid_q} <= '0;
    end else if (awake) begin
      if (ram_push) write_ptr_q <= write_ptr_q + PtrWidth'(1);
      if (ram_read) read_ptr_q <= read_ptr_q + PtrWidth'(1);
      if (ram_push != ram_read) begin
        count_q <= ram_push ? count_q + (PtrWidth+1)'(1) : count_q - (PtrWidth+1)'(1);
      end
      if (mid_free) mid_valid_q <= ram_read;
      if (out_free) out_valid_q <= load;
    end
  end

  always_ff @(posedge clk_i) begin : p_out
    if (load) out_q <= next;
  end

  assign valid_o = out_valid_q;
  assign data_o = out_q;
  assign count_o = count_q + (PtrWidth+1)'(mid_valid_q) + (PtrWidth+1)'(out_valid_q);
  assign active_o = (!out_valid_q && mid_valid_q) || (!mid_valid_q && count_q != '0);

  logic unused_held;
  assign unused_held = ^held;

  `T3_ASSERT(never_overflows, !ram_push || count_q != (PtrWidth+1)'(Depth))

endmodule
