// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_switch_types.svh"
/// The whole merge unit, for any line: the contributions that were taken are those that have left and those inside,
/// and so is the sum of their data, when numbers are whole ones. Plain writes leave as they came, in order. Nothing
/// leaves without a credit, and the classes take turns. An update is refused for a bounded time while there are credits
/// for updates, and a write while there are credits for writes, whatever happens to the other class; a visit that is
/// wanted takes place. Settings and credits are anything in every cycle.
///
/// Assumed: numbers are whole ones, so that their sum does not depend on the order (merge_order.sv is about that).
module formal_merge #(
  parameter int LineWidth = 2,
  parameter int CountWidth = 2,
  parameter int Sets = 2,
  parameter int Ways = 2,
  parameter int AgeWidth = 2,
  parameter int Credits = 2
) (
  input logic clk_i
);
`include "merge_unit.svh"
`include "merge_data.svh"
  localparam int SumWidth = CountWidth + 3;

  logic whole_numbers;
  logic [DataWidth-1:0] whole;
  always_comb begin
    whole_numbers = 1'b1;
    whole = '0;
    for (int i = 0; i < 64; i++) begin
      whole = DataWidth'(i) + DataWidth'(i >> DataWidth);
      if (sums[i*DataWidth +: DataWidth] != whole) whole_numbers = 1'b0;
    end
    assume (whole_numbers);
  end

  // ---- any line ---------------------------------------------------------------------------------------
  (* anyconst *) logic [LineWidth-1:0] line;

  logic taken, leaves;
  assign taken = upd_valid && upd_ready && upd_line == line;
  assign leaves = link_valid && !link_write && link_line == line;

  logic [SumWidth-1:0] count_in_q, count_out_q, count_inside;
  logic [DataWidth-1:0] data_in_q, data_out_q, data_inside;

  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      count_in_q <= '0;
      count_out_q <= '0;
      data_in_q <= '0;
      data_out_q <= '0;
    end else begin
      if (taken) begin
        count_in_q <= count_in_q + SumWidth'(upd_count);
        data_in_q <= data_in_q + upd_data;
      end
      if (leaves) begin
        count_out_q <= count_out_q + SumWidth'(link_count);
        data_out_q <= data_out_q + link_data;
      end
    end
  end

  // Where no more than that are ever expected, each entry has fewer.
  (* anyconst *) logic settled;
  (* anyconst *) logic [CountWidth-1:0] most;
  always_comb assume (!settled || expected <= most);
  logic below_expected;
  entry_t entry;
  always_comb begin
    count_inside = '0;
    data_inside = '0;
    below_expected = 1'b1;
    entry = '0;
    for (int i = 0; i < Entries; i++) begin
      entry = \u_dut.u_tags.u_ram.words_q [(i/Ways)*WordWidth+(i%Ways)*EntryWidth +: EntryWidth];
      if (valid[i] && (entry.count == '0 || (settled && entry.count >= most))) below_expected = 1'b0;
      if (valid[i] && entry.line == line) begin
        count_inside = count_inside + SumWidth'(entry.count);
        data_inside = data_inside + data_of[i*DataWidth +: DataWidth];
      end
    end
    // On the way: in B before it is looked up, in C, D and E what leaves.
    if (\u_dut.u_tags.update_q && b_header.line == line) begin
      count_inside = count_inside + SumWidth'(b_header.count);
      data_inside = data_inside + \u_dut.u_data.gen_lane[0].u_lane.b_q ;
    end
    if (c_move.leave && c_header.line == line) begin
      count_inside = count_inside + SumWidth'(c_header.count);
      data_inside = data_inside + c_leaves;
    end
    if (d_move.leave && d_header.line == line) begin
      count_inside = count_inside + SumWidth'(d_header.count);
      data_inside = data_inside + d_leaves;
    end
    if (\u_dut.u_data.e_valid_q && e_header.line == line) begin
      count_inside = count_inside + SumWidth'(e_header.count);
      data_inside = data_inside + \u_dut.u_data.gen_lane[0].u_lane.e_q ;
    end
  end

  // ---- writes, credits --------------------------------------------------------------------------------
  logic held_q;  // a write is inside
  logic last_write_q;  // the last flit was a write
  logic upd_leaves, wr_leaves, upd_may, wr_may;
  logic [LineWidth-1:0] held_line_q;
  logic [DataWidth-1:0] held_data_q;
  logic [2:0] out_upd_q, out_wr_q;  // flits whose credit has not come back
  assign upd_leaves = link_valid && !link_write;
  assign wr_leaves = link_valid && link_write;
  assign upd_may = \u_dut.u_data.e_valid_q && out_upd_q < 3'(Credits);
  assign wr_may = held_q && out_wr_q < 3'(Credits);
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      held_q <= 1'b0;
      last_write_q <= 1'b1;
      out_upd_q <= '0;
      out_wr_q <= '0;
    end else begin
      if (wr_valid && wr_ready) begin
        held_q <= 1'b1;
        held_line_q <= wr_line;
        held_data_q <= wr_data;
      end else if (wr_leaves) begin
        held_q <= 1'b0;
      end
      if (link_valid) last_write_q <= link_write;
      if (upd_leaves != credit_upd && (upd_leaves || out_upd_q != '0))
        out_upd_q <= upd_leaves ? out_upd_q + 3'd1 : out_upd_q - 3'd1;
      if (wr_leaves != credit_wr && (wr_leaves || out_wr_q != '0))
        out_wr_q <= wr_leaves ? out_wr_q + 3'd1 : out_wr_q - 3'd1;
    end
  end

  // ---- how long ---------------------------------------------------------------------------------------
  // Cycles in which an update was refused though the receiver has room for updates; the same of writes; in which a
  // visit was wanted and the unit went on.
  logic [2:0] refused_q, refused_wr_q;
  logic [4:0] wanted_q;
  always_ff @(posedge clk_i) begin
    refused_q <= (!rst_q || upd_ready || clearing || out_upd_q == 3'(Credits)) ? '0 : refused_q + 3'd1;
    refused_wr_q <= (!rst_q || wr_ready || out_wr_q == 3'(Credits)) ? '0 : refused_wr_q + 3'd1;
    if (!rst_q) wanted_q <= '0;
    else if (\u_dut.go ) wanted_q <= \u_dut.u_sweep.want ? wanted_q + 5'd1 : '0;
  end

  always @(posedge clk_i) if (rst_q) begin
    // The promises.
    merge_counts: assert (count_in_q == SumWidth'(count_out_q + count_inside));
    merge_data: assert (data_in_q == DataWidth'(data_out_q + data_inside));
    merge_writes: assert (held_q == \u_dut.wr_valid_q
                          && (!held_q || (held_line_q == \u_dut.wr_line_q && held_data_q == \u_dut.wr_data_q )));
    merge_write_leaves: assert (!(link_valid && link_write) || (held_q && link_line == held_line_q
                                                                && link_data == held_data_q));
    merge_credits: assert (out_upd_q <= 3'(Credits) && out_wr_q <= 3'(Credits));
    merge_one_class: assert (!(link_valid && !link_write) || \u_dut.u_data.e_valid_q );
    merge_update_goes: assert (refused_q <= 3'd3);
    merge_write_goes: assert (refused_wr_q <= 3'd1);
    merge_visit_comes: assert (wanted_q <= 5'(MostWaits + 1));
    merge_walk_ends: assert (walk_q != 2'd3 || !clearing);
    merge_joins_before_expected: assert (below_expected);
    // It stands only while an update waits at the link; that waits only without a credit or for one write.
    merge_refuses: assert (upd_ready || clearing || (\u_dut.u_data.e_valid_q && !upd_leaves)
                           || \u_dut.u_sweep.waits_q == 2'(MostWaits));
    merge_stands: assert (!\u_dut.u_data.e_valid_q || upd_leaves || out_upd_q == 3'(Credits)
                          || (wr_leaves && !last_write_q));
    merge_write_waits: assert (!held_q || wr_leaves || out_wr_q == 3'(Credits) || (upd_leaves && last_write_q));
    merge_turns: assert (link_valid == (upd_may || wr_may)
                         && (!link_valid || link_write == (upd_may && wr_may ? !last_write_q : wr_may)));
    merge_empty: assert (empty == (taken_entries == '0 && !\u_dut.u_tags.update_q && !\u_dut.u_tags.visit_q
                                   && c_move == '0 && d_move == '0 && !\u_dut.u_data.e_valid_q && !held_q));
    // What they rest on.
    merge_credits_are: assert (\u_dut.u_turns.credits_q
                               == {2'(3'(Credits) - out_wr_q), 2'(3'(Credits) - out_upd_q)});
    // A write had its turn, or a visit: not the same again in the next cycle.
    merge_refused_once: assert (refused_q != 3'd1 || \u_dut.u_turns.u_turn.after_q == '0
                                || \u_dut.u_sweep.waits_q == '0);
    merge_refused_twice: assert (refused_q < 3'd2 || \u_dut.u_sweep.waits_q == '0);
    merge_refused_thrice: assert (refused_q < 3'd3 || \u_dut.u_turns.u_turn.after_q == '0);
    merge_refused_write: assert (refused_wr_q == '0 || \u_dut.u_turns.u_turn.after_q == 2'd2);
    merge_wanted: assert (wanted_q == 5'(\u_dut.u_sweep.waits_q ) || \u_dut.u_sweep.visiting_q );
    merge_last: assert (\u_dut.u_turns.u_turn.after_q == (last_write_q ? 2'd0 : 2'd2));
    cover_joined: cover (leaves && link_count == '1 && $past(count_in_q == SumWidth'(3)));
    cover_partial: cover (leaves && link_count == CountWidth'(2) && upd_ready);
    cover_aged: cover (\u_dut.u_tags.visit_q && c_move == '0 && d_move.leave && !drain);
    cover_due: cover (wanted_q == 5'(MostWaits));
    cover_both_wait: cover (held_q && \u_dut.u_data.e_valid_q && !link_valid);
    cover_forwards: cover (d_move.add && c_move.add && d_move.store
                           && \u_dut.u_data.d_index_q == \u_dut.u_data.c_index_q );
    cover_missed: cover (c_move.add && \u_dut.u_data.c_missed_q );
    cover_surplus: cover (held_q && \u_dut.u_data.e_valid_q && link_valid && $past(credit_wr && out_wr_q == '0));
  end
endmodule
