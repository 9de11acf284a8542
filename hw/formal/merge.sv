// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_switch_types.svh"
/// The whole merge unit, for any line: the contributions that were taken are those that have left and those inside,
/// and so is the sum of their data, when numbers are whole ones (t3_lane_add.sv). Plain writes leave as they came, in
/// order. Nothing leaves without a credit. An update is refused for a bounded time while there are credits for updates,
/// and a write while there are credits for writes, whatever happens to the other class; a visit that is wanted
/// takes place. Settings may change in every cycle.
///
/// Assumed: no more credits come back than were taken. Sets that the walk after reset has not reached count as empty,
/// whatever is in them.
module formal_merge #(
  parameter int LineWidth = 2,
  parameter int CountWidth = 2,
  parameter int Sets = 2,
  parameter int Ways = 2,
  parameter int AgeWidth = 2,
  parameter int Credits = 2,
  localparam int DataWidth = t3_switch_pkg::LaneWidth,
  localparam int FormatWidth = t3_switch_pkg::FormatWidth
) (
  input logic                   clk_i,
  input logic [CountWidth-1:0]  expected_i,
  input logic [AgeWidth-1:0]    age_i,
  input logic                   drain_i,
  input logic                   upd_valid_i,
  input logic [LineWidth-1:0]   upd_line_i,
  input logic [CountWidth-1:0]  upd_count_i,
  input logic [FormatWidth-1:0] upd_format_i,
  input logic [DataWidth-1:0]   upd_data_i,
  input logic                   wr_valid_i,
  input logic [LineWidth-1:0]   wr_line_i,
  input logic [DataWidth-1:0]   wr_data_i,
  input logic                   credit_upd_i,
  input logic                   credit_wr_i
);
  `T3_FORMAL_RESET
  localparam int Entries = Sets * Ways;
  localparam int SetWidth = t3_pkg::index_width(Sets);
  localparam int IndexWidth = t3_pkg::index_width(Entries);
  localparam int EntryWidth = `T3_ENTRY_BITS;
  localparam int OrderWidth = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1;
  localparam int WordWidth = OrderWidth + Ways * EntryWidth;
  localparam int HeaderWidth = `T3_HEADER_BITS;
  localparam int SumWidth = CountWidth + 3;
  localparam int MostWaits = 3;
  `T3_HEADER_T(header_t);
  `T3_ENTRY_T(entry_t);
  `T3_MOVE_T(move_t);

  logic upd_ready, wr_ready, link_valid, link_write, empty;
  logic [LineWidth-1:0] link_line;
  logic [CountWidth-1:0] link_count;
  logic [FormatWidth-1:0] link_format;
  logic [DataWidth-1:0] link_data;

  t3_switch_merge #(
    .LineWidth(LineWidth), .CountWidth(CountWidth), .DataWidth(DataWidth), .Sets(Sets), .Ways(Ways),
    .AgeWidth(AgeWidth), .Credits(Credits)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .expected_i, .age_i, .drain_i, .upd_valid_i, .upd_ready_o(upd_ready), .upd_line_i,
    .upd_count_i, .upd_format_i, .upd_data_i, .wr_valid_i, .wr_ready_o(wr_ready), .wr_line_i, .wr_data_i,
    .link_valid_o(link_valid), .link_write_o(link_write), .link_line_o(link_line), .link_count_o(link_count),
    .link_format_o(link_format), .link_data_o(link_data), .credit_upd_i, .credit_wr_i, .empty_o(empty)
  );

  // ---- inside ---------------------------------------------------------------------------------------
  (* hierconn *) wire \u_dut.u_tags.update_q ;
  (* hierconn *) wire \u_dut.u_tags.visit_q ;
  (* hierconn *) wire \u_dut.u_tags.clear_q ;
  (* hierconn *) wire [SetWidth-1:0] \u_dut.u_tags.set_q ;
  (* hierconn *) wire [HeaderWidth-1:0] \u_dut.u_tags.header_q ;
  (* hierconn *) wire [WordWidth-1:0] \u_dut.u_tags.word ;
  (* hierconn *) wire [$clog2(Entries+1)-1:0] \u_dut.u_tags.entries_q ;
  (* hierconn *) wire [Sets*WordWidth-1:0] \u_dut.u_tags.u_ram.words_q ;
  (* hierconn *) wire [Entries*DataWidth-1:0] \u_dut.u_data.u_ram.words_q ;
  (* hierconn *) wire [4:0] \u_dut.u_data.c_move_q ;
  (* hierconn *) wire [4:0] \u_dut.u_data.d_move_q ;
  (* hierconn *) wire [HeaderWidth-1:0] \u_dut.u_data.c_header_q ;
  (* hierconn *) wire [HeaderWidth-1:0] \u_dut.u_data.d_header_q ;
  (* hierconn *) wire [HeaderWidth-1:0] \u_dut.u_data.e_header_q ;
  (* hierconn *) wire [IndexWidth-1:0] \u_dut.u_data.c_index_q ;
  (* hierconn *) wire [IndexWidth-1:0] \u_dut.u_data.d_index_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.u_data.ram_data ;
  (* hierconn *) wire \u_dut.u_data.c_missed_q ;
  (* hierconn *) wire \u_dut.u_data.e_valid_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.u_data.gen_lane[0].u_lane.b_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.u_data.gen_lane[0].u_lane.c_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.u_data.gen_lane[0].u_lane.new_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.u_data.gen_lane[0].u_lane.old_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.u_data.gen_lane[0].u_lane.stored_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.u_data.gen_lane[0].u_lane.e_q ;
  (* hierconn *) wire \u_dut.u_data.gen_lane[0].u_lane.add_q ;
  (* hierconn *) wire [1:0] \u_dut.u_sweep.state_q ;
  (* hierconn *) wire [SetWidth-1:0] \u_dut.u_sweep.set_q ;
  (* hierconn *) wire [1:0] \u_dut.u_sweep.waits_q ;
  (* hierconn *) wire \u_dut.u_sweep.visiting_q ;
  (* hierconn *) wire \u_dut.u_sweep.want ;
  (* hierconn *) wire [2*$clog2(Credits+1)-1:0] \u_dut.u_turns.credits_q ;
  (* hierconn *) wire [1:0] \u_dut.u_turns.u_turn.after_q ;
  (* hierconn *) wire \u_dut.wr_valid_q ;
  (* hierconn *) wire [LineWidth-1:0] \u_dut.wr_line_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.wr_data_q ;
  (* hierconn *) wire [1:0] \u_dut.send ;
  (* hierconn *) wire \u_dut.go ;

  move_t c_move, d_move;
  header_t b_header, c_header, d_header, e_header;
  assign c_move = \u_dut.u_data.c_move_q ;
  assign d_move = \u_dut.u_data.d_move_q ;
  assign b_header = \u_dut.u_tags.header_q ;
  assign c_header = \u_dut.u_data.c_header_q ;
  assign d_header = \u_dut.u_data.d_header_q ;
  assign e_header = \u_dut.u_data.e_header_q ;

  logic clearing;
  assign clearing = \u_dut.u_sweep.state_q == 2'd0;

  // Sets that the walk after reset has not reached: what their words say is nothing.
  logic [Sets-1:0] raw;
  always_comb begin
    for (int s = 0; s < Sets; s++) begin
      raw[s] = (clearing && SetWidth'(s) >= \u_dut.u_sweep.set_q )
               || (\u_dut.u_tags.clear_q && \u_dut.u_tags.set_q == SetWidth'(s));
    end
  end

  // ---- any line ---------------------------------------------------------------------------------------
  (* anyconst *) logic [LineWidth-1:0] line;

  logic taken, leaves;
  assign taken = upd_valid_i && upd_ready && upd_line_i == line;
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
        count_in_q <= count_in_q + SumWidth'(upd_count_i);
        data_in_q <= data_in_q + upd_data_i;
      end
      if (leaves) begin
        count_out_q <= count_out_q + SumWidth'(link_count);
        data_out_q <= data_out_q + link_data;
      end
    end
  end

  // The data of an entry, with what D and C will write.
  entry_t entry;
  logic [DataWidth-1:0] word, after_d, after_c, c_before, d_result;
  logic [WordWidth-1:0] set_word;
  logic [$clog2(Entries+1)-1:0] taken_entries;
  logic in_place, no_doubles, below_expected;

  (* anyconst *) logic settled;
  (* anyconst *) logic [CountWidth-1:0] expected;
  always_comb assume (!settled || expected_i == expected);

  always_comb begin
    count_inside = '0;
    data_inside = '0;
    taken_entries = '0;
    no_doubles = 1'b1;
    below_expected = 1'b1;
    c_before = '0;
    entry = '0;
    word = '0;
    after_d = '0;
    after_c = '0;
    set_word = '0;
    d_result = \u_dut.u_data.gen_lane[0].u_lane.new_q
               + (d_move.add ? \u_dut.u_data.gen_lane[0].u_lane.old_q : '0);
    for (int s = 0; s < Sets; s++) begin
      set_word = \u_dut.u_tags.u_ram.words_q [s*WordWidth +: WordWidth];
      for (int w = 0; w < Ways; w++) begin
        entry = set_word[w*EntryWidth +: EntryWidth];
        word = \u_dut.u_data.u_ram.words_q [(s*Ways+w)*DataWidth +: DataWidth];
        after_d = (d_move.store && \u_dut.u_data.d_index_q == IndexWidth'(s * Ways + w)) ? d_result : word;
        if (\u_dut.u_data.c_index_q == IndexWidth'(s * Ways + w)) c_before = after_d;
        after_c = (c_move.store && \u_dut.u_data.c_index_q == IndexWidth'(s * Ways + w))
            ? \u_dut.u_data.gen_lane[0].u_lane.c_q + (c_move.add ? after_d : '0) : after_d;
        if (entry.valid && !raw[s]) begin
          taken_entries = taken_entries + 1'b1;
          if (entry.count >= expected) below_expected = 1'b0;
          if (entry.line == line) begin
            count_inside = count_inside + SumWidth'(entry.count);
            data_inside = data_inside + after_c;
          end
        end
      end
      for (int w = 1; w < Ways; w++) begin
        for (int v = 0; v < Ways; v++) begin
          if (v < w && !raw[s] && set_word[(w+1)*EntryWidth-1] && set_word[(v+1)*EntryWidth-1]
              && set_word[w*EntryWidth +: LineWidth] == set_word[v*EntryWidth +: LineWidth]) no_doubles = 1'b0;
        end
      end
    end
    // On the way: in B before it is looked up, in C, D and E what leaves.
    if (\u_dut.u_tags.update_q && b_header.line == line) begin
      count_inside = count_inside + SumWidth'(b_header.count);
      data_inside = data_inside + \u_dut.u_data.gen_lane[0].u_lane.b_q ;
    end
    if (c_move.leave && c_header.line == line) begin
      count_inside = count_inside + SumWidth'(c_header.count);
      data_inside = data_inside + ((c_move.add || c_move.pass) ? \u_dut.u_data.gen_lane[0].u_lane.c_q : '0)
                    + (c_move.pass ? '0 : c_before);
    end
    if (d_move.leave && d_header.line == line) begin
      count_inside = count_inside + SumWidth'(d_header.count);
      data_inside = data_inside + ((d_move.add || d_move.pass) ? \u_dut.u_data.gen_lane[0].u_lane.new_q : '0)
                    + (d_move.pass ? '0 : \u_dut.u_data.gen_lane[0].u_lane.old_q );
    end
    if (\u_dut.u_data.e_valid_q && e_header.line == line) begin
      count_inside = count_inside + SumWidth'(e_header.count);
      data_inside = data_inside + \u_dut.u_data.gen_lane[0].u_lane.e_q ;
    end
  end

  // What C and D have read is what stands there.
  logic [DataWidth-1:0] c_word, d_word;
  logic [WordWidth-1:0] b_word;
  always_comb begin
    c_word = '0;
    d_word = '0;
    b_word = '0;
    for (int i = 0; i < Entries; i++) begin
      if (\u_dut.u_data.c_index_q == IndexWidth'(i)) c_word = \u_dut.u_data.u_ram.words_q [i*DataWidth +: DataWidth];
      if (\u_dut.u_data.d_index_q == IndexWidth'(i)) d_word = \u_dut.u_data.u_ram.words_q [i*DataWidth +: DataWidth];
    end
    for (int s = 0; s < Sets; s++) begin
      if (\u_dut.u_tags.set_q == SetWidth'(s)) b_word = \u_dut.u_tags.u_ram.words_q [s*WordWidth +: WordWidth];
    end
  end

  // An addition reads; what leaves is the update, the sum, or what was read; a sum stays or leaves.
  logic c_sensible, d_sensible;
  always_comb begin
    c_sensible = (!c_move.add || c_move.read) && (!c_move.leave || c_move.pass || c_move.read)
                 && (!c_move.pass || (c_move.leave && !c_move.read && !c_move.add && !c_move.store))
                 && (!c_move.add || c_move.store != c_move.leave);
    d_sensible = (!d_move.add || d_move.read) && (!d_move.leave || d_move.pass || d_move.read)
                 && (!d_move.pass || (d_move.leave && !d_move.read && !d_move.add && !d_move.store))
                 && (!d_move.add || d_move.store != d_move.leave);
  end

  // ---- writes, credits --------------------------------------------------------------------------------
  logic held_q;  // a write is inside
  logic [LineWidth-1:0] held_line_q;
  logic [DataWidth-1:0] held_data_q;
  logic [2:0] out_upd_q, out_wr_q;  // flits whose credit has not come back
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      held_q <= 1'b0;
      out_upd_q <= '0;
      out_wr_q <= '0;
    end else begin
      if (wr_valid_i && wr_ready) begin
        held_q <= 1'b1;
        held_line_q <= wr_line_i;
        held_data_q <= wr_data_i;
      end else if (link_valid && link_write) begin
        held_q <= 1'b0;
      end
      out_upd_q <= out_upd_q + 3'(link_valid && !link_write) - 3'(credit_upd_i);
      out_wr_q <= out_wr_q + 3'(link_valid && link_write) - 3'(credit_wr_i);
    end
  end
  always_comb begin
    assume (!credit_upd_i || out_upd_q != '0);
    assume (!credit_wr_i || out_wr_q != '0);
  end

  // ---- how long ---------------------------------------------------------------------------------------
  // Cycles in which an update was refused though the receiver has room for updates; the same of writes; in which a
  // visit was wanted and the unit went on; since reset, until the walk has ended.
  logic [2:0] refused_q, refused_wr_q;
  logic [4:0] wanted_q;
  logic [1:0] walk_q;
  always_ff @(posedge clk_i) begin
    refused_q <= (!rst_q || upd_ready || clearing || out_upd_q == 3'(Credits)) ? '0 : refused_q + 3'd1;
    refused_wr_q <= (!rst_q || wr_ready || out_wr_q == 3'(Credits)) ? '0 : refused_wr_q + 3'd1;
    if (!rst_q) wanted_q <= '0;
    else if (\u_dut.go ) wanted_q <= \u_dut.u_sweep.want ? wanted_q + 5'd1 : '0;
    walk_q <= !rst_q ? '0 : (walk_q != 2'd3) ? walk_q + 2'd1 : walk_q;
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
    merge_joins_before_expected: assert (!settled || below_expected);
    merge_empty: assert (empty == (taken_entries == '0 && !\u_dut.u_tags.update_q && !\u_dut.u_tags.visit_q
                                   && c_move == '0 && d_move == '0 && !\u_dut.u_data.e_valid_q && !held_q));
    // What they rest on.
    merge_entries: assert (\u_dut.u_tags.entries_q == taken_entries);
    merge_no_doubles: assert (no_doubles);
    merge_tags: assert (!(\u_dut.u_tags.update_q || \u_dut.u_tags.visit_q ) || \u_dut.u_tags.word == b_word);
    merge_operation: assert (2'(\u_dut.u_tags.update_q ) + 2'(\u_dut.u_tags.visit_q )
                             + 2'(\u_dut.u_tags.clear_q ) <= 2'd1
                             && \u_dut.u_tags.visit_q == \u_dut.u_sweep.visiting_q );
    merge_sensible: assert (c_sensible && d_sensible);
    merge_c_reads: assert (!c_move.read || (\u_dut.u_data.c_missed_q ? \u_dut.u_data.gen_lane[0].u_lane.stored_q
                                            : \u_dut.u_data.ram_data ) == c_word);
    merge_d_reads: assert (!d_move.read || \u_dut.u_data.gen_lane[0].u_lane.old_q == d_word);
    merge_lane: assert (d_move == '0 || \u_dut.u_data.gen_lane[0].u_lane.add_q == d_move.add);
    merge_credits_are: assert (\u_dut.u_turns.credits_q
                               == {2'(3'(Credits) - out_wr_q), 2'(3'(Credits) - out_upd_q)});
    // A write had its turn, or a visit: not the same again in the next cycle.
    merge_refused_once: assert (refused_q != 3'd1 || \u_dut.u_turns.u_turn.after_q == '0
                                || \u_dut.u_sweep.waits_q == '0);
    merge_refused_twice: assert (refused_q < 3'd2 || \u_dut.u_sweep.waits_q == '0);
    merge_refused_thrice: assert (refused_q < 3'd3 || \u_dut.u_turns.u_turn.after_q == '0);
    merge_refused_write: assert (refused_wr_q == '0 || \u_dut.u_turns.u_turn.after_q == 2'd2);
    merge_wanted: assert (wanted_q == 5'(\u_dut.u_sweep.waits_q ) || \u_dut.u_sweep.visiting_q );
    merge_state: assert (\u_dut.u_sweep.state_q != 2'd3);
    merge_walk: assert (!clearing || (!\u_dut.u_tags.update_q && !\u_dut.u_tags.visit_q && c_move == '0
                                      && d_move == '0 && !\u_dut.u_data.e_valid_q
                                      && walk_q == 2'(\u_dut.u_sweep.set_q )));
    cover_joined: cover (leaves && link_count == '1 && $past(count_in_q == SumWidth'(3)));
    cover_partial: cover (leaves && link_count == CountWidth'(2) && !settled && upd_ready);
    cover_aged: cover (\u_dut.u_tags.visit_q && c_move == '0 && d_move.leave && !drain_i);
    cover_due: cover (wanted_q == 5'(MostWaits));
    cover_both_wait: cover (held_q && \u_dut.u_data.e_valid_q && !link_valid);
    cover_forwards: cover (d_move.add && c_move.add && d_move.store
                           && \u_dut.u_data.d_index_q == \u_dut.u_data.c_index_q );
    cover_missed: cover (c_move.add && \u_dut.u_data.c_missed_q );
  end
endmodule
