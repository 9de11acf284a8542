// SPDX-License-Identifier: Apache-2.0
`include "t3_switch_types.svh"
/// The data of the merge table, and the adders.
///
/// Promise: one operation per cycle, also on one entry in successive cycles; each sees what those before have
/// written. Cycles are those of t3_merge_tags: in A an update's data comes, in B is said what becomes of it, and at the
/// end of D the entry is written and what leaves goes to the output, where it stays until `taken_i`. All cycles last
/// until `go_o`, which is a function of registers and `taken_i`.
///
///   A          B              C              D                        E
///   data_i ──► b_q ─────────► c_q ─────────► new_q ─────┬─► add ─┬──► out
///                 move_i                                │        ├──► RAM
///                   └─► RAM is read ──► ram_data ─► old_q ───────┘
///                                          ▲──── what D writes, or has written in the cycle before, if it is of
///                                                the same entry
///
/// Why: an addition takes one cycle, so updates of one line in successive cycles need no care: what D writes
/// is there for the update behind it. Adders with stages would have a shorter clock, but one addition of a
/// line would wait for the one before, just when all GPUs send the same line at the same time.
module t3_merge_data #(
  parameter int DataWidth = 1024,
  parameter int LineWidth = 41,
  parameter int CountWidth = 7,
  parameter int Entries = 512,
  localparam int IndexWidth = t3_pkg::index_width(Entries)
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic go_o,

  /// A.
  input  logic                       update_i,
  input  logic [DataWidth-1:0]       data_i,
  /// B: T3_MOVE_T of this update or of a visit, the entry, T3_HEADER_T of what leaves.
  input  logic [`T3_MOVE_BITS-1:0]   move_i,
  input  logic [IndexWidth-1:0]      index_i,
  input  logic [`T3_HEADER_BITS-1:0] header_i,
  /// E.
  output logic                       valid_o,
  input  logic                       taken_i,
  output logic [`T3_HEADER_BITS-1:0] header_o,
  output logic [DataWidth-1:0]       data_o,
  /// Something is in C, D or E.
  output logic                       active_o
);

  `T3_HEADER_T(header_t);
  `T3_MOVE_T(move_t);

  move_t b_move, c_move_q, d_move_q;
  header_t c_header_q, d_header_q, e_header_q;
  logic [IndexWidth-1:0] c_index_q, d_index_q;
  logic [DataWidth-1:0] b_q, c_q, new_q, old_q, stored_q, e_q;
  logic [DataWidth-1:0] ram_data, sum, result;
  logic e_valid_q, c_missed_q, d_stores, go;

  assign b_move = move_i;
  assign go = !e_valid_q || taken_i;
  assign go_o = go;

  // ---- the RAM: read in B, written in D ---------------------------------------------------------
  logic read;
  assign read = go && b_move.read;
  assign d_stores = go && d_move_q.store;

  t3_ram_1r1w #(.Depth(Entries), .Width(DataWidth)) u_ram (
    .clk_i,
    .en_i(read || d_stores), .we_i(d_stores), .waddr_i(d_index_q), .wdata_i(result),
    .re_i(read), .raddr_i(index_i), .rdata_o(ram_data)
  );

  // ---- D: add -------------------------------------------------------------------------------------
  t3_merge_adders #(.DataWidth(DataWidth)) u_adders (
    .format_i(d_header_q.format), .a_i(old_q), .b_i(new_q), .sum_o(sum)
  );
  assign result = d_move_q.add ? sum : new_q;

  // ---- from cycle to cycle ------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_moves
    if (!rst_ni) begin
      c_move_q <= '0;
      d_move_q <= '0;
      e_valid_q <= 1'b0;
    end else if (go) begin
      c_move_q <= b_move;
      d_move_q <= c_move_q;
      e_valid_q <= d_move_q.leave;
    end
  end

  always_ff @(posedge clk_i) begin : p_words
    if (go) begin
      if (update_i) b_q <= data_i;
      if (b_move.store || b_move.add || b_move.pass) c_q <= b_q;
      if (b_move != '0) begin
        c_index_q <= index_i;
        c_header_q <= header_i;
        c_missed_q <= d_move_q.store && d_index_q == index_i;
      end
      if (c_move_q != '0) begin
        d_index_q <= c_index_q;
        d_header_q <= c_header_q;
      end
      if (c_move_q.store || c_move_q.add || c_move_q.pass) new_q <= c_q;
      if (c_move_q.read) begin
        old_q <= (d_move_q.store && d_index_q == c_index_q) ? result : c_missed_q ? stored_q : ram_data;
      end
      if (d_move_q.store) stored_q <= result;
      if (d_move_q.leave) begin
        e_header_q <= d_header_q;
        e_q <= d_move_q.add ? sum : d_move_q.pass ? new_q : old_q;
      end
    end
  end

  assign valid_o = e_valid_q;
  assign header_o = e_header_q;
  assign data_o = e_q;
  assign active_o = c_move_q != '0 || d_move_q != '0 || e_valid_q;

endmodule
