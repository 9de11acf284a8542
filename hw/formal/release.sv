// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_release with t3_slots and its queue, against counts that the checker keeps at R2, where completions and software's
/// writes are put in order. A row slot is released exactly when as many completions of its row came as
/// software wrote, once, and never before; further ones are strays and reported with their tile. A
/// region that does not release counts nothing down. A release leaves once, and is at the port
/// five cycles after its completion was shown if none waits. A RAM read that collides with a write returns any
/// value.
///
/// Software may write any slot at any time: a slot whose release waits is not armed, and that is
/// reported. While `sw_hold_i` is up, no access begins. An access waits for at most two cycles with completions.
///
/// Assumed: the tables do not change; the unit is cleared only while idle, and before anything else
/// after reset; two cycles after `wants_turn_o` no completion is shown (proof trigger: `skip_i`); software's
/// access stays until it is done.
module formal_release #(
  parameter int WgWidth = 2,
  parameter int WfWidth = 1,
  parameter int NumRegions = 2,
  parameter int NumGeometries = 2,
  parameter int ReleaseRows = 2,
  localparam int RowWidth = $clog2(ReleaseRows),
  localparam int IdWidth = 1 + WgWidth + WfWidth,
  localparam int WaitingWidth = 1 + RowWidth
) (
  input logic                clk_i,
  input logic                clear_i,
  input logic                reset_i,
  input logic [RowWidth-1:0] clear_row_i,
  input logic                completed_i,
  input logic [IdWidth-1:0]  tile_i,
  input logic                sw_hold_i,
  input logic                sw_wr_valid_i,
  input logic [RowWidth-1:0] sw_wr_row_i,
  input logic [15:0]         sw_wr_data_i,
  input logic                sw_rd_valid_i,
  input logic [RowWidth-1:0] sw_rd_row_i,
  input logic                rel_ready_i
);
  `T3_FORMAL_RESET
  (* anyconst *) logic [NumRegions-1:0] releases;
  (* anyconst *) logic [NumRegions*RowWidth-1:0] row_base;
  (* anyconst *) logic [NumRegions-1:0] geos;
  (* anyconst *) logic [NumGeometries*33-1:0] reciprocals;

  logic sw_wr_done, sw_wr_refused, sw_rd_done, sw_rd_waits, wants_turn;
  logic [15:0] sw_rd_data;
  logic rel_valid, released, stray, armed_early, active, work;
  logic [RowWidth-1:0] rel_row, stray_row, armed_row;
  logic [RowWidth:0] queued;
  logic [IdWidth-1:0] stray_tile;

  (* hierconn *) wire \u_dut.counts ;
  (* hierconn *) wire \u_dut.sw_take ;
  (* hierconn *) wire \u_dut.sw_wants ;
  (* hierconn *) wire \u_dut.u_slots.sw_busy_q ;
  (* hierconn *) wire \u_dut.u_slots.sw_done_q ;
  (* hierconn *) wire \u_dut.u_slots.sw_write_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_slots.sw_slot_q ;
  (* hierconn *) wire [15:0] \u_dut.u_slots.sw_data_q ;
  (* hierconn *) wire \u_dut.r0_valid_q ;
  (* hierconn *) wire \u_dut.r0_sw_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.r0_tile_q ;
  (* hierconn *) wire \u_dut.r1_valid_q ;
  (* hierconn *) wire \u_dut.r1_sw_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.r1_tile_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_slots.read_slot ;
  (* hierconn *) wire \u_dut.r2_valid_q ;
  (* hierconn *) wire \u_dut.u_slots.sw_count_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.r2_tile_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_slots.slot_q ;
  (* hierconn *) wire \u_dut.u_slots.write ;
  (* hierconn *) wire \u_dut.u_slots.turn ;
  (* hierconn *) wire [15:0] \u_dut.u_slots.missing ;
  (* hierconn *) wire [15:0] \u_dut.u_slots.missing_next ;
  (* hierconn *) wire \u_dut.u_slots.entered ;
  (* hierconn *) wire \u_dut.u_slots.left ;
  (* hierconn *) wire \u_dut.u_slots.waits ;
  (* hierconn *) wire \u_dut.u_slots.refused ;
  (* hierconn *) wire \u_dut.u_slots.head_turn ;
  (* hierconn *) wire \u_dut.u_slots.sw_refused_q ;
  (* hierconn *) wire \u_dut.u_slots.turn_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.r3_tile_q ;
  (* hierconn *) wire \u_dut.queued ;
  (* hierconn *) wire [ReleaseRows*16-1:0] \u_dut.u_slots.u_counts.u_ram.words_q ;
  (* hierconn *) wire [ReleaseRows-1:0] \u_dut.u_slots.u_entered.u_ram.words_q ;
  (* hierconn *) wire [ReleaseRows-1:0] \u_dut.u_slots.u_left.u_ram.words_q ;
  (* hierconn *) wire [RowWidth:0] \u_dut.u_slots.u_queue.count_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_slots.u_queue.read_ptr_q ;
  (* hierconn *) wire [RowWidth-1:0] \u_dut.u_slots.u_queue.write_ptr_q ;
  (* hierconn *) wire \u_dut.u_slots.u_queue.mid_valid_q ;
  (* hierconn *) wire [WaitingWidth-1:0] \u_dut.u_slots.u_queue.mid ;
  (* hierconn *) wire [ReleaseRows*WaitingWidth-1:0] \u_dut.u_slots.u_queue.u_ram.u_ram.words_q ;

  t3_release #(
    .WgWidth(WgWidth), .WfWidth(WfWidth), .NumRegions(NumRegions), .NumGeometries(NumGeometries),
    .ReleaseRows(ReleaseRows)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .reset_i, .clear_row_i, .completed_i, .tile_i,
    .reg_release_i(releases), .reg_row_base_i(row_base), .reg_geo_i(geos),
    .geo_reciprocal_i(reciprocals), .sw_hold_i, .sw_wr_valid_i, .sw_wr_row_i, .sw_wr_data_i,
    .sw_wr_done_o(sw_wr_done), .sw_wr_refused_o(sw_wr_refused), .sw_rd_valid_i, .sw_rd_row_i,
    .sw_rd_done_o(sw_rd_done), .sw_rd_data_o(sw_rd_data), .sw_rd_waits_o(sw_rd_waits),
    .wants_turn_o(wants_turn), .rel_valid_o(rel_valid), .rel_ready_i, .rel_row_o(rel_row),
    .queued_o(queued), .released_o(released), .stray_o(stray), .stray_tile_o(stray_tile),
    .stray_row_o(stray_row), .armed_early_o(armed_early), .armed_row_o(armed_row),
    .active_o(active), .work_o(work)
  );

  logic wanted1_q, wanted2_q, wr_waits_q, rd_waits_q, past_q, hold_q, rel_waits_q;
  logic [RowWidth-1:0] rel_row_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    wanted1_q <= rst_q && wants_turn;
    wanted2_q <= rst_q && wanted1_q;
    wr_waits_q <= rst_q && sw_wr_valid_i && !sw_wr_done;
    rd_waits_q <= rst_q && sw_rd_valid_i && !sw_rd_done;
    hold_q <= sw_hold_i;
    rel_waits_q <= rel_valid && !rel_ready_i;
    rel_row_q <= rel_row;
  end

  always_comb begin
    assume (!clear_i || (rst_q && !completed_i && !work && sw_hold_i));
    // The walk after reset: the bits that say whether a release waits are equal from here on.
    assume (!(clear_i && reset_i) || (!rel_valid && \u_dut.u_slots.u_queue.count_q == '0
                                      && !\u_dut.u_slots.u_queue.mid_valid_q ));
    if (!rst_q) assume (\u_dut.u_slots.u_entered.u_ram.words_q == \u_dut.u_slots.u_left.u_ram.words_q && !completed_i);
    assume (!wanted2_q || !completed_i);
    assume (!wr_waits_q || sw_wr_valid_i);
    assume (!rd_waits_q || sw_rd_valid_i);
  end

  function automatic logic [RowWidth-1:0] slot_of(input logic [IdWidth-1:0] tile_of);
    logic [WgWidth+32:0] product;
    product = (WgWidth+33)'(tile_of[WfWidth +: WgWidth])
              * (WgWidth+33)'(reciprocals[geos[tile_of[IdWidth-1]]*33 +: 33]);
    slot_of = row_base[tile_of[IdWidth-1]*RowWidth +: RowWidth] + RowWidth'(product >> 32);
  endfunction

  // The completion on its way through R0 to R3.
  logic shown;
  logic [IdWidth-1:0] tile0_q, tile1_q, tile2_q, tile3_q;
  logic [RowWidth-1:0] slot0, slot0_q, slot1_q;
  logic pick0_q, pick1_q, pick2_q, pick3_q;
  assign shown = completed_i && releases[tile_i[IdWidth-1]];
  assign slot0 = slot_of(\u_dut.r0_tile_q );
  always_ff @(posedge clk_i) begin
    pick0_q <= rst_q && shown;
    pick1_q <= rst_q && pick0_q;
    pick2_q <= rst_q && pick1_q;
    pick3_q <= rst_q && pick2_q;
    tile0_q <= tile_i;
    tile1_q <= tile0_q;
    tile2_q <= tile1_q;
    tile3_q <= tile2_q;
    slot0_q <= slot0;
    slot1_q <= slot0_q;
  end

  logic empty, empty_q;
  assign empty = \u_dut.u_slots.u_queue.count_q == '0 && !\u_dut.u_slots.u_queue.mid_valid_q && !rel_valid;
  always_ff @(posedge clk_i) empty_q <= empty;

  // Software's access in R2, where its order among the completions is decided.
  logic [ReleaseRows-1:0] waiting_q, issue2, issue3, issue4, stray3, armed_now, refused_now;
  logic sw_arms, refused_q, read_waits_q;
  assign sw_arms = \u_dut.u_slots.sw_count_q && \u_dut.u_slots.sw_write_q && \u_dut.u_slots.sw_data_q != '0;
  always_ff @(posedge clk_i) begin
    refused_q <= rst_q && refused_now != '0;
    read_waits_q <= armed_now != '0;
  end

  // Promises, a bit per slot.
  logic [ReleaseRows-1:0] counts, r2, r3, reads_the_slot, waits_once, no_second, one_under_way;
  logic [ReleaseRows-1:0] sees_the_wait, turns, in_one_cycle, reload;

  for (genvar k = 0; k < ReleaseRows; k++) begin : gen_slot
    // Written by software and not completed yet, in the order of R2.
    logic [15:0] written_q, counted_q;
    logic here, pick, issue3_q, issue4_q, stray2, stray3_q, waits;
    assign here = \u_dut.u_slots.slot_q == RowWidth'(k);
    assign pick = pick2_q && slot1_q == RowWidth'(k);
    assign issue2[k] = pick && counted_q + 16'd1 == written_q && written_q != '0;
    assign stray2 = pick && counted_q == written_q;
    assign issue3[k] = issue3_q;
    assign issue4[k] = issue4_q;
    assign stray3[k] = stray3_q;
    // Its release is in the queue, or on its way there.
    assign waits = waiting_q[k] || issue3_q;
    assign armed_now[k] = \u_dut.u_slots.sw_count_q && here && waits;
    assign refused_now[k] = sw_arms && here && waits;

    always_ff @(posedge clk_i) begin
      if (!rst_q) begin
        written_q <= \u_dut.u_slots.u_counts.u_ram.words_q [k*16 +: 16];
        counted_q <= '0;
        waiting_q[k] <= 1'b0;
        {issue3_q, issue4_q, stray3_q} <= '0;
      end else begin
        if (clear_i && clear_row_i == RowWidth'(k)) begin
          written_q <= '0;
          counted_q <= '0;
        end else if (\u_dut.u_slots.sw_count_q && \u_dut.u_slots.sw_write_q && here && !refused_now[k]) begin
          written_q <= \u_dut.u_slots.sw_data_q ;
          counted_q <= '0;
        end else if (pick && counted_q != written_q) begin
          counted_q <= counted_q + 16'd1;
        end
        issue3_q <= issue2[k];
        issue4_q <= issue3_q;
        stray3_q <= stray2;
        if (issue3_q) waiting_q[k] <= 1'b1;
        else if (rel_valid && rel_ready_i && rel_row == RowWidth'(k)) waiting_q[k] <= 1'b0;
      end
    end

    logic [15:0] word, places;
    logic turn;  // every place of the slot in the queue has the slot's turn
    always_comb begin
      word = \u_dut.u_slots.u_counts.u_ram.words_q [k*16 +: 16];
      places = 16'(rel_valid && rel_row == RowWidth'(k))
               + 16'(\u_dut.u_slots.u_queue.mid_valid_q
                     && \u_dut.u_slots.u_queue.mid [RowWidth-1:0] == RowWidth'(k));
      turn = (!(rel_valid && rel_row == RowWidth'(k))
              || \u_dut.u_slots.head_turn == \u_dut.u_slots.u_entered.u_ram.words_q [k])
             && (!(\u_dut.u_slots.u_queue.mid_valid_q
                   && \u_dut.u_slots.u_queue.mid [RowWidth-1:0] == RowWidth'(k))
                 || \u_dut.u_slots.u_queue.mid [RowWidth] == \u_dut.u_slots.u_entered.u_ram.words_q [k])
             && (!issue3_q || \u_dut.u_slots.turn_q == \u_dut.u_slots.u_entered.u_ram.words_q [k]);
      for (int i = 0; i < ReleaseRows; i++) begin
        if ((RowWidth+1)'(RowWidth'(RowWidth'(i) - \u_dut.u_slots.u_queue.read_ptr_q ))
            < \u_dut.u_slots.u_queue.count_q
            && \u_dut.u_slots.u_queue.u_ram.u_ram.words_q [i*WaitingWidth +: RowWidth] == RowWidth'(k)) begin
          places = places + 16'd1;
          if (\u_dut.u_slots.u_queue.u_ram.u_ram.words_q [i*WaitingWidth+RowWidth]
              != \u_dut.u_slots.u_entered.u_ram.words_q [k]) turn = 1'b0;
        end
      end
    end

    assign counts[k] = word == written_q - counted_q && counted_q <= written_q;
    assign r2[k] = pick == (\u_dut.r2_valid_q && here)
                   && issue2[k] == (pick && word == 16'd1) && stray2 == (pick && word == 16'd0);
    // Released exactly when the last of them is counted; each stray is reported.
    assign r3[k] = issue3_q == (released && stray_row == RowWidth'(k))
                   && stray3_q == (stray && stray_row == RowWidth'(k));
    assign reads_the_slot[k] = !(\u_dut.r2_valid_q || \u_dut.u_slots.sw_count_q ) || !here
        || (\u_dut.u_slots.missing == word && \u_dut.u_slots.entered == \u_dut.u_slots.u_entered.u_ram.words_q [k]
            && \u_dut.u_slots.left == \u_dut.u_slots.u_left.u_ram.words_q [k]);
    // A release that waits is in the queue once, and nothing else is.
    assign waits_once[k] = places == 16'(waiting_q[k]);
    assign no_second[k] = !(issue3_q && waiting_q[k]);
    assign one_under_way[k] = !waits || counted_q == written_q;
    // Two bits differ while it waits.
    assign turns[k] = turn
        && waits == (\u_dut.u_slots.u_entered.u_ram.words_q [k] != \u_dut.u_slots.u_left.u_ram.words_q [k]);
    assign sees_the_wait[k] = !(\u_dut.u_slots.sw_count_q && here) || \u_dut.u_slots.refused == refused_now[k];
    assign in_one_cycle[k] = !(past_q && issue4_q && empty_q)
                             || (rel_valid && rel_row == RowWidth'(k));
    assign reload[k] = issue3_q && written_q == 16'd2;
  end

  // Software: how long since its access was taken, and how long it has waited for its turn.
  logic [3:0] since_sw_q;
  logic [1:0] turnless_q;
  logic written_past;
  always_ff @(posedge clk_i) begin
    if (!rst_q) since_sw_q <= 4'd9;
    else if (\u_dut.sw_take ) since_sw_q <= 4'd1;
    else if (since_sw_q != 4'd9) since_sw_q <= since_sw_q + 4'd1;
    if (!rst_q || !wants_turn) turnless_q <= '0;
    else turnless_q <= turnless_q + 2'd1;
    // A release left in R1 of this access.
    written_past <= rel_valid && rel_ready_i && \u_dut.r1_sw_q && rel_row == \u_dut.u_slots.read_slot ;
  end

  always @(posedge clk_i) if (rst_q) begin
    release_counts: assert (counts == '1);
    release_stages: assert (pick0_q == \u_dut.r0_valid_q && pick1_q == \u_dut.r1_valid_q
                            && pick2_q == \u_dut.r2_valid_q
                            && (!pick0_q || tile0_q == \u_dut.r0_tile_q )
                            && (!pick1_q || (tile1_q == \u_dut.r1_tile_q
                                             && slot0_q == \u_dut.u_slots.read_slot ))
                            && (!pick2_q || (tile2_q == \u_dut.r2_tile_q
                                             && slot1_q == \u_dut.u_slots.slot_q )));
    release_r2: assert (r2 == '1);
    release_r3: assert (r3 == '1);
    release_events: assert (released == (issue3 != '0) && stray == (stray3 != '0)
                            && !(released && stray) && (!(released || stray) || pick3_q));
    release_queues: assert (\u_dut.queued == released);
    release_stray_tile: assert (!stray || stray_tile == tile3_q);
    release_last_tile: assert (!released || \u_dut.r3_tile_q == tile3_q);
    release_reads_the_slot: assert (reads_the_slot == '1);
    release_waits_once: assert (waits_once == '1);
    release_no_second: assert (no_second == '1);
    release_one_under_way: assert (one_under_way == '1);
    release_turns: assert (turns == '1);
    release_arms: assert (sees_the_wait == '1);
    release_refuses: assert (armed_early == refused_q && (!sw_wr_done || sw_wr_refused == refused_q)
                             && (!armed_early || (sw_wr_done && armed_row == \u_dut.u_slots.sw_slot_q ))
                             && (!sw_rd_done || sw_rd_waits == read_waits_q));
    release_hold: assert (!(past_q && hold_q && \u_dut.r0_sw_q ));
    release_in_one_cycle: assert (in_one_cycle == '1);
    release_queued: assert (16'(queued) == 16'(\u_dut.u_slots.u_queue.count_q ) + 16'(rel_valid)
                                           + 16'(\u_dut.u_slots.u_queue.mid_valid_q ));
    release_pointers: assert (RowWidth'(\u_dut.u_slots.u_queue.write_ptr_q - \u_dut.u_slots.u_queue.read_ptr_q )
                              == RowWidth'(\u_dut.u_slots.u_queue.count_q )
                              && \u_dut.u_slots.u_queue.count_q <= (RowWidth+1)'(ReleaseRows));
    release_sw_stages: assert (\u_dut.u_slots.sw_busy_q
                               == (\u_dut.r0_sw_q || \u_dut.r1_sw_q || \u_dut.u_slots.sw_count_q
                                   || \u_dut.u_slots.sw_done_q ));
    release_sw_turns: assert (\u_dut.r0_sw_q == (since_sw_q == 4'd1)
                              && \u_dut.r1_sw_q == (since_sw_q == 4'd2)
                              && \u_dut.u_slots.sw_count_q == (since_sw_q == 4'd3)
                              && \u_dut.u_slots.sw_done_q == (since_sw_q == 4'd4) && since_sw_q != 4'd0
                              && since_sw_q <= 4'd9);
    release_one_at_a_stage: assert (!(\u_dut.r0_valid_q && \u_dut.r0_sw_q )
                                    && !(\u_dut.r1_valid_q && \u_dut.r1_sw_q )
                                    && !(\u_dut.r2_valid_q && \u_dut.u_slots.sw_count_q ));
    // An access that may begin does so after two cycles at most, and then takes no further turn for four.
    release_sw_bounded: assert (turnless_q <= 2'd2
                                && (turnless_q == '0 || wanted1_q)
                                && (turnless_q != 2'd2 || wanted2_q));
    release_sw_begins: assert (!\u_dut.sw_wants || \u_dut.sw_take || wants_turn);
    release_sw_rests: assert (!(wants_turn || \u_dut.sw_take ) || since_sw_q > 4'd4);
    if (past_q) begin
      release_stable: assert (!rel_waits_q || (rel_valid && rel_row == rel_row_q));
    end
    cover_back_to_back: cover (issue3 != '0 && issue4 != '0);
    cover_all_wait: cover (waiting_q == '1);
    cover_reload: cover (reload != '0);
    cover_stray: cover (stray);
    cover_refused: cover (refused_q);
    cover_armed_as_it_leaves: cover (sw_arms && refused_now == '0 && written_past);
    cover_turn: cover (turnless_q == 2'd2 && \u_dut.sw_take );
    cover_software_between: cover (\u_dut.r1_valid_q && \u_dut.u_slots.sw_count_q && \u_dut.u_slots.write
                                   && \u_dut.u_slots.read_slot == \u_dut.u_slots.slot_q );
    cover_second_row: cover (issue3[1] && tile3_q[WfWidth +: WgWidth] != '0
                             && row_base[tile3_q[IdWidth-1]*RowWidth +: RowWidth] == '0);
  end
endmodule
