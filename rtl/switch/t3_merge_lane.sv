// SPDX-License-Identifier: Apache-2.0
/// The way of 32 bits of data through t3_merge_data, which says what is done in every cycle; and their adder.
///
/// Promise: what t3_merge_data draws, for one lane. `result_o` is what D writes to the RAM.
///
/// Why: each lane has its own registers of what the adder has to know, so that no signal that the adder waits for has a
/// thousand gates to reach.
module t3_merge_lane #(
  localparam int LaneWidth = t3_switch_pkg::LaneWidth
) (
  input  logic                                  clk_i,
  /// At the end of A: an update's data comes. At the end of B: it goes on.
  input  logic                                  load_b_i,
  input  logic [LaneWidth-1:0]                  data_i,
  input  logic                                  load_c_i,
  /// At the end of C: what D adds, or not; the new operand; the old one, which is what D writes now, or has
  /// written in the cycle before, or the RAM's.
  input  logic                                  load_d_i,
  input  logic                                  add_i,
  input  logic [t3_switch_pkg::FormatWidth-1:0] format_i,
  input  logic                                  load_new_i,
  input  logic                                  load_old_i,
  input  logic                                  from_d_i,
  input  logic                                  from_stored_i,
  input  logic [LaneWidth-1:0]                  ram_data_i,
  /// At the end of D: what it writes is kept; something leaves, the new operand as it is or else.
  input  logic                                  load_stored_i,
  input  logic                                  load_e_i,
  input  logic                                  pass_i,
  output logic [LaneWidth-1:0]                  result_o,
  output logic [LaneWidth-1:0]                  data_o
);

  logic [LaneWidth-1:0] b_q, c_q, new_q, old_q, stored_q, e_q, sum;
  logic [t3_switch_pkg::FormatWidth-1:0] format_q;
  logic add_q;

  t3_lane_add u_add (.format_i(format_q), .a_i(old_q), .b_i(new_q), .sum_o(sum));
  assign result_o = add_q ? sum : new_q;

  always_ff @(posedge clk_i) begin : p_words
    if (load_b_i) b_q <= data_i;
    if (load_c_i) c_q <= b_q;
    if (load_d_i) begin
      add_q <= add_i;
      format_q <= format_i;
    end
    if (load_new_i) new_q <= c_q;
    if (load_old_i) old_q <= from_d_i ? result_o : from_stored_i ? stored_q : ram_data_i;
    if (load_stored_i) stored_q <= result_o;
    if (load_e_i) e_q <= (add_q || pass_i) ? result_o : old_q;
  end

  assign data_o = e_q;

endmodule
