// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Trigger unit: counts completed wavefront tiles down in the command table and issues the command
/// whose last tile it was.
///
/// Promise: takes one completion per cycle, round robin over the banks, and never waits (an access
/// of software to the table, here or in t3_release, takes the turn of a completion). The command of a completion at a
/// bank's head is at the DMA port four cycles later if the ready queue is empty. A command is
/// issued when its slot falls from one to zero, so once; a completion for a slot that is zero is a
/// stray. A tile that overran counts nothing down. Both are reported with their tile. Commands leave
/// in the order in which they were issued, each with its region and the first workgroup of its block.
/// Software cannot arm a slot whose command waits for the DMA engine, so a slot is in the ready queue
/// once at most, and the queue cannot overflow.
///
///                                       ┌ t3_slots ──────────────────────────────────────┐
///   heads ─► T0 pick ─► T1 slot number ─┼─► RAM read ─► T2 count down ─► T3 ready queue ─┼─► dma_*
///                                       └─────────────────────┬──────────────────────────┘
///                                                             └─► notification
///
/// Why: software's reads and writes of a slot go through the same pipeline as completions, so there
/// is one order of everything that happens to a slot (t3_slots). A command that waits is a slot and a
/// region, because the queue has a place for every slot; the workgroup follows from these two when the
/// command gets to the port.
module t3_trigger #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int GranWidth = 43,
  parameter int NumRegions = 8,
  parameter int CmdDepth = 4096,
  localparam int CmdWidth = t3_pkg::index_width(CmdDepth),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int Regions = 1 << RegionWidth,
  localparam int TileWidth = RegionWidth + WgWidth + WfWidth + GranWidth,
  localparam int DoneWidth = 1 + TileWidth,
  localparam int IdWidth = RegionWidth + WgWidth + WfWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// While up, the unit is idle and slot `clear_cmd_i` becomes zero; with `reset_i`, no command waits.
  input  logic                clear_i,
  input  logic                reset_i,
  input  logic [CmdWidth-1:0] clear_cmd_i,

  /// Completions {overran, region, wg, wf, granule}, one per bank.
  input  logic [NumBanks-1:0]           done_valid_i,
  output logic [NumBanks-1:0]           done_pop_o,
  input  logic [NumBanks*DoneWidth-1:0] done_i,

  /// Region table, element i at [i*W +: W].
  input  logic [Regions-1:0]                        reg_trigger_i,
  input  logic [Regions-1:0]                        reg_notify_i,
  input  logic [Regions*WgWidth-1:0]                reg_wg_first_i,
  input  logic [Regions*t3_pkg::BlockLog2Width-1:0] reg_block_log2_i,
  input  logic [Regions*CmdWidth-1:0]               reg_cmd_base_i,

  /// Software's accesses to slots: held until the pulse of their done. Not taken while `sw_hold_i`
  /// is up: the slots are about to be cleared.
  input  logic                            sw_hold_i,
  input  logic                            sw_wr_valid_i,
  input  logic [CmdWidth-1:0]             sw_wr_cmd_i,
  input  logic [t3_pkg::MissingWidth-1:0] sw_wr_data_i,
  output logic                            sw_wr_done_o,
  /// With the done: not written, because the slot's command waits.
  output logic                            sw_wr_refused_o,
  input  logic                            sw_rd_valid_i,
  input  logic [CmdWidth-1:0]             sw_rd_cmd_i,
  output logic                            sw_rd_done_o,
  output logic [t3_pkg::MissingWidth-1:0] sw_rd_data_o,
  output logic                            sw_rd_waits_o,
  /// No completion is picked in this cycle: an access of software to a row slot needs its turn.
  input  logic                            skip_i,

  output logic                   dma_valid_o,
  input  logic                   dma_ready_i,
  output logic [CmdWidth-1:0]    dma_cmd_o,
  output logic [RegionWidth-1:0] dma_region_o,
  output logic [WgWidth-1:0]     dma_wg_o,
  /// Commands that wait for the DMA engine.
  output logic [CmdWidth:0]      queued_o,

  output logic                   ntf_valid_o,
  output logic [CmdWidth-1:0]    ntf_cmd_o,
  output logic [RegionWidth-1:0] ntf_region_o,
  output logic [WgWidth-1:0]     ntf_wg_o,
  output logic [WfWidth-1:0]     ntf_wf_o,
  output logic [GranWidth-1:0]   ntf_gran_o,

  /// Pulses: a tile completed; its slot was zero; it overran instead; a command was issued
  /// (`issued_region_o`), and went to the ready queue, and notified. Of which tile: {region, wg, wf,
  /// granule}. Software armed slot `armed_cmd_o` early.
  output logic                   completed_o,
  output logic                   stray_o,
  output logic                   overrun_o,
  output logic [TileWidth-1:0]   tile_o,
  output logic                   armed_early_o,
  output logic [CmdWidth-1:0]    armed_cmd_o,
  output logic                   issued_o,
  output logic [RegionWidth-1:0] issued_region_o,
  output logic                   triggered_o,
  output logic                   notified_o,
  /// A tile is counted, a cycle before the pulses above: {region, wg, wf}.
  output logic                   counted_o,
  output logic [IdWidth-1:0]     counted_tile_o,

  /// Pulses: a word was corrected; a slot was damaged, which; a place of the queue was corrected or damaged.
  output logic                   corrected_o,
  output logic                   damaged_o,
  output logic [CmdWidth-1:0]    damaged_cmd_o,
  output logic                   queue_corrected_o,
  output logic                   queue_damaged_o,

  output logic active_o,
  output logic work_o
);

  localparam int NoticeWidth = CmdWidth + TileWidth;

  // While idle, nothing below changes.
  logic awake;

  // ---- T0: pick a completion, or software's access --------------------------------------------
  logic sw_wants, sw_take, sw_busy, any_done;
  logic [NumBanks-1:0] winner;
  logic [DoneWidth-1:0] picked;

  assign sw_take = sw_wants;
  assign any_done = done_valid_i != '0 && !sw_take && !skip_i;

  t3_arb_rr #(
    .Count(NumBanks)
  ) u_arb (
    .clk_i,
    .rst_ni,
    .req_i  (done_valid_i),
    .take_i (any_done),
    .grant_o(winner)
  );

  always_comb begin : p_pick
    done_pop_o = '0;
    picked = '0;
    if (any_done) begin
      done_pop_o = winner;
      for (int b = 0; b < NumBanks; b++) begin
        if (winner[b]) picked = picked | done_i[b*DoneWidth +: DoneWidth];
      end
    end
  end

  logic t0_valid_q, t0_sw_q, t0_overran_q;
  logic [RegionWidth-1:0] t0_region_q;
  logic [WgWidth-1:0] t0_wg_q;
  logic [WfWidth-1:0] t0_wf_q;
  logic [GranWidth-1:0] t0_gran_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_t0_valid
    if (!rst_ni) begin
      t0_valid_q <= 1'b0;
      t0_sw_q <= 1'b0;
    end else if (awake) begin
      t0_valid_q <= any_done;
      t0_sw_q <= sw_take;
    end
  end

  always_ff @(posedge clk_i) begin : p_t0
    if (any_done) {t0_overran_q, t0_region_q, t0_wg_q, t0_wf_q, t0_gran_q} <= picked;
  end

  // ---- T1: the slot ---------------------------------------------------------------------------
  logic [CmdWidth-1:0] t0_cmd;
  logic [WgWidth-1:0] t0_block;

  always_comb begin : p_slot
    t0_cmd = '0;
    t0_block = '0;
    if (t0_valid_q) begin
      t0_block = (t0_wg_q - reg_wg_first_i[t0_region_q*WgWidth +: WgWidth])
                 >> reg_block_log2_i[t0_region_q*t3_pkg::BlockLog2Width +: t3_pkg::BlockLog2Width];
      t0_cmd = reg_cmd_base_i[t0_region_q*CmdWidth +: CmdWidth] + CmdWidth'(t0_block);
    end
  end

  // Slots are numbered modulo CmdDepth.
  logic unused_block;
  assign unused_block = ^t0_block;

  // ---- T2: count down -------------------------------------------------------------------------
  logic t1_valid_q, t1_overran_q, t2_completed_q, t2_overrun_q, fell, queue_active, queue_load;
  logic [CmdWidth-1:0] t2_cmd, next_cmd, next_block;
  logic [RegionWidth-1:0] t1_region_q, t2_region_q, next_region;
  logic [WgWidth-1:0] t1_wg_q, t2_wg_q, next_wg, dma_wg_q;
  logic [WfWidth-1:0] t1_wf_q, t2_wf_q;
  logic [GranWidth-1:0] t1_gran_q, t2_gran_q;
  assign counted_o = t1_valid_q && !t1_overran_q;

  t3_slots #(
    .Protection(Protection),
    .Slots    (CmdDepth),
    .WordWidth(CmdWidth + RegionWidth)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .en_i           (awake),
    .clear_i,
    .reset_i,
    .clear_slot_i   (clear_cmd_i),
    .read_i         (t0_valid_q),
    .slot_i         (t0_cmd),
    .count_i        (counted_o),
    .queues_i       (reg_trigger_i[t1_region_q]),
    .word_i         ({t2_cmd, t2_region_q}),
    .fell_o         (fell),
    .queued_o       (triggered_o),
    .none_o         (stray_o),
    .slot_o         (t2_cmd),
    .corrected_o,
    .damaged_o,
    .damaged_slot_o (damaged_cmd_o),
    .queue_corrected_o,
    .queue_damaged_o,
    .sw_hold_i,
    .sw_wr_valid_i,
    .sw_wr_slot_i   (sw_wr_cmd_i),
    .sw_wr_data_i,
    .sw_wr_done_o,
    .sw_wr_refused_o,
    .sw_rd_valid_i,
    .sw_rd_slot_i   (sw_rd_cmd_i),
    .sw_rd_done_o,
    .sw_rd_data_o,
    .sw_rd_waits_o,
    .sw_wants_o     (sw_wants),
    .sw_take_i      (sw_take),
    .sw_read_i      (t0_sw_q),
    .sw_busy_o      (sw_busy),
    .armed_early_o,
    .armed_slot_o   (armed_cmd_o),
    .valid_o        (dma_valid_o),
    .ready_i        (dma_ready_i),
    .word_o         ({dma_cmd_o, dma_region_o}),
    .load_o         (queue_load),
    .next_o         ({next_cmd, next_region}),
    .waiting_o      (queued_o),
    .queue_active_o (queue_active)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_valid
    if (!rst_ni) begin
      t1_valid_q <= 1'b0;
      t2_completed_q <= 1'b0;
      t2_overrun_q <= 1'b0;
    end else if (awake) begin
      t1_valid_q <= t0_valid_q;
      t2_completed_q <= counted_o;
      t2_overrun_q <= t1_valid_q && t1_overran_q;
    end
  end

  always_ff @(posedge clk_i) begin : p_tile
    if (t0_valid_q) begin
      t1_overran_q <= t0_overran_q;
      t1_region_q <= t0_region_q;
      t1_wg_q <= t0_wg_q;
      t1_wf_q <= t0_wf_q;
      t1_gran_q <= t0_gran_q;
    end
    if (t1_valid_q) begin
      t2_region_q <= t1_region_q;
      t2_wg_q <= t1_wg_q;
      t2_wf_q <= t1_wf_q;
      t2_gran_q <= t1_gran_q;
    end
  end

  // ---- T3: out --------------------------------------------------------------------------------
  assign notified_o = fell && reg_notify_i[t2_region_q];

  // The slot number of T1, backwards.
  always_comb begin : p_block
    next_block = '0;
    next_wg = '0;
    if (queue_load) begin
      next_block = next_cmd - reg_cmd_base_i[next_region*CmdWidth +: CmdWidth];
      next_wg = reg_wg_first_i[next_region*WgWidth +: WgWidth]
                + (WgWidth'(next_block)
                   << reg_block_log2_i[next_region*t3_pkg::BlockLog2Width +: t3_pkg::BlockLog2Width]);
    end
  end

  always_ff @(posedge clk_i) begin : p_first
    if (queue_load) dma_wg_q <= next_wg;
  end

  assign dma_wg_o = dma_wg_q;

  logic unused_next;
  assign unused_next = ^next_block;

  logic ntf_valid_q;
  logic [NoticeWidth-1:0] ntf_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_notify
    if (!rst_ni) begin
      ntf_valid_q <= 1'b0;
    end else if (awake) begin
      ntf_valid_q <= notified_o;
    end
  end

  always_ff @(posedge clk_i) begin : p_notice
    if (notified_o) ntf_q <= {t2_cmd, t2_region_q, t2_wg_q, t2_wf_q, t2_gran_q};
  end

  assign ntf_valid_o = ntf_valid_q;
  assign {ntf_cmd_o, ntf_region_o, ntf_wg_o, ntf_wf_o, ntf_gran_o} = ntf_q;

  assign completed_o = t2_completed_q;
  assign overrun_o = t2_overrun_q;
  assign tile_o = {t2_region_q, t2_wg_q, t2_wf_q, t2_gran_q};
  assign issued_o = fell;
  assign issued_region_o = t2_region_q;
  assign counted_tile_o = {t1_region_q, t1_wg_q, t1_wf_q};

  assign work_o = t0_valid_q || t1_valid_q || t2_completed_q || t2_overrun_q || ntf_valid_q || sw_busy
                  || corrected_o || damaged_o;
  assign awake = any_done || sw_take || work_o;
  assign active_o = awake || queue_active;

  `T3_ASSERT(clear_finds_the_unit_idle, !clear_i || (done_valid_i == '0 && !work_o))

endmodule
