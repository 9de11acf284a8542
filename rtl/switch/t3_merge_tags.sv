// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
`include "t3_switch_types.svh"
/// The merge table without its data: which lines are inside, how many contributions of each, which is the oldest.
///
/// Promise: one operation per cycle, also on one set in successive cycles; each sees what the one before has
/// written. It is given in a cycle A with `…_i` and reads its set; in the next cycle B the outputs say what becomes of
/// the data, and the set is written. Both cycles last until `go_i`. What an operation does: t3_merge_set.
///
///   clk            A     B
///   update_i     __/‾‾‾\_______________   header_i, set_i
///   move_o       ________<‾‾‾>_________   index_o, header_o; the RAM is written at its end
///
/// Why: as t3_bank. A set is one word, so one read-modify-write is enough for everything, in one order.
module t3_merge_tags #(
  parameter int LineWidth = 41,
  parameter int CountWidth = 7,
  parameter int Sets = 128,
  parameter int Ways = 4,
  localparam int SetWidth = t3_pkg::index_width(Sets),
  localparam int IndexWidth = t3_pkg::index_width(Sets * Ways),
  localparam int CountOfWidth = $clog2(Sets * Ways + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic go_i,

  /// A: at most one of these. `clear_i` makes all entries of a set free, whatever its word is.
  input  logic                       update_i,
  input  logic                       visit_i,
  input  logic                       clear_i,
  input  logic [SetWidth-1:0]        set_i,
  input  logic [`T3_HEADER_BITS-1:0] header_i,

  /// B: the settings are read here.
  input  logic [CountWidth-1:0]      expected_i,
  input  logic                       drain_i,
  /// T3_MOVE_T, zero without an operation, and the entry; T3_HEADER_T of what leaves.
  output logic [`T3_MOVE_BITS-1:0]   move_o,
  output logic [IndexWidth-1:0]      index_o,
  output logic [`T3_HEADER_BITS-1:0] header_o,
  /// An update or a visit is in B.
  output logic                       active_o,
  /// No entry is taken. Operations in B have not been counted.
  output logic                       empty_o
);

  localparam int WayWidth = t3_pkg::index_width(Ways);
  localparam int OrderWidth = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1;
  localparam int WordWidth = OrderWidth + Ways * `T3_ENTRY_BITS;

  // ---- A: read ------------------------------------------------------------------------------------
  logic read, write, changes, forwarded_q, update_q, visit_q, clear_q;
  logic [SetWidth-1:0] set_q;
  logic [`T3_HEADER_BITS-1:0] header_q;
  logic [WordWidth-1:0] ram_word, forward_q, word, after, next;

  assign read = go_i && (update_i || visit_i || clear_i);
  assign active_o = update_q || visit_q;

  t3_ram_1r1w #(.Depth(Sets), .Width(WordWidth)) u_ram (
    .clk_i,
    .en_i(read || write), .we_i(write), .waddr_i(set_q), .wdata_i(next), .re_i(read), .raddr_i(set_i),
    .rdata_o(ram_word)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_operation
    if (!rst_ni) begin
      update_q <= 1'b0;
      visit_q <= 1'b0;
      clear_q <= 1'b0;
    end else if (go_i) begin
      update_q <= update_i;
      visit_q <= visit_i;
      clear_q <= clear_i;
    end
  end

  always_ff @(posedge clk_i) begin : p_operands
    if (read) begin
      set_q <= set_i;
      forwarded_q <= write && set_q == set_i;
      if (write) forward_q <= next;
    end
    if (go_i && update_i) header_q <= header_i;
  end

  // ---- B: what it is, and what becomes of it ------------------------------------------------------
  logic taken, freed;
  logic [WayWidth-1:0] way;

  assign word = forwarded_q ? forward_q : ram_word;

  t3_merge_set #(.LineWidth(LineWidth), .CountWidth(CountWidth), .Ways(Ways)) u_set (
    .update_i(update_q), .visit_i(visit_q), .header_i(header_q), .expected_i, .drain_i,
    .word_i(word), .word_o(after), .write_o(changes), .move_o, .way_o(way), .header_o,
    .taken_o(taken), .freed_o(freed)
  );

  assign write = go_i && (changes || clear_q);
  assign next = clear_q ? '0 : after;
  assign index_o = (IndexWidth'(set_q) << $clog2(Ways)) | IndexWidth'(way);

  // ---- entries that are taken ---------------------------------------------------------------------
  logic [CountOfWidth-1:0] entries_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_entries
    if (!rst_ni) begin
      entries_q <= '0;
    end else if (go_i && (taken || freed)) begin
      entries_q <= taken ? entries_q + CountOfWidth'(1) : entries_q - CountOfWidth'(1);
    end
  end

  assign empty_o = entries_q == '0;

  `T3_ASSERT(one_operation, 32'(update_i) + 32'(visit_i) + 32'(clear_i) <= 1)
  `T3_ASSERT(entries_fit, !taken || entries_q != CountOfWidth'(Sets * Ways))
  `T3_ASSERT(frees_a_taken_one, !freed || entries_q != '0)

endmodule
