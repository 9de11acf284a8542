// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Software's accesses: the register map (t3_reg_map, which is generated), what of it is refused, and slots and rows.
///
/// Promise: any write that is not refused takes effect, and a read samples, in the cycle of its request; an access
/// to a slot or row waits for its memory, which answers at a fixed time. Errors (unmapped, read-only,
/// misaligned) change nothing. Refused and reported: what LOCK freezes; settings of a region that is not off, or
/// whose completions are still inside, and of a window to which a region that is not off refers; arming while the memories
/// are walked; FILL of a region that is on, or of slots of one; turning a region on while its slots are filled. Refused: what
/// counts more than a slot can, or sets bits that a register does not have; FILL of a region that does not exist. A slot
/// or row reads 0 while all memories are walked.
///
/// Why: what registers mean is elsewhere: `reg2hw_o` is what they hold, `writes_o` what software does, `hw2reg_i`
/// what it reads. The map says what an address names, so that it is found once.
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
  parameter int TimesWidth = 9,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = t3_pkg::index_width(NumWindows),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows),
  localparam int NumberWidth = (SlotWidth > RowWidth) ? SlotWidth : RowWidth,
  localparam int RegionBits = `T3_REGION_BITS
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic zero_i,

  /// T3_REQUEST_T, T3_REPLY_T.
  input  logic [`T3_REQUEST_BITS-1:0] request_i,
  output logic [`T3_REPLY_BITS-1:0]   reply_o,

  /// T3_REG2HW_T, T3_WRITES_T, T3_HW2REG_T.
  output logic [`T3_REG2HW_BITS-1:0] reg2hw_o,
  output logic [`T3_WRITES_BITS-1:0] writes_o,
  input  logic [`T3_HW2REG_BITS-1:0] hw2reg_i,

  /// T3_ACCESS_T to slots and rows, and the T3_ANSWER_T of each. Writes before reads.
  output logic [`T3_ACCESS_BITS-1:0] access_o,
  input  logic [`T3_ANSWER_BITS-1:0] slot_answer_i,
  input  logic [`T3_ANSWER_BITS-1:0] row_answer_i,
  /// The settings of this region are yet to be used for a slot that was done.
  output logic [RegionWidth-1:0] asked_region_o,
  input  logic                   settings_used_i,
  /// No memory is walked. The slots of a fill that is under way.
  input  logic walk_idle_i,
  input  logic [SlotWidth-1:0] fill_first_i,
  input  logic [SlotWidth-1:0] fill_last_i,

  /// While FILL is written: the slots of the region that it names, and whether that is stopped.
  output logic [SlotWidth-1:0] filled_first_o,
  output logic [SlotWidth-1:0] filled_last_o,
  output logic                 filled_stopped_o,

  /// The region of `writes_o.reg_write_index` was not on, and is from the next cycle on.
  output logic turn_on_o,

  /// A write was refused: T3_EVENT_T of the register.
  output logic [`T3_EVENT_BITS-1:0] in_use_o,
  output logic [`T3_EVENT_BITS-1:0] locked_o,

  output logic active_o
);

  localparam int Regions = 1 << RegionWidth;
  localparam int Windows = 1 << WindowWidth;
  localparam int MissingBits = 27;  // of SLOT and FILL
  localparam int RowMissingBits = 14;

  // What may be one in a write: a count, and flags that only the unit changes.
  localparam logic [31:0] SlotBits = t3_pkg::field_mask(0, MissingBits, 32)
                                     | (32'd1 << t3_reg_pkg::SlotWaitsLsb) | (32'd1 << t3_reg_pkg::SlotSpoiledLsb);
  localparam logic [31:0] RowBits = t3_pkg::field_mask(0, RowMissingBits, 32)
                                    | (32'd1 << t3_reg_pkg::RowWaitsLsb) | (32'd1 << t3_reg_pkg::RowSpoiledLsb);

  `T3_REQUEST_T(request_t);
  `T3_REPLY_T(reply_t);
  `T3_REGION_T(region_t);
  `T3_REG2HW_T(reg2hw_t);
  `T3_HW2REG_T(hw2reg_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);

  // ---- the map --------------------------------------------------------------------------------
  logic wr_slot, rd_slot, wr_row, rd_row, wr_window, wr_region, wr_error, rd_error, wr_refused;
  logic [WindowWidth-1:0] window_index;
  logic [RegionWidth-1:0] region_index;
  logic [15:0] wr_addr;
  logic [31:0] wr_data, rd_data;
  reg2hw_t reg2hw;
  hw2reg_t hw2reg;
  request_t request;
  reply_t reply;
  assign request = request_i;
  assign reply_o = reply;

  t3_reg_map #(
    .Protection(Protection), .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth),
    .AddrWidth(AddrWidth), .WeightWidth(WeightWidth), .CountWidth(CountWidth), .NumWindows(NumWindows),
    .NumRegions(NumRegions), .NumSlots(NumSlots), .NumRows(NumRows)
  ) u_map (
    .clk_i, .rst_ni, .zero_i,
    .wr_valid_i(request.wr_valid), .wr_addr_i(request.wr_addr), .wr_data_i(request.wr_data), .wr_locked_i(wr_refused),
    .wr_error_o(wr_error), .rd_valid_i(request.rd_valid), .rd_addr_i(request.rd_addr), .rd_data_o(rd_data),
    .rd_error_o(rd_error), .reg2hw_o, .writes_o, .hw2reg_i, .wr_row_o(wr_row), .rd_row_o(rd_row), .wr_slot_o(wr_slot),
    .rd_slot_o(rd_slot), .wr_window_o(wr_window), .wr_window_index_o(window_index), .wr_reg_o(wr_region),
    .wr_reg_index_o(region_index)
  );
  assign reg2hw = reg2hw_o;
  assign hw2reg = hw2reg_i;
  assign wr_addr = request.wr_addr;
  assign asked_region_o = region_index;
  assign wr_data = request.wr_data;

  // ---- what is refused ------------------------------------------------------------------------
  logic aligned, at_frozen, at_fill, at_on;
  logic frozen, in_use, too_many, fill_exists;
  logic [15:0] region_offset;
  logic [RegionWidth-1:0] fill_region;
  logic [NumRegions*RegionBits-1:0] regions;
  region_t region;
  logic [RegionBits-1:0] filled_bits;
  region_t filled;
  logic [Regions-1:0] region_off, region_on, touched;
  logic [Windows-1:0] window_used;
  logic of_stopped, of_on;
  assign regions = reg2hw.regions;
  `T3_SPREAD(regions, spread)

  assign at_fill = request.wr_valid && wr_addr == t3_reg_pkg::FillOffset;
  assign fill_region = wr_data[t3_reg_pkg::FillRegionLsb +: RegionWidth];

  // The slots that a write is about: that of SLOT; those that FILL would arm; for REG_STATE those of a fill under way.
  logic [SlotWidth-1:0] first, last;
  assign filled_bits = spread[fill_region*t3_pkg::RegionStride +: RegionBits];
  assign filled = filled_bits;
  assign filled_first_o = filled.slot_first;
  assign filled_last_o = filled.slot_last;
  assign filled_stopped_o = filled.stopped;

  always_comb begin : p_about
    first = wr_addr[2 +: SlotWidth];
    last = wr_addr[2 +: SlotWidth];
    if (at_fill) begin
      first = filled.slot_first;
      last = filled.slot_last;
    end
    if (wr_region) begin
      first = fill_first_i;
      last = fill_last_i;
    end
  end

  always_comb begin : p_states
    region_off = '0;
    region_on = '0;
    window_used = '0;
    touched = '0;
    of_stopped = 1'b0;
    of_on = 1'b0;
    region = '0;
    if (request.wr_valid) begin
      for (int r = 0; r < NumRegions; r++) begin
        region = regions[r*RegionBits +: RegionBits];
        region_off[r] = !region.on && !region.stopped;
        region_on[r] = region.on && !region.stopped;
        if (!region_off[r]) window_used[region.window] = 1'b1;
        touched[r] = last >= region.slot_first && first <= region.slot_last;
        if (touched[r] && region.stopped) of_stopped = 1'b1;
        if (touched[r] && region_on[r]) of_on = 1'b1;
      end
    end
  end

  always_comb begin : p_refused
    aligned = request.wr_valid && wr_addr[1:0] == 2'b00;
    region_offset = wr_addr & (t3_reg_pkg::RegStride - 16'd1);
    at_on = wr_region && region_offset == t3_reg_pkg::RegStateOffset && wr_data[t3_reg_pkg::RegStateOnLsb]
            && !wr_data[t3_reg_pkg::RegStateStoppedLsb];
    fill_exists = 32'(wr_data[t3_reg_pkg::FillRegionLsb +: 4]) < NumRegions;

    // What LOCK freezes, whether it is mapped or not.
    at_frozen = aligned && (wr_addr == t3_reg_pkg::CtrlOffset || at_fill
                            || wr_addr >= t3_reg_pkg::WindowBase);
    frozen = reg2hw.lock_locked && (at_frozen || (aligned && reg2hw.lock_privileged && !request.wr_privileged));

    in_use = 1'b0;
    if (wr_window) in_use = window_used[window_index];
    if (wr_region) begin
      in_use = (!region_off[region_index] || settings_used_i)
               && region_offset != t3_reg_pkg::RegStateOffset && region_offset != t3_reg_pkg::RegTargetOffset
               && region_offset != t3_reg_pkg::RegDoneOffset;
    end
    if (at_on && hw2reg.status_filling) in_use = touched[region_index];
    if (wr_slot || wr_row) in_use = !walk_idle_i;
    if (at_fill) in_use = !walk_idle_i || (fill_exists && (region_on[fill_region] || of_on));

    // More than a slot counts to, or a register has bits for; a region that does not exist.
    too_many = 1'b0;
    if (wr_slot || at_fill) begin
      too_many = (wr_data[MissingBits-1:0] >> CountWidth) != '0
                 || (wr_data[CountWidth-1] && wr_data[CountWidth-2:0] != '0);
    end
    if (at_fill && !fill_exists) too_many = 1'b1;
    if (wr_slot && (wr_data & ~SlotBits) != '0) too_many = 1'b1;
    if (wr_row && (wr_data & ~RowBits) != '0) too_many = 1'b1;
  end

  logic [`T3_EVENT_BITS-1:0] refused;
  assign refused = {TimesWidth'(1), RegionWidth'(0), t3_pkg::InfoWidth'(wr_addr)};
  assign locked_o = frozen ? refused : '0;
  assign in_use_o = (in_use && !frozen) ? refused : '0;
  assign wr_refused = frozen || in_use || too_many;
  assign turn_on_o = at_on && !region_on[region_index] && !wr_error;

  // ---- slots and rows -------------------------------------------------------------------------
  // One access at a time, a write first, held until its memory has done it. It begins from registers, so that what
  // refuses it is not in the path of what it does.
  logic wr_memory, rd_memory, access_starts, access_active_q;
  access_t access_q, access;
  answer_t answer;
  logic [31:0] word;

  assign wr_memory = (wr_slot || wr_row) && !wr_refused;
  assign rd_memory = rd_slot || rd_row;
  assign access_starts = !access_active_q && (wr_memory || rd_memory);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_active
    if (!rst_ni) begin
      access_active_q <= 1'b0;
    end else if (access_starts || answer.done) begin
      access_active_q <= access_starts;
    end
  end

  // A clear is, or was, under way: a word that it has not reached after power-up is anything, so all read 0.
  logic walked_q;
  always_ff @(posedge clk_i) begin : p_walked
    if (access_starts || access_active_q) walked_q <= hw2reg.ctrl_clear || (walked_q && !access_starts);
  end

  always_ff @(posedge clk_i) begin : p_access
    if (access_starts) begin
      access_q.row <= wr_memory ? wr_row : rd_row;
      access_q.arm <= wr_memory;
      access_q.look <= !wr_memory;
      access_q.forced <= of_stopped && !of_on;  // of a slot; rows: t3_rows
      access_q.number <= wr_memory ? wr_addr[2 +: NumberWidth] : request.rd_addr[2 +: NumberWidth];
      access_q.value <= wr_row ? CountWidth'(wr_data[RowMissingBits-1:0]) : wr_data[CountWidth-1:0];
    end
  end

  always_comb begin : p_to_memory
    access = access_q;
    access.arm = access_active_q && access_q.arm;
    access.look = access_active_q && access_q.look;
  end
  assign access_o = access;

  always_comb begin : p_word
    answer = access_q.row ? row_answer_i : slot_answer_i;
    answer.done = access_active_q && answer.done;
    word = '0;
    if (!walked_q) begin
      word = 32'(answer.missing);
      word[access_q.row ? t3_reg_pkg::RowWaitsLsb : t3_reg_pkg::SlotWaitsLsb] = answer.waits;
      word[access_q.row ? t3_reg_pkg::RowSpoiledLsb : t3_reg_pkg::SlotSpoiledLsb] = answer.spoiled;
    end
  end

  always_comb begin : p_reply
    reply.wr_done = wr_memory ? access.arm && answer.done : request.wr_valid;
    reply.wr_error = wr_memory ? answer.refused : wr_error;
    reply.rd_done = rd_memory ? access.look && answer.done : request.rd_valid;
    reply.rd_error = rd_error;
    reply.rd_data = rd_memory ? word : rd_data;
  end
  assign active_o = access_active_q;

  logic unused_settings;
  assign unused_settings = ^{reg2hw, hw2reg, region, filled, request, wr_data};

endmodule
