// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// The banks of the tracker's table: count updates against their wavefront tiles.
///
/// Promise: one update per bank and cycle, also when successive updates are of one entry. When an
/// update completes its tile, the completion is at the head of its bank's completion queue two
/// cycles after the update left the bank's input queue. A tile that gets more bytes than expected
/// is freed, and its completion says that it overran. An update whose set is full of other live tiles
/// evicts one of them to memory (record write), but not the one updated last. An update that misses
/// in a set with records in memory reads its own record first; if that is live, it is marked as taken
/// (second record write) before the update is counted. A tile whose record is taken, but which is
/// not in the table, had all its bytes before: the update overruns. Only that bank waits. The record
/// accesses of one bank leave in order. A tile of a parking region that has k contributions,
/// but not all, leaves the table too: k is parked in a separate RAM until the tile's next update.
///
///            table and parked count are read          and written
///   queue ─────┬───────────────────► B1: compare, add, ────► forwarded word, completion queue (2)
///   (B0)       └ total = expected x updates                  (back to B1 for the next update)
///
///   Run ──set full of others──► Evict ──no records out──► Resume ──► Run
///     │                           └──records out──► Read ──► Wait ──not live──► Resume
///     └──miss, records out──────────────────────────^         └──live──► Take ──^
///
/// Why: an update writes the table exactly once, in the cycle in which it leaves B1, so one
/// forwarding register hides the RAM's latency. A set is one word: all its ways are read, compared
/// and written together, and the choice of a way is a function of the word alone, so it stays the
/// same while the update waits. The workgroup's low bits are the set, and the wavefront's low bits
/// are set XOR bank, so neither is stored. A tile is in one place at a time: table, memory or
/// parked. So a tile with a parked count, which is never zero, has no record to read. A record stays
/// in memory after it was read, so without the mark a surplus update would read it once more, count
/// its bytes twice, and take one from `spilled` that stands for another tile's record.
///
/// Each state is one vector with a bit per bank. B1 of a bank without an update does not change.
/// The record port takes one record at a time, so a record is built behind its arbiter, once for
/// all banks, and not in each bank (t3_records).
module t3_banks #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumBanks = 8,
  parameter int SetsPerBank = 64,
  parameter int Ways = 4,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int CntWidth = 18,
  parameter int SumWidth = 11,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  parameter int ParkWidth = 12,
  parameter int ParkedWidth = 2,
  localparam int BankWidth = t3_pkg::index_width(NumBanks),
  localparam int GranWidth = AddrWidth - t3_pkg::GranuleLog2,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries),
  localparam int Regions = 1 << RegionWidth,
  localparam int Geometries = 1 << GeoWidth,
  localparam int SetWidth = $clog2(SetsPerBank),
  localparam int Tiles = 1 << (t3_pkg::ClassWidth + WfWidth),
  localparam int ParkIndexWidth = ParkWidth + ((WfWidth > BankWidth) ? WfWidth - BankWidth : 0),
  localparam int BaseWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int KeyWidth = RegionWidth + t3_pkg::ClassWidth + WgWidth + WfWidth,
  localparam int DoneWidth = 1 + RegionWidth + WgWidth + WfWidth + GranWidth,
  localparam int IdWidth = RegionWidth + WgWidth + WfWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// While up, the banks are idle; set `clear_set_i` of each is invalidated and its parked count
  /// `clear_park_i` zeroed.
  input  logic                      clear_i,
  input  logic [SetWidth-1:0]       clear_set_i,
  input  logic [ParkIndexWidth-1:0] clear_park_i,

  /// Heads of the banks' input queues; a key is {region, class, wg, wf}.
  input  logic [NumBanks-1:0]           valid_i,
  output logic [NumBanks-1:0]           pop_o,
  input  logic [NumBanks*KeyWidth-1:0]  key_i,
  input  logic [NumBanks*GranWidth-1:0] gran_i,
  input  logic [NumBanks*SumWidth-1:0]  bytes_i,

  /// Region and geometry tables, element i at [i*W +: W]. Expected bytes: [geometry][class][wf].
  input  logic [Regions-1:0]                        reg_park_i,
  input  logic [Regions*GeoWidth-1:0]               reg_geo_i,
  input  logic [Regions*t3_pkg::UpdatesWidth-1:0]   reg_updates_i,
  input  logic [Geometries*Tiles*CntWidth-1:0]      geo_expected_i,
  input  logic [Geometries*BaseWidth-1:0]           geo_spill_base_i,
  input  logic [Geometries*t3_pkg::EpochWidth-1:0]  geo_epoch_i,

  /// Heads of the completion queues {overran, region, wg, wf, granule}.
  output logic [NumBanks-1:0]           done_valid_o,
  input  logic [NumBanks-1:0]           done_pop_i,
  output logic [NumBanks*DoneWidth-1:0] done_o,

  /// Record port: which banks ask, for a write or a read; the record of the granted bank, in the
  /// same cycle; and the answer with its bank.
  output logic [NumBanks-1:0]            spill_req_o,
  output logic [NumBanks-1:0]            spill_write_o,
  input  logic [NumBanks-1:0]            spill_gnt_i,
  output logic [AddrWidth-1:0]           spill_addr_o,
  output logic                           spill_wraps_o,
  output logic [t3_pkg::RecordWidth-1:0] spill_wdata_o,
  input  logic [NumBanks-1:0]            spill_rvalid_i,
  input  logic [t3_pkg::RecordWidth-1:0] spill_rdata_i,

  /// Pulses.
  output logic [NumBanks-1:0] live_up_o,
  output logic [NumBanks-1:0] live_down_o,
  /// Pulses: a record was none of this tile {region, wg, wf}, but was not empty either; the address of
  /// this tile's record passed the end of the address space.
  output logic               bad_record_o,
  output logic [IdWidth-1:0] bad_record_id_o,
  output logic               wrapped_o,
  output logic [IdWidth-1:0] wrapped_id_o,
  /// Pulses: an update or an answer found a word of its bank corrected; it found one damaged, that of an
  /// update of tile {region, wg, wf}, which one (t3_pkg::Damaged…).
  output logic [NumBanks-1:0]            corrected_o,
  output logic                           damaged_o,
  output logic [IdWidth-1:0]             damaged_id_o,
  output logic [t3_pkg::DamageWidth-1:0] damaged_kind_o,
  /// Banks that wait for a record to be written or read.
  output logic [NumBanks-1:0] spilling_o,

  output logic active_o,
  output logic work_o
);

  localparam int WfLowWidth = (WfWidth < BankWidth) ? WfWidth : BankWidth;
  localparam int WfHighWidth = WfWidth - WfLowWidth;
  localparam int WgTagWidth = WgWidth - SetWidth;
  localparam int TagWidth = WgTagWidth + WfHighWidth;
  localparam int TotalWidth = CntWidth + t3_pkg::UpdatesWidth;
  // Written in full: Yosys 0.23 takes '1 for 1 here.
  localparam logic [t3_pkg::SpilledWidth-1:0] SpilledMax = {t3_pkg::SpilledWidth{1'b1}};

  // A set: {granules of its ways, way used last, number of records in memory, states of its ways}.
  // A state is {valid, region, tag, bytes}.
  localparam int TagLsb = CntWidth;
  localparam int RegionLsb = TagLsb + TagWidth;
  localparam int ValidBit = RegionLsb + RegionWidth;
  localparam int StateWidth = ValidBit + 1;
  localparam int WayWidth = t3_pkg::index_width(Ways);
  localparam int StatesWidth = Ways * StateWidth;
  localparam int NoteWidth = WayWidth + t3_pkg::SpilledWidth;
  localparam int GransLsb = StatesWidth + NoteWidth;
  localparam int SetWordWidth = GransLsb + Ways * GranWidth;
  // With check bits: {what the ways share, ways}, each with its own, so that damage stays in its way.
  localparam int EntryWidth = GranWidth + StateWidth;
  localparam int EntryCodeWidth = EntryWidth + t3_pkg::check_width(Protection, EntryWidth);
  localparam int NoteCodeWidth = NoteWidth + t3_pkg::check_width(Protection, NoteWidth);
  localparam int SetCodeWidth = NoteCodeWidth + Ways * EntryCodeWidth;

  // What becomes of the update in B1.
  localparam int Evict = 0;     // its set is full of other live tiles
  localparam int Fill = 1;      // its set has room, but records in memory
  localparam int Complete = 2;
  localparam int Overrun = 3;
  localparam int Up = 4;        // one entry more is live
  localparam int Down = 5;      // one entry less is live
  localparam int VerdictWidth = 6;

  // ---- state, one bit per bank ----------------------------------------------------------------
  // In Run unless one of evict, read, wait, take, resume is up.
  logic [NumBanks-1:0] b1_valid_q, evict_q, read_q, wait_q, take_q, resume_q, records_out_q;
  // In Resume: the record was taken before.
  logic [NumBanks-1:0] surplus_q;
  logic [NumBanks-1:0] live_up_q, live_down_q;
  logic [NumBanks-1:0] run;
  assign run = ~(evict_q | read_q | wait_q | take_q | resume_q);

  logic [NumBanks*VerdictWidth-1:0] verdicts;
  logic [NumBanks-1:0] evicts, fills, completes, overruns, ups, downs;
  logic [NumBanks-1:0] leave, done_full;

  always_comb begin : p_verdicts
    evicts = '0;
    fills = '0;
    completes = '0;
    overruns = '0;
    ups = '0;
    downs = '0;
    if (b1_valid_q != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (b1_valid_q[b]) begin
          evicts[b] = verdicts[b*VerdictWidth + Evict];
          fills[b] = verdicts[b*VerdictWidth + Fill];
          completes[b] = verdicts[b*VerdictWidth + Complete];
          overruns[b] = verdicts[b*VerdictWidth + Overrun];
          ups[b] = verdicts[b*VerdictWidth + Up];
          downs[b] = verdicts[b*VerdictWidth + Down];
        end
      end
    end
  end

  // While idle, nothing changes: one enable for all banks, and one for each kind of event.
  logic awake, any_pop, any_leave, any_access, any_record, any_done;
  assign awake =
      (valid_i | b1_valid_q | done_valid_o | live_up_q | live_down_q | corrected_q) != '0 || bad_record_o
      || wrapped_o || damaged_q;
  assign any_pop = pop_o != '0;
  assign any_leave = leave != '0;
  assign any_access = any_pop || any_leave || clear_i;
  assign any_record = ((run & (evicts | fills)) | spill_gnt_i | spill_rvalid_i) != '0;
  assign any_done = (done_push | done_pop_i) != '0;

  // The update in B1 is finished and leaves.
  assign leave = b1_valid_q & (resume_q | (run & ~evicts & ~fills)) & ~done_full;
  assign pop_o = valid_i & (~b1_valid_q | leave);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      b1_valid_q <= '0;
      evict_q <= '0;
      read_q <= '0;
      wait_q <= '0;
      take_q <= '0;
      resume_q <= '0;
      live_up_q <= '0;
      live_down_q <= '0;
    end else if (awake) begin
      b1_valid_q <= pop_o | (b1_valid_q & ~leave);
      evict_q <= (run & evicts) | (evict_q & ~spill_gnt_i);
      read_q <= (run & fills) | (evict_q & spill_gnt_i & records_out_q) | (read_q & ~spill_gnt_i);
      wait_q <= (read_q & spill_gnt_i) | (wait_q & ~spill_rvalid_i);
      take_q <= (own_record ? wait_q & spill_rvalid_i : '0) | (take_q & ~spill_gnt_i);
      resume_q <= (evict_q & spill_gnt_i & ~records_out_q)
                  | (own_record ? '0 : wait_q & spill_rvalid_i) | (take_q & spill_gnt_i)
                  | (resume_q & ~leave);
      live_up_q <= leave & ups;
      live_down_q <= (leave & downs) | (run & evicts);
    end
  end

  assign live_up_o = live_up_q;
  assign live_down_o = live_down_q;
  assign spilling_o = evict_q | read_q | wait_q | take_q;

  // ---- completion queues ----------------------------------------------------------------------
  logic [NumBanks-1:0] done_push, done_to_head, done_to_tail, done_shift;
  assign done_push = leave & (completes | overruns);

  t3_queue2_ctrl #(
    .Count(NumBanks)
  ) u_done (
    .clk_i,
    .rst_ni,
    .push_i   (done_push),
    .pop_i    (done_pop_i),
    .valid_o  (done_valid_o),
    .full_o   (done_full),
    .to_head_o(done_to_head),
    .to_tail_o(done_to_tail),
    .shift_o  (done_shift)
  );

  // ---- records --------------------------------------------------------------------------------
  // Per bank: the tile whose record is written or read, with granule and bytes. They are first the
  // victim's, then the parked ones or none, then those read, also in the mark; the update in B1 adds
  // to these.
  logic [NumBanks*IdWidth-1:0] record_id_q;
  logic [NumBanks*GranWidth-1:0] record_gran_q;
  logic [NumBanks*CntWidth-1:0] record_bytes_q;

  assign spill_req_o = evict_q | read_q | take_q;
  assign spill_write_o = evict_q | take_q;

  // Of the record that the memory answers: whether it is the asking tile's, live or taken.
  logic own_record, taken_record, answer_corrected, answer_damaged;
  logic [IdWidth-1:0] answered_id;
  logic [GranWidth-1:0] answer_gran;
  logic [CntWidth-1:0] answer_bytes;

  t3_records #(
    .Protection   (Protection),
    .NumBanks     (NumBanks),
    .WgWidth      (WgWidth),
    .WfWidth      (WfWidth),
    .AddrWidth    (AddrWidth),
    .CntWidth     (CntWidth),
    .NumRegions   (NumRegions),
    .NumGeometries(NumGeometries)
  ) u_records (
    .clk_i,
    .rst_ni,
    .en_i            (awake),
    .reg_geo_i,
    .geo_spill_base_i,
    .geo_epoch_i,
    .id_i            (record_id_q),
    .gran_i          (record_gran_q),
    .bytes_i         (record_bytes_q),
    .gnt_i           (spill_gnt_i),
    .taken_i         ((spill_gnt_i & take_q) != '0),
    .addr_o          (spill_addr_o),
    .wraps_o         (spill_wraps_o),
    .wdata_o         (spill_wdata_o),
    .rvalid_i        (spill_rvalid_i),
    .rdata_i         (spill_rdata_i),
    .own_o           (own_record),
    .taken_o         (taken_record),
    .answered_id_o   (answered_id),
    .answer_gran_o   (answer_gran),
    .answer_bytes_o  (answer_bytes),
    .corrected_o     (answer_corrected),
    .damaged_o       (answer_damaged),
    .bad_o           (bad_record_o),
    .bad_id_o        (bad_record_id_o),
    .wrapped_o,
    .wrapped_id_o
  );

  // Words that were read and are not as they were written, one cycle later. An update tells in the cycle in
  // which it leaves, so once.
  logic [NumBanks-1:0] corrects, damages_table, damages_parked, corrected_q;
  logic [NumBanks*IdWidth-1:0] b1_id;
  logic [IdWidth-1:0] damaged_id;
  logic [t3_pkg::DamageWidth-1:0] damaged_kind;
  logic damaged, damaged_q;

  always_comb begin : p_damaged
    damaged = spill_rvalid_i != '0 && answer_damaged;
    damaged_kind = t3_pkg::DamageWidth'(t3_pkg::DamagedRecord);
    damaged_id = answered_id;
    for (int b = 0; b < NumBanks; b++) begin
      if (leave[b] && (damages_table[b] || damages_parked[b])) begin
        damaged = 1'b1;
        damaged_id = b1_id[b*IdWidth +: IdWidth];
        damaged_kind = damages_table[b] ? t3_pkg::DamageWidth'(t3_pkg::DamagedTable)
                                        : t3_pkg::DamageWidth'(t3_pkg::DamagedParked);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_protection
    if (!rst_ni) begin
      corrected_q <= '0;
      damaged_q <= 1'b0;
    end else if (awake) begin
      corrected_q <= (leave & corrects) | (answer_corrected ? spill_rvalid_i : '0);
      damaged_q <= damaged;
    end
  end

  always_ff @(posedge clk_i) begin : p_damaged_id
    if (damaged) begin
      damaged_id_o <= damaged_id;
      damaged_kind_o <= damaged_kind;
    end
  end

  assign corrected_o = corrected_q;
  assign damaged_o = damaged_q;

  // ---- bank by bank ---------------------------------------------------------------------------
  // Bytes of one contribution to a tile.
  function automatic logic [CntWidth-1:0] expected_of(
      input logic [RegionWidth-1:0] region, input logic [t3_pkg::ClassWidth-1:0] tile_class,
      input logic [WfWidth-1:0] wf);
    logic [GeoWidth-1:0] geo;
    geo = reg_geo_i[region*GeoWidth +: GeoWidth];
    expected_of = geo_expected_i[{geo, tile_class, wf}*CntWidth +: CntWidth];
  endfunction

  // Bytes of all its contributions: it is complete.
  function automatic logic [TotalWidth-1:0] total_of(
      input logic [RegionWidth-1:0] region, input logic [t3_pkg::ClassWidth-1:0] tile_class,
      input logic [WfWidth-1:0] wf);
    total_of = TotalWidth'(expected_of(region, tile_class, wf))
               * TotalWidth'(reg_updates_i[region*t3_pkg::UpdatesWidth +: t3_pkg::UpdatesWidth]);
  endfunction

  // Whether a tile may be parked: in one geometry only, because a parked count carries no tag.
  function automatic logic parks(input logic [RegionWidth-1:0] region,
                                 input logic [WgWidth-1:0] wg);
    parks = reg_park_i[region] && reg_geo_i[region*GeoWidth +: GeoWidth] == '0
            && (wg >> ParkWidth) == '0;
  endfunction

  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    // B1: the update that left the input queue.
    logic [RegionWidth-1:0] region_q;
    logic [WgWidth-1:0] wg_q;
    logic [WfWidth-1:0] wf_q;
    logic [GranWidth-1:0] gran_q;
    logic [SumWidth-1:0] bytes_q;
    logic [CntWidth-1:0] expected_q;
    logic [TotalWidth-1:0] total_q;
    logic parks_q;
    logic forwarded_q, parked_forwarded_q;
    logic [TagWidth-1:0] tag;

    always_ff @(posedge clk_i) begin : p_b1
      if (any_pop) begin
        if (pop_o[b]) begin
          region_q <= key_i[b*KeyWidth+KeyWidth-1 -: RegionWidth];
          wg_q <= key_i[b*KeyWidth+WfWidth +: WgWidth];
          wf_q <= key_i[b*KeyWidth +: WfWidth];
          gran_q <= gran_i[b*GranWidth +: GranWidth];
          bytes_q <= bytes_i[b*SumWidth +: SumWidth];
          expected_q <= expected_of(key_i[b*KeyWidth+KeyWidth-1 -: RegionWidth],
                                    key_i[b*KeyWidth+WgWidth+WfWidth +: t3_pkg::ClassWidth],
                                    key_i[b*KeyWidth +: WfWidth]);
          total_q <= total_of(key_i[b*KeyWidth+KeyWidth-1 -: RegionWidth],
                              key_i[b*KeyWidth+WgWidth+WfWidth +: t3_pkg::ClassWidth],
                              key_i[b*KeyWidth +: WfWidth]);
          parks_q <= parks(key_i[b*KeyWidth+KeyWidth-1 -: RegionWidth],
                           key_i[b*KeyWidth+WfWidth +: WgWidth]);
          parked_forwarded_q <=
              leave[b] && parks_q && wf_q == key_i[b*KeyWidth +: WfWidth]
              && wg_q == key_i[b*KeyWidth+WfWidth +: WgWidth];
          forwarded_q <= leave[b] && wg_q[SetWidth-1:0] == key_i[b*KeyWidth+WfWidth +: SetWidth];
        end
      end
    end

    logic [ParkIndexWidth-1:0] park_index, park_read_index;
    if (WfHighWidth == 0) begin : gen_tag_wg
      assign tag = wg_q[WgWidth-1:SetWidth];
      assign park_index = wg_q[ParkWidth-1:0];
      assign park_read_index = key_i[b*KeyWidth+WfWidth +: ParkWidth];
    end else begin : gen_tag_wf
      assign tag = {wf_q[WfWidth-1:WfLowWidth], wg_q[WgWidth-1:SetWidth]};
      assign park_index = {wf_q[WfWidth-1:WfLowWidth], wg_q[ParkWidth-1:0]};
      assign park_read_index = {key_i[b*KeyWidth+WfLowWidth +: WfHighWidth],
                                key_i[b*KeyWidth+WfWidth +: ParkWidth]};
    end

    // The table: the set before and after the update.
    logic [SetWordWidth-1:0] ram_word, write_word;
    logic [SetCodeWidth-1:0] ram_code, write_code;
    logic table_corrected, table_damaged;
    logic [StatesWidth-1:0] states, next_states, forward_states_q;
    logic [Ways*GranWidth-1:0] grans, next_grans, forward_grans_q;
    logic [NoteWidth-1:0] note, forward_note_q;
    logic [t3_pkg::SpilledWidth-1:0] spilled, next_spilled;
    // The way of the update: its tile's, else a free one, else the one after the last used.
    logic [WayWidth-1:0] way;
    logic hit, room;
    logic [StateWidth-1:0] next_state;
    logic [GranWidth-1:0] next_gran;

    t3_ram_1r1w #(
      .Depth(SetsPerBank),
      .Width(SetCodeWidth)
    ) u_table (
      .clk_i,
      .en_i   (any_access),
      .we_i   (leave[b] || clear_i),
      .waddr_i(clear_i ? clear_set_i : wg_q[SetWidth-1:0]),
      .wdata_i(write_code),
      .re_i   (pop_o[b]),
      .raddr_i(key_i[b*KeyWidth+WfWidth +: SetWidth]),
      .rdata_o(ram_code)
    );

    if (Protection == t3_pkg::ProtectNone) begin : gen_plain
      assign write_code = write_word;
      assign ram_word = ram_code;
      assign table_corrected = 1'b0;
      assign table_damaged = 1'b0;
    end else begin : gen_protected
      logic [Ways:0] mended, broken;
      logic [NoteWidth-1:0] note_read;
      assign table_corrected = mended != '0;
      assign table_damaged = broken != '0;

      // A damaged way holds nothing. Its tile never completes, because some of its bytes are forgotten.
      for (genvar w = 0; w < Ways; w++) begin : gen_way
        logic [StateWidth-1:0] state;
        t3_encode #(
          .Protection(Protection),
          .Width     (EntryWidth)
        ) u_encode (
          .data_i({write_word[GransLsb + w*GranWidth +: GranWidth],
                   write_word[w*StateWidth +: StateWidth]}),
          .code_o(write_code[w*EntryCodeWidth +: EntryCodeWidth])
        );
        t3_decode #(
          .Protection(Protection),
          .Width     (EntryWidth)
        ) u_decode (
          .code_i     (ram_code[w*EntryCodeWidth +: EntryCodeWidth]),
          .data_o     ({ram_word[GransLsb + w*GranWidth +: GranWidth], state}),
          .corrected_o(mended[w]),
          .damaged_o  (broken[w])
        );
        assign ram_word[w*StateWidth +: StateWidth] = {state[ValidBit] && !broken[w], state[ValidBit-1:0]};
      end

      t3_encode #(
        .Protection(Protection),
        .Width     (NoteWidth)
      ) u_encode (
        .data_i(write_word[StatesWidth +: NoteWidth]),
        .code_o(write_code[Ways*EntryCodeWidth +: NoteCodeWidth])
      );
      t3_decode #(
        .Protection(Protection),
        .Width     (NoteWidth)
      ) u_decode (
        .code_i     (ram_code[Ways*EntryCodeWidth +: NoteCodeWidth]),
        .data_o     (note_read),
        .corrected_o(mended[Ways]),
        .damaged_o  (broken[Ways])
      );
      // A count that is not known is the largest: every tile that misses looks for its record.
      assign ram_word[StatesWidth +: NoteWidth] =
          broken[Ways] ? {{WayWidth{1'b0}}, SpilledMax} : note_read;
    end

    always_comb begin : p_write_word
      write_word = '0;
      if (leave[b]) write_word = {next_grans, way, next_spilled, next_states};
    end

    // The parked counts.
    logic [ParkedWidth-1:0] ram_parked, parked, parked_next, parked_forward_q;
    logic ram_parked_corrected, ram_parked_damaged, parked_corrected, parked_damaged;
    assign parked_corrected = parks_q && !parked_forwarded_q && ram_parked_corrected;
    assign parked_damaged = parks_q && !parked_forwarded_q && ram_parked_damaged;

    t3_ram_protected #(
      .Protection(Protection),
      .Depth     (1 << ParkIndexWidth),
      .Width     (ParkedWidth)
    ) u_parked (
      .clk_i,
      .en_i   (any_access),
      .we_i   ((leave[b] && parks_q && (parked_next != parked || parked_damaged)) || clear_i),
      .waddr_i(clear_i ? clear_park_i : park_index),
      .wdata_i(clear_i ? '0 : parked_next),
      .re_i   (pop_o[b]),
      .raddr_i(park_read_index),
      .rdata_o(ram_parked),
      .corrected_o(ram_parked_corrected),
      .damaged_o  (ram_parked_damaged)
    );

    assign b1_id[b*IdWidth +: IdWidth] = {region_q, wg_q, wf_q};
    assign corrects[b] = (!forwarded_q && table_corrected) || parked_corrected;
    assign damages_table[b] = !forwarded_q && table_damaged;
    assign damages_parked[b] = parked_damaged;

    always_ff @(posedge clk_i) begin : p_forward
      if (any_leave) begin
        if (leave[b]) begin
          forward_states_q <= next_states;
          forward_grans_q <= next_grans;
          forward_note_q <= {way, next_spilled};
          parked_forward_q <= parked_next;
        end
      end
    end

    // The update against its entry, or in Resume against what its record said.
    logic [t3_pkg::SpilledWidth-1:0] spilled_q;  // the set's count for Resume
    logic [CntWidth-1:0] counted, parked_bytes, sum;
    logic [GranWidth-1:0] lowest;
    logic [TotalWidth:0] missing;  // the count that this update completes, signed
    logic [ValidBit-1:0] victim;
    logic [GranWidth-1:0] victim_gran;
    logic [VerdictWidth-1:0] verdict;

    always_comb begin : p_count
      states = '0;
      grans = '0;
      note = '0;
      way = '0;
      hit = 1'b0;
      room = 1'b0;
      spilled = '0;
      next_spilled = '0;
      counted = '0;
      lowest = '0;
      missing = '0;
      sum = '0;
      victim = '0;
      victim_gran = '0;
      next_state = '0;
      next_gran = '0;
      next_states = '0;
      next_grans = '0;
      parked = '0;
      parked_next = '0;
      parked_bytes = '0;
      verdict = '0;
      if (b1_valid_q[b]) begin
        states = forwarded_q ? forward_states_q : ram_word[StatesWidth-1:0];
        grans = forwarded_q ? forward_grans_q : ram_word[SetWordWidth-1:GransLsb];
        note = forwarded_q ? forward_note_q : ram_word[StatesWidth +: NoteWidth];
        spilled = note[t3_pkg::SpilledWidth-1:0];
        way = (Ways == 1) ? '0 : note[NoteWidth-1 -: WayWidth] + WayWidth'(1);
        for (int w = Ways - 1; w >= 0; w--) begin
          if (!states[w*StateWidth + ValidBit]) begin
            room = 1'b1;
            way = WayWidth'(w);
          end
        end
        for (int w = 0; w < Ways; w++) begin
          if (states[w*StateWidth + TagLsb +: StateWidth - TagLsb] == {1'b1, region_q, tag}) begin
            // One way at most holds a tile.
            hit = 1'b1;
            way = WayWidth'(w);
            counted = counted | states[w*StateWidth +: CntWidth];
            lowest = lowest | grans[w*GranWidth +: GranWidth];
          end
        end
        if (!hit && !room) begin
          victim = states[way*StateWidth +: ValidBit];
          victim_gran = grans[way*GranWidth +: GranWidth];
        end

        // A damaged count is taken for none. So its tile never completes, because contributions are forgotten.
        if (parks_q && !parked_damaged) parked = parked_forwarded_q ? parked_forward_q : ram_parked;
        parked_bytes = CntWidth'(parked) * expected_q;

        if (resume_q[b]) begin
          counted = record_bytes_q[b*CntWidth +: CntWidth];
          lowest = record_gran_q[b*GranWidth +: GranWidth];
        end else if (!hit) begin
          counted = parked_bytes;
          lowest = '1;
        end
        sum = counted + CntWidth'(bytes_q);
        next_gran = (lowest < gran_q) ? lowest : gran_q;

        // Compares the old count, not the sum: the differences are ready before the table's word.
        missing = {1'b0, total_q} - (TotalWidth+1)'(bytes_q);
        verdict[Complete] = (TotalWidth+1)'(counted) == missing && !(resume_q[b] && surplus_q[b]);
        // Also if the sum would not fit the counter: such a tile can never complete.
        verdict[Overrun] = !verdict[Complete]
                           && (missing[TotalWidth] || TotalWidth'(counted) > missing[TotalWidth-1:0]
                               || counted > ~(CntWidth'(bytes_q))
                               || (resume_q[b] && surplus_q[b]));
        // Whole contributions only: the tile leaves the table and waits for the next one.
        if (parks_q && !verdict[Complete] && !verdict[Overrun]) begin
          for (int k = 1; k < (1 << ParkedWidth); k++) begin
            if ((TotalWidth+1)'(counted) == (TotalWidth+1)'(k) * (TotalWidth+1)'(expected_q)
                                           - (TotalWidth+1)'(bytes_q)) begin
              parked_next = ParkedWidth'(k);
            end
          end
        end
        next_state = {!verdict[Complete] && !verdict[Overrun] && parked_next == '0, region_q, tag,
                      sum};
        next_states = states;
        next_states[way*StateWidth +: StateWidth] = next_state;
        next_grans = grans;
        next_grans[way*GranWidth +: GranWidth] = next_gran;
        next_spilled = resume_q[b] ? spilled_q : spilled;

        verdict[Evict] = !hit && !room;
        verdict[Fill] = !hit && room && spilled != '0 && parked == '0;
        // In Resume the evicted entry has left already.
        verdict[Up] = next_state[ValidBit] && !(hit && !resume_q[b]);
        verdict[Down] = !next_state[ValidBit] && hit && !resume_q[b];
      end
    end
    assign verdicts[b*VerdictWidth +: VerdictWidth] = verdict;

    // Records: the victim goes out, or the update asks for its own.
    logic [WgWidth-1:0] victim_wg;
    logic [WfLowWidth-1:0] victim_wf_low;
    logic [WfWidth-1:0] victim_wf;

    always_comb begin : p_victim
      victim_wg = '0;
      victim_wf_low = '0;
      if (verdict[Evict]) begin
        victim_wg = {victim[TagLsb +: WgTagWidth], wg_q[SetWidth-1:0]};
        victim_wf_low = WfLowWidth'(BankWidth'(victim_wg) ^ BankWidth'(b));
      end
    end
    if (WfHighWidth == 0) begin : gen_victim_low
      assign victim_wf = victim_wf_low;
    end else begin : gen_victim_high
      assign victim_wf = {victim[TagLsb+WgTagWidth +: WfHighWidth], victim_wf_low};
    end

    always_ff @(posedge clk_i) begin : p_record
      if (any_record) begin
        if (run[b] && (evicts[b] || fills[b])) begin
          records_out_q[b] <= spilled != '0 && parked == '0;
          surplus_q[b] <= 1'b0;
          spilled_q <= (evicts[b] && spilled != SpilledMax)
                       ? spilled + t3_pkg::SpilledWidth'(1) : spilled;
          record_id_q[b*IdWidth +: IdWidth] <=
              evicts[b] ? {victim[RegionLsb +: RegionWidth], victim_wg, victim_wf}
                        : {region_q, wg_q, wf_q};
          record_bytes_q[b*CntWidth +: CntWidth] <= evicts[b] ? victim[CntWidth-1:0] : '0;
          record_gran_q[b*GranWidth +: GranWidth] <= evicts[b] ? victim_gran : '1;
        end else if (evict_q[b] && spill_gnt_i[b]) begin
          record_id_q[b*IdWidth +: IdWidth] <= {region_q, wg_q, wf_q};
          record_bytes_q[b*CntWidth +: CntWidth] <= parked_bytes;
          record_gran_q[b*GranWidth +: GranWidth] <= '1;
        end else if (spill_rvalid_i[b] && taken_record) begin
          surplus_q[b] <= 1'b1;
        end else if (spill_rvalid_i[b] && own_record) begin
          record_bytes_q[b*CntWidth +: CntWidth] <=
              answer_bytes;
          record_gran_q[b*GranWidth +: GranWidth] <=
              answer_gran;
          if (spilled_q != SpilledMax) spilled_q <= spilled_q - t3_pkg::SpilledWidth'(1);
        end
      end
    end

    // Completions.
    logic [DoneWidth-1:0] done_tail_q;
    always_ff @(posedge clk_i) begin : p_done
      if (any_done) begin
        if (done_shift[b]) begin
          done_o[b*DoneWidth +: DoneWidth] <= done_tail_q;
        end else if (done_to_head[b]) begin
          done_o[b*DoneWidth +: DoneWidth] <= {overruns[b], region_q, wg_q, wf_q, next_gran};
        end
        if (done_to_tail[b]) done_tail_q <= {overruns[b], region_q, wg_q, wf_q, next_gran};
      end
    end
  end

  // Evict, Read and Take change with a grant of the record port, Wait with its answer; the port reports
  // both. An update that waits for its completion queue counts as a change, as that queue does. So
  // nothing here depends on the table's word.
  assign active_o = ((valid_i & ~b1_valid_q) | (b1_valid_q & (run | resume_q)) | live_up_q
                     | live_down_q | corrected_q) != '0 || bad_record_o || wrapped_o || damaged_q;
  assign work_o = awake;

  `T3_ASSERT(grant_was_asked_for, (spill_gnt_i & ~spill_req_o) == '0)
  `T3_ASSERT(answer_was_asked_for, (spill_rvalid_i & ~wait_q) == '0)

endmodule
