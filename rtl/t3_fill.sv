// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Walks the memories: after reset and on CTRL.clear all of them, on FILL the slots of a region.
///
/// Promise: after reset and after `clear_i` the lanes are closed, and the work inside runs to its end (`work_i`
/// low). Then one step per cycle visits all words, and makes them 0, whatever they are; `cleared_o` pulses in the
/// last step, and the lanes open. After `fill_i`, which may come while `idle_o` is up, a step in every other cycle,
/// so that updates go on, visits the words in which slots `first_i` … `last_i` lie. No step while `hold_i` is up.
/// What a step writes is held at the outputs.
///
///   reset ──► Clear ──last──► Idle ──clear_i──► Drain ──no work──► Clear
///                              └──fill_i──► Fill ──last──► Idle
///
/// Why: memories have no reset. A clear waits for the work inside, so that no update is half counted.
module t3_fill #(
  parameter int SlotWidth = 12,
  parameter int BankBits = 3,
  parameter int CountWidth = 23,
  /// Bits of the number of a step: enough for the words of a bank, and for those of rows.
  parameter int WalkWidth = 9
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  fill_i,
  input  logic [SlotWidth-1:0]  first_i,
  input  logic [SlotWidth-1:0]  last_i,
  input  logic [CountWidth-1:0] value_i,
  input  logic                  force_i,
  input  logic                  work_i,
  input  logic                  hold_i,
  output logic                  open_o,
  output logic                  idle_o,
  output logic                  filling_o,
  output logic                  clear_walk_o,
  output logic                  cleared_o,
  /// T3_FILL_T.
  output logic [`T3_FILL_BITS-1:0]   fill_o
);

  typedef enum logic [1:0] {
    Clear, Idle, Drain, Fill
  } state_t;

  `T3_FILL_T(fill_t);
  state_t state_q;
  fill_t fill;
  logic [WalkWidth-1:0] index_q, end_index;
  logic [SlotWidth-1:0] first_q, last_q;
  logic [CountWidth-1:0] value_q;
  logic forced_q, rest_q, step, at_end;

  assign step = (state_q == Clear || (state_q == Fill && !rest_q)) && !hold_i;
  assign end_index = (state_q == Clear) ? '1 : WalkWidth'(last_q[SlotWidth-1:BankBits]);
  assign at_end = step && index_q == end_index;

  always_comb begin : p_step
    fill.step = step;
    fill.index = index_q;
    fill.first = first_q;
    fill.last = last_q;
    fill.value = value_q;
    fill.forced = forced_q;
  end
  assign fill_o = fill;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= Clear;
      index_q <= '0;
      rest_q <= 1'b0;
    end else if (state_q != Idle || clear_i || fill_i) begin
      rest_q <= step;
      if (step) index_q <= index_q + WalkWidth'(1);
      unique case (state_q)
        Idle: begin
          if (clear_i) state_q <= Drain;
          else if (fill_i) state_q <= Fill;
          index_q <= clear_i ? '0 : WalkWidth'(first_i[SlotWidth-1:BankBits]);
        end
        Drain: if (!work_i) state_q <= Clear;
        default: begin  // Clear, Fill
          if (at_end) state_q <= Idle;
          if (state_q == Fill && clear_i) begin
            state_q <= Drain;
            index_q <= '0;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_operands
    if (!rst_ni) begin
      first_q <= '0;
      last_q <= '1;
      value_q <= '0;
      forced_q <= 1'b1;
    end else if (clear_i || fill_i) begin
      first_q <= clear_i ? '0 : first_i;
      last_q <= clear_i ? '1 : last_i;
      value_q <= clear_i ? '0 : value_i;
      forced_q <= clear_i || force_i;
    end
  end

  assign open_o = state_q == Idle || state_q == Fill;
  assign idle_o = state_q == Idle;
  assign filling_o = state_q == Fill;
  assign clear_walk_o = state_q == Clear;
  assign cleared_o = state_q == Clear && at_end;

endmodule
