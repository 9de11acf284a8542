// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_banks, bank 0 of two, with the record memory behind it. The bytes of a tile are in exactly one
/// place (table, victim on its way out, memory, parked, or come back from memory), and they are as
/// many as came in. The tile completes exactly when all have come, once, with its lowest granule.
/// A RAM read that collides with a write returns any value; bank 1 may do anything.
///
/// The proof watches one tile, any; the tiles of its set compete for the ways. The memory is that of
/// docs/tracker.md: a record stays there after it was read, until it is written again. Any tile may get
/// updates after it had all its bytes: they are an overrun if its record says that it was taken, and
/// never change another tile.
///
/// Assumed: the tables are cleared; the configuration does not change; a workgroup is of one region
/// and class; an update has bytes; grants and answers come only to a bank that asked, one per cycle
/// (proof spill_port).
module formal_banks #(
  parameter int NumBanks = 2,
  parameter int SetsPerBank = 2,
  parameter int Ways = 2,
  parameter int WgWidth = 3,
  parameter int WfWidth = 1,
  parameter int AddrWidth = 13,
  parameter int CntWidth = 4,
  parameter int SumWidth = 3,
  parameter int ParkWidth = 2,
  parameter int ParkedWidth = 2,
  localparam int GranWidth = AddrWidth - 5,
  // Tiles of bank 0 are numbered {upper wavefront bits, workgroup}.
  localparam int TileWidth = WgWidth + WfWidth - 1,
  localparam int Tiles = 1 << TileWidth,
  localparam int SpilledWidth = t3_pkg::SpilledWidth,
  localparam int KeyWidth = 1 + 2 + WgWidth + WfWidth,
  localparam int DoneWidth = 2 + WgWidth + WfWidth + GranWidth,
  localparam int IdWidth = 1 + WgWidth + WfWidth
) (
  input logic                          clk_i,
  input logic [NumBanks-1:0]           valid_i,
  input logic [NumBanks*KeyWidth-1:0]  key_i,
  input logic [NumBanks*GranWidth-1:0] gran_i,
  input logic [NumBanks*SumWidth-1:0]  bytes_i,
  input logic [NumBanks-1:0]           done_pop_i,
  input logic [NumBanks-1:0]           spill_gnt_i,
  input logic [NumBanks-1:0]           spill_rvalid_i,
  input logic [127:0]                  spill_rdata_i
);
  `T3_FORMAL_RESET
  localparam int SetWidth = $clog2(SetsPerBank);
  localparam int TagWidth = TileWidth - SetWidth;
  localparam logic [SpilledWidth-1:0] SpilledMax = {SpilledWidth{1'b1}};
  localparam int StateWidth = 1 + 1 + TagWidth + CntWidth;
  localparam int StatesWidth = Ways * StateWidth;
  localparam int WayWidth = t3_pkg::index_width(Ways);
  localparam int GransLsb = StatesWidth + WayWidth + SpilledWidth;
  localparam int WordWidth = GransLsb + Ways * GranWidth;
  localparam int Tags = 1 << TagWidth;
  localparam int TotalWidth = CntWidth + 7;

  (* anyconst *) logic [1:0] park;
  (* anyconst *) logic [1:0] geo;
  (* anyconst *) logic [13:0] updates;
  (* anyconst *) logic [16*CntWidth-1:0] expected;
  (* anyconst *) logic [2*(AddrWidth-12)-1:0] base;
  (* anyconst *) logic [31:0] epoch;
  // Region and class of a tile, and the tile watched.
  (* anyconst *) logic [Tiles-1:0] region_of;
  (* anyconst *) logic [2*Tiles-1:0] class_of;
  (* anyconst *) logic [TileWidth-1:0] x;

  logic [NumBanks-1:0] pop, done_valid, req, write, live_up, live_down, spilling;
  logic bad_record, wrapped, wraps;
  logic [IdWidth-1:0] bad_record_id, wrapped_id;
  logic [NumBanks*DoneWidth-1:0] done;
  logic [AddrWidth-1:0] addr;
  logic [127:0] wdata;
  logic active, work;

  (* hierconn *) wire [1:0] \u_dut.b1_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.evict_q ;
  (* hierconn *) wire [1:0] \u_dut.read_q ;
  (* hierconn *) wire [1:0] \u_dut.wait_q ;
  (* hierconn *) wire [1:0] \u_dut.take_q ;
  (* hierconn *) wire [1:0] \u_dut.surplus_q ;
  (* hierconn *) wire [1:0] \u_dut.resume_q ;
  (* hierconn *) wire [1:0] \u_dut.records_out_q ;
  (* hierconn *) wire [1:0] \u_dut.leave ;
  (* hierconn *) wire [1:0] \u_dut.completes ;
  (* hierconn *) wire [1:0] \u_dut.overruns ;
  (* hierconn *) wire [1:0] \u_dut.done_full ;
  (* hierconn *) wire [2*IdWidth-1:0] \u_dut.record_id_q ;
  (* hierconn *) wire [2*GranWidth-1:0] \u_dut.record_gran_q ;
  (* hierconn *) wire [2*CntWidth-1:0] \u_dut.record_bytes_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].region_q ;
  (* hierconn *) wire [WgWidth-1:0] \u_dut.gen_bank[0].wg_q ;
  (* hierconn *) wire [WfWidth-1:0] \u_dut.gen_bank[0].wf_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.gen_bank[0].gran_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.gen_bank[0].bytes_q ;
  (* hierconn *) wire [CntWidth-1:0] \u_dut.gen_bank[0].expected_q ;
  (* hierconn *) wire [TotalWidth-1:0] \u_dut.gen_bank[0].total_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].parks_q ;
  (* hierconn *) wire [StatesWidth-1:0] \u_dut.gen_bank[0].states ;
  (* hierconn *) wire [Ways*GranWidth-1:0] \u_dut.gen_bank[0].grans ;
  (* hierconn *) wire [WayWidth+SpilledWidth-1:0] \u_dut.gen_bank[0].note ;
  (* hierconn *) wire [WayWidth-1:0] \u_dut.gen_bank[0].way ;
  (* hierconn *) wire \u_dut.gen_bank[0].hit ;
  (* hierconn *) wire \u_dut.gen_bank[0].room ;
  (* hierconn *) wire [ParkedWidth-1:0] \u_dut.gen_bank[0].parked ;
  (* hierconn *) wire [ParkedWidth-1:0] \u_dut.gen_bank[0].parked_next ;
  (* hierconn *) wire [SpilledWidth-1:0] \u_dut.gen_bank[0].spilled_q ;
  (* hierconn *) wire [GranWidth-1:0] \u_dut.gen_bank[0].next_gran ;
  (* hierconn *) wire [DoneWidth-1:0] \u_dut.gen_bank[0].done_tail_q ;
  (* hierconn *) wire [SetsPerBank*WordWidth-1:0] \u_dut.gen_bank[0].u_table.words_q ;
  (* hierconn *) wire [(1<<(ParkWidth+WfWidth-1))*ParkedWidth-1:0] \u_dut.gen_bank[0].u_parked.u_ram.words_q ;

  t3_banks #(
    .NumBanks(NumBanks), .SetsPerBank(SetsPerBank), .Ways(Ways), .WgWidth(WgWidth),
    .WfWidth(WfWidth), .AddrWidth(AddrWidth), .CntWidth(CntWidth), .SumWidth(SumWidth),
    .NumRegions(1), .NumGeometries(1), .ParkWidth(ParkWidth), .ParkedWidth(ParkedWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i(1'b0), .clear_set_i('0), .clear_park_i('0), .valid_i,
    .pop_o(pop), .key_i, .gran_i, .bytes_i, .reg_park_i(park), .reg_geo_i(geo),
    .reg_updates_i(updates), .geo_expected_i(expected), .geo_spill_base_i(base),
    .geo_epoch_i(epoch), .done_valid_o(done_valid), .done_pop_i, .done_o(done), .spill_req_o(req),
    .spill_write_o(write), .spill_gnt_i, .spill_addr_o(addr), .spill_wraps_o(wraps), .spill_wdata_o(wdata),
    .spill_rvalid_i, .spill_rdata_i, .live_up_o(live_up), .live_down_o(live_down),
    .bad_record_o(bad_record), .bad_record_id_o(bad_record_id), .wrapped_o(wrapped),
    .wrapped_id_o(wrapped_id), .spilling_o(spilling), .active_o(active), .work_o(work)
  );

  // Bank 0's B1 and its state.
  logic b1, stays, leaves;
  logic [TileWidth-1:0] wg;
  assign b1 = \u_dut.b1_valid_q [0];
  assign wg = tile_of(\u_dut.gen_bank[0].wg_q , \u_dut.gen_bank[0].wf_q );
  logic take;
  assign take = \u_dut.take_q [0];
  assign stays = \u_dut.evict_q [0] || \u_dut.read_q [0] || \u_dut.wait_q [0] || take
                 || \u_dut.resume_q [0];
  assign leaves = \u_dut.leave [0];

  // The lowest bit of a tile's wavefront is that of its workgroup.
  function automatic logic [TileWidth-1:0] tile_of(input logic [WgWidth-1:0] workgroup,
                                                   input logic [WfWidth-1:0] wavefront);
    tile_of = (TileWidth'(wavefront >> 1) << WgWidth) | TileWidth'(workgroup);
  endfunction
  function automatic logic [WfWidth-1:0] wf_of(input logic [TileWidth-1:0] tile);
    wf_of = (WfWidth'(tile >> WgWidth) << 1) | WfWidth'(tile[0]);
  endfunction
  // The place of its parked count.
  function automatic logic [TileWidth-1:0] place_of(input logic [TileWidth-1:0] tile);
    place_of = ((tile >> WgWidth) << ParkWidth) | TileWidth'(tile[ParkWidth-1:0]);
  endfunction
  function automatic logic [CntWidth-1:0] expected_of(input logic [TileWidth-1:0] tile);
    expected_of = expected[{geo[region_of[tile]], class_of[2*tile +: 2], wf_of(tile)}*CntWidth
                           +: CntWidth];
  endfunction
  function automatic logic parks(input logic [TileWidth-1:0] tile);
    parks = park[region_of[tile]] && !geo[region_of[tile]]
            && (tile[WgWidth-1:0] >> ParkWidth) == '0;
  endfunction
  logic [TotalWidth-1:0] total;
  assign total = TotalWidth'(expected_of(x)) * TotalWidth'(updates[region_of[x]*7 +: 7]);

  // ---- the world outside ----------------------------------------------------------------------
  logic [1:0] asked_q;  // banks with a read that is not answered
  // Records of bank 0's tiles in memory that say live, and taken; and those that count.
  logic [Tiles-1:0] record_q, taken_q, out_q;
  logic [CntWidth-1:0] record_bytes_q;  // of the tile watched
  logic [GranWidth-1:0] record_gran_q;
  logic [TileWidth-1:0] asked_wg_q;
  logic [TileWidth-1:0] granted_wg, came;
  // What a record of the tile that bank 0 asks for says, live and taken.
  logic [64:0] identity, taken_identity;
  assign came = tile_of(key_i[WfWidth +: WgWidth], key_i[0 +: WfWidth]);  // the next update's tile
  assign granted_wg = tile_of(addr[5+WfWidth +: WgWidth], addr[5 +: WfWidth]);
  always_comb begin
    identity = '0;
    identity[0 +: 16] = epoch[geo[region_of[asked_wg_q]]*16 +: 16];
    identity[16] = region_of[asked_wg_q];
    identity[20] = 1'b1;
    identity[21 +: WgWidth] = asked_wg_q[WgWidth-1:0];
    identity[37 +: WfWidth] = wf_of(asked_wg_q);
    taken_identity = identity;
    taken_identity[20] = 1'b0;
    taken_identity[41] = 1'b1;
  end

  always_comb begin
    for (int b = 0; b < 2; b++) begin
      assume (!valid_i[b] || (key_i[b*KeyWidth] == (key_i[b*KeyWidth+WfWidth] ^ b[0])
                              && bytes_i[b*SumWidth +: SumWidth] != '0));
    end
    assume (!valid_i[0] || (key_i[KeyWidth-1] == region_of[came]
                            && key_i[WfWidth+WgWidth +: 2]
                               == class_of[2*came +: 2]));
    assume ((spill_gnt_i & ~req) == '0 && spill_gnt_i != 2'b11);
    assume ((spill_rvalid_i & ~asked_q) == '0 && spill_rvalid_i != 2'b11);
    assume ((done_pop_i & ~done_valid) == '0);
    if (spill_rvalid_i[0]) begin
      assume ((spill_rdata_i[127:63] == identity) == record_q[asked_wg_q]);
      assume ((spill_rdata_i[127:63] == taken_identity) == taken_q[asked_wg_q]);
      // The memory gives back what was written, which has a count, and zeros where the unit writes them.
      assume (!(record_q[asked_wg_q] || taken_q[asked_wg_q])
              || (spill_rdata_i[43 +: CntWidth] != '0 && spill_rdata_i[62:43+CntWidth] == '0
                  && spill_rdata_i[42:GranWidth] == '0));
      assume (asked_wg_q != x || !record_q[x] || (spill_rdata_i[43 +: CntWidth] == record_bytes_q
                                                  && spill_rdata_i[0 +: GranWidth] == record_gran_q));
    end
    if (!rst_q) begin
      assume (\u_dut.gen_bank[0].u_parked.u_ram.words_q == '0);
      for (int s = 0; s < SetsPerBank; s++) begin
        assume (\u_dut.gen_bank[0].u_table.words_q [s*WordWidth+StatesWidth +: SpilledWidth] == '0);
        for (int w = 0; w < Ways; w++) begin
          assume (!\u_dut.gen_bank[0].u_table.words_q [s*WordWidth + w*StateWidth + StateWidth-1]);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      asked_q <= '0;
      record_q <= '0;
      taken_q <= '0;
      out_q <= '0;
    end else begin
      asked_q <= (asked_q & ~spill_rvalid_i) | (spill_gnt_i & ~write);
      if (spill_gnt_i[0] && write[0] && take) begin
        record_q[granted_wg] <= 1'b0;
        taken_q[granted_wg] <= 1'b1;
      end else if (spill_gnt_i[0] && write[0]) begin
        record_q[granted_wg] <= 1'b1;
        taken_q[granted_wg] <= 1'b0;
        out_q[granted_wg] <= 1'b1;
        if (granted_wg == x) begin
          record_bytes_q <= wdata[43 +: CntWidth];
          record_gran_q <= wdata[0 +: GranWidth];
        end
      end
      if (spill_gnt_i[0] && !write[0]) asked_wg_q <= granted_wg;
      if (spill_rvalid_i[0]) out_q[asked_wg_q] <= 1'b0;
    end
  end

  // ---- the tile watched -----------------------------------------------------------------------
  // Bytes that left B1 and are not complete, and their lowest granule since the tile was parked.
  logic [CntWidth-1:0] bytes_q;
  logic [GranWidth-1:0] lowest_q, lowest;
  logic [TotalWidth:0] sum;
  logic [ParkedWidth-1:0] parked;
  logic [1:0] owed_q, owed_overruns_q;  // its completions and overruns that have not been taken
  logic finished_q;  // it completed, or overran
  logic is_x, surplus, completes, overruns;
  assign is_x = b1 && wg == x;
  assign sum = (TotalWidth+1)'(bytes_q) + (TotalWidth+1)'(\u_dut.gen_bank[0].bytes_q );
  assign surplus = is_x && \u_dut.resume_q [0] && \u_dut.surplus_q [0];
  assign completes = sum == (TotalWidth+1)'(total) && !surplus;
  assign overruns = !completes && (sum > (TotalWidth+1)'(total) || (sum >> CntWidth) != '0
                                   || surplus);
  assign parked = parks(x) ? \u_dut.gen_bank[0].u_parked.u_ram.words_q [place_of(x)*ParkedWidth
                                                                +: ParkedWidth] : '0;
  assign lowest = (bytes_q == '0 || parked != '0 || \u_dut.gen_bank[0].gran_q < lowest_q)
                  ? \u_dut.gen_bank[0].gran_q : lowest_q;

  logic popped_x, popped_overrun;
  logic [IdWidth-1:0] x_id;
  logic [IdWidth:0] done_head, done_second;  // {overran, tile}
  assign x_id = {region_of[x], x[WgWidth-1:0], wf_of(x)};
  assign done_head = done[GranWidth +: IdWidth+1];
  assign done_second = \u_dut.gen_bank[0].done_tail_q [GranWidth +: IdWidth+1];
  assign popped_x = done_pop_i[0] && done_head == {1'b0, x_id};
  assign popped_overrun = done_pop_i[0] && done_head == {1'b1, x_id};
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      bytes_q <= '0;
      owed_q <= '0;
      owed_overruns_q <= '0;
      finished_q <= 1'b0;
    end else begin
      owed_q <= owed_q + 2'(leaves && is_x && completes) - 2'(popped_x);
      owed_overruns_q <= owed_overruns_q + 2'(leaves && is_x && overruns) - 2'(popped_overrun);
      if (leaves && is_x && (completes || overruns)) finished_q <= 1'b1;
      if (leaves && is_x) begin
        bytes_q <= (completes || overruns) ? '0 : sum[CntWidth-1:0];
        lowest_q <= lowest;
      end
    end
  end

  // ---- where it is ----------------------------------------------------------------------------
  // The set's word; the way that an update in B1 has freed or found free; and per tag of the set.
  logic [WordWidth-1:0] word;
  logic [Tags-1:0] in_table, is_parked, counts, stale;
  logic [SpilledWidth-1:0] spilled;
  logic well_formed, once, x_table_right, in_set;
  logic [3:0] records;
  assign word = \u_dut.gen_bank[0].u_table.words_q [x[0]*WordWidth +: WordWidth];
  assign in_set = b1 && wg[0] == x[0];
  assign spilled = (stays && in_set) ? \u_dut.gen_bank[0].spilled_q : word[StatesWidth +: SpilledWidth];

  always_comb begin
    well_formed = 1'b1;
    once = 1'b1;
    x_table_right = 1'b1;
    in_table = '0;
    records = '0;
    for (int w = 0; w < Ways; w++) begin
      if (word[w*StateWidth + StateWidth-1]
          && !(stays && in_set && \u_dut.gen_bank[0].way == WayWidth'(w))) begin
        if (in_table[word[w*StateWidth+CntWidth +: TagWidth]]) once = 1'b0;
        in_table[word[w*StateWidth+CntWidth +: TagWidth]] = 1'b1;
        if (word[w*StateWidth+CntWidth +: TagWidth] == x[TileWidth-1:SetWidth]) begin
          x_table_right = word[w*StateWidth +: CntWidth] == bytes_q
                          && word[GransLsb+w*GranWidth +: GranWidth] == lowest_q;
        end
      end
      if (word[w*StateWidth + StateWidth-1]
          && (word[w*StateWidth+CntWidth+TagWidth]
              != region_of[{word[w*StateWidth+CntWidth +: TagWidth], x[0]}]
              || word[w*StateWidth +: CntWidth] == '0)) well_formed = 1'b0;
    end
    for (int t = 0; t < Tags; t++) begin
      is_parked[t] = parks({TagWidth'(t), x[0]})
          && \u_dut.gen_bank[0].u_parked.u_ram.words_q [place_of({TagWidth'(t), x[0]})*ParkedWidth
                                                +: ParkedWidth] != '0;
      counts[t] = out_q[{TagWidth'(t), x[0]}];
      stale[t] = record_q[{TagWidth'(t), x[0]}] && !counts[t];
      records = records + 4'(counts[t]);
    end
    // The victim has not gone yet, but is counted.
    if (\u_dut.evict_q [0] && in_set) records = records + 4'd1;
  end

  logic [TileWidth-1:0] record_wg;
  logic [Tags-1:0] b1_tag, victim_tag;
  assign record_wg = tile_of(\u_dut.record_id_q [WfWidth +: WgWidth], \u_dut.record_id_q [0 +: WfWidth]);
  always_comb begin
    for (int t = 0; t < Tags; t++) begin
      b1_tag[t] = in_set && wg[TileWidth-1:SetWidth] == TagWidth'(t);
      victim_tag[t] = in_set && \u_dut.evict_q [0] && record_wg[TileWidth-1:SetWidth] == TagWidth'(t);
    end
  end

  logic x_table, x_memory, x_victim, x_back;
  assign x_table = in_table[x[TileWidth-1:SetWidth]];
  assign x_memory = out_q[x];
  assign x_victim = victim_tag[x[TileWidth-1:SetWidth]];
  assign x_back = is_x && (\u_dut.resume_q [0] || take) && parked == '0
                  && \u_dut.record_bytes_q [CntWidth-1:0] != '0;

  logic [4:0] states_on;
  assign states_on = {\u_dut.evict_q [0], \u_dut.read_q [0], \u_dut.wait_q [0], take,
                      \u_dut.resume_q [0]};

  always @(posedge clk_i) if (rst_q) begin
    // The bank's bookkeeping.
    bank_one_state: assert ((states_on & (states_on - 5'd1)) == '0
                            && ((\u_dut.evict_q | \u_dut.read_q | \u_dut.wait_q | \u_dut.take_q
                                 | \u_dut.resume_q ) & ~\u_dut.b1_valid_q ) == '0
                            && (\u_dut.evict_q [1] + \u_dut.read_q [1] + \u_dut.wait_q [1]
                                + \u_dut.take_q [1] + \u_dut.resume_q [1] <= 3'd1)
                            && (asked_q == \u_dut.wait_q ));
    bank_queue: assert (done_valid[0] || !\u_dut.done_full [0]);
    bank_b1: assert (!b1 || (\u_dut.gen_bank[0].region_q == region_of[wg]
                             && \u_dut.gen_bank[0].wf_q == wf_of(wg)
                             && \u_dut.gen_bank[0].bytes_q != '0
                             && \u_dut.gen_bank[0].parks_q == parks(wg)
                             && \u_dut.gen_bank[0].expected_q == expected_of(wg)));
    bank_total: assert (!is_x || \u_dut.gen_bank[0].total_q == total);
    // What B1 sees is what the RAMs hold.
    bank_sees_the_set: assert (!in_set || {\u_dut.gen_bank[0].grans , \u_dut.gen_bank[0].note ,
                                           \u_dut.gen_bank[0].states } == word);
    bank_sees_the_parked: assert (!in_set || !parks(wg)
                                  || \u_dut.gen_bank[0].parked
                                     == \u_dut.gen_bank[0].u_parked.u_ram.words_q [
                                            place_of(wg)*ParkedWidth +: ParkedWidth]);
    bank_parked_is_own: assert (!b1 || \u_dut.gen_bank[0].parks_q
                                || \u_dut.gen_bank[0].parked == '0);
    bank_entries: assert (well_formed && once);
    // Not two places at once, for every tile of the set.
    bank_one_place: assert ((in_table & is_parked) == '0 && (in_table & counts) == '0
                            && (is_parked & counts) == '0 && (victim_tag & in_table) == '0
                            && (victim_tag & is_parked) == '0 && (victim_tag & counts) == '0
                            && (!(\u_dut.resume_q [0] || take) || (counts & b1_tag) == '0)
                            && (!in_set || !stays || ((b1_tag & in_table) == '0
                                                      && (b1_tag & victim_tag) == '0)));
    bank_records_are_there: assert ((counts & ~{record_q[{2'd3, x[0]}], record_q[{2'd2, x[0]}],
                                                record_q[{2'd1, x[0]}], record_q[{2'd0, x[0]}]})
                                    == '0);
    // A record that was read says so, before anybody reads it again.
    bank_stale_records: assert ((stale & ~(take ? b1_tag : '0)) == '0
                                && (!(take && in_set) || (b1_tag & ~stale) == '0)
                                && (record_q & taken_q) == '0);
    bank_taken: assert ((!taken_q[x] || finished_q || bytes_q != '0)
                        && (!(is_x && take) || bytes_q != '0));
    // What overruns because its record was taken has had all its bytes.
    bank_surplus: assert (!surplus || (finished_q && bytes_q == '0 && taken_q[x]));
    bank_surplus_of_this: assert (!(states_on[4:1] != '0 && \u_dut.surplus_q [0]));
    bank_counts_records: assert (spilled == SpilledMax || 4'(spilled) >= records);
    bank_victim: assert (!\u_dut.evict_q [0]
                         || (\u_dut.record_id_q [0] == record_wg[0] && record_wg[0] == wg[0]
                             && (!in_set
                                 || (\u_dut.record_id_q [IdWidth-1] == region_of[record_wg]
                                     && \u_dut.record_bytes_q [CntWidth-1:0] != '0))));
    bank_marks_what_counts: assert (!take || \u_dut.record_bytes_q [CntWidth-1:0] != '0);
    bank_asks_for_its_own: assert (!(\u_dut.read_q [0] || \u_dut.wait_q [0] || take)
                                   || (\u_dut.record_id_q [IdWidth-1:0]
                                       == {region_of[wg], wg[WgWidth-1:0], wf_of(wg)}));
    bank_asked: assert (!\u_dut.wait_q [0] || asked_wg_q == wg);
    bank_records_out: assert (!(\u_dut.evict_q [0] && in_set)
                              || \u_dut.records_out_q [0]
                              || is_parked[wg[TileWidth-1:SetWidth]] || !counts[wg[TileWidth-1:SetWidth]]);
    bank_reads_unparked: assert (!(in_set && (\u_dut.read_q [0] || \u_dut.wait_q [0] || take
                                              || (\u_dut.evict_q [0] && \u_dut.records_out_q [0])))
                                 || !is_parked[wg[TileWidth-1:SetWidth]]);
    // The bytes of the tile watched.
    bank_somewhere: assert ((bytes_q != '0)
                            == (x_table || parked != '0 || x_memory || x_victim || x_back));
    bank_in_table: assert (!x_table || x_table_right);
    bank_parked: assert (parked == '0 || (CntWidth'(parked) * expected_of(x) == bytes_q));
    bank_in_memory: assert (!x_memory || (record_bytes_q == bytes_q && record_gran_q == lowest_q));
    bank_on_its_way_out: assert (!x_victim
                                 || (\u_dut.record_bytes_q [CntWidth-1:0] == bytes_q
                                     && \u_dut.record_gran_q [GranWidth-1:0] == lowest_q));
    bank_asks_with_nothing: assert (!(is_x && (\u_dut.read_q [0] || \u_dut.wait_q [0]))
                                    || (\u_dut.record_bytes_q [CntWidth-1:0] == '0
                                        && \u_dut.record_gran_q [GranWidth-1:0] == '1));
    bank_back: assert (!(is_x && (\u_dut.resume_q [0] || take))
                       || (\u_dut.record_bytes_q [CntWidth-1:0] == bytes_q && !x_memory
                           && (\u_dut.record_gran_q [GranWidth-1:0]
                               == ((parked != '0 || bytes_q == '0) ? '1 : lowest_q))));
    // The promises.
    bank_completes: assert (!(leaves && is_x) || (\u_dut.completes [0] == completes
                                                  && \u_dut.overruns [0] == overruns));
    bank_lowest: assert (!(leaves && is_x && completes) || \u_dut.gen_bank[0].next_gran == lowest);
    bank_completes_once: assert (owed_q == 2'(done_valid[0] && done_head == {1'b0, x_id})
                                           + 2'(\u_dut.done_full [0]
                                                && done_second == {1'b0, x_id}));
    bank_overruns_once: assert (owed_overruns_q
                                == 2'(done_valid[0] && done_head == {1'b1, x_id})
                                   + 2'(\u_dut.done_full [0] && done_second == {1'b1, x_id}));
    bank_record: assert (!(spill_gnt_i[0] && write[0] && in_set)
                         || (wdata[63 +: 16] == epoch[geo[region_of[granted_wg]]*16 +: 16]
                             && wdata[79] == region_of[granted_wg] && wdata[83] == !take
                             && wdata[104] == take && wdata[43 +: CntWidth] != '0
                             && wdata[62:43+CntWidth] == '0 && wdata[42:GranWidth] == '0
                             && wdata[84 +: WgWidth] == granted_wg[WgWidth-1:0]
                             && wdata[100 +: WfWidth] == wf_of(granted_wg)));
    bank_record_place: assert (!(spill_gnt_i[0] && in_set)
                               || addr == {base[geo[region_of[granted_wg]]*(AddrWidth-12) +: AddrWidth-12],
                                           12'({granted_wg[WgWidth-1:0], wf_of(granted_wg), 5'd0})});
    cover_surplus: cover (leaves && surplus);
    cover_saturated: cover (SpilledWidth > 2 || (spilled == SpilledMax && records > 4'(SpilledMax)));
    cover_comes_back: cover (leaves && is_x && x_back && completes);
    cover_parked_evicts: cover (leaves && is_x && \u_dut.resume_q [0] && parked != '0);
    cover_two_parked: cover (parked == 2'd2);
    cover_two_out: cover (records == 4'd2 && !stays);
    cover_forwarded: cover (leaves && is_x && pop[0] && came == x && !completes
                            && bytes_q != '0);
  end
endmodule
