// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// What moves through one lane: an update, then its region and block, then its slot, bank and weight.
///
/// Promise: the stages and the queue move as the owner (t3_lanes) says, and hold their words otherwise. `found_o`
/// and `stopped_o` are of the update in L1 while `match_i` is up; `weight_wrong_o`, `outside_o` and `what_o` of the
/// one in L3 while `l3_valid_i` is up.
///
/// Why: the head is a register of its own beside the tail, so the router sees no multiplexer in front of it.
/// `any_move_i` is common to all lanes, so that an idle unit does not toggle. What leaves L3 is written wherever it might
/// go, as the owner decides late whether it goes there.
module t3_lane #(
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int WeightWidth = 8,
  parameter int NumWindows = 4,
  parameter int NumRegions = 8,
  parameter int NumSlots = 4096,
  parameter int NumRows = 256,
  parameter int TailDepth = 3,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = t3_pkg::index_width(NumWindows),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows),
  localparam int BankBits = $clog2(NumBanks),
  localparam int KeyWidth = RegionWidth + SlotWidth,
  localparam int RegionBits = `T3_REGION_BITS,
  localparam int PtrWidth = t3_pkg::index_width(TailDepth)
) (
  input  logic clk_i,

  /// L1 is matched; L3 is looked at. Which stages load.
  input  logic match_i,
  input  logic l3_valid_i,
  input  logic any_move_i,
  input  logic load1_i,
  input  logic load2_i,
  input  logic load3_i,

  input  logic [WgWidth-1:0]     wg_i,
  input  logic [WfWidth-1:0]     wf_i,
  input  logic [PageWidth-1:0]   page_i,
  input  logic [WeightWidth-1:0] weight_i,

  input  logic [NumWindows*`T3_WINDOW_BITS-1:0] windows_i,
  input  logic [NumRegions*RegionBits-1:0] regions_i,
  input  logic [NumRegions*t3_pkg::RegionStride-1:0] spread_i,  // the same, T3_SPREAD
  input  logic [NumRegions-1:0] live_i,

  output logic                 found_o,
  output logic                 stopped_o,
  output logic                 weight_wrong_o,
  output logic                 outside_o,
  output logic [`T3_ERROR_BITS-1:0] what_o,

  /// The queue: its tail, its head takes what leaves L3; the head takes what the tail has.
  input  logic                load_tail_i,
  input  logic                load_head_i,
  input  logic                tail_valid_i,
  input  logic [PtrWidth-1:0] write_ptr_i,
  input  logic [PtrWidth-1:0] read_ptr_i,

  /// Its head.
  output logic [BankBits-1:0]    bank_o,
  output logic [KeyWidth-1:0]    key_o,
  output logic [WeightWidth-1:0] weight_o
);

  localparam int IdWidth = WgWidth + WfWidth;
  // SLOT_FIRST plus a block's number.
  localparam int SumWidth = ((IdWidth > SlotWidth) ? IdWidth : SlotWidth) + 1;
  localparam int WordWidth = BankBits + KeyWidth + WeightWidth;
  localparam logic [WeightWidth-1:0] MostWeight = WeightWidth'(1 << (WeightWidth - 1));

  `T3_UPDATE_T(update_t);
  `T3_KEY_T(key_t);
  `T3_REGION_T(region_t);
  `T3_ERROR_T(error_t);

  // ---- L1: the input --------------------------------------------------------------------------
  update_t l1_q;
  logic [RegionWidth-1:0] region;

  t3_match #(
    .WgWidth(WgWidth), .PageWidth(PageWidth), .NumWindows(NumWindows), .NumRegions(NumRegions), .SlotWidth(SlotWidth),
    .RowWidth(RowWidth)
  ) u_match (
    .en_i(match_i), .wg_i(l1_q.wg), .page_i(l1_q.page), .windows_i, .regions_i, .found_o, .stopped_o, .region_o(region)
  );

  // ---- L2, L3: region, and block from the region's first on -----------------------------------
  logic [IdWidth-1:0] l2_id_q, l3_id_q, l3_block_q;
  logic [WeightWidth-1:0] l2_weight_q, l3_weight_q;
  logic [RegionWidth-1:0] l2_region_q, l3_region_q;
  region_t l2_settings, l3_settings;
  assign l2_settings = spread_i[l2_region_q*t3_pkg::RegionStride +: RegionBits];
  assign l3_settings = spread_i[l3_region_q*t3_pkg::RegionStride +: RegionBits];

  always_ff @(posedge clk_i) begin : p_stages
    if (any_move_i) begin
      if (load1_i) l1_q <= {wg_i, wf_i, page_i, weight_i};
      if (load2_i) begin
        l2_region_q <= region;
        l2_id_q <= {l1_q.wg, l1_q.wf};
        l2_weight_q <= l1_q.weight;
      end
      if (load3_i) begin
        l3_region_q <= l2_region_q;
        l3_id_q <= l2_id_q;
        l3_weight_q <= l2_weight_q;
        l3_block_q <= (l2_id_q - {l2_settings.wg_first, WfWidth'(0)}) >> l2_settings.shift;
      end
    end
  end

  // ---- slot and bank are found on the way into the queue --------------------------------------
  logic [SumWidth-1:0] sum;
  logic [BankBits-1:0] bank;
  key_t key;
  error_t what;

  always_comb begin : p_slot
    sum = '0;
    weight_wrong_o = 1'b0;
    outside_o = 1'b0;
    if (l3_valid_i) begin
      sum = SumWidth'(l3_settings.slot_first) + SumWidth'(l3_block_q);
      // What a stop finds here is dropped behind, whatever it is.
      weight_wrong_o = (l3_weight_q == '0 || l3_weight_q > MostWeight) && live_i[l3_region_q];
      outside_o = sum > SumWidth'(l3_settings.slot_last) && live_i[l3_region_q];
    end
  end

  assign key.region = l3_region_q;
  assign key.slot = sum[SlotWidth-1:0];
  assign what.region = l3_region_q;
  assign what.info = t3_pkg::InfoWidth'({l3_id_q[WfWidth-1:0], 16'(l3_id_q[IdWidth-1:WfWidth])});
  assign what_o = what;

  t3_fold #(.SlotWidth(SlotWidth), .BankBits(BankBits)) u_fold (.slot_i(key.slot), .bank_o(bank));

  // ---- queue ----------------------------------------------------------------------------------
  logic [WordWidth-1:0] tail_q [TailDepth];

  always_ff @(posedge clk_i) begin : p_queue
    if (load_tail_i) tail_q[write_ptr_i] <= {bank, key, l3_weight_q};
    if (load_head_i) {bank_o, key_o, weight_o} <= tail_valid_i ? tail_q[read_ptr_i] : {bank, key, l3_weight_q};
  end

  logic unused_settings;
  assign unused_settings = ^{l2_settings, l3_settings};

endmodule
