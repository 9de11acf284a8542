// SPDX-License-Identifier: Apache-2.0
// The whole merge unit as the checkers merge*.sv have it: all inputs are free in every cycle, settings and credits
// too; what they look at inside; and what is true of the table whatever they prove. Sets that the walk after reset has
// not reached count as empty, whatever is in them.
  `T3_FORMAL_RESET
  localparam int DataWidth = t3_switch_pkg::LaneWidth;
  localparam int FormatWidth = t3_switch_pkg::FormatWidth;
  localparam int Entries = Sets * Ways;
  localparam int SetWidth = t3_pkg::index_width(Sets);
  localparam int IndexWidth = t3_pkg::index_width(Entries);
  localparam int EntryWidth = `T3_ENTRY_BITS;
  localparam int OrderWidth = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1;
  localparam int WordWidth = OrderWidth + Ways * EntryWidth;
  localparam int HeaderWidth = `T3_HEADER_BITS;
  localparam int MostWaits = 3;
  `T3_HEADER_T(header_t);
  `T3_ENTRY_T(entry_t);
  `T3_MOVE_T(move_t);

  (* anyseq *) logic [CountWidth-1:0] expected;
  (* anyseq *) logic [AgeWidth-1:0] age;
  (* anyseq *) logic drain, upd_valid, wr_valid, credit_upd, credit_wr;
  (* anyseq *) logic [LineWidth-1:0] upd_line, wr_line;
  (* anyseq *) logic [CountWidth-1:0] upd_count;
  (* anyseq *) logic [FormatWidth-1:0] upd_format;
  (* anyseq *) logic [DataWidth-1:0] upd_data, wr_data;

  logic upd_ready, wr_ready, link_valid, link_write, empty;
  logic [LineWidth-1:0] link_line;
  logic [CountWidth-1:0] link_count;
  logic [FormatWidth-1:0] link_format;
  logic [DataWidth-1:0] link_data;

  t3_switch_merge #(
    .LineWidth(LineWidth), .CountWidth(CountWidth), .DataWidth(DataWidth), .Sets(Sets), .Ways(Ways),
    .AgeWidth(AgeWidth), .Credits(Credits)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .expected_i(expected), .age_i(age), .drain_i(drain), .upd_valid_i(upd_valid),
    .upd_ready_o(upd_ready), .upd_line_i(upd_line), .upd_count_i(upd_count), .upd_format_i(upd_format),
    .upd_data_i(upd_data), .wr_valid_i(wr_valid), .wr_ready_o(wr_ready), .wr_line_i(wr_line), .wr_data_i(wr_data),
    .link_valid_o(link_valid), .link_write_o(link_write), .link_line_o(link_line), .link_count_o(link_count),
    .link_format_o(link_format), .link_data_o(link_data), .credit_upd_i(credit_upd), .credit_wr_i(credit_wr),
    .empty_o(empty)
  );

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
  (* hierconn *) wire [FormatWidth-1:0] \u_dut.u_data.gen_lane[0].u_lane.format_q ;
  (* hierconn *) wire \u_dut.u_data.gen_lane[0].u_lane.add_q ;
  (* hierconn *) wire [1:0] \u_dut.u_sweep.state_q ;
  (* hierconn *) wire [SetWidth-1:0] \u_dut.u_sweep.set_q ;
  (* hierconn *) wire [1:0] \u_dut.u_sweep.waits_q ;
  (* hierconn *) wire [AgeWidth-1:0] \u_dut.u_sweep.since_q ;
  (* hierconn *) wire \u_dut.u_sweep.visiting_q ;
  (* hierconn *) wire \u_dut.u_sweep.want ;
  (* hierconn *) wire \u_dut.u_sweep.visit_o ;
  (* hierconn *) wire \u_dut.u_sweep.found_i ;
  (* hierconn *) wire [2*$clog2(Credits+1)-1:0] \u_dut.u_turns.credits_q ;
  (* hierconn *) wire [1:0] \u_dut.u_turns.u_turn.after_q ;
  (* hierconn *) wire \u_dut.wr_valid_q ;
  (* hierconn *) wire [LineWidth-1:0] \u_dut.wr_line_q ;
  (* hierconn *) wire [DataWidth-1:0] \u_dut.wr_data_q ;
  (* hierconn *) wire \u_dut.drain_q ;
  (* hierconn *) wire \u_dut.go ;

  move_t c_move, d_move;
  header_t b_header, c_header, d_header, e_header;
  assign c_move = \u_dut.u_data.c_move_q ;
  assign d_move = \u_dut.u_data.d_move_q ;
  assign b_header = \u_dut.u_tags.header_q ;
  assign c_header = \u_dut.u_data.c_header_q ;
  assign d_header = \u_dut.u_data.d_header_q ;
  assign e_header = \u_dut.u_data.e_header_q ;

  // States of the sweep.
  logic clearing, resting, in_round;
  assign clearing = \u_dut.u_sweep.state_q == 2'd0;
  assign resting = \u_dut.u_sweep.state_q == 2'd1;
  assign in_round = \u_dut.u_sweep.state_q == 2'd2;

  // Cycles since reset, until the walk has ended.
  logic [1:0] walk_q;
  always_ff @(posedge clk_i) walk_q <= !rst_q ? '0 : (walk_q != 2'd3) ? walk_q + 2'd1 : walk_q;

  // The set of a line, in words of docs/switch-merge.md: the XOR of all groups of its bits.
  function automatic logic [SetWidth-1:0] set_of(input logic [LineWidth-1:0] line);
    set_of = '0;
    for (int b = 0; b < LineWidth; b++) set_of[b % SetWidth] = set_of[b % SetWidth] ^ line[b];
    if (Sets == 1) set_of = '0;
  endfunction

  // The table: its entries, without sets that the walk has not reached.
  logic [Sets-1:0] raw;
  logic [Entries-1:0] valid;
  logic [$clog2(Entries+1)-1:0] taken_entries;
  logic [WordWidth-1:0] b_word;
  logic no_doubles, in_set;
  always_comb begin
    taken_entries = '0;
    no_doubles = 1'b1;
    in_set = 1'b1;
    b_word = '0;
    for (int s = 0; s < Sets; s++) begin
      raw[s] = (clearing && SetWidth'(s) >= \u_dut.u_sweep.set_q )
               || (\u_dut.u_tags.clear_q && \u_dut.u_tags.set_q == SetWidth'(s));
      if (\u_dut.u_tags.set_q == SetWidth'(s)) b_word = \u_dut.u_tags.u_ram.words_q [s*WordWidth +: WordWidth];
      for (int w = 0; w < Ways; w++) begin
        valid[s*Ways+w] = !raw[s] && \u_dut.u_tags.u_ram.words_q [s*WordWidth+(w+1)*EntryWidth-1];
        if (valid[s*Ways+w]) taken_entries = taken_entries + 1'b1;
        if (valid[s*Ways+w] && set_of(\u_dut.u_tags.u_ram.words_q [s*WordWidth+w*EntryWidth +: LineWidth])
                               != SetWidth'(s)) in_set = 1'b0;
        for (int v = 0; v < Ways; v++) begin
          if (v < w && valid[s*Ways+w] && valid[s*Ways+v]
              && \u_dut.u_tags.u_ram.words_q [s*WordWidth+w*EntryWidth +: LineWidth]
                 == \u_dut.u_tags.u_ram.words_q [s*WordWidth+v*EntryWidth +: LineWidth]) no_doubles = 1'b0;
        end
      end
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    table_entries: assert (\u_dut.u_tags.entries_q == taken_entries);
    table_no_doubles: assert (no_doubles && in_set);
    table_word: assert (!(\u_dut.u_tags.update_q || \u_dut.u_tags.visit_q ) || \u_dut.u_tags.word == b_word);
    table_operation: assert (2'(\u_dut.u_tags.update_q ) + 2'(\u_dut.u_tags.visit_q )
                             + 2'(\u_dut.u_tags.clear_q ) <= 2'd1
                             && \u_dut.u_tags.visit_q == \u_dut.u_sweep.visiting_q );
    table_sets: assert (\u_dut.u_sweep.set_q <= SetWidth'(Sets - 1)
                        && (\u_dut.u_tags.set_q <= SetWidth'(Sets - 1)
                            || !(\u_dut.u_tags.update_q || \u_dut.u_tags.visit_q || \u_dut.u_tags.clear_q )));
    table_update_set: assert (!\u_dut.u_tags.update_q || \u_dut.u_tags.set_q == set_of(b_header.line));
    table_state: assert (\u_dut.u_sweep.state_q != 2'd3);
    table_walk: assert (!clearing || (!\u_dut.u_tags.update_q && !\u_dut.u_tags.visit_q && c_move == '0
                                      && d_move == '0 && !\u_dut.u_data.e_valid_q
                                      && walk_q == 2'(\u_dut.u_sweep.set_q )));
    table_credits: assert (\u_dut.u_turns.credits_q [0 +: $clog2(Credits+1)] <= $clog2(Credits+1)'(Credits)
                           && \u_dut.u_turns.credits_q [$clog2(Credits+1) +: $clog2(Credits+1)]
                              <= $clog2(Credits+1)'(Credits));
  end
