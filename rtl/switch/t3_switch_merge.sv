// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
`include "t3_switch_types.svh"
/// The merge unit of an output port of a switch: docs/switch-merge.md.
///
/// Promise: it takes an update per clock and joins those of one line; whatever it has not joined leaves as an update
/// with its count. No contribution is lost or counted twice. Updates wait for nothing but room at the link for
/// updates, plain writes for nothing but room for writes.
///
///   upd_* ─► t3_merge_tags ─► t3_merge_data ──┐
///                 ▲           (RAM, adders)    ├─ t3_link_turns ─► link_*
///            t3_merge_sweep                    │   (credits)
///   wr_* ──────────────────────────► register ─┘
///
/// Why: what leaves early is an ordinary near-memory update for the home GPU, whose tracker takes its weight as
/// count x bytes. So the table may be small and forget at any time, and nothing here can fill up.
module t3_switch_merge #(
  /// Number of a line of DataWidth bits.
  parameter int LineWidth = 41,
  parameter int CountWidth = 7,
  parameter int DataWidth = 1024,
  parameter int Sets = 128,
  parameter int Ways = 4,
  parameter int AgeWidth = 20,
  /// Of each class at the link.
  parameter int Credits = 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Settings: contributions of a complete sum; cycles between two rounds, 0: none; nothing is to stay inside.
  input  logic [CountWidth-1:0] expected_i,
  input  logic [AgeWidth-1:0]   age_i,
  input  logic                  drain_i,

  /// Updates.
  input  logic                                  upd_valid_i,
  output logic                                  upd_ready_o,
  input  logic [LineWidth-1:0]                  upd_line_i,
  input  logic [CountWidth-1:0]                 upd_count_i,
  input  logic [t3_switch_pkg::FormatWidth-1:0] upd_format_i,
  input  logic [DataWidth-1:0]                  upd_data_i,

  /// Plain writes.
  input  logic                 wr_valid_i,
  output logic                 wr_ready_o,
  input  logic [LineWidth-1:0] wr_line_i,
  input  logic [DataWidth-1:0] wr_data_i,

  /// To the link, which takes what it has given a credit for. Count and format mean something for updates.
  output logic                                  link_valid_o,
  output logic                                  link_write_o,
  output logic [LineWidth-1:0]                  link_line_o,
  output logic [CountWidth-1:0]                 link_count_o,
  output logic [t3_switch_pkg::FormatWidth-1:0] link_format_o,
  output logic [DataWidth-1:0]                  link_data_o,
  input  logic                                  credit_upd_i,
  input  logic                                  credit_wr_i,

  /// No update and no write is inside.
  output logic empty_o
);

  localparam int SetWidth = t3_pkg::index_width(Sets);
  localparam int IndexWidth = t3_pkg::index_width(Sets * Ways);
  `T3_HEADER_T(header_t);
  `T3_MOVE_T(move_t);

  // Settings are registers at the outside; this one is in the path to upd_ready_o.
  logic drain_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_drain
    if (!rst_ni) drain_q <= 1'b0;
    else drain_q <= drain_i;
  end

  // ---- A: an update, or a set of the sweep ------------------------------------------------------
  logic go, update, hold, clear, visit, found, tags_active, tags_empty;
  logic [SetWidth-1:0] update_set, sweep_set;
  header_t header, b_header, e_header;

  assign header.format = upd_format_i;
  assign header.count = upd_count_i;
  assign header.line = upd_line_i;

  if (Sets > 1) begin : gen_sets
    t3_fold #(.SlotWidth(LineWidth), .BankBits(SetWidth)) u_set (.slot_i(upd_line_i), .bank_o(update_set));
  end else begin : gen_one_set
    assign update_set = '0;
  end

  assign upd_ready_o = go && !hold;
  assign update = upd_valid_i && upd_ready_o;

  t3_merge_sweep #(.Sets(Sets), .AgeWidth(AgeWidth)) u_sweep (
    .clk_i, .rst_ni, .go_i(go), .age_i, .drain_i(drain_q), .empty_i(tags_empty), .update_i(upd_valid_i),
    .hold_o(hold), .clear_o(clear), .visit_o(visit), .set_o(sweep_set), .found_i(found)
  );

  // ---- A, B: the table ----------------------------------------------------------------------------
  move_t b_move;
  logic [IndexWidth-1:0] b_index;

  t3_merge_tags #(.LineWidth(LineWidth), .CountWidth(CountWidth), .Sets(Sets), .Ways(Ways)) u_tags (
    .clk_i, .rst_ni, .go_i(go),
    .update_i(update), .visit_i(visit), .clear_i(clear), .set_i(update ? update_set : sweep_set),
    .header_i(header), .expected_i, .drain_i(drain_q),
    .move_o(b_move), .index_o(b_index), .header_o(b_header), .active_o(tags_active), .empty_o(tags_empty)
  );
  // Of a visit, which is what the sweep asks about.
  assign found = b_move.leave;

  // ---- B to E: the data ---------------------------------------------------------------------------
  logic [1:0] valid, send;  // updates, writes
  logic [DataWidth-1:0] e_data;
  logic data_active;

  t3_merge_data #(
    .DataWidth(DataWidth), .LineWidth(LineWidth), .CountWidth(CountWidth), .Entries(Sets * Ways)
  ) u_data (
    .clk_i, .rst_ni, .go_o(go),
    .update_i(update), .data_i(upd_data_i), .move_i(b_move), .index_i(b_index), .header_i(b_header),
    .valid_o(valid[0]), .taken_i(send[0]), .header_o(e_header), .data_o(e_data), .active_o(data_active)
  );

  // ---- plain writes -------------------------------------------------------------------------------
  logic wr_valid_q;
  logic [LineWidth-1:0] wr_line_q;
  logic [DataWidth-1:0] wr_data_q;

  assign wr_ready_o = !wr_valid_q || send[1];
  assign valid[1] = wr_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_write
    if (!rst_ni) wr_valid_q <= 1'b0;
    else if (wr_ready_o) wr_valid_q <= wr_valid_i;
  end

  always_ff @(posedge clk_i) begin : p_write_word
    if (wr_ready_o && wr_valid_i) begin
      wr_line_q <= wr_line_i;
      wr_data_q <= wr_data_i;
    end
  end

  // ---- the link -----------------------------------------------------------------------------------
  t3_link_turns #(.Credits(Credits)) u_turns (
    .clk_i, .rst_ni, .valid_i(valid), .credit_i({credit_wr_i, credit_upd_i}), .send_o(send)
  );

  assign link_valid_o = send != '0;
  assign link_write_o = send[1];
  assign link_line_o = send[1] ? wr_line_q : e_header.line;
  assign link_count_o = e_header.count;
  assign link_format_o = e_header.format;
  assign link_data_o = send[1] ? wr_data_q : e_data;

  assign empty_o = tags_empty && !tags_active && !data_active && !wr_valid_q;

  initial begin : p_check
    if (Sets < 1 || (Sets & (Sets - 1)) != 0) $fatal(1, "Sets: expected a power of 2");
    if (Ways < 1 || (Ways & (Ways - 1)) != 0) $fatal(1, "Ways: expected a power of 2");
    if (LineWidth < SetWidth) $fatal(1, "LineWidth: expected log2 Sets at least");
    if (CountWidth < 1) $fatal(1, "CountWidth: expected 1 at least");
    if (DataWidth < 1 || DataWidth % t3_switch_pkg::LaneWidth != 0) $fatal(1, "DataWidth: expected a multiple of 32");
    if (AgeWidth < 1) $fatal(1, "AgeWidth: expected 1 at least");
    if (Credits < 1) $fatal(1, "Credits: expected 1 at least");
  end

endmodule
