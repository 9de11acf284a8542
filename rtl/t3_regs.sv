// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Register file: what of it has behaviour. The map itself, decoded and kept, is in t3_reg_map, which is generated.
///
/// Promise: any write that is not refused takes effect, and a read samples, in the cycle of its request; an access to a slot or row
/// waits for its memory, which answers within a fixed time. Errors (unmapped, read-only, misaligned) change nothing. Refused and
/// reported: what LOCK freezes; settings of a region that is not off, and of a window to which one refers; arming while the
/// memories are walked; FILL of a region that is on. Sticky bits: an event wins over software's clear in the same cycle. Reading the low word
/// of a 64-bit counter latches its high word for the next read (one latch: read a counter's two words back to back).
///
/// Why: all settings leave as one flat vector of T3_REGION_T and T3_WINDOW_T each.
module t3_regs #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int WeightWidth = 8,
  parameter int CountWidth = 23,
  parameter int NumWindows = 4,
  parameter int NumRegions = 8,
  parameter int NumSlots = 4096,
  parameter int NumRows = 256,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = t3_pkg::index_width(NumWindows),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows),
  localparam int WindowBits = 2 * PageWidth,
  localparam int RegionBits = t3_pkg::region_bits(WindowWidth, WgWidth, SlotWidth, RowWidth),
  localparam int ErrorBits = RegionWidth + t3_pkg::InfoWidth,
  localparam int DoneWidth = t3_pkg::DoneWidth,
  localparam int RowCountWidth = t3_pkg::RowCountWidth,
  localparam int CounterWidth = t3_pkg::CounterWidth
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        wr_valid_i,
  input  logic [15:0] wr_addr_i,
  input  logic [31:0] wr_data_i,
  input  logic        wr_privileged_i,
  output logic        wr_done_o,
  output logic        wr_error_o,
  input  logic        rd_valid_i,
  input  logic [15:0] rd_addr_i,
  output logic        rd_done_o,
  output logic [31:0] rd_data_o,
  output logic        rd_error_o,

  /// Slots and rows: an access is held until its done. Writes before reads.
  output logic                     slot_arm_o,
  output logic                     slot_look_o,
  output logic [SlotWidth-1:0]     slot_number_o,
  output logic [CountWidth-1:0]    slot_value_o,
  output logic                     slot_force_o,
  input  logic                     slot_done_i,
  input  logic                     slot_refused_i,
  input  logic                     slot_waits_i,
  input  logic                     slot_spoiled_i,
  input  logic [CountWidth-1:0]    slot_missing_i,
  output logic                     row_arm_o,
  output logic                     row_look_o,
  output logic [RowWidth-1:0]      row_number_o,
  output logic [RowCountWidth-1:0] row_value_o,
  output logic                     row_force_o,
  input  logic                     row_done_i,
  input  logic                     row_refused_i,
  input  logic                     row_waits_i,
  input  logic                     row_spoiled_i,
  input  logic [RowCountWidth-1:0] row_missing_i,

  /// CTRL.clear, FILL: a pulse starts them.
  output logic                   clear_o,
  output logic                   fill_o,
  output logic [RegionWidth-1:0] fill_region_o,
  output logic [CountWidth-1:0]  fill_value_o,
  input  logic                   walk_idle_i,
  input  logic                   filling_i,
  input  logic                   clearing_i,
  input  logic                   cleared_i,

  output logic                                enable_o,
  output logic [NumWindows*WindowBits-1:0]    windows_o,
  output logic [NumRegions*RegionBits-1:0]    regions_o,
  output logic [NumRegions*DoneWidth-1:0]     target_o,
  input  logic [NumRegions*DoneWidth-1:0]     done_i,
  input  logic [NumRegions-1:0]               reached_i,
  output logic                                restart_o,
  output logic [RegionWidth-1:0]              restart_region_o,

  input  logic                    busy_i,
  input  logic                    commands_i,
  input  logic                    rows_i,
  input  logic                    waiting_i,
  input  logic [CounterWidth-1:0] updates_i,
  input  logic [CounterWidth-1:0] untracked_i,
  input  logic [CounterWidth-1:0] dropped_i,
  input  logic [CounterWidth-1:0] completed_i,
  input  logic [CounterWidth-1:0] triggers_i,
  input  logic [CounterWidth-1:0] taken_i,
  input  logic [CounterWidth-1:0] released_i,
  input  logic [CounterWidth-1:0] stalls_i,
  input  logic [CounterWidth-1:0] corrected_i,

  /// Errors (t3_errors). Software forgets sticky bits, and makes room for another first one.
  input  logic [t3_pkg::Causes-1:0]                         errors_i,
  input  logic [t3_pkg::Causes*t3_pkg::ErrorCountWidth-1:0] error_counts_i,
  input  logic                                              error_first_i,
  input  logic [t3_pkg::CauseWidth-1:0]                     error_cause_i,
  input  logic [ErrorBits-1:0]                              error_what_i,
  input  logic                                              error_event_i,
  output logic [t3_pkg::Causes-1:0]                         error_forget_o,
  output logic                                              error_rearm_o,
  /// Pulses: a write was refused; T3_ERROR_T of the register.
  output logic                 in_use_o,
  output logic                 locked_o,
  output logic [ErrorBits-1:0] refused_what_o,

  output logic irq_o,
  output logic alert_o,
  output logic active_o
);

  localparam int Regions = 1 << RegionWidth;
  localparam int Windows = 1 << WindowWidth;
  localparam int ShiftWidth = t3_pkg::ShiftWidth;
  localparam int ReciprocalWidth = t3_pkg::ReciprocalWidth;
  localparam int RegionStrideLog2 = $clog2(32'(t3_reg_pkg::RegStride));
  localparam int WindowStrideLog2 = $clog2(32'(t3_reg_pkg::WindowStride));
  localparam int MissingBits = 27;  // of SLOT and FILL
  localparam int RowMissingBits = 14;

  `T3_WINDOW_T(window_t);
  `T3_REGION_T(region_t);
  `T3_ERROR_T(error_t);

  // ---- the map --------------------------------------------------------------------------------
  logic wr_slot, rd_slot, wr_row, rd_row, wr_error, wr_refused, locked, privileged;
  logic write_ctrl, write_irq_status, write_irq_test, write_region_done, write_fill, write_errors;
  logic write_error_first, rd_low;
  logic [31:0] rd_data, rd_high, high_q;  // high word of the counter whose low word was read last
  logic [t3_pkg::IrqWidth-1:0] irq_enable, irq_status_q;
  logic [NumRegions-1:0] region_done_q;

  logic [Windows*PageWidth-1:0] window_page_first, window_page_last;
  logic [Regions*2-1:0] reg_state;
  logic [Regions-1:0] reg_trigger, reg_rows;
  logic [Regions*ShiftWidth-1:0] reg_shift;
  logic [Regions*WindowWidth-1:0] reg_window;
  logic [Regions*WgWidth-1:0] reg_wg_first, reg_wg_last;
  logic [Regions*SlotWidth-1:0] reg_slot_first, reg_slot_last, reg_row_phase;
  logic [Regions*RowWidth-1:0] reg_row_first;
  logic [Regions*ReciprocalWidth-1:0] reg_row_reciprocal;
  logic [Regions*DoneWidth-1:0] reg_target;

  error_t first;
  assign first = error_first_i ? error_what_i : '0;

  t3_reg_map #(
    .Protection (Protection),
    .NumLanes   (NumLanes),
    .NumBanks   (NumBanks),
    .WgWidth    (WgWidth),
    .WfWidth    (WfWidth),
    .AddrWidth  (AddrWidth),
    .WeightWidth(WeightWidth),
    .CountWidth (CountWidth),
    .NumWindows (NumWindows),
    .NumRegions (NumRegions),
    .NumSlots   (NumSlots),
    .NumRows    (NumRows)
  ) u_map (
    .clk_i,
    .rst_ni,
    .wr_valid_i,
    .wr_addr_i,
    .wr_data_i,
    .wr_locked_i         (wr_refused),
    .wr_error_o          (wr_error),
    .rd_valid_i,
    .rd_addr_i,
    .rd_data_o           (rd_data),
    .rd_error_o,
    .rd_low_o            (rd_low),
    .rd_high_o           (rd_high),
    .high_i              (high_q),
    .wr_row_o            (wr_row),
    .rd_row_o            (rd_row),
    .wr_slot_o           (wr_slot),
    .rd_slot_o           (rd_slot),
    .ctrl_write_o        (write_ctrl),
    .irq_status_write_o  (write_irq_status),
    .irq_test_write_o    (write_irq_test),
    .region_done_write_o (write_region_done),
    .fill_write_o        (write_fill),
    .errors_write_o      (write_errors),
    .error_first_write_o (write_error_first),
    .reg_done_write_o    (restart_o),
    .reg_write_index_o   (restart_region_o),
    .ctrl_enable_o       (enable_o),
    .irq_enable_o        (irq_enable),
    .lock_locked_o       (locked),
    .lock_privileged_o   (privileged),
    .window_page_first_o (window_page_first),
    .window_page_last_o  (window_page_last),
    .reg_state_o         (reg_state),
    .reg_ctrl_trigger_o  (reg_trigger),
    .reg_ctrl_rows_o     (reg_rows),
    .reg_ctrl_shift_o    (reg_shift),
    .reg_ctrl_window_o   (reg_window),
    .reg_wg_first_o      (reg_wg_first),
    .reg_wg_last_o       (reg_wg_last),
    .reg_slot_first_o    (reg_slot_first),
    .reg_slot_last_o     (reg_slot_last),
    .reg_row_first_o     (reg_row_first),
    .reg_row_phase_o     (reg_row_phase),
    .reg_row_reciprocal_o(reg_row_reciprocal),
    .reg_target_o        (reg_target),
    .ctrl_clear_i        (clearing_i),
    .status_busy_i       (busy_i),
    .status_commands_i   (commands_i),
    .status_rows_i       (rows_i),
    .status_waiting_i    (waiting_i),
    .status_filling_i    (filling_i),
    .irq_status_i        (irq_status_q),
    .region_done_i       (region_done_q),
    .updates_i,
    .untracked_i,
    .dropped_i,
    .completed_i,
    .triggers_i,
    .taken_i,
    .released_i,
    .stalls_i,
    .corrected_i,
    .errors_i,
    .error_first_cause_i (error_first_i ? error_cause_i : '0),
    .error_first_region_i(first.region),
    .error_first_valid_i (error_first_i),
    .error_info_i        (first.info),
    .error_count_i       (error_counts_i),
    .reg_done_i          ((Regions*DoneWidth)'(done_i))
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_high
    if (!rst_ni) begin
      high_q <= '0;
    end else if (rd_low) begin
      high_q <= rd_high;
    end
  end

  // ---- settings -------------------------------------------------------------------------------
  window_t window;
  always_comb begin : p_windows
    windows_o = '0;
    window = '0;
    for (int w = 0; w < NumWindows; w++) begin
      window.page_first = window_page_first[w*PageWidth +: PageWidth];
      window.page_last = window_page_last[w*PageWidth +: PageWidth];
      windows_o[w*WindowBits +: WindowBits] = window;
    end
  end

  region_t region;
  always_comb begin : p_regions
    regions_o = '0;
    region = '0;
    for (int r = 0; r < NumRegions; r++) begin
      region.on = reg_state[2*r +: 2] == 2'd1;
      region.stopped = reg_state[2*r+1];
      region.triggers = reg_trigger[r];
      region.rows = reg_rows[r];
      region.shift = reg_shift[r*ShiftWidth +: ShiftWidth];
      region.window = reg_window[r*WindowWidth +: WindowWidth];
      region.wg_first = reg_wg_first[r*WgWidth +: WgWidth];
      region.wg_last = reg_wg_last[r*WgWidth +: WgWidth];
      region.slot_first = reg_slot_first[r*SlotWidth +: SlotWidth];
      region.slot_last = reg_slot_last[r*SlotWidth +: SlotWidth];
      region.row_phase = reg_row_phase[r*SlotWidth +: SlotWidth];
      region.row_first = reg_row_first[r*RowWidth +: RowWidth];
      region.row_reciprocal = reg_row_reciprocal[r*ReciprocalWidth +: ReciprocalWidth];
      regions_o[r*RegionBits +: RegionBits] = region;
    end
  end
  assign target_o = reg_target[NumRegions*DoneWidth-1:0];

  logic unused_padding;
  assign unused_padding = ^{window_page_first, window_page_last, reg_state, reg_trigger, reg_rows, reg_shift, reg_window,
                            reg_wg_first, reg_wg_last, reg_slot_first, reg_slot_last, reg_row_phase, reg_row_first,
                            reg_row_reciprocal, reg_target};

  // ---- what is refused ------------------------------------------------------------------------
  logic aligned, at_lock, at_frozen, at_slot, at_row, at_memory, at_window, at_region, at_fill;
  logic frozen, in_use, too_many, fill_exists;
  logic [15:0] region_offset;
  logic [RegionWidth-1:0] wr_region, fill_region;
  logic [WindowWidth-1:0] wr_window;
  logic [Regions-1:0] region_off, region_on;
  logic [Windows-1:0] window_used;
  logic slot_covered, row_covered;

  always_comb begin : p_states
    region_off = '0;
    region_on = '0;
    window_used = '0;
    slot_covered = 1'b0;
    row_covered = 1'b0;
    if (wr_valid_i) begin
      for (int r = 0; r < NumRegions; r++) begin
        region_off[r] = reg_state[2*r +: 2] == 2'd0;
        region_on[r] = reg_state[2*r +: 2] == 2'd1;
        if (!region_off[r]) window_used[reg_window[r*WindowWidth +: WindowWidth]] = 1'b1;
        if (reg_state[2*r+1]) begin
          if (wr_addr_i[2 +: SlotWidth] >= reg_slot_first[r*SlotWidth +: SlotWidth]
              && wr_addr_i[2 +: SlotWidth] <= reg_slot_last[r*SlotWidth +: SlotWidth]) begin
            slot_covered = 1'b1;
          end
          if (reg_rows[r]) row_covered = 1'b1;
        end
      end
    end
  end

  always_comb begin : p_refused
    aligned = wr_valid_i && wr_addr_i[1:0] == 2'b00;
    at_lock = aligned && wr_addr_i == t3_reg_pkg::LockOffset;
    at_fill = aligned && wr_addr_i == t3_reg_pkg::FillOffset;
    at_slot = aligned && wr_addr_i >= t3_reg_pkg::SlotBase && 32'(wr_addr_i[14:2]) < NumSlots;
    at_row = aligned && wr_addr_i >= t3_reg_pkg::RowBase && wr_addr_i < t3_reg_pkg::SlotBase
             && 32'(wr_addr_i[13:2]) < NumRows;
    at_memory = at_slot || at_row;
    at_window = aligned && wr_addr_i >= t3_reg_pkg::WindowBase
                && wr_addr_i < t3_reg_pkg::WindowBase + 16'(NumWindows) * t3_reg_pkg::WindowStride;
    at_region = aligned && wr_addr_i >= t3_reg_pkg::RegBase
                && wr_addr_i < t3_reg_pkg::RegBase + 16'(NumRegions) * t3_reg_pkg::RegStride;
    region_offset = wr_addr_i & (t3_reg_pkg::RegStride - 16'd1);
    wr_region = wr_addr_i[RegionStrideLog2 +: RegionWidth];
    wr_window = wr_addr_i[WindowStrideLog2 +: WindowWidth];
    fill_region = wr_data_i[t3_reg_pkg::FillRegionLsb +: RegionWidth];
    fill_exists = 32'(wr_data_i[t3_reg_pkg::FillRegionLsb +: 4]) < NumRegions;

    // What LOCK freezes, whether it is mapped or not.
    at_frozen = aligned && (wr_addr_i == t3_reg_pkg::CtrlOffset || at_fill
                            || wr_addr_i >= t3_reg_pkg::WindowBase);
    frozen = (locked && at_frozen) || (locked && privileged && at_lock && !wr_privileged_i);

    in_use = 1'b0;
    if (at_window) in_use = window_used[wr_window];
    if (at_region) begin
      in_use = !region_off[wr_region] && region_offset != t3_reg_pkg::RegStateOffset
               && region_offset != t3_reg_pkg::RegTargetOffset
               && region_offset != t3_reg_pkg::RegDoneOffset;
    end
    if (at_memory) in_use = !walk_idle_i;
    if (at_fill) in_use = !walk_idle_i || (fill_exists && region_on[fill_region]);

    // More than a slot counts to; a region that does not exist.
    too_many = 1'b0;
    if (at_slot || at_fill) begin
      too_many = wr_data_i[MissingBits-1:0] > MissingBits'(1 << (CountWidth - 1));
    end
    if (at_fill && !fill_exists) too_many = 1'b1;
  end

  error_t refused;
  always_comb begin : p_refused_what
    refused.region = '0;
    refused.info = t3_pkg::InfoWidth'(wr_addr_i);
  end
  assign wr_refused = frozen || in_use || too_many;
  assign locked_o = frozen;
  assign in_use_o = in_use && !frozen;
  assign refused_what_o = refused;

  // ---- slots and rows -------------------------------------------------------------------------
  // One access at a time, a write first, held until its memory has done it. It begins from registers, so that what
  // refuses it is not in the path of what it does.
  localparam int NumberWidth = (SlotWidth > RowWidth) ? SlotWidth : RowWidth;
  logic access_q, access_row_q, access_arm_q, access_force_q, access_starts, access_done;
  logic [NumberWidth-1:0] access_number_q;
  logic [CountWidth-1:0] access_value_q;
  logic [31:0] slot_word, row_word;

  assign access_starts = !access_q && (wr_slot || wr_row || rd_slot || rd_row);
  assign access_done = access_q && (access_row_q ? row_done_i : slot_done_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_access
    if (!rst_ni) begin
      access_q <= 1'b0;
    end else if (access_starts || access_done) begin
      access_q <= access_starts;
    end
  end

  always_ff @(posedge clk_i) begin : p_access_of
    if (access_starts) begin
      access_arm_q <= wr_slot || wr_row;
      access_row_q <= (wr_slot || wr_row) ? wr_row : rd_row;
      access_force_q <= wr_row ? row_covered : slot_covered;
      access_number_q <= (wr_slot || wr_row) ? wr_addr_i[2 +: NumberWidth] : rd_addr_i[2 +: NumberWidth];
      access_value_q <= wr_row ? CountWidth'(wr_data_i[RowMissingBits-1:0]) : wr_data_i[CountWidth-1:0];
    end
  end

  assign slot_arm_o = access_q && !access_row_q && access_arm_q;
  assign slot_look_o = access_q && !access_row_q && !access_arm_q;
  assign slot_number_o = access_number_q[SlotWidth-1:0];
  assign slot_value_o = access_value_q;
  assign slot_force_o = access_force_q;
  assign row_arm_o = access_q && access_row_q && access_arm_q;
  assign row_look_o = access_q && access_row_q && !access_arm_q;
  assign row_number_o = access_number_q[RowWidth-1:0];
  assign row_value_o = access_value_q[RowCountWidth-1:0];
  assign row_force_o = access_force_q;

  always_comb begin : p_words
    slot_word = 32'(slot_missing_i);
    slot_word[t3_reg_pkg::SlotWaitsLsb] = slot_waits_i;
    slot_word[t3_reg_pkg::SlotSpoiledLsb] = slot_spoiled_i;
    row_word = 32'(row_missing_i);
    row_word[t3_reg_pkg::RowWaitsLsb] = row_waits_i;
    row_word[t3_reg_pkg::RowSpoiledLsb] = row_spoiled_i;
  end

  assign wr_done_o = (wr_slot || wr_row) ? access_arm_q && access_done : wr_valid_i;
  assign wr_error_o = wr_slot ? slot_refused_i : wr_row ? row_refused_i : wr_error;
  assign rd_done_o = (rd_slot || rd_row) ? !access_arm_q && access_done : rd_valid_i;
  assign rd_data_o = rd_slot ? slot_word : rd_row ? row_word : rd_data;

  assign clear_o = write_ctrl && wr_data_i[t3_reg_pkg::CtrlClearLsb];
  assign fill_o = write_fill;
  assign fill_region_o = fill_region;
  assign fill_value_o = wr_data_i[t3_reg_pkg::FillBytesLsb +: CountWidth];

  // ---- interrupts -----------------------------------------------------------------------------
  logic irq_q, alert_q, irq_level, alert_level, sticky_moves, sticky_late;
  logic [t3_pkg::IrqWidth-1:0] irq_set;

  always_comb begin : p_irq_set
    irq_set = write_irq_test ? wr_data_i[t3_pkg::IrqWidth-1:0] : '0;
    if (reached_i != '0) irq_set[t3_reg_pkg::IrqStatusRegionDoneLsb] = 1'b1;
    if (error_event_i) irq_set[t3_reg_pkg::IrqStatusErrorLsb] = 1'b1;
  end

  assign sticky_late = irq_q != irq_level || alert_q != alert_level;
  assign irq_level = (irq_status_q & irq_enable) != '0;
  assign alert_level = errors_i[t3_reg_pkg::ErrorsDamagedLsb];
  assign sticky_moves = write_irq_status || write_region_done || irq_set != '0 || reached_i != '0 || cleared_i
                        || sticky_late;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_sticky
    if (!rst_ni) begin
      irq_status_q <= '0;
      region_done_q <= '0;
      irq_q <= 1'b0;
      alert_q <= 1'b0;
    end else if (sticky_moves) begin
      irq_q <= irq_level;
      alert_q <= alert_level;
      if (cleared_i) begin
        irq_status_q <= '0;
        region_done_q <= '0;
      end else begin
        irq_status_q <= (irq_status_q & ~(write_irq_status ? wr_data_i[t3_pkg::IrqWidth-1:0] : '0))
                        | irq_set;
        region_done_q <= (region_done_q & ~(write_region_done ? wr_data_i[NumRegions-1:0] : '0))
                         | reached_i;
      end
    end
  end

  assign irq_o = irq_q;
  assign alert_o = alert_q;
  assign active_o = sticky_late || access_q;
  assign error_forget_o = write_errors ? wr_data_i[t3_pkg::Causes-1:0] : '0;
  assign error_rearm_o = write_error_first && wr_data_i[t3_reg_pkg::ErrorFirstValidLsb];

endmodule
