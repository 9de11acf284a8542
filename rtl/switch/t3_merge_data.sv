// SPDX-License-Identifier: Apache-2.0
`include "t3_switch_types.svh"
/// The data of the merge table, and the adders.
///
/// Promise: one operation per cycle, also on one entry in successive cycles; each sees what those before have
/// written. Cycles are those of t3_merge_tags: in A an update's data comes, in B is said what becomes of it, and at the
/// end of D the entry is written and what leaves goes to the output, where it stays until `taken_i`. All cycles last
/// until `go_o`, which is a function of registers and `taken_i`. The data goes through t3_merge_lane, 32 bits each.
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

  localparam int LaneWidth = t3_switch_pkg::LaneWidth;
  `T3_HEADER_T(header_t);
  `T3_MOVE_T(move_t);

  move_t b_move, c_move_q, d_move_q;
  header_t c_header_q, d_header_q, e_header_q;
  logic [IndexWidth-1:0] c_index_q, d_index_q;
  logic [DataWidth-1:0] ram_data, result;
  logic e_valid_q, c_missed_q, go;

  assign b_move = move_i;
  assign go = !e_valid_q || taken_i;
  assign go_o = go;

  // ---- the RAM: read in B, written in D ---------------------------------------------------------
  logic read, stores;
  assign read = go && b_move.read;
  assign stores = go && d_move_q.store;

  t3_ram_1r1w #(.Depth(Entries), .Width(DataWidth)) u_ram (
    .clk_i,
    .en_i(read || stores), .we_i(stores), .waddr_i(d_index_q), .wdata_i(result),
    .re_i(read), .raddr_i(index_i), .rdata_o(ram_data)
  );

  // ---- the data -----------------------------------------------------------------------------------
  logic load_b, load_c, load_d, load_new, load_old, from_d, load_e;

  always_comb begin : p_loads
    load_b = go && update_i;
    load_c = go && (b_move.store || b_move.add || b_move.pass);
    load_d = go && c_move_q != '0;
    load_new = go && (c_move_q.store || c_move_q.add || c_move_q.pass);
    load_old = go && c_move_q.read;
    from_d = d_move_q.store && d_index_q == c_index_q;
    load_e = go && d_move_q.leave;
  end

  for (genvar l = 0; l < DataWidth / LaneWidth; l++) begin : gen_lane
    t3_merge_lane u_lane (
      .clk_i,
      .load_b_i(load_b), .data_i(data_i[l*LaneWidth +: LaneWidth]), .load_c_i(load_c),
      .load_d_i(load_d), .add_i(c_move_q.add), .format_i(c_header_q.format), .load_new_i(load_new),
      .load_old_i(load_old), .from_d_i(from_d), .from_stored_i(c_missed_q),
      .ram_data_i(ram_data[l*LaneWidth +: LaneWidth]),
      .load_stored_i(stores), .load_e_i(load_e), .pass_i(d_move_q.pass),
      .result_o(result[l*LaneWidth +: LaneWidth]), .data_o(data_o[l*LaneWidth +: LaneWidth])
    );
  end

  // ---- what goes with them ------------------------------------------------------------------------
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

  always_ff @(posedge clk_i) begin : p_headers
    if (go && b_move != '0) begin
      c_index_q <= index_i;
      c_header_q <= header_i;
      c_missed_q <= d_move_q.store && d_index_q == index_i;
    end
    if (load_d) begin
      d_index_q <= c_index_q;
      d_header_q <= c_header_q;
    end
    if (load_e) e_header_q <= d_header_q;
  end

  assign valid_o = e_valid_q;
  assign header_o = e_header_q;
  assign active_o = c_move_q != '0 || d_move_q != '0 || e_valid_q;

endmodule
