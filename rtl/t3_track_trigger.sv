// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Track-and-trigger unit: counts the updates that enter a memory's queues against their output
/// tiles and issues a pre-programmed DMA command when the last tile of it is complete, once.
/// docs/tracker.md is its specification.
///
/// Promise: every lane takes an update per cycle as long as banks keep up; no update is refused for
/// good as long as the spill port is served, whatever happens on the DMA port. With empty queues a
/// command appears at most 12 cycles after the cycle in which a lane takes the update that
/// completes it, and 8 after the one in which that update leaves its lane's queue; a complete row of tiles
/// is released three cycles later. All outputs are functions of registers.
///
///   lane 0 ─► ┌──────────┐   ┌───────────┐   ┌──────────┐   ┌────────────┐
///     …       │ t3_lanes ├─► │ t3_router ├─► │ t3_banks ├─► │ t3_trigger ├─► dma_*, ntf_*
///   lane n ─► └──────────┘   └───────────┘   └───┬──────┘   └─────┬──────┘
///                                                │ ▲              └─► t3_release ─► rel_*
///                                            t3_spill_port ─► mem_*
///   s_axil_* ─► t3_axil ─► t3_regs, t3_counters           t3_clear walks the memories
///
/// `busy_o`: a register changes at the next edge though no input is valid. While it is low, no
/// input is valid and no handshake is pending with the other side ready, the clock may stop.
module t3_track_trigger #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int SetsPerBank = 64,
  parameter int Ways = 4,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int CntWidth = 18,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  parameter int CmdDepth = 4096,
  parameter int LaneFifoDepth = 8,
  parameter int ParkDepth = 4096,
  parameter int ParkedWidth = 2,
  parameter int ReleaseRows = 256,
  /// Of all memories and of the records: t3_pkg::ProtectNone, ProtectParity or ProtectSecded.
  parameter int Protection = t3_pkg::ProtectNone,
  localparam int BankWidth = t3_pkg::index_width(NumBanks),
  localparam int CmdWidth = t3_pkg::index_width(CmdDepth),
  localparam int RowWidth = t3_pkg::index_width(ReleaseRows),
  localparam int BytesWidth = t3_pkg::BytesWidth,
  localparam int RecordWidth = t3_pkg::RecordWidth,
  localparam int RegionPortWidth = t3_pkg::RegionPortWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [NumLanes-1:0]            lane_valid_i,
  output logic [NumLanes-1:0]            lane_ready_o,
  input  logic [NumLanes*WgWidth-1:0]    lane_wg_i,
  input  logic [NumLanes*WfWidth-1:0]    lane_wf_i,
  input  logic [NumLanes*AddrWidth-1:0]  lane_addr_i,
  input  logic [NumLanes*BytesWidth-1:0] lane_bytes_i,

  output logic                       dma_valid_o,
  input  logic                       dma_ready_i,
  output logic [CmdWidth-1:0]        dma_cmd_o,
  output logic [RegionPortWidth-1:0] dma_region_o,
  output logic [WgWidth-1:0]         dma_wg_o,

  output logic                       ntf_valid_o,
  output logic [CmdWidth-1:0]        ntf_cmd_o,
  output logic [RegionPortWidth-1:0] ntf_region_o,
  output logic [WgWidth-1:0]         ntf_wg_o,
  output logic [WfWidth-1:0]         ntf_wf_o,
  output logic [AddrWidth-1:0]       ntf_addr_o,

  output logic                rel_valid_o,
  input  logic                rel_ready_i,
  output logic [RowWidth-1:0] rel_row_o,

  output logic                   mem_valid_o,
  input  logic                   mem_ready_i,
  output logic                   mem_write_o,
  output logic [AddrWidth-1:0]   mem_addr_o,
  output logic [BankWidth-1:0]   mem_id_o,
  output logic [RecordWidth-1:0] mem_wdata_o,
  input  logic                   mem_rvalid_i,
  output logic                   mem_rready_o,
  input  logic [BankWidth-1:0]   mem_rid_i,
  input  logic [RecordWidth-1:0] mem_rdata_i,

  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [15:0] s_axil_awaddr_i,
  input  logic [2:0]  s_axil_awprot_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  output logic [1:0]  s_axil_bresp_o,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  input  logic [15:0] s_axil_araddr_i,
  input  logic [2:0]  s_axil_arprot_i,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,

  output logic irq_o,
  output logic busy_o
);

  localparam int SetWidth = $clog2(SetsPerBank);
  // Workgroups 0 … 2^ParkWidth - 1 have a parked count. The upper bits of its address tell the
  // wavefronts of a workgroup within a bank apart.
  localparam int ParkWidth = (ParkDepth < (1 << WgWidth)) ? $clog2(ParkDepth) : WgWidth;
  localparam int ParkIndexWidth = ParkWidth + ((WfWidth > BankWidth) ? WfWidth - BankWidth : 0);
  localparam int TableClearWidth = (SetWidth > ParkIndexWidth) ? SetWidth : ParkIndexWidth;
  localparam int SlotWidth = (CmdWidth > RowWidth) ? CmdWidth : RowWidth;
  localparam int ClearWidth = (TableClearWidth > SlotWidth) ? TableClearWidth : SlotWidth;
  localparam int RegionWidth = t3_pkg::index_width(NumRegions);
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries);
  localparam int Regions = 1 << RegionWidth;
  localparam int Geometries = 1 << GeoWidth;
  localparam int GranWidth = AddrWidth - t3_pkg::GranuleLog2;
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2;
  localparam int Tiles = 1 << (t3_pkg::ClassWidth + WfWidth);
  localparam int KeyWidth = RegionWidth + t3_pkg::ClassWidth + WgWidth + WfWidth;
  localparam int SumWidth = BytesWidth + $clog2(NumLanes);
  localparam int TileWidth = RegionWidth + WgWidth + WfWidth + GranWidth;
  localparam int DoneWidth = 1 + TileWidth;
  localparam int IdWidth = RegionWidth + WgWidth + WfWidth;
  localparam int Causes = t3_pkg::Causes;
  localparam int CounterWidth = t3_pkg::CounterWidth;
  localparam int LiveWidth = t3_pkg::LiveWidth;

  initial begin : p_check
    if (NumLanes < 1 || NumLanes > 16 || (NumLanes & (NumLanes - 1)) != 0)
      $fatal(1, "NumLanes: expected 1, 2, 4, 8 or 16");
    if (NumBanks < 2 || NumBanks > 16 || (NumBanks & (NumBanks - 1)) != 0)
      $fatal(1, "NumBanks: expected 2, 4, 8 or 16");
    if (WgWidth < 8 || WgWidth > 16) $fatal(1, "WgWidth: expected 8 to 16");
    if (SetsPerBank < 2 || SetsPerBank > 4096 || (SetsPerBank & (SetsPerBank - 1)) != 0
        || SetsPerBank >= (1 << WgWidth))
      $fatal(1, "SetsPerBank: expected a power of two, 2 to 4096, below 2^WgWidth");
    if (Ways != 1 && Ways != 2 && Ways != 4) $fatal(1, "Ways: expected 1, 2 or 4");
    if (WfWidth < 1 || WfWidth > 3) $fatal(1, "WfWidth: expected 1 to 3");
    if (AddrWidth < 32 || AddrWidth > 48) $fatal(1, "AddrWidth: expected 32 to 48");
    if (CntWidth < 12 || CntWidth > 20) $fatal(1, "CntWidth: expected 12 to 20");
    if (NumRegions < 1 || NumRegions > 16) $fatal(1, "NumRegions: expected 1 to 16");
    if (NumGeometries < 1 || NumGeometries > 4) $fatal(1, "NumGeometries: expected 1 to 4");
    if (CmdDepth < 16 || CmdDepth > 8192 || (CmdDepth & (CmdDepth - 1)) != 0)
      $fatal(1, "CmdDepth: expected a power of two, 16 to 8192");
    if (LaneFifoDepth < 2 || LaneFifoDepth > 64) $fatal(1, "LaneFifoDepth: expected 2 to 64");
    if (ParkDepth < 2 || ParkDepth > 65536 || (ParkDepth & (ParkDepth - 1)) != 0)
      $fatal(1, "ParkDepth: expected a power of two, 2 to 65536");
    if (ParkedWidth < 1 || ParkedWidth > 3) $fatal(1, "ParkedWidth: expected 1 to 3");
    if (ReleaseRows < 16 || ReleaseRows > 4096 || (ReleaseRows & (ReleaseRows - 1)) != 0)
      $fatal(1, "ReleaseRows: expected a power of two, 16 to 4096");
  end

  // ---- registers ------------------------------------------------------------------------------
  logic wr_valid, wr_done, wr_error, rd_valid, rd_done, rd_error;
  logic [15:0] wr_addr, rd_addr;
  logic [31:0] wr_data, rd_data;
  logic axil_active, regs_active, counters_active;

  t3_axil u_axil (
    .clk_i,
    .rst_ni,
    .awvalid_i (s_axil_awvalid_i),
    .awready_o (s_axil_awready_o),
    .awaddr_i  (s_axil_awaddr_i),
    .wvalid_i  (s_axil_wvalid_i),
    .wready_o  (s_axil_wready_o),
    .wdata_i   (s_axil_wdata_i),
    .wstrb_i   (s_axil_wstrb_i),
    .bvalid_o  (s_axil_bvalid_o),
    .bready_i  (s_axil_bready_i),
    .bresp_o   (s_axil_bresp_o),
    .arvalid_i (s_axil_arvalid_i),
    .arready_o (s_axil_arready_o),
    .araddr_i  (s_axil_araddr_i),
    .rvalid_o  (s_axil_rvalid_o),
    .rready_i  (s_axil_rready_i),
    .rdata_o   (s_axil_rdata_o),
    .rresp_o   (s_axil_rresp_o),
    .wr_valid_o(wr_valid),
    .wr_addr_o (wr_addr),
    .wr_data_o (wr_data),
    .wr_done_i (wr_done),
    .wr_error_i(wr_error),
    .rd_valid_o(rd_valid),
    .rd_addr_o (rd_addr),
    .rd_done_i (rd_done),
    .rd_data_i (rd_data),
    .rd_error_i(rd_error),
    .active_o  (axil_active)
  );

  logic enable;
  logic [Regions-1:0] reg_enable, reg_trigger, reg_notify, reg_park;
  logic [Regions*GeoWidth-1:0] reg_geo;
  logic [Regions*t3_pkg::UpdatesWidth-1:0] reg_updates;
  logic [Regions*t3_pkg::BlockLog2Width-1:0] reg_block_log2;
  logic [Regions*WgWidth-1:0] reg_wg_first, reg_wg_last;
  logic [Regions*PageWidth-1:0] reg_page_first, reg_page_last;
  logic [Regions*CmdWidth-1:0] reg_cmd_base;
  logic [Regions-1:0] reg_release;
  logic [Regions*RowWidth-1:0] reg_row_base;
  logic [Geometries*t3_pkg::TilesWidth-1:0] geo_tiles_down;
  logic [Geometries*t3_pkg::ReciprocalWidth-1:0] geo_reciprocal;
  logic [Geometries*PageWidth-1:0] geo_spill_base;
  logic [Geometries*t3_pkg::EpochWidth-1:0] geo_epoch;
  logic [Geometries*Tiles*CntWidth-1:0] geo_expected;

  logic sw_wr_valid, sw_wr_done, sw_wr_refused, sw_rd_valid, sw_rd_done, sw_rd_waits;
  logic [CmdWidth-1:0] sw_wr_cmd, sw_rd_cmd;
  logic [t3_pkg::MissingWidth-1:0] sw_wr_data, sw_rd_data;
  logic row_wr_valid, row_wr_done, row_wr_refused, row_rd_valid, row_rd_done, row_rd_waits, row_turn;
  logic [RowWidth-1:0] row_wr_row, row_rd_row;
  logic [t3_pkg::MissingWidth-1:0] row_wr_data, row_rd_data;

  logic clear_start, clear_open, clear_walk, clear_finished, clear_first, clear_pending, clear_active;
  logic [ClearWidth-1:0] clear_index;
  logic work;

  logic [NumLanes-1:0] tracked, untracked, stalled, stalled_q, stalled_spill_q, stalled_closed_q;
  logic [NumBanks-1:0] live_up, live_down;
  logic completed, triggered, notified, evicted, filled, overrun, stray, issued, taken, released;
  logic [RegionWidth-1:0] issued_region;

  logic [CounterWidth-1:0] n_updates, n_untracked, n_completed, n_triggers, n_notifications;
  logic [CounterWidth-1:0] n_stalls, n_stalls_spill, n_stalls_closed, n_evictions, n_fills, n_overrun, n_stray, n_taken, n_releases, n_corrected;
  logic [LiveWidth-1:0] n_live, n_peak;

  logic [Causes-1:0] error_event, errors, error_forget;
  logic [Causes*t3_pkg::ErrorCountWidth-1:0] error_counts;
  logic error_first, error_rearm;
  logic [t3_pkg::CauseWidth-1:0] error_cause;
  logic [TileWidth-1:0] trigger_tile, error_tile;
  logic [Causes*TileWidth-1:0] error_tiles;
  logic bytes_event, border_event, armed_early, unasked, bad_record, wrapped, restarted, locked;
  logic stray_row, row_armed_early;

  // Words of memories that were corrected or are damaged.
  logic [NumBanks-1:0] banks_corrected;
  logic banks_damaged, cmd_corrected, cmd_damaged, ready_corrected, ready_damaged;
  logic row_corrected, row_damaged, release_corrected, release_damaged;
  logic [IdWidth-1:0] banks_damaged_id;
  logic [t3_pkg::DamageWidth-1:0] banks_damaged_kind;
  logic [CmdWidth-1:0] damaged_cmd;
  logic [RowWidth-1:0] damaged_row;
  logic [TileWidth-1:0] damaged_tile;
  logic [TileWidth-1:0] event_tile;
  logic [CmdWidth-1:0] armed_cmd;
  logic [CmdWidth:0] queued;
  logic [RowWidth-1:0] stray_slot, armed_row;
  logic [RowWidth:0] releases_queued;
  logic [BankWidth-1:0] unasked_bank;
  logic [IdWidth-1:0] bad_record_id, wrapped_id, stray_row_id;

  t3_regs #(
    .Protection   (Protection),
    .NumLanes     (NumLanes),
    .NumBanks     (NumBanks),
    .SetsPerBank  (SetsPerBank),
    .Ways         (Ways),
    .WgWidth      (WgWidth),
    .WfWidth      (WfWidth),
    .AddrWidth    (AddrWidth),
    .CntWidth     (CntWidth),
    .NumRegions   (NumRegions),
    .NumGeometries(NumGeometries),
    .CmdDepth     (CmdDepth),
    .ParkWidth    (ParkWidth),
    .ParkedWidth  (ParkedWidth),
    .ReleaseRows  (ReleaseRows)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .wr_valid_i      (wr_valid),
    .wr_addr_i       (wr_addr),
    .wr_data_i       (wr_data),
    .wr_done_o       (wr_done),
    .wr_error_o      (wr_error),
    .rd_valid_i      (rd_valid),
    .rd_addr_i       (rd_addr),
    .rd_done_o       (rd_done),
    .rd_data_o       (rd_data),
    .rd_error_o      (rd_error),
    .sw_wr_valid_o   (sw_wr_valid),
    .sw_wr_cmd_o     (sw_wr_cmd),
    .sw_wr_data_o    (sw_wr_data),
    .sw_wr_done_i    (sw_wr_done),
    .sw_wr_refused_i (sw_wr_refused),
    .sw_rd_valid_o   (sw_rd_valid),
    .sw_rd_cmd_o     (sw_rd_cmd),
    .sw_rd_done_i    (sw_rd_done),
    .sw_rd_data_i    (sw_rd_data),
    .sw_rd_waits_i   (sw_rd_waits),
    .row_wr_valid_o  (row_wr_valid),
    .row_wr_row_o    (row_wr_row),
    .row_wr_data_o   (row_wr_data),
    .row_wr_done_i   (row_wr_done),
    .row_wr_refused_i(row_wr_refused),
    .row_rd_valid_o  (row_rd_valid),
    .row_rd_row_o    (row_rd_row),
    .row_rd_done_i   (row_rd_done),
    .row_rd_data_i   (row_rd_data),
    .row_rd_waits_i  (row_rd_waits),
    .enable_o        (enable),
    .reg_enable_o    (reg_enable),
    .reg_trigger_o   (reg_trigger),
    .reg_notify_o    (reg_notify),
    .reg_park_o      (reg_park),
    .reg_geo_o       (reg_geo),
    .reg_updates_o   (reg_updates),
    .reg_block_log2_o(reg_block_log2),
    .reg_wg_first_o  (reg_wg_first),
    .reg_wg_last_o   (reg_wg_last),
    .reg_page_first_o(reg_page_first),
    .reg_page_last_o (reg_page_last),
    .reg_cmd_base_o  (reg_cmd_base),
    .reg_release_o   (reg_release),
    .reg_row_base_o  (reg_row_base),
    .geo_tiles_down_o(geo_tiles_down),
    .geo_reciprocal_o(geo_reciprocal),
    .geo_spill_base_o(geo_spill_base),
    .geo_epoch_o     (geo_epoch),
    .geo_expected_o  (geo_expected),
    .clear_start_o   (clear_start),
    .clearing_i      (clear_pending),
    .cleared_i       (clear_finished),
    .busy_i          (work || clear_pending),
    .updates_i       (n_updates),
    .untracked_i     (n_untracked),
    .completed_i     (n_completed),
    .triggers_i      (n_triggers),
    .notifications_i (n_notifications),
    .stalls_i        (n_stalls),
    .stalls_spill_i  (n_stalls_spill),
    .stalls_closed_i (n_stalls_closed),
    .evictions_i     (n_evictions),
    .fills_i         (n_fills),
    .overrun_i       (n_overrun),
    .stray_i         (n_stray),
    .taken_i         (n_taken),
    .releases_i      (n_releases),
    .corrected_i     (n_corrected),
    .live_i          (n_live),
    .peak_i          (n_peak),
    .queued_i        (queued),
    .releases_queued_i(releases_queued),
    .waiting_i       (stalled_q),
    .errors_i        (errors),
    .error_counts_i  (error_counts),
    .error_first_i   (error_first),
    .error_cause_i   (error_cause),
    .error_tile_i    (error_tile),
    .error_forget_o  (error_forget),
    .error_rearm_o   (error_rearm),
    .issued_i        (issued),
    .issued_region_i (issued_region),
    .overrun_event_i (overrun),
    .stray_event_i   (stray),
    .spill_event_i   (evicted),
    .error_event_i   (error_event != '0),
    .restarted_o     (restarted),
    .locked_o        (locked),
    .irq_o           (irq_o),
    .active_o        (regs_active)
  );

  t3_counters #(
    .Protection(Protection),
    .NumLanes(NumLanes),
    .NumBanks(NumBanks)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i        (clear_finished),
    .tracked_i      (tracked),
    .untracked_i    (untracked),
    .stalled_i      (stalled_q),
    .stalled_spill_i(stalled_spill_q),
    .stalled_closed_i(stalled_closed_q),
    .completed_i    (completed),
    .triggered_i    (triggered),
    .notified_i     (notified),
    .evicted_i      (evicted),
    .filled_i       (filled),
    .stray_i        (stray),
    .overrun_i      (overrun),
    .taken_i        (taken),
    .released_i     (released),
    .live_up_i      (live_up),
    .live_down_i    (live_down),
    .corrected_i    ({banks_corrected, cmd_corrected, ready_corrected, row_corrected,
                      release_corrected}),
    .updates_o      (n_updates),
    .untracked_o    (n_untracked),
    .completed_o    (n_completed),
    .triggers_o     (n_triggers),
    .notifications_o(n_notifications),
    .stalls_o       (n_stalls),
    .stalls_spill_o (n_stalls_spill),
    .stalls_closed_o(n_stalls_closed),
    .evictions_o    (n_evictions),
    .fills_o        (n_fills),
    .overrun_o      (n_overrun),
    .stray_o        (n_stray),
    .taken_o        (n_taken),
    .releases_o     (n_releases),
    .corrected_o    (n_corrected),
    .live_o         (n_live),
    .peak_o         (n_peak),
    .active_o       (counters_active)
  );

  t3_errors #(
    .TileWidth(TileWidth)
  ) u_errors (
    .clk_i,
    .rst_ni,
    .clear_i      (clear_finished),
    .event_i      (error_event),
    .tile_i       (error_tiles),
    .forget_i     (error_forget),
    .rearm_i      (error_rearm),
    .errors_o     (errors),
    .counts_o     (error_counts),
    .first_valid_o(error_first),
    .first_cause_o(error_cause),
    .first_tile_o (error_tile)
  );

  always_comb begin : p_error_event
    error_event = '0;
    error_event[t3_reg_pkg::ErrorsOverrunLsb] = overrun;
    error_event[t3_reg_pkg::ErrorsStrayLsb] = stray;
    error_event[t3_reg_pkg::ErrorsBytesLsb] = bytes_event;
    error_event[t3_reg_pkg::ErrorsBorderLsb] = border_event;
    error_event[t3_reg_pkg::ErrorsArmedEarlyLsb] = armed_early;
    error_event[t3_reg_pkg::ErrorsUnaskedLsb] = unasked;
    error_event[t3_reg_pkg::ErrorsBadRecordLsb] = bad_record;
    error_event[t3_reg_pkg::ErrorsWrappedLsb] = wrapped;
    error_event[t3_reg_pkg::ErrorsRestartedLsb] = restarted;
    error_event[t3_reg_pkg::ErrorsLockedLsb] = locked;
    error_event[t3_reg_pkg::ErrorsStrayRowLsb] = stray_row;
    error_event[t3_reg_pkg::ErrorsRowArmedEarlyLsb] = row_armed_early;
    error_event[t3_reg_pkg::ErrorsDamagedLsb] =
        banks_damaged || cmd_damaged || ready_damaged || row_damaged || release_damaged;
  end

  // Which word is damaged: of which memory, and the tile or slot that it was read for, if there is one.
  always_comb begin : p_damaged_tile
    damaged_tile = TileWidth'(t3_pkg::DamagedRelease);
    if (row_damaged) begin
      damaged_tile = TileWidth'({damaged_row, t3_pkg::DamageWidth'(t3_pkg::DamagedRow)});
    end
    if (ready_damaged) damaged_tile = TileWidth'(t3_pkg::DamagedReady);
    if (cmd_damaged) begin
      damaged_tile = TileWidth'({damaged_cmd, t3_pkg::DamageWidth'(t3_pkg::DamagedCommand)});
    end
    if (banks_damaged) damaged_tile = {banks_damaged_id, GranWidth'(banks_damaged_kind)};
  end

  // Of whom it is. Where there is no tile, slot, bank or register stand in the place of the granule.
  always_comb begin : p_error_tiles
    error_tiles = {Causes{trigger_tile}};
    error_tiles[t3_reg_pkg::ErrorsBytesLsb*TileWidth +: TileWidth] = event_tile;
    error_tiles[t3_reg_pkg::ErrorsBorderLsb*TileWidth +: TileWidth] = event_tile;
    error_tiles[t3_reg_pkg::ErrorsArmedEarlyLsb*TileWidth +: TileWidth] = TileWidth'(armed_cmd);
    error_tiles[t3_reg_pkg::ErrorsUnaskedLsb*TileWidth +: TileWidth] = TileWidth'(unasked_bank);
    error_tiles[t3_reg_pkg::ErrorsBadRecordLsb*TileWidth +: TileWidth] =
        {bad_record_id, GranWidth'(0)};
    error_tiles[t3_reg_pkg::ErrorsWrappedLsb*TileWidth +: TileWidth] = {wrapped_id, GranWidth'(0)};
    error_tiles[t3_reg_pkg::ErrorsLockedLsb*TileWidth +: TileWidth] =
        TileWidth'(wr_addr[15:2]);
    error_tiles[t3_reg_pkg::ErrorsStrayRowLsb*TileWidth +: TileWidth] =
        {stray_row_id, GranWidth'(stray_slot)};
    error_tiles[t3_reg_pkg::ErrorsRowArmedEarlyLsb*TileWidth +: TileWidth] = TileWidth'(armed_row);
    error_tiles[t3_reg_pkg::ErrorsDamagedLsb*TileWidth +: TileWidth] = damaged_tile;
  end

  t3_clear #(
    .IndexWidth(ClearWidth)
  ) u_clear (
    .clk_i,
    .rst_ni,
    .start_i   (clear_start),
    .work_i    (work),
    .open_o    (clear_open),
    .walk_o    (clear_walk),
    .index_o   (clear_index),
    .finished_o(clear_finished),
    .first_o   (clear_first),
    .pending_o (clear_pending),
    .active_o  (clear_active)
  );

  // ---- lanes ----------------------------------------------------------------------------------
  logic [NumLanes-1:0] head_valid, head_pop;
  logic [NumLanes*BankWidth-1:0] head_bank;
  logic [NumLanes*KeyWidth-1:0] head_key;
  logic [NumLanes*GranWidth-1:0] head_gran;
  logic [NumLanes*BytesWidth-1:0] head_bytes;
  logic lanes_active, lanes_work;

  t3_lanes #(
    .NumLanes     (NumLanes),
    .NumBanks     (NumBanks),
    .WgWidth      (WgWidth),
    .WfWidth      (WfWidth),
    .AddrWidth    (AddrWidth),
    .NumRegions   (NumRegions),
    .NumGeometries(NumGeometries),
    .QueueDepth   (LaneFifoDepth)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .open_i          (clear_open),
    .enable_i        (enable),
    .valid_i         (lane_valid_i),
    .ready_o         (lane_ready_o),
    .wg_i            (lane_wg_i),
    .wf_i            (lane_wf_i),
    .addr_i          (lane_addr_i),
    .bytes_i         (lane_bytes_i),
    .reg_enable_i    (reg_enable),
    .reg_wg_first_i  (reg_wg_first),
    .reg_wg_last_i   (reg_wg_last),
    .reg_page_first_i(reg_page_first),
    .reg_page_last_i (reg_page_last),
    .reg_geo_i       (reg_geo),
    .geo_reciprocal_i(geo_reciprocal),
    .geo_tiles_down_i(geo_tiles_down),
    .valid_o         (head_valid),
    .pop_i           (head_pop),
    .bank_o          (head_bank),
    .key_o           (head_key),
    .gran_o          (head_gran),
    .bytes_o         (head_bytes),
    .tracked_o       (tracked),
    .untracked_o     (untracked),
    .bytes_event_o   (bytes_event),
    .border_event_o  (border_event),
    .event_tile_o    (event_tile),
    .active_o        (lanes_active),
    .work_o          (lanes_work)
  );

  // Lanes that stall, and why: the lanes are closed, or the oldest update of the lane waits for a
  // bank that spills; otherwise for one that is busy with other tiles.
  logic [NumBanks-1:0] spilling;
  logic [NumLanes-1:0] behind_spill;
  assign stalled = lane_valid_i & ~lane_ready_o;

  always_comb begin : p_behind_spill
    behind_spill = '0;
    if (stalled != '0 && spilling != '0) begin
      for (int l = 0; l < NumLanes; l++) begin
        behind_spill[l] = head_valid[l] && spilling[head_bank[l*BankWidth +: BankWidth]];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_stalled
    if (!rst_ni) begin
      stalled_q <= '0;
      stalled_spill_q <= '0;
      stalled_closed_q <= '0;
    end else if ((stalled | stalled_q) != '0) begin
      stalled_q <= stalled;
      stalled_spill_q <= clear_open ? stalled & behind_spill : '0;
      stalled_closed_q <= clear_open ? '0 : stalled;
    end
  end

  // ---- lanes to banks -------------------------------------------------------------------------
  logic [NumBanks-1:0] update_valid, update_pop;
  logic [NumBanks*KeyWidth-1:0] update_key;
  logic [NumBanks*GranWidth-1:0] update_gran;
  logic [NumBanks*SumWidth-1:0] update_bytes;
  logic router_active, router_work;

  t3_router #(
    .NumLanes (NumLanes),
    .NumBanks (NumBanks),
    .KeyWidth (KeyWidth),
    .GranWidth(GranWidth)
  ) u_router (
    .clk_i,
    .rst_ni,
    .valid_i (head_valid),
    .pop_o   (head_pop),
    .bank_i  (head_bank),
    .key_i   (head_key),
    .gran_i  (head_gran),
    .bytes_i (head_bytes),
    .valid_o (update_valid),
    .pop_i   (update_pop),
    .key_o   (update_key),
    .gran_o  (update_gran),
    .bytes_o (update_bytes),
    .active_o(router_active),
    .work_o  (router_work)
  );

  // ---- banks ----------------------------------------------------------------------------------
  logic [NumBanks-1:0] done_valid, done_pop;
  logic [NumBanks*DoneWidth-1:0] done;
  logic [NumBanks-1:0] spill_req, spill_gnt, spill_write, spill_rvalid;
  logic [AddrWidth-1:0] spill_addr;
  logic [RecordWidth-1:0] spill_wdata, spill_rdata;
  logic spill_wraps;
  logic banks_active, banks_work;

  t3_banks #(
    .Protection   (Protection),
    .NumBanks     (NumBanks),
    .SetsPerBank  (SetsPerBank),
    .Ways         (Ways),
    .WgWidth      (WgWidth),
    .WfWidth      (WfWidth),
    .AddrWidth    (AddrWidth),
    .CntWidth     (CntWidth),
    .SumWidth     (SumWidth),
    .NumRegions   (NumRegions),
    .NumGeometries(NumGeometries),
    .ParkWidth    (ParkWidth),
    .ParkedWidth  (ParkedWidth)
  ) u_banks (
    .clk_i,
    .rst_ni,
    .clear_i         (clear_walk),
    .clear_set_i     (clear_index[SetWidth-1:0]),
    .clear_park_i    (clear_index[ParkIndexWidth-1:0]),
    .valid_i         (update_valid),
    .pop_o           (update_pop),
    .key_i           (update_key),
    .gran_i          (update_gran),
    .bytes_i         (update_bytes),
    .reg_park_i      (reg_park),
    .reg_geo_i       (reg_geo),
    .reg_updates_i   (reg_updates),
    .geo_expected_i  (geo_expected),
    .geo_spill_base_i(geo_spill_base),
    .geo_epoch_i     (geo_epoch),
    .done_valid_o    (done_valid),
    .done_pop_i      (done_pop),
    .done_o          (done),
    .spill_req_o     (spill_req),
    .spill_write_o   (spill_write),
    .spill_gnt_i     (spill_gnt),
    .spill_addr_o    (spill_addr),
    .spill_wraps_o   (spill_wraps),
    .spill_wdata_o   (spill_wdata),
    .spill_rvalid_i  (spill_rvalid),
    .spill_rdata_i   (spill_rdata),
    .live_up_o       (live_up),
    .live_down_o     (live_down),
    .bad_record_o    (bad_record),
    .bad_record_id_o (bad_record_id),
    .wrapped_o       (wrapped),
    .wrapped_id_o    (wrapped_id),
    .corrected_o     (banks_corrected),
    .damaged_o       (banks_damaged),
    .damaged_id_o    (banks_damaged_id),
    .damaged_kind_o  (banks_damaged_kind),
    .spilling_o      (spilling),
    .active_o        (banks_active),
    .work_o          (banks_work)
  );

  logic spill_active, spill_work;

  t3_spill_port #(
    .NumBanks (NumBanks),
    .AddrWidth(AddrWidth)
  ) u_spill (
    .clk_i,
    .rst_ni,
    .req_i       (spill_req),
    .gnt_o       (spill_gnt),
    .write_i     (spill_write),
    .addr_i      (spill_addr),
    .wraps_i     (spill_wraps),
    .wdata_i     (spill_wdata),
    .rvalid_o    (spill_rvalid),
    .rdata_o     (spill_rdata),
    .mem_valid_o,
    .mem_ready_i,
    .mem_write_o,
    .mem_addr_o,
    .mem_id_o,
    .mem_wdata_o,
    .mem_rvalid_i,
    .mem_rready_o,
    .mem_rid_i,
    .mem_rdata_i,
    .evicted_o   (evicted),
    .filled_o    (filled),
    .unasked_o   (unasked),
    .unasked_bank_o(unasked_bank),
    .active_o    (spill_active),
    .work_o      (spill_work)
  );

  // ---- triggers -------------------------------------------------------------------------------
  logic trigger_active, trigger_work;
  logic [RegionWidth-1:0] dma_region, ntf_region;
  logic [GranWidth-1:0] ntf_gran;
  logic counted;
  logic [IdWidth-1:0] counted_tile;

  t3_trigger #(
    .Protection(Protection),
    .NumBanks  (NumBanks),
    .WgWidth   (WgWidth),
    .WfWidth   (WfWidth),
    .GranWidth (GranWidth),
    .NumRegions(NumRegions),
    .CmdDepth  (CmdDepth)
  ) u_trigger (
    .clk_i,
    .rst_ni,
    .clear_i         (clear_walk),
    .reset_i         (clear_first),
    .clear_cmd_i     (clear_index[CmdWidth-1:0]),
    .done_valid_i    (done_valid),
    .done_pop_o      (done_pop),
    .done_i          (done),
    .reg_trigger_i   (reg_trigger),
    .reg_notify_i    (reg_notify),
    .reg_wg_first_i  (reg_wg_first),
    .reg_block_log2_i(reg_block_log2),
    .reg_cmd_base_i  (reg_cmd_base),
    .sw_hold_i       (clear_pending),
    .sw_wr_valid_i   (sw_wr_valid),
    .sw_wr_cmd_i     (sw_wr_cmd),
    .sw_wr_data_i    (sw_wr_data),
    .sw_wr_done_o    (sw_wr_done),
    .sw_wr_refused_o (sw_wr_refused),
    .sw_rd_valid_i   (sw_rd_valid),
    .sw_rd_cmd_i     (sw_rd_cmd),
    .sw_rd_done_o    (sw_rd_done),
    .sw_rd_data_o    (sw_rd_data),
    .sw_rd_waits_o   (sw_rd_waits),
    .skip_i          (row_turn),
    .dma_valid_o,
    .dma_ready_i,
    .dma_cmd_o,
    .dma_region_o    (dma_region),
    .dma_wg_o,
    .queued_o        (queued),
    .ntf_valid_o,
    .ntf_cmd_o,
    .ntf_region_o    (ntf_region),
    .ntf_wg_o,
    .ntf_wf_o,
    .ntf_gran_o      (ntf_gran),
    .completed_o     (completed),
    .stray_o         (stray),
    .overrun_o       (overrun),
    .tile_o          (trigger_tile),
    .armed_early_o   (armed_early),
    .armed_cmd_o     (armed_cmd),
    .issued_o        (issued),
    .issued_region_o (issued_region),
    .triggered_o     (triggered),
    .notified_o      (notified),
    .counted_o       (counted),
    .counted_tile_o  (counted_tile),
    .corrected_o     (cmd_corrected),
    .damaged_o       (cmd_damaged),
    .damaged_cmd_o   (damaged_cmd),
    .queue_corrected_o(ready_corrected),
    .queue_damaged_o (ready_damaged),
    .active_o        (trigger_active),
    .work_o          (trigger_work)
  );

  assign dma_region_o = RegionPortWidth'(dma_region);
  assign ntf_region_o = RegionPortWidth'(ntf_region);
  assign taken = dma_valid_o && dma_ready_i;
  assign ntf_addr_o = {ntf_gran, t3_pkg::GranuleLog2'(0)};

  // ---- rows -----------------------------------------------------------------------------------
  logic release_active, release_work;

  t3_release #(
    .Protection   (Protection),
    .WgWidth      (WgWidth),
    .WfWidth      (WfWidth),
    .NumRegions   (NumRegions),
    .NumGeometries(NumGeometries),
    .ReleaseRows  (ReleaseRows)
  ) u_release (
    .clk_i,
    .rst_ni,
    .clear_i         (clear_walk),
    .reset_i         (clear_first),
    .clear_row_i     (clear_index[RowWidth-1:0]),
    .completed_i     (counted),
    .tile_i          (counted_tile),
    .reg_release_i   (reg_release),
    .reg_row_base_i  (reg_row_base),
    .reg_geo_i       (reg_geo),
    .geo_reciprocal_i(geo_reciprocal),
    .sw_hold_i       (clear_pending),
    .sw_wr_valid_i   (row_wr_valid),
    .sw_wr_row_i     (row_wr_row),
    .sw_wr_data_i    (row_wr_data),
    .sw_wr_done_o    (row_wr_done),
    .sw_wr_refused_o (row_wr_refused),
    .sw_rd_valid_i   (row_rd_valid),
    .sw_rd_row_i     (row_rd_row),
    .sw_rd_done_o    (row_rd_done),
    .sw_rd_data_o    (row_rd_data),
    .sw_rd_waits_o   (row_rd_waits),
    .wants_turn_o    (row_turn),
    .rel_valid_o,
    .rel_ready_i,
    .rel_row_o,
    .queued_o        (releases_queued),
    .released_o      (released),
    .stray_o         (stray_row),
    .stray_tile_o    (stray_row_id),
    .stray_row_o     (stray_slot),
    .armed_early_o   (row_armed_early),
    .armed_row_o     (armed_row),
    .corrected_o     (row_corrected),
    .damaged_o       (row_damaged),
    .damaged_row_o   (damaged_row),
    .queue_corrected_o(release_corrected),
    .queue_damaged_o (release_damaged),
    .active_o        (release_active),
    .work_o          (release_work)
  );

  // ---- busy -----------------------------------------------------------------------------------
  assign work = lanes_work || router_work || banks_work || spill_work || trigger_work || release_work;
  assign busy_o = lanes_active || router_active || banks_active || spill_active
                  || trigger_active || release_active || clear_active || axil_active || regs_active
                  || counters_active || stalled_q != '0;

  `T3_ASSERT(clear_finds_the_unit_idle, !clear_walk || !work)

  logic unused_protection;
  assign unused_protection = ^{s_axil_awprot_i, s_axil_arprot_i};

endmodule
