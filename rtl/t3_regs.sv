// SPDX-License-Identifier: Apache-2.0
/// Register file: decodes the map of t3_reg_pkg, holds the configuration, reports the state.
///
/// Promise: while LOCK is set, a write to CTRL, a geometry, a region, a command or a row slot is refused and
/// reported. Any other write takes effect, and a read samples, in the cycle of its request; an access to a
/// command or row slot waits for its turn in the trigger or release unit. Errors (unmapped, read-only, misaligned)
/// change nothing. Sticky bits: an event wins over software's clear in the same cycle. Reading the
/// low word of a 64-bit counter latches its high word for the next read (one latch: read a
/// counter's two words back to back).
///
/// Why: all configuration leaves as flat vectors, element i at [i*W +: W], padded with zeros to a
/// power of two, so an index held in a register can never select outside.
module t3_regs #(
  parameter int Protection = t3_pkg::ProtectNone,
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
  parameter int ParkWidth = 12,
  parameter int ParkedWidth = 2,
  parameter int ReleaseRows = 256,
  localparam int CmdWidth = t3_pkg::index_width(CmdDepth),
  localparam int RowWidth = t3_pkg::index_width(ReleaseRows),
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries),
  localparam int Regions = 1 << RegionWidth,
  localparam int Geometries = 1 << GeoWidth,
  localparam int Tiles = 1 << (t3_pkg::ClassWidth + WfWidth),
  localparam int GranWidth = AddrWidth - t3_pkg::GranuleLog2,
  localparam int TileWidth = RegionWidth + WgWidth + WfWidth + GranWidth,
  localparam int CounterWidth = t3_pkg::CounterWidth,
  localparam int LiveWidth = t3_pkg::LiveWidth
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        wr_valid_i,
  input  logic [15:0] wr_addr_i,
  input  logic [31:0] wr_data_i,
  output logic        wr_done_o,
  output logic        wr_error_o,
  input  logic        rd_valid_i,
  input  logic [15:0] rd_addr_i,
  output logic        rd_done_o,
  output logic [31:0] rd_data_o,
  output logic        rd_error_o,

  /// Command slots, through the trigger unit.
  output logic                            sw_wr_valid_o,
  output logic [CmdWidth-1:0]             sw_wr_cmd_o,
  output logic [t3_pkg::MissingWidth-1:0] sw_wr_data_o,
  input  logic                            sw_wr_done_i,
  input  logic                            sw_wr_refused_i,
  output logic                            sw_rd_valid_o,
  output logic [CmdWidth-1:0]             sw_rd_cmd_o,
  input  logic                            sw_rd_done_i,
  input  logic [t3_pkg::MissingWidth-1:0] sw_rd_data_i,
  input  logic                            sw_rd_waits_i,

  /// Row slots, through the release unit.
  output logic                            row_wr_valid_o,
  output logic [RowWidth-1:0]             row_wr_row_o,
  output logic [t3_pkg::MissingWidth-1:0] row_wr_data_o,
  input  logic                            row_wr_done_i,
  input  logic                            row_wr_refused_i,
  output logic                            row_rd_valid_o,
  output logic [RowWidth-1:0]             row_rd_row_o,
  input  logic                            row_rd_done_i,
  input  logic [t3_pkg::MissingWidth-1:0] row_rd_data_i,
  input  logic                            row_rd_waits_i,

  output logic                                          enable_o,
  output logic [Regions-1:0]                            reg_enable_o,
  output logic [Regions-1:0]                            reg_trigger_o,
  output logic [Regions-1:0]                            reg_notify_o,
  output logic [Regions-1:0]                            reg_park_o,
  output logic [Regions*GeoWidth-1:0]                   reg_geo_o,
  output logic [Regions*t3_pkg::UpdatesWidth-1:0]       reg_updates_o,
  output logic [Regions*t3_pkg::BlockLog2Width-1:0]     reg_block_log2_o,
  output logic [Regions*WgWidth-1:0]                    reg_wg_first_o,
  output logic [Regions*WgWidth-1:0]                    reg_wg_last_o,
  output logic [Regions*PageWidth-1:0]                  reg_page_first_o,
  output logic [Regions*PageWidth-1:0]                  reg_page_last_o,
  output logic [Regions*CmdWidth-1:0]                   reg_cmd_base_o,
  output logic [Regions-1:0]                            reg_release_o,
  output logic [Regions*RowWidth-1:0]                   reg_row_base_o,
  output logic [Geometries*t3_pkg::TilesWidth-1:0]      geo_tiles_down_o,
  output logic [Geometries*t3_pkg::ReciprocalWidth-1:0] geo_reciprocal_o,
  output logic [Geometries*PageWidth-1:0]               geo_spill_base_o,
  output logic [Geometries*t3_pkg::EpochWidth-1:0]      geo_epoch_o,
  output logic [Geometries*Tiles*CntWidth-1:0]          geo_expected_o,

  /// Clearing: a pulse starts it, `clearing_i` is up until it is done, `cleared_i` is its end.
  output logic clear_start_o,
  input  logic clearing_i,
  input  logic cleared_i,

  input  logic busy_i,
  input  logic [CounterWidth-1:0] updates_i,
  input  logic [CounterWidth-1:0] untracked_i,
  input  logic [CounterWidth-1:0] completed_i,
  input  logic [CounterWidth-1:0] triggers_i,
  input  logic [CounterWidth-1:0] notifications_i,
  input  logic [CounterWidth-1:0] stalls_i,
  input  logic [CounterWidth-1:0] stalls_spill_i,
  input  logic [CounterWidth-1:0] stalls_closed_i,
  input  logic [CounterWidth-1:0] evictions_i,
  input  logic [CounterWidth-1:0] fills_i,
  input  logic [CounterWidth-1:0] overrun_i,
  input  logic [CounterWidth-1:0] stray_i,
  input  logic [CounterWidth-1:0] taken_i,
  input  logic [CounterWidth-1:0] releases_i,
  input  logic [CounterWidth-1:0] corrected_i,
  input  logic [LiveWidth-1:0]    live_i,
  input  logic [LiveWidth-1:0]    peak_i,
  /// Commands that wait for the DMA engine, releases that wait, and lanes that wait.
  input  logic [CmdWidth:0]       queued_i,
  input  logic [RowWidth:0]       releases_queued_i,
  input  logic [NumLanes-1:0]     waiting_i,

  /// Errors (t3_errors); the first one's tile is {region, wg, wf, granule}. Software forgets sticky
  /// bits, and makes room for another first one.
  input  logic [t3_pkg::Causes-1:0]                         errors_i,
  input  logic [t3_pkg::Causes*t3_pkg::ErrorCountWidth-1:0] error_counts_i,
  input  logic                                              error_first_i,
  input  logic [t3_pkg::CauseWidth-1:0]                     error_cause_i,
  input  logic [TileWidth-1:0]                              error_tile_i,
  output logic [t3_pkg::Causes-1:0]                         error_forget_o,
  output logic                                              error_rearm_o,

  /// Event pulses.
  input  logic                   issued_i,
  input  logic [RegionWidth-1:0] issued_region_i,
  input  logic                   overrun_event_i,
  input  logic                   stray_event_i,
  input  logic                   spill_event_i,
  input  logic                   error_event_i,
  /// Pulses: a region's CTRL was written in the cycle in which it issued a command; a write was refused
  /// because of LOCK.
  output logic                   restarted_o,
  output logic                   locked_o,

  output logic irq_o,
  output logic active_o
);

  localparam int GeoLog2 = $clog2(t3_reg_pkg::GeoStride);
  localparam int RegLog2 = $clog2(t3_reg_pkg::RegStride);
  localparam logic [15:0] GeoEnd =
      t3_reg_pkg::GeoBase + 16'(NumGeometries) * t3_reg_pkg::GeoStride;
  // The counts of causes end where the next register is; that of the last cause has a place of its own.
  localparam logic [15:0] ErrorCountEnd = t3_reg_pkg::ReleasesOffset;
  localparam logic [15:0] RegEnd = t3_reg_pkg::RegBase + 16'(NumRegions) * t3_reg_pkg::RegStride;
  localparam int Waves = 1 << WfWidth;
  localparam int TileIndexWidth = GeoWidth + t3_pkg::ClassWidth + WfWidth;
  // Pages as the map shows them; a narrower unit ignores the upper bits.
  localparam int MapPageWidth = 36;
  localparam int MapAddrWidth = 48;
  localparam logic [MapPageWidth-1:0] PageMask = MapPageWidth'((64'd1 << PageWidth) - 64'd1);

  // ---- decode ---------------------------------------------------------------------------------
  logic wr_slot, rd_slot, wr_row, rd_row, wr_geo, rd_geo, wr_reg, rd_reg;
  logic [15:0] wr_geo_addr, rd_geo_addr, wr_reg_addr, rd_reg_addr;
  logic [15:0] wr_geo_off, rd_geo_off, wr_reg_off, rd_reg_off;
  logic [GeoWidth-1:0] wr_geo_index, rd_geo_index;
  logic [RegionWidth-1:0] wr_reg_index, rd_reg_index;
  logic wr_aligned, rd_aligned, wr_error, rd_error, wr_locked, locked_q;
  logic [31:0] rd_data;

  // An expected-bytes offset is mapped if its wavefront exists.
  function automatic logic is_expected(input logic [15:0] offset);
    is_expected = offset >= t3_reg_pkg::GeoExpectedOffset && offset < t3_reg_pkg::GeoStride
                  && 32'(offset[4:2]) < Waves;
  endfunction

  function automatic logic is_slot(input logic [15:0] address);
    is_slot = address >= t3_reg_pkg::CommandBase && 32'(address[14:2]) < CmdDepth;
  endfunction

  function automatic logic is_row(input logic [15:0] address);
    is_row = address >= t3_reg_pkg::RowBase && address < t3_reg_pkg::CommandBase
             && 32'(address[13:2]) < ReleaseRows;
  endfunction

  always_comb begin : p_decode_write
    wr_slot = 1'b0;
    wr_row = 1'b0;
    wr_geo = 1'b0;
    wr_reg = 1'b0;
    wr_geo_addr = '0;
    wr_reg_addr = '0;
    wr_geo_off = '0;
    wr_reg_off = '0;
    wr_geo_index = '0;
    wr_reg_index = '0;
    wr_aligned = 1'b0;
    wr_error = 1'b0;
    wr_locked = 1'b0;
    if (wr_valid_i) begin
      wr_aligned = wr_addr_i[1:0] == 2'b00;
      wr_locked = locked_q && wr_aligned
                  && (wr_addr_i == t3_reg_pkg::CtrlOffset || wr_addr_i >= t3_reg_pkg::GeoBase);
      wr_slot = wr_aligned && is_slot(wr_addr_i) && !wr_locked;
      wr_row = wr_aligned && is_row(wr_addr_i) && !wr_locked;
      wr_geo_addr = wr_addr_i - t3_reg_pkg::GeoBase;
      wr_geo_off = wr_geo_addr & (t3_reg_pkg::GeoStride - 16'd1);
      wr_geo_index = GeoWidth'(wr_geo_addr >> GeoLog2);
      wr_geo = wr_aligned && wr_addr_i >= t3_reg_pkg::GeoBase && wr_addr_i < GeoEnd;
      wr_reg_addr = wr_addr_i - t3_reg_pkg::RegBase;
      wr_reg_off = wr_reg_addr & (t3_reg_pkg::RegStride - 16'd1);
      wr_reg_index = RegionWidth'(wr_reg_addr >> RegLog2);
      wr_reg = wr_aligned && wr_addr_i >= t3_reg_pkg::RegBase && wr_addr_i < RegEnd;

      if (wr_geo) begin
        case (wr_geo_off)
          t3_reg_pkg::GeoTilesAcrossOffset, t3_reg_pkg::GeoTilesDownOffset,
          t3_reg_pkg::GeoReciprocalLoOffset, t3_reg_pkg::GeoReciprocalHiOffset,
          t3_reg_pkg::GeoSpillBaseLoOffset, t3_reg_pkg::GeoSpillBaseHiOffset,
          t3_reg_pkg::GeoEpochOffset: wr_error = 1'b0;
          default: wr_error = !is_expected(wr_geo_off);
        endcase
      end else if (wr_reg) begin
        wr_error = wr_reg_off > t3_reg_pkg::RegTargetOffset && wr_reg_off != t3_reg_pkg::RegReleaseOffset;
      end else if (!wr_slot && !wr_row) begin
        case (wr_addr_i)
          t3_reg_pkg::CtrlOffset, t3_reg_pkg::LockOffset, t3_reg_pkg::IrqStatusOffset, t3_reg_pkg::IrqEnableOffset,
          t3_reg_pkg::RegionDoneOffset, t3_reg_pkg::ErrorsOffset,
          t3_reg_pkg::ErrorFirstOffset: wr_error = 1'b0;
          default: wr_error = 1'b1;
        endcase
      end
      if (wr_locked) wr_error = 1'b1;
    end
  end

  assign sw_wr_valid_o = wr_slot;
  assign sw_wr_cmd_o = wr_addr_i[2 +: CmdWidth];
  assign sw_wr_data_o = wr_data_i[t3_pkg::MissingWidth-1:0];
  assign sw_rd_valid_o = rd_slot;
  assign sw_rd_cmd_o = rd_addr_i[2 +: CmdWidth];

  assign row_wr_valid_o = wr_row;
  assign row_wr_row_o = wr_addr_i[2 +: RowWidth];
  assign row_wr_data_o = wr_data_i[t3_pkg::MissingWidth-1:0];
  assign row_rd_valid_o = rd_row;
  assign row_rd_row_o = rd_addr_i[2 +: RowWidth];

  assign wr_done_o = wr_slot ? sw_wr_done_i : wr_row ? row_wr_done_i : wr_valid_i;
  assign wr_error_o = wr_slot ? sw_wr_refused_i : wr_row ? row_wr_refused_i : wr_error;
  assign locked_o = wr_locked;
  assign rd_done_o = rd_slot ? sw_rd_done_i : rd_row ? row_rd_done_i : rd_valid_i;
  assign rd_data_o = rd_slot ? slot : rd_row ? row : rd_data;
  assign rd_error_o = rd_error;

  logic [31:0] slot, row;
  always_comb begin : p_slot
    slot = 32'(sw_rd_data_i);
    slot[t3_reg_pkg::CommandWaitsLsb] = sw_rd_waits_i;
    row = 32'(row_rd_data_i);
    row[t3_reg_pkg::RowWaitsLsb] = row_rd_waits_i;
  end

  logic wr_go;
  assign wr_go = wr_valid_i && !wr_slot && !wr_row && !wr_error;

  // ---- control, interrupts --------------------------------------------------------------------
  logic enable_q, irq_q;
  logic [t3_pkg::IrqWidth-1:0] irq_status_q, irq_enable_q, irq_set;
  logic [NumRegions-1:0] region_done_q;
  logic [Regions-1:0] region_done_set;
  logic wr_plain;

  assign wr_plain = wr_go && !wr_geo && !wr_reg;

  always_comb begin : p_irq_set
    irq_set = '0;
    irq_set[t3_reg_pkg::IrqStatusRegionDoneLsb] = region_done_set != '0;
    irq_set[t3_reg_pkg::IrqStatusOverrunLsb] = overrun_event_i;
    irq_set[t3_reg_pkg::IrqStatusStrayLsb] = stray_event_i;
    irq_set[t3_reg_pkg::IrqStatusSpillLsb] = spill_event_i;
    irq_set[t3_reg_pkg::IrqStatusErrorLsb] = error_event_i;
  end

  logic irq_level, control_moves;
  assign irq_level = (irq_status_q & irq_enable_q) != '0;
  assign control_moves = wr_plain || irq_set != '0 || cleared_i || irq_q != irq_level;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_control
    if (!rst_ni) begin
      enable_q <= 1'b0;
      irq_enable_q <= '0;
      irq_status_q <= '0;
      region_done_q <= '0;
      irq_q <= 1'b0;
      locked_q <= 1'b0;
    end else if (control_moves) begin
      irq_q <= irq_level;
      if (cleared_i) begin
        irq_status_q <= '0;
        region_done_q <= '0;
      end else begin
        if (irq_set != '0) irq_status_q <= irq_status_q | irq_set;
        if (region_done_set != '0) region_done_q <= region_done_q | region_done_set[NumRegions-1:0];
        if (wr_plain && wr_addr_i == t3_reg_pkg::IrqStatusOffset) begin
          irq_status_q <= (irq_status_q & ~wr_data_i[t3_pkg::IrqWidth-1:0]) | irq_set;
        end
        if (wr_plain && wr_addr_i == t3_reg_pkg::RegionDoneOffset) begin
          region_done_q <= (region_done_q & ~wr_data_i[NumRegions-1:0])
                           | region_done_set[NumRegions-1:0];
        end
      end
      if (wr_plain && wr_addr_i == t3_reg_pkg::CtrlOffset) begin
        enable_q <= wr_data_i[t3_reg_pkg::CtrlEnableLsb];
      end
      if (wr_plain && wr_addr_i == t3_reg_pkg::LockOffset) begin
        locked_q <= wr_data_i[t3_reg_pkg::LockLockedLsb];
      end
      if (wr_plain && wr_addr_i == t3_reg_pkg::IrqEnableOffset) begin
        irq_enable_q <= wr_data_i[t3_pkg::IrqWidth-1:0];
      end
    end
  end

  assign enable_o = enable_q;
  assign irq_o = irq_q;
  assign active_o = irq_q != irq_level;
  assign clear_start_o = wr_plain && wr_addr_i == t3_reg_pkg::CtrlOffset
                         && wr_data_i[t3_reg_pkg::CtrlClearLsb];
  assign error_forget_o = (wr_plain && wr_addr_i == t3_reg_pkg::ErrorsOffset)
                          ? wr_data_i[t3_pkg::Causes-1:0] : '0;
  assign error_rearm_o = wr_plain && wr_addr_i == t3_reg_pkg::ErrorFirstOffset
                         && wr_data_i[t3_reg_pkg::ErrorFirstValidLsb];

  // ---- geometries -----------------------------------------------------------------------------
  // Elements past NumGeometries stay zero: no write decodes to them.
  logic [Geometries*t3_pkg::TilesWidth-1:0] geo_across_q, geo_down_q;
  logic [Geometries*t3_pkg::ReciprocalWidth-1:0] geo_reciprocal_q;
  logic [Geometries*MapPageWidth-1:0] geo_base_q;
  logic [Geometries*t3_pkg::EpochWidth-1:0] geo_epoch_q;
  logic [Geometries*Tiles*CntWidth-1:0] geo_expected_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_geo
    if (!rst_ni) begin
      geo_across_q <= '0;
      geo_down_q <= '0;
      geo_reciprocal_q <= '0;
      geo_base_q <= '0;
      geo_epoch_q <= '0;
    end else if (wr_go && wr_geo) begin
      for (int g = 0; g < NumGeometries; g++) begin
        if (wr_geo_index == GeoWidth'(g)) begin
          case (wr_geo_off)
            t3_reg_pkg::GeoTilesAcrossOffset:
              geo_across_q[g*t3_pkg::TilesWidth +: t3_pkg::TilesWidth] <=
                  wr_data_i[t3_pkg::TilesWidth-1:0];
            t3_reg_pkg::GeoTilesDownOffset:
              geo_down_q[g*t3_pkg::TilesWidth +: t3_pkg::TilesWidth] <=
                  wr_data_i[t3_pkg::TilesWidth-1:0];
            t3_reg_pkg::GeoReciprocalLoOffset:
              geo_reciprocal_q[g*t3_pkg::ReciprocalWidth +: 32] <= wr_data_i;
            t3_reg_pkg::GeoReciprocalHiOffset:
              geo_reciprocal_q[g*t3_pkg::ReciprocalWidth + 32] <= wr_data_i[0];
            t3_reg_pkg::GeoSpillBaseLoOffset:
              geo_base_q[g*MapPageWidth +: 20] <= wr_data_i[31:12];
            t3_reg_pkg::GeoSpillBaseHiOffset:
              geo_base_q[g*MapPageWidth + 20 +: 16] <= wr_data_i[15:0] & PageMask[35:20];
            t3_reg_pkg::GeoEpochOffset:
              geo_epoch_q[g*t3_pkg::EpochWidth +: t3_pkg::EpochWidth] <=
                  wr_data_i[t3_pkg::EpochWidth-1:0];
            default: ;
          endcase
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_expected
    if (!rst_ni) begin
      geo_expected_q <= '0;
    end else if (wr_go && wr_geo && wr_geo_off >= t3_reg_pkg::GeoExpectedOffset) begin
      for (int t = 0; t < NumGeometries * Tiles; t++) begin
        if ({wr_geo_index, wr_geo_off[6:5], wr_geo_off[2 +: WfWidth]} == TileIndexWidth'(t)) begin
          geo_expected_q[t*CntWidth +: CntWidth] <= wr_data_i[CntWidth-1:0];
        end
      end
    end
  end

  assign geo_tiles_down_o = geo_down_q;
  assign geo_reciprocal_o = geo_reciprocal_q;
  assign geo_epoch_o = geo_epoch_q;
  assign geo_expected_o = geo_expected_q;
  for (genvar g = 0; g < Geometries; g++) begin : gen_geo
    assign geo_spill_base_o[g*PageWidth +: PageWidth] = geo_base_q[g*MapPageWidth +: PageWidth];
  end

  // ---- regions --------------------------------------------------------------------------------
  logic [Regions-1:0] reg_enable_q, reg_trigger_q, reg_notify_q, reg_park_q;
  logic [Regions*GeoWidth-1:0] reg_geo_q;
  logic [Regions*t3_pkg::UpdatesWidth-1:0] reg_updates_q;
  logic [Regions*t3_pkg::BlockLog2Width-1:0] reg_block_log2_q;
  logic [Regions*WgWidth-1:0] reg_wg_first_q, reg_wg_last_q;
  logic [Regions*MapPageWidth-1:0] reg_page_first_q, reg_page_last_q;
  logic [Regions*CmdWidth-1:0] reg_cmd_base_q;
  logic [Regions-1:0] reg_release_q;
  logic [Regions*RowWidth-1:0] reg_row_base_q;
  logic [Regions*32-1:0] reg_target_q, reg_done_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_region
    if (!rst_ni) begin
      reg_enable_q <= '0;
      reg_trigger_q <= '0;
      reg_notify_q <= '0;
      reg_park_q <= '0;
      reg_geo_q <= '0;
      reg_updates_q <= '0;
      reg_block_log2_q <= '0;
      reg_wg_first_q <= '0;
      reg_wg_last_q <= '0;
      reg_page_first_q <= '0;
      reg_page_last_q <= '0;
      reg_cmd_base_q <= '0;
      reg_release_q <= '0;
      reg_row_base_q <= '0;
      reg_target_q <= '0;
    end else if (wr_go && wr_reg) begin
      for (int r = 0; r < NumRegions; r++) begin
        if (wr_reg_index == RegionWidth'(r)) begin
          case (wr_reg_off)
            t3_reg_pkg::RegCtrlOffset: begin
              reg_enable_q[r] <= wr_data_i[t3_reg_pkg::RegCtrlEnableLsb];
              reg_trigger_q[r] <= wr_data_i[t3_reg_pkg::RegCtrlTriggerLsb];
              reg_notify_q[r] <= wr_data_i[t3_reg_pkg::RegCtrlNotifyLsb];
              reg_park_q[r] <= wr_data_i[t3_reg_pkg::RegCtrlParkLsb];
              reg_geo_q[r*GeoWidth +: GeoWidth] <=
                  wr_data_i[t3_reg_pkg::RegCtrlGeometryLsb +: GeoWidth];
              reg_updates_q[r*t3_pkg::UpdatesWidth +: t3_pkg::UpdatesWidth] <=
                  wr_data_i[t3_reg_pkg::RegCtrlUpdatesLsb +: t3_pkg::UpdatesWidth];
              reg_block_log2_q[r*t3_pkg::BlockLog2Width +: t3_pkg::BlockLog2Width] <=
                  wr_data_i[t3_reg_pkg::RegCtrlBlockLog2Lsb +: t3_pkg::BlockLog2Width];
            end
            t3_reg_pkg::RegWgFirstOffset:
              reg_wg_first_q[r*WgWidth +: WgWidth] <= wr_data_i[WgWidth-1:0];
            t3_reg_pkg::RegWgLastOffset:
              reg_wg_last_q[r*WgWidth +: WgWidth] <= wr_data_i[WgWidth-1:0];
            t3_reg_pkg::RegPageFirstOffset:
              reg_page_first_q[r*MapPageWidth +: 32] <= wr_data_i & PageMask[31:0];
            t3_reg_pkg::RegPageLastOffset:
              reg_page_last_q[r*MapPageWidth +: 32] <= wr_data_i & PageMask[31:0];
            t3_reg_pkg::RegPageHighOffset: begin
              reg_page_first_q[r*MapPageWidth + 32 +: 4] <=
                  wr_data_i[t3_reg_pkg::RegPageHighFirstLsb +: 4] & PageMask[35:32];
              reg_page_last_q[r*MapPageWidth + 32 +: 4] <=
                  wr_data_i[t3_reg_pkg::RegPageHighLastLsb +: 4] & PageMask[35:32];
            end
            t3_reg_pkg::RegCmdBaseOffset:
              reg_cmd_base_q[r*CmdWidth +: CmdWidth] <= wr_data_i[CmdWidth-1:0];
            t3_reg_pkg::RegReleaseOffset: begin
              reg_release_q[r] <= wr_data_i[t3_reg_pkg::RegReleaseEnableLsb];
              reg_row_base_q[r*RowWidth +: RowWidth] <=
                  wr_data_i[t3_reg_pkg::RegReleaseBaseLsb +: RowWidth];
            end
            default: reg_target_q[r*32 +: 32] <= wr_data_i;
          endcase
        end
      end
    end
  end

  // A region's count of issued commands.
  logic [31:0] done_next;
  logic reg_restart;  // a region starts again: a command that it issues in this cycle is not counted

  assign reg_restart = wr_go && wr_reg && wr_reg_off == t3_reg_pkg::RegCtrlOffset;
  assign restarted_o = issued_i && reg_restart && wr_reg_index == issued_region_i;

  always_comb begin : p_done_next
    done_next = '0;
    region_done_set = '0;
    if (issued_i) begin
      done_next = reg_done_q[issued_region_i*32 +: 32] + 32'd1;
      region_done_set[issued_region_i] =
          done_next == reg_target_q[issued_region_i*32 +: 32] && !restarted_o;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_done
    if (!rst_ni) begin
      reg_done_q <= '0;
    end else if (cleared_i) begin
      reg_done_q <= '0;
    end else if (issued_i || reg_restart) begin
      for (int r = 0; r < NumRegions; r++) begin
        if (reg_restart && wr_reg_index == RegionWidth'(r)) begin
          reg_done_q[r*32 +: 32] <= '0;
        end else if (issued_i && issued_region_i == RegionWidth'(r)) begin
          reg_done_q[r*32 +: 32] <= done_next;
        end
      end
    end
  end

  assign reg_enable_o = reg_enable_q;
  assign reg_trigger_o = reg_trigger_q;
  assign reg_notify_o = reg_notify_q;
  assign reg_park_o = reg_park_q;
  assign reg_geo_o = reg_geo_q;
  assign reg_updates_o = reg_updates_q;
  assign reg_block_log2_o = reg_block_log2_q;
  assign reg_wg_first_o = reg_wg_first_q;
  assign reg_wg_last_o = reg_wg_last_q;
  assign reg_cmd_base_o = reg_cmd_base_q;
  assign reg_release_o = reg_release_q;
  assign reg_row_base_o = reg_row_base_q;
  for (genvar r = 0; r < Regions; r++) begin : gen_reg
    assign reg_page_first_o[r*PageWidth +: PageWidth] =
        reg_page_first_q[r*MapPageWidth +: PageWidth];
    assign reg_page_last_o[r*PageWidth +: PageWidth] =
        reg_page_last_q[r*MapPageWidth +: PageWidth];
  end

  // ---- reads ----------------------------------------------------------------------------------
  // The tile of the first error as the map shows it.
  logic [RegionWidth-1:0] error_region;
  logic [WgWidth-1:0] error_wg;
  logic [WfWidth-1:0] error_wf;
  logic [GranWidth-1:0] error_gran;
  logic [MapAddrWidth-1:0] error_address;
  assign {error_region, error_wg, error_wf, error_gran} = error_first_i ? error_tile_i : '0;
  assign error_address = MapAddrWidth'({error_gran, t3_pkg::GranuleLog2'(0)});

  logic [31:0] high_q;  // high word of the counter whose low word was read last
  logic [CounterWidth-1:0] rd_counter;
  logic rd_low;
  logic [MapPageWidth-1:0] rd_first, rd_last, rd_base;

  always_comb begin : p_read
    rd_slot = 1'b0;
    rd_row = 1'b0;
    rd_geo = 1'b0;
    rd_reg = 1'b0;
    rd_geo_addr = '0;
    rd_reg_addr = '0;
    rd_geo_off = '0;
    rd_reg_off = '0;
    rd_geo_index = '0;
    rd_reg_index = '0;
    rd_aligned = 1'b0;
    rd_error = 1'b0;
    rd_data = '0;
    rd_counter = '0;
    rd_low = 1'b0;
    rd_first = '0;
    rd_last = '0;
    rd_base = '0;
    if (rd_valid_i) begin
      rd_aligned = rd_addr_i[1:0] == 2'b00;
      rd_slot = rd_aligned && is_slot(rd_addr_i);
      rd_row = rd_aligned && is_row(rd_addr_i);
      rd_geo_addr = rd_addr_i - t3_reg_pkg::GeoBase;
      rd_geo_off = rd_geo_addr & (t3_reg_pkg::GeoStride - 16'd1);
      rd_geo_index = GeoWidth'(rd_geo_addr >> GeoLog2);
      rd_geo = rd_aligned && rd_addr_i >= t3_reg_pkg::GeoBase && rd_addr_i < GeoEnd;
      rd_reg_addr = rd_addr_i - t3_reg_pkg::RegBase;
      rd_reg_off = rd_reg_addr & (t3_reg_pkg::RegStride - 16'd1);
      rd_reg_index = RegionWidth'(rd_reg_addr >> RegLog2);
      rd_reg = rd_aligned && rd_addr_i >= t3_reg_pkg::RegBase && rd_addr_i < RegEnd;

      if (rd_geo) begin
        rd_base = geo_base_q[rd_geo_index*MapPageWidth +: MapPageWidth];
        case (rd_geo_off)
          t3_reg_pkg::GeoTilesAcrossOffset:
            rd_data[t3_pkg::TilesWidth-1:0] =
                geo_across_q[rd_geo_index*t3_pkg::TilesWidth +: t3_pkg::TilesWidth];
          t3_reg_pkg::GeoTilesDownOffset:
            rd_data[t3_pkg::TilesWidth-1:0] =
                geo_down_q[rd_geo_index*t3_pkg::TilesWidth +: t3_pkg::TilesWidth];
          t3_reg_pkg::GeoReciprocalLoOffset:
            rd_data = geo_reciprocal_q[rd_geo_index*t3_pkg::ReciprocalWidth +: 32];
          t3_reg_pkg::GeoReciprocalHiOffset:
            rd_data[0] = geo_reciprocal_q[rd_geo_index*t3_pkg::ReciprocalWidth + 32];
          t3_reg_pkg::GeoSpillBaseLoOffset: rd_data[31:12] = rd_base[19:0];
          t3_reg_pkg::GeoSpillBaseHiOffset: rd_data[15:0] = rd_base[35:20];
          t3_reg_pkg::GeoEpochOffset:
            rd_data[t3_pkg::EpochWidth-1:0] =
                geo_epoch_q[rd_geo_index*t3_pkg::EpochWidth +: t3_pkg::EpochWidth];
          default: begin
            if (is_expected(rd_geo_off)) begin
              rd_data[CntWidth-1:0] =
                  geo_expected_q[{rd_geo_index, rd_geo_off[6:5], rd_geo_off[2 +: WfWidth]}*CntWidth
                                 +: CntWidth];
            end else begin
              rd_error = 1'b1;
            end
          end
        endcase
      end else if (rd_reg) begin
        rd_first = reg_page_first_q[rd_reg_index*MapPageWidth +: MapPageWidth];
        rd_last = reg_page_last_q[rd_reg_index*MapPageWidth +: MapPageWidth];
        case (rd_reg_off)
          t3_reg_pkg::RegCtrlOffset: begin
            rd_data[t3_reg_pkg::RegCtrlEnableLsb] = reg_enable_q[rd_reg_index];
            rd_data[t3_reg_pkg::RegCtrlTriggerLsb] = reg_trigger_q[rd_reg_index];
            rd_data[t3_reg_pkg::RegCtrlNotifyLsb] = reg_notify_q[rd_reg_index];
            rd_data[t3_reg_pkg::RegCtrlParkLsb] = reg_park_q[rd_reg_index];
            rd_data[t3_reg_pkg::RegCtrlGeometryLsb +: GeoWidth] =
                reg_geo_q[rd_reg_index*GeoWidth +: GeoWidth];
            rd_data[t3_reg_pkg::RegCtrlUpdatesLsb +: t3_pkg::UpdatesWidth] =
                reg_updates_q[rd_reg_index*t3_pkg::UpdatesWidth +: t3_pkg::UpdatesWidth];
            rd_data[t3_reg_pkg::RegCtrlBlockLog2Lsb +: t3_pkg::BlockLog2Width] =
                reg_block_log2_q[rd_reg_index*t3_pkg::BlockLog2Width +: t3_pkg::BlockLog2Width];
          end
          t3_reg_pkg::RegWgFirstOffset:
            rd_data[WgWidth-1:0] = reg_wg_first_q[rd_reg_index*WgWidth +: WgWidth];
          t3_reg_pkg::RegWgLastOffset:
            rd_data[WgWidth-1:0] = reg_wg_last_q[rd_reg_index*WgWidth +: WgWidth];
          t3_reg_pkg::RegPageFirstOffset: rd_data = rd_first[31:0];
          t3_reg_pkg::RegPageLastOffset: rd_data = rd_last[31:0];
          t3_reg_pkg::RegPageHighOffset: begin
            rd_data[t3_reg_pkg::RegPageHighFirstLsb +: 4] = rd_first[35:32];
            rd_data[t3_reg_pkg::RegPageHighLastLsb +: 4] = rd_last[35:32];
          end
          t3_reg_pkg::RegCmdBaseOffset:
            rd_data[CmdWidth-1:0] = reg_cmd_base_q[rd_reg_index*CmdWidth +: CmdWidth];
          t3_reg_pkg::RegTargetOffset: rd_data = reg_target_q[rd_reg_index*32 +: 32];
          t3_reg_pkg::RegReleaseOffset: begin
            rd_data[t3_reg_pkg::RegReleaseEnableLsb] = reg_release_q[rd_reg_index];
            rd_data[t3_reg_pkg::RegReleaseBaseLsb +: RowWidth] =
                reg_row_base_q[rd_reg_index*RowWidth +: RowWidth];
          end
          t3_reg_pkg::RegDoneOffset: rd_data = reg_done_q[rd_reg_index*32 +: 32];
          default: rd_error = 1'b1;
        endcase
      end else if (rd_aligned
                   && ((rd_addr_i >= t3_reg_pkg::UpdatesOffset
                        && rd_addr_i < t3_reg_pkg::LiveOffset)
                       || (rd_addr_i >= t3_reg_pkg::StallsSpillOffset
                           && rd_addr_i < t3_reg_pkg::TakenOffset + 16'd8)
                       || (rd_addr_i >= t3_reg_pkg::ReleasesOffset
                           && rd_addr_i < t3_reg_pkg::CorrectedOffset + 16'd8))) begin
        case ({rd_addr_i[15:3], 3'b000})
          t3_reg_pkg::UpdatesOffset: rd_counter = updates_i;
          t3_reg_pkg::UntrackedOffset: rd_counter = untracked_i;
          t3_reg_pkg::CompletedOffset: rd_counter = completed_i;
          t3_reg_pkg::TriggersOffset: rd_counter = triggers_i;
          t3_reg_pkg::NotificationsOffset: rd_counter = notifications_i;
          t3_reg_pkg::StallsOffset: rd_counter = stalls_i;
          t3_reg_pkg::StallsSpillOffset: rd_counter = stalls_spill_i;
          t3_reg_pkg::StallsClosedOffset: rd_counter = stalls_closed_i;
          t3_reg_pkg::EvictionsOffset: rd_counter = evictions_i;
          t3_reg_pkg::FillsOffset: rd_counter = fills_i;
          t3_reg_pkg::OverrunOffset: rd_counter = overrun_i;
          t3_reg_pkg::StrayOffset: rd_counter = stray_i;
          t3_reg_pkg::TakenOffset: rd_counter = taken_i;
          t3_reg_pkg::ReleasesOffset: rd_counter = releases_i;
          t3_reg_pkg::CorrectedOffset: rd_counter = corrected_i;
          default: rd_error = 1'b1;
        endcase
        rd_low = !rd_addr_i[2];
        rd_data = rd_low ? rd_counter[31:0] : high_q;
      end else if (rd_aligned && rd_addr_i >= t3_reg_pkg::ErrorCountBase
                   && rd_addr_i < ErrorCountEnd) begin
        rd_data[t3_pkg::ErrorCountWidth-1:0] =
            error_counts_i[rd_addr_i[2 +: t3_pkg::CauseWidth]*t3_pkg::ErrorCountWidth
                           +: t3_pkg::ErrorCountWidth];
      end else if (!rd_slot && !rd_row) begin
        case (rd_addr_i)
          t3_reg_pkg::IdOffset: rd_data = t3_reg_pkg::IdValue;
          t3_reg_pkg::VersionOffset: rd_data = t3_reg_pkg::VersionValue;
          t3_reg_pkg::Config0Offset: begin
            rd_data[t3_reg_pkg::Config0LanesLsb +: 8] = 8'(NumLanes);
            rd_data[t3_reg_pkg::Config0BanksLsb +: 8] = 8'(NumBanks);
            rd_data[t3_reg_pkg::Config0SetsLsb +: 16] = 16'(SetsPerBank);
          end
          t3_reg_pkg::Config1Offset: begin
            rd_data[t3_reg_pkg::Config1CommandsLsb +: 16] = 16'(CmdDepth);
            rd_data[t3_reg_pkg::Config1RegionsLsb +: 8] = 8'(NumRegions);
            rd_data[t3_reg_pkg::Config1GeometriesLsb +: 8] = 8'(NumGeometries);
          end
          t3_reg_pkg::Config2Offset: begin
            rd_data[t3_reg_pkg::Config2ParkedMaxLsb +: 4] = 4'((1 << ParkedWidth) - 1);
            rd_data[t3_reg_pkg::Config2WaysLsb +: 4] = 4'(Ways);
            rd_data[t3_reg_pkg::Config2ParkedWorkgroupsLsb +: 24] = 24'(1 << ParkWidth);
          end
          t3_reg_pkg::Config3Offset: begin
            rd_data[t3_reg_pkg::Config3RowsLsb +: 16] = 16'(ReleaseRows);
            rd_data[t3_reg_pkg::Config3ProtectionLsb +: 2] = 2'(Protection);
          end
          t3_reg_pkg::DamagedOffset:
            rd_data[t3_pkg::ErrorCountWidth-1:0] =
                error_counts_i[t3_reg_pkg::ErrorsDamagedLsb*t3_pkg::ErrorCountWidth
                               +: t3_pkg::ErrorCountWidth];
          t3_reg_pkg::CtrlOffset: begin
            rd_data[t3_reg_pkg::CtrlEnableLsb] = enable_q;
            rd_data[t3_reg_pkg::CtrlClearLsb] = clearing_i;
          end
          t3_reg_pkg::StatusOffset: begin
            rd_data[t3_reg_pkg::StatusBusyLsb] = busy_i;
            rd_data[t3_reg_pkg::StatusLiveLsb] = live_i != '0;
            rd_data[t3_reg_pkg::StatusQueuedLsb] = queued_i != '0;
            rd_data[t3_reg_pkg::StatusWaitingLsb] = waiting_i != '0;
            rd_data[t3_reg_pkg::StatusReleasesLsb] = releases_queued_i != '0;
          end
          t3_reg_pkg::IrqStatusOffset: rd_data[t3_pkg::IrqWidth-1:0] = irq_status_q;
          t3_reg_pkg::IrqEnableOffset: rd_data[t3_pkg::IrqWidth-1:0] = irq_enable_q;
          t3_reg_pkg::RegionDoneOffset: rd_data[NumRegions-1:0] = region_done_q;
          t3_reg_pkg::LockOffset: rd_data[t3_reg_pkg::LockLockedLsb] = locked_q;
          t3_reg_pkg::QueuedOffset: rd_data[CmdWidth:0] = queued_i;
          t3_reg_pkg::ReleasesQueuedOffset: rd_data[RowWidth:0] = releases_queued_i;
          t3_reg_pkg::LanesWaitingOffset: rd_data[NumLanes-1:0] = waiting_i;
          t3_reg_pkg::ErrorsOffset: rd_data[t3_pkg::Causes-1:0] = errors_i;
          t3_reg_pkg::ErrorFirstOffset: begin
            rd_data[t3_reg_pkg::ErrorFirstValidLsb] = error_first_i;
            rd_data[t3_reg_pkg::ErrorFirstCauseLsb +: t3_pkg::CauseWidth] =
                error_first_i ? error_cause_i : '0;
            rd_data[t3_reg_pkg::ErrorFirstRegionLsb +: RegionWidth] = error_region;
            rd_data[t3_reg_pkg::ErrorFirstWfLsb +: WfWidth] = error_wf;
            rd_data[t3_reg_pkg::ErrorFirstWgLsb +: WgWidth] = error_wg;
          end
          t3_reg_pkg::ErrorAddressLoOffset: rd_data = error_address[31:0];
          t3_reg_pkg::ErrorAddressHiOffset: rd_data[15:0] = error_address[47:32];
          t3_reg_pkg::LiveOffset: rd_data[LiveWidth-1:0] = live_i;
          t3_reg_pkg::PeakOffset: rd_data[LiveWidth-1:0] = peak_i;
          default: rd_error = 1'b1;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_high
    if (!rst_ni) begin
      high_q <= '0;
    end else if (rd_low) begin
      high_q <= rd_counter[63:32];
    end
  end

endmodule
