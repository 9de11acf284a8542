// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// One bank of the tracker's table: counts updates against their wavefront tiles.
///
/// Promise: one update per cycle, also when successive updates are of one entry. An update that
/// completes its tile is a completion at the head of the completion queue two cycles after it left
/// the bank's input queue. A tile that gets more bytes than expected is freed and reported on
/// `overrun_o` instead. An update that meets another live tile in its set evicts it to memory
/// (record write), and one whose set has records out reads its own record first; only this bank
/// waits meanwhile. Record write and read of one bank leave in order.
///
///            RAM read                 RAM write
///   queue ─────┬───────► B1: compare, add, ────► forwarded word, completion queue
///   (B0)       └ total = expected x updates      (back to B1 for the next update)
///
///   Run ──other tile is live──► Evict ──no records out──► Resume ──► Run
///     │                           └──records out──► Read ──► Wait ──► Resume
///     └──miss, records out──────────────────────────^
///
/// Why: an update writes the table exactly once, in the cycle in which it leaves B1, so one
/// forwarding register makes the RAM's latency invisible. The workgroup's low bits are the set and
/// the wavefront's low bits are set XOR bank, so neither is stored.
module t3_bank #(
  parameter int NumBanks = 8,
  parameter int BankIndex = 0,
  parameter int SetsPerBank = 256,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int CntWidth = 18,
  parameter int SumWidth = 11,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  localparam int GranWidth = AddrWidth - t3_pkg::GranuleLog2,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries),
  localparam int Regions = 1 << RegionWidth,
  localparam int Geometries = 1 << GeoWidth,
  localparam int SetWidth = $clog2(SetsPerBank),
  localparam int Tiles = 1 << (t3_pkg::ClassWidth + WfWidth),
  localparam int BaseWidth = AddrWidth - t3_pkg::PageLog2
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// While up, the bank is idle and set `clear_set_i` is invalidated.
  input  logic                clear_i,
  input  logic [SetWidth-1:0] clear_set_i,

  input  logic                          valid_i,
  output logic                          ready_o,
  input  logic [RegionWidth-1:0]        region_i,
  input  logic [t3_pkg::ClassWidth-1:0] class_i,
  input  logic [WgWidth-1:0]            wg_i,
  input  logic [WfWidth-1:0]            wf_i,
  input  logic [GranWidth-1:0]          gran_i,
  input  logic [SumWidth-1:0]           bytes_i,

  /// Region and geometry tables, element i at [i*W +: W]. Expected bytes: [geometry][class][wf].
  input  logic [Regions*GeoWidth-1:0]               reg_geo_i,
  input  logic [Regions*t3_pkg::UpdatesWidth-1:0]   reg_updates_i,
  input  logic [Geometries*Tiles*CntWidth-1:0]      geo_expected_i,
  input  logic [Geometries*BaseWidth-1:0]           geo_spill_base_i,
  input  logic [Geometries*t3_pkg::EpochWidth-1:0]  geo_epoch_i,

  output logic                   done_valid_o,
  input  logic                   done_pop_i,
  output logic [RegionWidth-1:0] done_region_o,
  output logic [WgWidth-1:0]     done_wg_o,
  output logic [WfWidth-1:0]     done_wf_o,
  output logic [GranWidth-1:0]   done_gran_o,

  output logic                           spill_req_o,
  input  logic                           spill_gnt_i,
  output logic                           spill_write_o,
  output logic [AddrWidth-1:0]           spill_addr_o,
  output logic [t3_pkg::RecordWidth-1:0] spill_wdata_o,
  input  logic                           spill_rvalid_i,
  input  logic [t3_pkg::RecordWidth-1:0] spill_rdata_i,

  /// Pulses.
  output logic live_up_o,
  output logic live_down_o,
  output logic overrun_o,

  output logic active_o,
  output logic work_o
);

  localparam int BankWidth = t3_pkg::index_width(NumBanks);
  localparam int WfLowWidth = (WfWidth < BankWidth) ? WfWidth : BankWidth;
  localparam int WfHighWidth = WfWidth - WfLowWidth;
  localparam int WgTagWidth = WgWidth - SetWidth;
  localparam int TagWidth = WgTagWidth + WfHighWidth;
  localparam int QueueWidth =
      RegionWidth + t3_pkg::ClassWidth + WgWidth + WfWidth + GranWidth + SumWidth;
  localparam int DoneWidth = RegionWidth + WgWidth + WfWidth + GranWidth;
  localparam int TotalWidth = CntWidth + t3_pkg::UpdatesWidth;
  localparam logic [t3_pkg::SpilledWidth-1:0] SpilledMax = '1;

  // An entry of the table is its granule above this.
  typedef struct packed {
    logic                            valid;
    logic [RegionWidth-1:0]          region;
    logic [TagWidth-1:0]             tag;
    logic [CntWidth-1:0]             bytes;
    logic [t3_pkg::SpilledWidth-1:0] spilled;
  } entry_t;
  localparam int StateWidth = 1 + RegionWidth + TagWidth + CntWidth + t3_pkg::SpilledWidth;
  localparam int EntryWidth = GranWidth + StateWidth;

  typedef enum logic [2:0] {
    Run, Evict, Read, Wait, Resume
  } state_t;

  // ---- B0: the queue of combined updates ------------------------------------------------------
  logic b0_valid, b0_full, b0_pop;
  logic [RegionWidth-1:0] b0_region;
  logic [t3_pkg::ClassWidth-1:0] b0_class;
  logic [WgWidth-1:0] b0_wg;
  logic [WfWidth-1:0] b0_wf;
  logic [GranWidth-1:0] b0_gran;
  logic [SumWidth-1:0] b0_bytes;

  logic b0_push;
  logic [QueueWidth-1:0] b0_word;
  assign b0_push = valid_i && !b0_full;

  always_comb begin : p_b0_word
    b0_word = '0;
    if (b0_push) b0_word = {region_i, class_i, wg_i, wf_i, gran_i, bytes_i};
  end

  t3_fifo #(
    .Depth(2),
    .Width(QueueWidth)
  ) u_b0 (
    .clk_i,
    .rst_ni,
    .push_i (b0_push),
    .data_i (b0_word),
    .full_o (b0_full),
    .valid_o(b0_valid),
    .data_o ({b0_region, b0_class, b0_wg, b0_wf, b0_gran, b0_bytes}),
    .pop_i  (b0_pop)
  );
  assign ready_o = !b0_full;

  // ---- B1: one update against its entry -------------------------------------------------------
  state_t state_q;
  logic b1_valid_q;
  logic [RegionWidth-1:0] b1_region_q;
  logic [WgWidth-1:0] b1_wg_q;
  logic [WfWidth-1:0] b1_wf_q;
  logic [GranWidth-1:0] b1_gran_q;
  logic [SumWidth-1:0] b1_bytes_q;
  logic [TotalWidth-1:0] b1_total_q;
  logic b1_forward_q;

  logic [EntryWidth-1:0] ram_word;
  entry_t forward_q, entry, next;
  logic [GranWidth-1:0] forward_gran_q, entry_gran, next_gran;
  logic leave;  // the update in B1 is done with
  logic done_full;

  // Found in a record, or nothing: what Resume adds to.
  logic [CntWidth-1:0] found_bytes_q;
  logic [GranWidth-1:0] found_gran_q;
  logic [t3_pkg::SpilledWidth-1:0] spilled_q;

  logic [TagWidth-1:0] b1_tag;
  if (WfHighWidth == 0) begin : gen_tag_wg
    assign b1_tag = b1_wg_q[WgWidth-1:SetWidth];
  end else begin : gen_tag_wf
    assign b1_tag = {b1_wf_q[WfWidth-1:WfLowWidth], b1_wg_q[WgWidth-1:SetWidth]};
  end

  logic hit, evict, fill, complete, overrun, was_live;
  logic [TotalWidth:0] sum;

  always_comb begin : p_b1
    entry = '0;
    entry_gran = '0;
    hit = 1'b0;
    evict = 1'b0;
    fill = 1'b0;
    sum = '0;
    complete = 1'b0;
    overrun = 1'b0;
    leave = 1'b0;
    was_live = 1'b0;
    next = '0;
    next_gran = '0;
    if (b1_valid_q) begin
      if (b1_forward_q) begin
        entry = forward_q;
        entry_gran = forward_gran_q;
      end else begin
        entry = ram_word[StateWidth-1:0];
        entry_gran = ram_word[EntryWidth-1:StateWidth];
      end
      hit = entry.valid && entry.tag == b1_tag && entry.region == b1_region_q;
      evict = entry.valid && !hit;
      fill = !entry.valid && entry.spilled != '0;
      leave = (state_q == Resume || (state_q == Run && !evict && !fill)) && !done_full;
      was_live = state_q == Run && hit;

      next.valid = 1'b1;
      next.region = b1_region_q;
      next.tag = b1_tag;
      next.spilled = entry.spilled;
      next_gran = b1_gran_q;
      sum = (TotalWidth+1)'(b1_bytes_q);
      if (state_q == Resume) begin
        sum = sum + (TotalWidth+1)'(found_bytes_q);
        if (found_gran_q < b1_gran_q) next_gran = found_gran_q;
        next.spilled = spilled_q;
      end else if (hit) begin
        sum = sum + (TotalWidth+1)'(entry.bytes);
        if (entry_gran < b1_gran_q) next_gran = entry_gran;
      end
      complete = sum == {1'b0, b1_total_q};
      // Also when the count would no longer fit: such a tile can never complete.
      overrun = !complete && (sum > {1'b0, b1_total_q} || sum[TotalWidth:CntWidth] != '0);
      next.bytes = sum[CntWidth-1:0];
      if (complete || overrun) next.valid = 1'b0;
    end
  end

  assign b0_pop = b0_valid && (!b1_valid_q || leave);

  // ---- the table ------------------------------------------------------------------------------
  logic [SetWidth-1:0] b1_set;
  assign b1_set = b1_wg_q[SetWidth-1:0];
  logic write;
  logic [SetWidth-1:0] write_set;
  logic [EntryWidth-1:0] write_word;

  always_comb begin : p_write
    write = clear_i;
    write_set = clear_set_i;
    write_word = '0;
    if (leave) begin
      write = 1'b1;
      write_set = b1_set;
      write_word = {next_gran, next};
    end
  end

  t3_ram_1r1w #(
    .Depth(SetsPerBank),
    .Width(EntryWidth)
  ) u_table (
    .clk_i,
    .we_i   (write),
    .waddr_i(write_set),
    .wdata_i(write_word),
    .re_i   (b0_pop),
    .raddr_i(b0_wg[SetWidth-1:0]),
    .rdata_o(ram_word)
  );

  // Bytes at which the tile is complete.
  logic [GeoWidth-1:0] b0_geo;
  logic [TotalWidth-1:0] b0_total;

  always_comb begin : p_total
    b0_geo = '0;
    b0_total = '0;
    if (b0_pop) begin
      b0_geo = reg_geo_i[b0_region*GeoWidth +: GeoWidth];
      b0_total = TotalWidth'(geo_expected_i[{b0_geo, b0_class, b0_wf}*CntWidth +: CntWidth])
                 * TotalWidth'(reg_updates_i[b0_region*t3_pkg::UpdatesWidth
                                             +: t3_pkg::UpdatesWidth]);
    end
  end

  always_ff @(posedge clk_i) begin : p_b1_data
    if (b0_pop) begin
      b1_region_q <= b0_region;
      b1_wg_q <= b0_wg;
      b1_wf_q <= b0_wf;
      b1_gran_q <= b0_gran;
      b1_bytes_q <= b0_bytes;
      b1_total_q <= b0_total;
      b1_forward_q <= leave && b1_set == b0_wg[SetWidth-1:0];
    end
    if (leave) begin
      forward_q <= next;
      forward_gran_q <= next_gran;
    end
  end

  // ---- spilling -------------------------------------------------------------------------------
  // The record in question: the victim's while it is evicted, else the newcomer's own.
  logic [WgWidth-1:0] victim_wg, record_wg;
  logic [WfWidth-1:0] victim_wf, record_wf;
  logic [RegionWidth-1:0] record_region;
  logic [GeoWidth-1:0] record_geo;
  logic [WfLowWidth-1:0] victim_wf_low;

  assign victim_wg = {entry.tag[WgTagWidth-1:0], b1_set};
  assign victim_wf_low = WfLowWidth'(BankWidth'(victim_wg) ^ BankWidth'(BankIndex));
  if (WfHighWidth == 0) begin : gen_victim_low
    assign victim_wf = victim_wf_low;
  end else begin : gen_victim_high
    assign victim_wf = {entry.tag[TagWidth-1:WgTagWidth], victim_wf_low};
  end

  always_comb begin : p_record
    record_wg = '0;
    record_wf = '0;
    record_region = '0;
    record_geo = '0;
    spill_addr_o = '0;
    spill_wdata_o = '0;
    if (state_q != Run) begin
      record_wg = (state_q == Evict) ? victim_wg : b1_wg_q;
      record_wf = (state_q == Evict) ? victim_wf : b1_wf_q;
      record_region = (state_q == Evict) ? entry.region : b1_region_q;
      record_geo = reg_geo_i[record_region*GeoWidth +: GeoWidth];
      spill_addr_o =
          {geo_spill_base_i[record_geo*BaseWidth +: BaseWidth], t3_pkg::PageLog2'(0)}
          + AddrWidth'({record_wg, record_wf, t3_pkg::RecordLog2'(0)});
      spill_wdata_o[t3_pkg::RecordAddrLsb +: GranWidth] = entry_gran;
      spill_wdata_o[t3_pkg::RecordBytesLsb +: CntWidth] = entry.bytes;
      spill_wdata_o[t3_pkg::RecordEpochLsb +: t3_pkg::EpochWidth] =
          geo_epoch_i[record_geo*t3_pkg::EpochWidth +: t3_pkg::EpochWidth];
      spill_wdata_o[t3_pkg::RecordRegionLsb +: RegionWidth] = record_region;
      spill_wdata_o[t3_pkg::RecordLiveLsb] = 1'b1;
      spill_wdata_o[t3_pkg::RecordWgLsb +: WgWidth] = record_wg;
      spill_wdata_o[t3_pkg::RecordWfLsb +: WfWidth] = record_wf;
    end
  end

  assign spill_req_o = state_q == Evict || state_q == Read;
  assign spill_write_o = state_q == Evict;

  logic unused_record;
  assign unused_record = ^spill_rdata_i;

  // The record read is this tile's if its identity is what we would write for it now.
  logic own_record;
  always_comb begin : p_own
    own_record = 1'b0;
    if (spill_rvalid_i) own_record = spill_rdata_i[t3_pkg::RecordWidth-1:t3_pkg::RecordEpochLsb]
                 == spill_wdata_o[t3_pkg::RecordWidth-1:t3_pkg::RecordEpochLsb];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= Run;
      b1_valid_q <= 1'b0;
    end else if (b0_valid || b1_valid_q) begin
      if (b0_pop) begin
        b1_valid_q <= 1'b1;
      end else if (leave) begin
        b1_valid_q <= 1'b0;
      end
      unique case (state_q)
        Run: begin
          if (evict) begin
            state_q <= Evict;
          end else if (fill) begin
            state_q <= Read;
          end
        end
        Evict: if (spill_gnt_i) state_q <= (entry.spilled != '0) ? Read : Resume;
        Read: if (spill_gnt_i) state_q <= Wait;
        Wait: if (spill_rvalid_i) state_q <= Resume;
        Resume: if (leave) state_q <= Run;
        default: state_q <= Run;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin : p_found
    if (state_q == Run && (evict || fill)) begin
      found_bytes_q <= '0;
      found_gran_q <= '1;
      spilled_q <= (evict && entry.spilled != SpilledMax)
                   ? entry.spilled + t3_pkg::SpilledWidth'(1) : entry.spilled;
    end else if (state_q == Wait && spill_rvalid_i && own_record) begin
      found_bytes_q <= spill_rdata_i[t3_pkg::RecordBytesLsb +: CntWidth];
      found_gran_q <= spill_rdata_i[t3_pkg::RecordAddrLsb +: GranWidth];
      if (spilled_q != SpilledMax) spilled_q <= spilled_q - t3_pkg::SpilledWidth'(1);
    end
  end

  // ---- what happened --------------------------------------------------------------------------
  logic live_up_q, live_down_q, overrun_q;
  logic done_push;

  assign done_push = leave && complete;

  logic [DoneWidth-1:0] done_word;
  always_comb begin : p_done
    done_word = '0;
    if (done_push) done_word = {b1_region_q, b1_wg_q, b1_wf_q, next_gran};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_pulses
    if (!rst_ni) begin
      live_up_q <= 1'b0;
      live_down_q <= 1'b0;
      overrun_q <= 1'b0;
    end else if (b1_valid_q || live_up_q || live_down_q || overrun_q) begin
      live_up_q <= leave && !was_live && next.valid;
      live_down_q <= (leave && was_live && !next.valid) || (state_q == Run && evict);
      overrun_q <= leave && overrun;
    end
  end

  t3_fifo #(
    .Depth(4),
    .Width(DoneWidth)
  ) u_done (
    .clk_i,
    .rst_ni,
    .push_i (done_push),
    .data_i (done_word),
    .full_o (done_full),
    .valid_o(done_valid_o),
    .data_o ({done_region_o, done_wg_o, done_wf_o, done_gran_o}),
    .pop_i  (done_pop_i)
  );

  assign live_up_o = live_up_q;
  assign live_down_o = live_down_q;
  assign overrun_o = overrun_q;

  // Evict and Read move with the spill port's grant, Wait with its answer: those report themselves.
  assign active_o = b0_pop || leave || (b1_valid_q && state_q == Run && (evict || fill))
                    || live_up_q || live_down_q || overrun_q;
  assign work_o = b0_valid || b1_valid_q || done_valid_o || live_up_q || live_down_q || overrun_q;

  `T3_ASSERT(grant_was_asked_for, !spill_gnt_i || spill_req_o)
  `T3_ASSERT(answer_was_asked_for, !spill_rvalid_i || state_q == Wait)
  `T3_ASSERT(clear_finds_the_bank_idle, !clear_i || (!b0_valid && !b1_valid_q))

endmodule
