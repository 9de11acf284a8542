// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_switch_types.svh"
/// The whole merge unit beside a table in words of docs/switch-merge.md, promises 2 to 6, 9 and 10: sets that are lists,
/// oldest first, to which each update, in the order in which they are taken, and each visit does what is promised. What
/// the link shows is what leaves that table: every flit of it, in order, to the bit, in the fourth cycle after the one in
/// which its update was taken, not counting those in which the unit stands. Adders are any function of format, sum and
/// contribution, so ((a + b) + c) is no other sum.
module formal_merge_order #(
  parameter int LineWidth = 3,
  parameter int CountWidth = 2,
  parameter int Sets = 2,
  parameter int Ways = 2,
  parameter int AgeWidth = 1,
  parameter int Credits = 1
) (
  input logic clk_i
);
`include "merge_unit.svh"
`include "merge_data.svh"

  typedef struct packed {
    logic                   valid;
    logic                   marked;
    logic [DataWidth-1:0]   data;
    logic [FormatWidth-1:0] format;
    logic [CountWidth-1:0]  count;
    logic [LineWidth-1:0]   line;
  } item_t;
  localparam int ItemWidth = 2 + DataWidth + HeaderWidth;
  localparam int ListWidth = Ways * ItemWidth;

  // The update that was taken last, until the unit goes on.
  logic go, drain_is;
  assign go = \u_dut.go ;
  assign drain_is = \u_dut.drain_q ;
  item_t update_q;
  always_ff @(posedge clk_i) begin
    if (!rst_q) update_q <= '0;
    else if (go) update_q <= {upd_valid && upd_ready, 1'b0, upd_data, upd_format, upd_count, upd_line};
  end

  // ---- what it, or a visit, does to its set -------------------------------------------------------------
  logic [Sets*ListWidth-1:0] lists_q;
  logic [ListWidth-1:0] list, after, next_list;
  logic [SetWidth-1:0] set;
  logic [CountWidth:0] sum;
  logic [Ways-1:0] goes;
  logic visit, joined, kept, found, marks;
  int place;
  item_t item, left, update;
  assign visit = \u_dut.u_tags.visit_q ;
  assign set = visit ? \u_dut.u_tags.set_q : set_of(update_q.line);
  assign update = update_q;
  always_comb begin
    list = '0;
    for (int s = 0; s < Sets; s++) if (set == SetWidth'(s)) list = lists_q[s*ListWidth +: ListWidth];
    after = list;
    left = '0;
    item = '0;
    sum = '0;
    goes = '0;      // which one does not stay
    joined = 1'b0;
    found = 1'b0;
    kept = 1'b0;    // the update becomes the youngest
    marks = 1'b0;
    if (update.valid && (drain_is || update.format == 2'd3 || update.count == '0 || update.count >= expected)) begin
      left = update;
    end else if (update.valid) begin
      for (int p = 0; p < Ways; p++) begin
        item = list[p*ItemWidth +: ItemWidth];
        if (item.valid && item.line == update.line) begin
          found = 1'b1;
          sum = {1'b0, item.count} + {1'b0, update.count};
          if (item.format == update.format && sum <= {1'b0, expected}) begin
            joined = 1'b1;
            item.data = sums[{update.format, item.data, update.data}*DataWidth +: DataWidth];
            item.count = sum[CountWidth-1:0];
            item.marked = 1'b0;
            after[p*ItemWidth +: ItemWidth] = item;
            goes[p] = sum == {1'b0, expected};
          end else begin
            goes[p] = 1'b1;
          end
        end
      end
      item = list[(Ways-1)*ItemWidth +: ItemWidth];
      if (!found && item.valid) goes[0] = 1'b1;
      kept = !joined;
    end else if (visit) begin
      marks = 1'b1;
      for (int p = Ways - 1; p >= 0; p--) begin
        item = list[p*ItemWidth +: ItemWidth];
        if (item.valid && (item.marked || drain_is)) begin
          goes = Ways'(1) << p;
          marks = 1'b0;
        end
      end
    end
    // What is left moves up.
    place = 0;
    next_list = '0;
    for (int p = 0; p < Ways; p++) begin
      item = after[p*ItemWidth +: ItemWidth];
      if (marks) item.marked = 1'b1;
      if (item.valid && goes[p]) begin
        left = item;
      end else if (item.valid) begin
        for (int q = 0; q <= p; q++) if (q == place) next_list[q*ItemWidth +: ItemWidth] = item;
        place = place + 1;
      end
    end
    for (int q = 0; q < Ways; q++) if (kept && q == place) next_list[q*ItemWidth +: ItemWidth] = update;
  end

  // What has left the table: in C, D, E.
  item_t c_q, d_q, e_q;
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      lists_q <= '0;
      c_q <= '0;
      d_q <= '0;
      e_q <= '0;
    end else if (go) begin
      for (int s = 0; s < Sets; s++) if (set == SetWidth'(s)) lists_q[s*ListWidth +: ListWidth] <= next_list;
      c_q <= left;
      d_q <= c_q;
      e_q <= d_q;
    end
  end

  // ---- the unit's table is that one ----------------------------------------------------------------------
  logic same, older;
  int before, number;
  entry_t entry;
  item_t listed;
  always_comb begin
    same = 1'b1;
    entry = '0;
    listed = '0;
    older = 1'b0;
    before = 0;
    number = 0;
    for (int s = 0; s < Sets; s++) begin
      number = 0;
      for (int w = 0; w < Ways; w++) begin
        entry = \u_dut.u_tags.u_ram.words_q [s*WordWidth+w*EntryWidth +: EntryWidth];
        before = 0;
        for (int v = 0; v < Ways; v++) begin
          older = (v < w) ? \u_dut.u_tags.u_ram.words_q [s*WordWidth+Ways*EntryWidth+w*(w-1)/2+v]
                : (v > w) ? !\u_dut.u_tags.u_ram.words_q [s*WordWidth+Ways*EntryWidth+v*(v-1)/2+w] : 1'b0;
          if (valid[s*Ways+v] && older) before = before + 1;
        end
        if (valid[s*Ways+w]) begin
          number = number + 1;
          for (int p = 0; p < Ways; p++) begin
            listed = lists_q[(s*Ways+p)*ItemWidth +: ItemWidth];
            if (p == before && listed != {1'b1, entry.marked, data_of[(s*Ways+w)*DataWidth +: DataWidth],
                                          entry.format, entry.count, entry.line}) same = 1'b0;
          end
        end
      end
      for (int p = 0; p < Ways; p++) begin
        listed = lists_q[(s*Ways+p)*ItemWidth +: ItemWidth];
        if (listed.valid != (p < number)) same = 1'b0;
      end
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    // The promise.
    order_link: assert (!(link_valid && !link_write) || (e_q.valid && link_line == e_q.line && link_count == e_q.count
                                                         && link_format == e_q.format && link_data == e_q.data));
    order_nothing_else: assert (\u_dut.u_data.e_valid_q == e_q.valid);
    // What it rests on.
    order_same: assert (same);
    order_b: assert (\u_dut.u_tags.update_q == update_q.valid && !update_q.marked
                     && (!update_q.valid || (b_header == {update_q.format, update_q.count, update_q.line}
                                             && \u_dut.u_data.gen_lane[0].u_lane.b_q == update_q.data)));
    order_c: assert (c_move.leave == c_q.valid
                     && (!c_q.valid || (c_header == {c_q.format, c_q.count, c_q.line} && c_leaves == c_q.data)));
    order_d: assert (d_move.leave == d_q.valid
                     && (!d_q.valid || (d_header == {d_q.format, d_q.count, d_q.line} && d_leaves == d_q.data)));
    order_e: assert (!e_q.valid || (e_header == {e_q.format, e_q.count, e_q.line}
                                    && \u_dut.u_data.gen_lane[0].u_lane.e_q == e_q.data));
    order_add_format: assert (!c_move.add || c_header.format != 2'd3);
    cover_three: cover (link_valid && !link_write && link_count == 2'd3 && $past(joined && goes != '0, 3));
    cover_second_oldest_put_out: cover (visit && goes == 2'd2);
    cover_other_format: cover (link_valid && $past(found && !joined, 3));
    cover_oldest: cover (kept && !found && goes == 2'd1 && go);
  end
endmodule
