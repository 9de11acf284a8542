// SPDX-License-Identifier: Apache-2.0
/// Register file: what of it has behaviour. The map itself, decoded and kept, is in t3_reg_map, which
/// is generated.
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

  localparam int MapAddrWidth = 48;

  // ---- the map --------------------------------------------------------------------------------
  logic wr_slot, rd_slot, wr_row, rd_row, wr_error, wr_locked, locked;
  logic write_ctrl, write_irq_status, write_region_done, write_errors, write_error_first;
  logic reg_restart;  // a region starts again: a command that it issues in this cycle is not counted
  logic [RegionWidth-1:0] wr_reg_index;
  logic [31:0] rd_data;
  logic rd_low;
  logic [31:0] rd_high;
  logic [31:0] high_q;  // high word of the counter whose low word was read last
  logic [t3_pkg::IrqWidth-1:0] irq_enable, irq_status_q;
  logic [NumRegions-1:0] region_done_q;
  logic [Regions*32-1:0] reg_target, reg_done_q;

  // The tile of the first error as the map shows it.
  logic [RegionWidth-1:0] error_region;
  logic [WgWidth-1:0] error_wg;
  logic [WfWidth-1:0] error_wf;
  logic [GranWidth-1:0] error_gran;
  logic [MapAddrWidth-1:0] error_address;
  assign {error_region, error_wg, error_wf, error_gran} = error_first_i ? error_tile_i : '0;
  assign error_address = MapAddrWidth'({error_gran, t3_pkg::GranuleLog2'(0)});

  // What LOCK freezes, whether it is mapped or not.
  assign wr_locked = wr_valid_i && locked && wr_addr_i[1:0] == 2'b00
                     && (wr_addr_i == t3_reg_pkg::CtrlOffset || wr_addr_i >= t3_reg_pkg::GeoBase);

  t3_reg_map #(
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
  ) u_map (
    .clk_i,
    .rst_ni,
    .wr_valid_i,
    .wr_addr_i,
    .wr_data_i,
    .wr_locked_i          (wr_locked),
    .wr_error_o           (wr_error),
    .rd_valid_i,
    .rd_addr_i,
    .rd_data_o            (rd_data),
    .rd_error_o,
    .rd_low_o             (rd_low),
    .rd_high_o            (rd_high),
    .high_i               (high_q),
    .wr_row_o             (wr_row),
    .rd_row_o             (rd_row),
    .wr_command_o         (wr_slot),
    .rd_command_o         (rd_slot),
    .ctrl_write_o         (write_ctrl),
    .irq_status_write_o   (write_irq_status),
    .region_done_write_o  (write_region_done),
    .errors_write_o       (write_errors),
    .error_first_write_o  (write_error_first),
    .reg_ctrl_write_o     (reg_restart),
    .reg_write_index_o    (wr_reg_index),
    .ctrl_enable_o        (enable_o),
    .irq_enable_o         (irq_enable),
    .lock_locked_o        (locked),
    .geo_tiles_down_o,
    .geo_reciprocal_o,
    .geo_spill_base_o,
    .geo_epoch_o,
    .geo_expected_o,
    .reg_ctrl_enable_o    (reg_enable_o),
    .reg_ctrl_trigger_o   (reg_trigger_o),
    .reg_ctrl_notify_o    (reg_notify_o),
    .reg_ctrl_park_o      (reg_park_o),
    .reg_ctrl_geometry_o  (reg_geo_o),
    .reg_ctrl_updates_o   (reg_updates_o),
    .reg_ctrl_block_log2_o(reg_block_log2_o),
    .reg_wg_first_o,
    .reg_wg_last_o,
    .reg_page_first_o,
    .reg_page_last_o,
    .reg_cmd_base_o,
    .reg_target_o         (reg_target),
    .reg_release_base_o   (reg_row_base_o),
    .reg_release_enable_o (reg_release_o),
    .ctrl_clear_i         (clearing_i),
    .status_busy_i        (busy_i),
    .status_live_i        (live_i != '0),
    .status_queued_i      (queued_i != '0),
    .status_waiting_i     (waiting_i != '0),
    .status_releases_i    (releases_queued_i != '0),
    .irq_status_i         (irq_status_q),
    .region_done_i        (region_done_q),
    .releases_queued_i,
    .damaged_i            (error_counts_i[t3_reg_pkg::ErrorsDamagedLsb*t3_pkg::ErrorCountWidth
                                          +: t3_pkg::ErrorCountWidth]),
    .queued_i,
    .lanes_waiting_i      (waiting_i),
    .updates_i,
    .untracked_i,
    .completed_i,
    .triggers_i,
    .notifications_i,
    .stalls_i,
    .evictions_i,
    .fills_i,
    .overrun_i,
    .stray_i,
    .live_i,
    .peak_i,
    .stalls_spill_i,
    .stalls_closed_i,
    .taken_i,
    .errors_i,
    .error_first_wg_i     (error_wg),
    .error_first_wf_i     (error_wf),
    .error_first_region_i (error_region),
    .error_first_cause_i  (error_first_i ? error_cause_i : '0),
    .error_first_valid_i  (error_first_i),
    .error_address_lo_i   (error_address[31:0]),
    .error_address_hi_i   (error_address[47:32]),
    .releases_i,
    .corrected_i,
    .error_count_i        (error_counts_i[t3_reg_pkg::ErrorsDamagedLsb*t3_pkg::ErrorCountWidth-1:0]),
    .reg_done_i           (reg_done_q)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_high
    if (!rst_ni) begin
      high_q <= '0;
    end else if (rd_low) begin
      high_q <= rd_high;
    end
  end

  // ---- command and row slots: memories of other units ---------------------------------------------
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

  logic [31:0] slot, row;
  always_comb begin : p_slot
    slot = 32'(sw_rd_data_i);
    slot[t3_reg_pkg::CommandWaitsLsb] = sw_rd_waits_i;
    row = 32'(row_rd_data_i);
    row[t3_reg_pkg::RowWaitsLsb] = row_rd_waits_i;
  end

  // ---- interrupts -----------------------------------------------------------------------------
  logic irq_q;
  logic [t3_pkg::IrqWidth-1:0] irq_set;
  logic [Regions-1:0] region_done_set;

  always_comb begin : p_irq_set
    irq_set = '0;
    irq_set[t3_reg_pkg::IrqStatusRegionDoneLsb] = region_done_set != '0;
    irq_set[t3_reg_pkg::IrqStatusOverrunLsb] = overrun_event_i;
    irq_set[t3_reg_pkg::IrqStatusStrayLsb] = stray_event_i;
    irq_set[t3_reg_pkg::IrqStatusSpillLsb] = spill_event_i;
    irq_set[t3_reg_pkg::IrqStatusErrorLsb] = error_event_i;
  end

  logic irq_level, sticky_moves;
  assign irq_level = (irq_status_q & irq_enable) != '0;
  assign sticky_moves =
      write_irq_status || write_region_done || irq_set != '0 || cleared_i || irq_q != irq_level;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_sticky
    if (!rst_ni) begin
      irq_status_q <= '0;
      region_done_q <= '0;
      irq_q <= 1'b0;
    end else if (sticky_moves) begin
      irq_q <= irq_level;
      if (cleared_i) begin
        irq_status_q <= '0;
        region_done_q <= '0;
      end else begin
        irq_status_q <= (irq_status_q & ~(write_irq_status ? wr_data_i[t3_pkg::IrqWidth-1:0] : '0))
                        | irq_set;
        region_done_q <= (region_done_q & ~(write_region_done ? wr_data_i[NumRegions-1:0] : '0))
                         | region_done_set[NumRegions-1:0];
      end
    end
  end

  assign irq_o = irq_q;
  assign active_o = irq_q != irq_level;
  assign clear_start_o = write_ctrl && wr_data_i[t3_reg_pkg::CtrlClearLsb];
  assign error_forget_o = write_errors ? wr_data_i[t3_pkg::Causes-1:0] : '0;
  assign error_rearm_o = write_error_first && wr_data_i[t3_reg_pkg::ErrorFirstValidLsb];

  // ---- commands of a region ---------------------------------------------------------------------
  // A region's count of issued commands.
  logic [31:0] done_next;
  assign restarted_o = issued_i && reg_restart && wr_reg_index == issued_region_i;

  always_comb begin : p_done_next
    done_next = '0;
    region_done_set = '0;
    if (issued_i) begin
      done_next = reg_done_q[issued_region_i*32 +: 32] + 32'd1;
      region_done_set[issued_region_i] =
          done_next == reg_target[issued_region_i*32 +: 32] && !restarted_o;
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

endmodule
