// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_trigger with t3_slots and its ready queue, against counts that the checker keeps at T0, where completions and
/// software's writes are put in order. A slot issues exactly when as many completions were picked as
/// software wrote, once, with the tile of the last one. A tile that overran is reported and counts
/// nothing down. A command leaves once, with its region and the first workgroup of its block. A completion
/// is a command four cycles later if none waits. A RAM read that collides with a write returns any value.
///
/// Software may write any slot at any time: a slot whose command waits is not armed, and that is
/// reported. While `sw_hold_i` is up, no access begins. While `skip_i` is up, no completion is picked. Each
/// completion that is counted is shown to the release unit, once.
///
/// Assumed: the region table does not change; the unit is cleared only while idle, and before anything
/// else after reset.
module formal_trigger #(
  parameter int NumBanks = 2,
  parameter int WgWidth = 2,
  parameter int WfWidth = 1,
  parameter int GranWidth = 2,
  parameter int NumRegions = 2,
  parameter int CmdDepth = 2,
  localparam int CmdWidth = $clog2(CmdDepth),
  localparam int TileWidth = 1 + WgWidth + WfWidth + GranWidth,
  localparam int DoneWidth = 1 + TileWidth,
  localparam int NoticeWidth = CmdWidth + TileWidth,
  localparam int WaitingWidth = 1 + CmdWidth + 1,
  localparam int CommandWidth = CmdWidth + 1 + WgWidth
) (
  input logic                          clk_i,
  input logic                          clear_i,
  input logic                          reset_i,
  input logic [CmdWidth-1:0]           clear_cmd_i,
  input logic [NumBanks-1:0]           done_valid_i,
  input logic [NumBanks*DoneWidth-1:0] done_i,
  input logic                          sw_hold_i,
  input logic                          sw_wr_valid_i,
  input logic [CmdWidth-1:0]           sw_wr_cmd_i,
  input logic [15:0]                   sw_wr_data_i,
  input logic                          sw_rd_valid_i,
  input logic [CmdWidth-1:0]           sw_rd_cmd_i,
  input logic                          skip_i,
  input logic                          dma_ready_i
);
  `T3_FORMAL_RESET
  (* anyconst *) logic [NumRegions-1:0] triggers;
  (* anyconst *) logic [NumRegions-1:0] notifies;
  (* anyconst *) logic [NumRegions*WgWidth-1:0] wg_first;
  (* anyconst *) logic [NumRegions*4-1:0] block_log2;
  (* anyconst *) logic [NumRegions*CmdWidth-1:0] cmd_base;

  logic [NumBanks-1:0] done_pop;
  logic sw_wr_done, sw_rd_done, dma_valid, ntf_valid, completed, stray, overrun, issued, triggered, notified;
  logic [TileWidth-1:0] tile;
  logic active, work, issued_region, counted;
  logic [TileWidth-GranWidth-1:0] counted_tile;
  logic [15:0] sw_rd_data;
  logic sw_wr_refused, sw_rd_waits, armed_early;
  logic [CmdWidth-1:0] armed_cmd;
  logic [CmdWidth:0] queued;
  logic [CommandWidth-1:0] dma;
  logic [NoticeWidth-1:0] ntf;

  (* hierconn *) wire \u_dut.sw_take ;
  (* hierconn *) wire \u_dut.u_slots.sw_busy_q ;
  (* hierconn *) wire \u_dut.u_slots.sw_done_q ;
  (* hierconn *) wire \u_dut.u_slots.sw_write_q ;
  (* hierconn *) wire [CmdWidth-1:0] \u_dut.u_slots.sw_slot_q ;
  (* hierconn *) wire [15:0] \u_dut.u_slots.sw_data_q ;
  (* hierconn *) wire \u_dut.t0_valid_q ;
  (* hierconn *) wire \u_dut.t0_overran_q ;
  (* hierconn *) wire \u_dut.t0_sw_q ;
  (* hierconn *) wire [CmdWidth-1:0] \u_dut.u_slots.read_slot ;
  (* hierconn *) wire \u_dut.t0_region_q ;
  (* hierconn *) wire [WgWidth-1:0] \u_dut.t0_wg_q ;
  (* hierconn *) wire [WfWidth-1:0] \u_dut.t0_wf_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.t0_gran_q ;
  (* hierconn *) wire \u_dut.t1_valid_q ;
  (* hierconn *) wire \u_dut.t1_overran_q ;
  (* hierconn *) wire \u_dut.u_slots.sw_count_q ;
  (* hierconn *) wire [CmdWidth-1:0] \u_dut.u_slots.slot_q ;
  (* hierconn *) wire \u_dut.t1_region_q ;
  (* hierconn *) wire [WgWidth-1:0] \u_dut.t1_wg_q ;
  (* hierconn *) wire [WfWidth-1:0] \u_dut.t1_wf_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.t1_gran_q ;
  (* hierconn *) wire \u_dut.u_slots.write ;
  (* hierconn *) wire [15:0] \u_dut.u_slots.missing ;
  (* hierconn *) wire [15:0] \u_dut.u_slots.missing_next ;
  (* hierconn *) wire \u_dut.u_slots.turn_q ;
  (* hierconn *) wire \u_dut.u_slots.turn ;
  (* hierconn *) wire \u_dut.u_slots.entered ;
  (* hierconn *) wire \u_dut.u_slots.left ;
  (* hierconn *) wire \u_dut.u_slots.waits ;
  (* hierconn *) wire \u_dut.u_slots.refused ;
  (* hierconn *) wire \u_dut.u_slots.head_turn ;
  (* hierconn *) wire \u_dut.u_slots.sw_refused_q ;
  (* hierconn *) wire [CmdDepth-1:0] \u_dut.u_slots.u_entered.u_ram.words_q ;
  (* hierconn *) wire [CmdDepth-1:0] \u_dut.u_slots.u_left.u_ram.words_q ;
  (* hierconn *) wire \u_dut.t2_completed_q ;
  (* hierconn *) wire [CmdWidth-1:0] \u_dut.u_slots.slot_o ;
  (* hierconn *) wire \u_dut.t2_region_q ;
  (* hierconn *) wire [WgWidth-1:0] \u_dut.t2_wg_q ;
  (* hierconn *) wire [WfWidth-1:0] \u_dut.t2_wf_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.t2_gran_q ;
  (* hierconn *) wire [CmdDepth*16-1:0] \u_dut.u_slots.u_counts.u_ram.words_q ;
  (* hierconn *) wire [CmdWidth:0] \u_dut.u_slots.u_queue.count_q ;
  (* hierconn *) wire [CmdWidth-1:0] \u_dut.u_slots.u_queue.read_ptr_q ;
  (* hierconn *) wire [CmdWidth-1:0] \u_dut.u_slots.u_queue.write_ptr_q ;
  (* hierconn *) wire \u_dut.u_slots.u_queue.mid_valid_q ;
  (* hierconn *) wire [WaitingWidth-1:0] \u_dut.u_slots.u_queue.mid ;
  (* hierconn *) wire [CmdDepth*WaitingWidth-1:0] \u_dut.u_slots.u_queue.u_ram.u_ram.words_q ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_arb.after_q ;

  t3_trigger #(
    .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .GranWidth(GranWidth),
    .NumRegions(NumRegions), .CmdDepth(CmdDepth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .reset_i, .clear_cmd_i, .done_valid_i, .done_pop_o(done_pop), .done_i,
    .reg_trigger_i(triggers), .reg_notify_i(notifies), .reg_wg_first_i(wg_first),
    .reg_block_log2_i(block_log2), .reg_cmd_base_i(cmd_base), .sw_hold_i, .sw_wr_valid_i,
    .sw_wr_cmd_i, .sw_wr_data_i, .sw_wr_done_o(sw_wr_done), .sw_wr_refused_o(sw_wr_refused), .sw_rd_valid_i, .sw_rd_cmd_i,
    .sw_rd_done_o(sw_rd_done), .sw_rd_data_o(sw_rd_data), .sw_rd_waits_o(sw_rd_waits), .skip_i, .dma_valid_o(dma_valid), .dma_ready_i,
    .dma_cmd_o(dma[CommandWidth-1 -: CmdWidth]), .dma_region_o(dma[WgWidth]),
    .dma_wg_o(dma[0 +: WgWidth]), .queued_o(queued), .ntf_valid_o(ntf_valid),
    .ntf_cmd_o(ntf[NoticeWidth-1 -: CmdWidth]), .ntf_region_o(ntf[TileWidth-1]),
    .ntf_wg_o(ntf[WfWidth+GranWidth +: WgWidth]), .ntf_wf_o(ntf[GranWidth +: WfWidth]),
    .ntf_gran_o(ntf[0 +: GranWidth]), .completed_o(completed), .stray_o(stray), .overrun_o(overrun),
    .tile_o(tile), .armed_early_o(armed_early), .armed_cmd_o(armed_cmd), .issued_o(issued),
    .issued_region_o(issued_region), .triggered_o(triggered), .notified_o(notified),
    .counted_o(counted), .counted_tile_o(counted_tile),
    .active_o(active), .work_o(work)
  );

  always_comb begin
    assume (!clear_i || (rst_q && done_valid_i == '0 && !work && sw_hold_i));
    // The walk after reset: the bits that say whether a command waits are equal from here on.
    assume (!(clear_i && reset_i) || (!dma_valid && \u_dut.u_slots.u_queue.count_q == '0
                                      && !\u_dut.u_slots.u_queue.mid_valid_q ));
    if (!rst_q) assume (\u_dut.u_slots.u_entered.u_ram.words_q == \u_dut.u_slots.u_left.u_ram.words_q );
  end

  function automatic logic [CmdWidth-1:0] slot_of(input logic [TileWidth-1:0] tile_of);
    logic [WgWidth-1:0] block;
    block = (tile_of[WfWidth+GranWidth +: WgWidth] - wg_first[tile_of[TileWidth-1]*WgWidth +: WgWidth])
            >> block_log2[tile_of[TileWidth-1]*4 +: 4];
    slot_of = cmd_base[tile_of[TileWidth-1]*CmdWidth +: CmdWidth] + CmdWidth'(block);
  endfunction

  // What is picked in this cycle, and its slot.
  logic [TileWidth-1:0] picked;
  logic overran;
  logic [CmdWidth-1:0] picked_cmd;
  always_comb begin
    picked = '0;
    overran = 1'b0;
    for (int b = 0; b < NumBanks; b++) begin
      if (done_pop[b]) {overran, picked} = done_i[b*DoneWidth +: DoneWidth];
    end
    picked_cmd = slot_of(picked);
  end

  // The tile on its way through T0, T1 and T2, and out.
  logic [TileWidth-1:0] tile0_q, tile1_q, tile2_q, tile3_q;
  logic over0_q, over1_q, over2_q;
  always_ff @(posedge clk_i) begin
    over0_q <= rst_q && done_pop != '0 && overran;
    over1_q <= rst_q && over0_q;
    over2_q <= rst_q && over1_q;
    tile0_q <= picked;
    tile1_q <= tile0_q;
    tile2_q <= tile1_q;
    tile3_q <= tile2_q;
  end

  logic past_q, hold_q, empty_q, dma_waits_q, written_past;
  logic [CommandWidth-1:0] dma_q;
  logic empty;
  assign empty = \u_dut.u_slots.u_queue.count_q == '0 && !\u_dut.u_slots.u_queue.mid_valid_q && !dma_valid;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    hold_q <= sw_hold_i;
    // A command left in T0 of this access.
    written_past <= dma_valid && dma_ready_i && \u_dut.t0_sw_q
                    && dma[CommandWidth-1 -: CmdWidth] == \u_dut.u_slots.read_slot ;
    empty_q <= empty;
    dma_waits_q <= dma_valid && !dma_ready_i;
    dma_q <= dma;
  end

  logic [CmdDepth-1:0] waiting_q, pick2, issue2, issue3, stray2, armed_now, refused_now;
  // Promises, a bit per slot.
  logic [CmdDepth-1:0] counts, t0, t1, t2, reads_the_slot, issue, waits_once, no_second, one_under_way, in_four_cycles, reload;
  logic [CmdDepth-1:0] sees_the_wait, turns;

  // Software's access in T1, where its order among the completions is decided.
  logic sw_arms, refused_q, read_waits_q;
  assign sw_arms = \u_dut.u_slots.sw_count_q && \u_dut.u_slots.sw_write_q && \u_dut.u_slots.sw_data_q != '0;
  always_ff @(posedge clk_i) begin
    refused_q <= rst_q && refused_now != '0;
    read_waits_q <= armed_now != '0;
  end

  // The lowest workgroup whose block has the slot at the port.
  logic [CmdWidth-1:0] dma_block;
  logic [WgWidth-1:0] first_wg;
  always_comb begin
    dma_block = dma[CommandWidth-1 -: CmdWidth] - cmd_base[dma[WgWidth]*CmdWidth +: CmdWidth];
    first_wg = wg_first[dma[WgWidth]*WgWidth +: WgWidth]
               + (WgWidth'(dma_block) << block_log2[dma[WgWidth]*4 +: 4]);
  end

  // Slots are numbered modulo CmdDepth: so far is the tile from it, in blocks.
  logic [WgWidth-1:0] tile_behind;
  logic tile_in_block, tile_first;
  assign tile_behind = tile3_q[WfWidth+GranWidth +: WgWidth] - dma[0 +: WgWidth];
  assign tile_in_block = dma_valid
                         && CmdWidth'(tile_behind >> block_log2[dma[WgWidth]*4 +: 4]) == '0;
  assign tile_first = tile_behind == '0;

  for (genvar k = 0; k < CmdDepth; k++) begin : gen_slot
    // Written by software and not completed yet, in the order of T1.
    logic [15:0] written_q, counted_q;
    logic pick0_q, pick1_q, pick2_q, issue1, issue2_q, issue3_q, stray1, stray2_q;
    logic pick, here, waits;
    assign pick = done_pop != '0 && !overran && picked_cmd == CmdWidth'(k);
    assign pick2[k] = pick2_q;
    assign issue2[k] = issue2_q;
    assign issue3[k] = issue3_q;
    assign stray2[k] = stray2_q;
    assign issue1 = pick1_q && counted_q + 16'd1 == written_q && written_q != '0;
    assign stray1 = pick1_q && counted_q == written_q;
    // Its command is in the queue, or on its way there.
    assign waits = waiting_q[k] || (issue2_q && triggered);
    assign here = \u_dut.u_slots.slot_q == CmdWidth'(k);
    assign armed_now[k] = \u_dut.u_slots.sw_count_q && here && waits;
    assign refused_now[k] = sw_arms && here && waits;

    always_ff @(posedge clk_i) begin
      if (!rst_q) begin
        written_q <= \u_dut.u_slots.u_counts.u_ram.words_q [k*16 +: 16];
        counted_q <= '0;
        waiting_q[k] <= 1'b0;
        {pick0_q, pick1_q, pick2_q} <= '0;
        {issue2_q, issue3_q} <= '0;
        stray2_q <= '0;
      end else begin
        if (clear_i && clear_cmd_i == CmdWidth'(k)) begin
          written_q <= '0;
          counted_q <= '0;
        end else if (\u_dut.u_slots.sw_count_q && \u_dut.u_slots.sw_write_q && here && !refused_now[k]) begin
          written_q <= \u_dut.u_slots.sw_data_q ;
          counted_q <= '0;
        end else if (pick1_q && counted_q != written_q) begin
          counted_q <= counted_q + 16'd1;
        end
        pick0_q <= pick;
        pick1_q <= pick0_q;
        pick2_q <= pick1_q;
        issue2_q <= issue1;
        issue3_q <= issue2_q && triggers[tile2_q[TileWidth-1]];
        stray2_q <= stray1;
        if (triggered && issue2_q) waiting_q[k] <= 1'b1;
        else if (dma_valid && dma_ready_i && dma[CommandWidth-1 -: CmdWidth] == CmdWidth'(k))
          waiting_q[k] <= 1'b0;
      end
    end

    logic [15:0] word, places;
    logic turn;  // every command of the slot in the queue has the slot's turn
    always_comb begin
      word = \u_dut.u_slots.u_counts.u_ram.words_q [k*16 +: 16];
      // Commands of the slot in the ready queue.
      places = 16'(dma_valid && dma[CommandWidth-1 -: CmdWidth] == CmdWidth'(k))
               + 16'(\u_dut.u_slots.u_queue.mid_valid_q
                     && \u_dut.u_slots.u_queue.mid [WaitingWidth-2 -: CmdWidth] == CmdWidth'(k));
      turn = (!(dma_valid && dma[CommandWidth-1 -: CmdWidth] == CmdWidth'(k))
              || \u_dut.u_slots.head_turn == \u_dut.u_slots.u_entered.u_ram.words_q [k])
             && (!(\u_dut.u_slots.u_queue.mid_valid_q
                   && \u_dut.u_slots.u_queue.mid [WaitingWidth-2 -: CmdWidth] == CmdWidth'(k))
                 || \u_dut.u_slots.u_queue.mid [WaitingWidth-1] == \u_dut.u_slots.u_entered.u_ram.words_q [k])
             && (!(issue2_q && triggered) || \u_dut.u_slots.turn_q == \u_dut.u_slots.u_entered.u_ram.words_q [k]);
      for (int i = 0; i < CmdDepth; i++) begin
        if ((CmdWidth+1)'(CmdWidth'(CmdWidth'(i) - \u_dut.u_slots.u_queue.read_ptr_q ))
            < \u_dut.u_slots.u_queue.count_q
            && \u_dut.u_slots.u_queue.u_ram.u_ram.words_q [i*WaitingWidth+1 +: CmdWidth]
               == CmdWidth'(k)) begin
          places = places + 16'd1;
          if (\u_dut.u_slots.u_queue.u_ram.u_ram.words_q [i*WaitingWidth+WaitingWidth-1]
              != \u_dut.u_slots.u_entered.u_ram.words_q [k]) turn = 1'b0;
        end
      end
    end

    assign counts[k] = word == written_q - counted_q && counted_q <= written_q;
    assign t0[k] = pick0_q == (\u_dut.t0_valid_q && !\u_dut.t0_overran_q
                               && \u_dut.u_slots.read_slot == CmdWidth'(k));
    assign t1[k] = pick1_q == (\u_dut.t1_valid_q && !\u_dut.t1_overran_q && here)
          && issue1 == (pick1_q && word == 16'd1)
          && stray1 == (pick1_q && word == 16'd0);
    assign t2[k] = pick2_q || !(issue2_q || stray2_q);
    assign reads_the_slot[k] = !(counted || \u_dut.u_slots.sw_count_q ) || !here
          || (\u_dut.u_slots.missing == word && \u_dut.u_slots.entered == \u_dut.u_slots.u_entered.u_ram.words_q [k]
              && \u_dut.u_slots.left == \u_dut.u_slots.u_left.u_ram.words_q [k]);
    // Issued exactly when the last of them is counted; each is reported.
    assign issue[k] = issue2_q == (issued && \u_dut.u_slots.slot_o == CmdWidth'(k));
    // A command that waits is in the queue once, and nothing else is.
    assign waits_once[k] = places == 16'(waiting_q[k]);
    assign no_second[k] = !(issue2_q && triggered && waiting_q[k]);
    assign one_under_way[k] = !waits || counted_q == written_q;
    // Two bits differ while it waits.
    assign turns[k] = turn && waits == (\u_dut.u_slots.u_entered.u_ram.words_q [k] != \u_dut.u_slots.u_left.u_ram.words_q [k]);
    assign sees_the_wait[k] = !(\u_dut.u_slots.sw_count_q && here) || \u_dut.u_slots.refused == refused_now[k];
    assign in_four_cycles[k] = !(past_q && issue3_q && empty_q)
          || (dma_valid && dma[CommandWidth-1 -: CmdWidth] == CmdWidth'(k)
              && dma[WgWidth] == tile3_q[TileWidth-1] && tile_in_block);
    assign reload[k] = issue2_q && triggered && written_q == 16'd2;
  end

  logic counted_past_q;
  always_ff @(posedge clk_i) counted_past_q <= counted;

  // A completion at a head waits for its turn and software's only.
  logic [3:0] since_sw_q;
  always_ff @(posedge clk_i) begin
    if (!rst_q) since_sw_q <= 4'd9;
    else if (\u_dut.sw_take ) since_sw_q <= 4'd1;
    else if (since_sw_q != 4'd9) since_sw_q <= since_sw_q + 4'd1;
  end

  always @(posedge clk_i) if (rst_q) begin
    trigger_counts: assert (counts == '1);
    trigger_t0: assert (t0 == '1);
    trigger_t1: assert (t1 == '1);
    trigger_t2: assert (t2 == '1);
    trigger_reads_the_slot: assert (reads_the_slot == '1);
    trigger_issue: assert (issue == '1);
    trigger_waits_once: assert (waits_once == '1);
    trigger_no_second: assert (no_second == '1);
    trigger_turns: assert (turns == '1);
    // A slot whose command waits is not armed, and software is told so.
    trigger_arms: assert (sees_the_wait == '1);
    trigger_refuses: assert (armed_early == refused_q && (!sw_wr_done || sw_wr_refused == refused_q)
                             && (!armed_early || (sw_wr_done && armed_cmd == \u_dut.u_slots.sw_slot_q ))
                             && (!sw_rd_done || sw_rd_waits == read_waits_q));
    // While the slots are about to be cleared, no access begins.
    trigger_hold: assert (!(past_q && hold_q && \u_dut.t0_sw_q ));
    trigger_queued: assert (16'(queued) == 16'(\u_dut.u_slots.u_queue.count_q ) + 16'(dma_valid)
                                           + 16'(\u_dut.u_slots.u_queue.mid_valid_q ));
    cover_refused: cover (refused_q);
    cover_armed_as_it_leaves: cover (sw_arms && refused_now == '0 && written_past);
    trigger_one_under_way: assert (one_under_way == '1);
    trigger_in_four_cycles: assert (in_four_cycles == '1);
    cover_reload: cover (reload != '0);
    trigger_sw_stages: assert (\u_dut.u_slots.sw_busy_q
                               == (\u_dut.t0_sw_q || \u_dut.u_slots.sw_count_q || \u_dut.u_slots.sw_done_q ));
    trigger_sw_turns: assert (\u_dut.t0_sw_q == (since_sw_q == 4'd1)
                              && \u_dut.u_slots.sw_count_q == (since_sw_q == 4'd2)
                              && \u_dut.u_slots.sw_done_q == (since_sw_q == 4'd3) && since_sw_q != 4'd0
                              && since_sw_q <= 4'd9);
    trigger_sw_rests: assert (!\u_dut.sw_take || since_sw_q > 4'd3);
    trigger_one_at_t0: assert (!(\u_dut.t0_valid_q && \u_dut.t0_sw_q )
                               && !(\u_dut.t1_valid_q && \u_dut.u_slots.sw_count_q ));
    trigger_takes_one: assert ((done_pop & ~done_valid_i) == '0
                               && (done_pop & (done_pop - NumBanks'(1))) == '0);
    trigger_never_waits: assert (done_valid_i == '0 || done_pop != '0 || skip_i || \u_dut.sw_take );
    trigger_skips: assert (!skip_i || done_pop == '0);
    trigger_counted: assert (counted == (\u_dut.t1_valid_q && !over1_q)
                             && (!counted || counted_tile == tile1_q[TileWidth-1:GranWidth]));
    trigger_mask: assert ((~\u_dut.u_arb.after_q & (~\u_dut.u_arb.after_q + NumBanks'(1))) == '0);
    trigger_tiles:
    assert ((!\u_dut.t0_valid_q
             || tile0_q == {\u_dut.t0_region_q , \u_dut.t0_wg_q , \u_dut.t0_wf_q , \u_dut.t0_gran_q })
            && (!\u_dut.t1_valid_q
                || tile1_q == {\u_dut.t1_region_q , \u_dut.t1_wg_q , \u_dut.t1_wf_q ,
                               \u_dut.t1_gran_q })
            && (!(issued || stray || overrun) || tile2_q == tile)
            && tile == {\u_dut.t2_region_q , \u_dut.t2_wg_q , \u_dut.t2_wf_q , \u_dut.t2_gran_q });
    trigger_slots: assert ((!\u_dut.t1_valid_q || \u_dut.u_slots.slot_q == slot_of(tile1_q))
                           && (!issued || \u_dut.u_slots.slot_o == slot_of(tile2_q)));
    trigger_overran: assert (over0_q == (\u_dut.t0_valid_q && \u_dut.t0_overran_q )
                             && over1_q == (\u_dut.t1_valid_q && \u_dut.t1_overran_q )
                             && over2_q == overrun);
    trigger_reported: assert (completed == (pick2 != '0) && issued == (issue2 != '0)
                              && stray == (stray2 != '0) && (!issued || completed));
    trigger_out: assert (triggered == (issued && triggers[tile2_q[TileWidth-1]])
                         && notified == (issued && notifies[tile2_q[TileWidth-1]]));
    trigger_pointers: assert (CmdWidth'(\u_dut.u_slots.u_queue.write_ptr_q - \u_dut.u_slots.u_queue.read_ptr_q )
                              == CmdWidth'(\u_dut.u_slots.u_queue.count_q )
                              && \u_dut.u_slots.u_queue.count_q <= (CmdWidth+1)'(CmdDepth));
    trigger_block: assert (!dma_valid || dma[0 +: WgWidth] == first_wg);
    cover_block: cover (issue3 != '0 && empty_q && tile_in_block && !tile_first
                        && dma[0 +: WgWidth] != wg_first[dma[WgWidth]*WgWidth +: WgWidth]);
    if (past_q) begin
      trigger_counted_once: assert (completed == counted_past_q);
      trigger_dma_stable: assert (!dma_waits_q || (dma_valid && dma == dma_q));
      trigger_notify: assert (!ntf_valid || ntf[TileWidth-1:0] == tile3_q);
    end
    cover_back_to_back: cover (issue2 != '0 && issue3 != '0);
    cover_all_wait: cover (waiting_q == '1);
    cover_stray: cover (stray && completed);
    cover_overrun: cover (overrun && over1_q == 1'b0 && issue3 != '0);
    cover_software_between: cover (\u_dut.t0_valid_q && \u_dut.u_slots.sw_count_q && \u_dut.u_slots.write
                                   && \u_dut.u_slots.read_slot == \u_dut.u_slots.slot_q );
  end
endmodule
