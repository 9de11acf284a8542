// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// The whole unit without its register file, for any slot: the bytes of the slot that the lanes have taken are those that
/// its word was given and those inside; armed with b bytes it is done when and only when b of them have come, once; each
/// time that is counted as one completion and, if the region triggers, shown at `done_*` once; a completion waits for a
/// bounded time whatever `done_ready_i` does. When the unit is not busy, nothing is inside, and a slot that waits is
/// kept from the port only by another one that is shown there.
///
/// Assumed of the register file (proof regs says so): an access is held until it is done, and is one at a time; no
/// count is above the largest one. Assumed of software: settings of a region that is in use do not change; the region is
/// on, stopped or off from reset on; slots that it forgets do not fill a queue with their hints (proofs stop, forgets).
module formal_unit #(
  parameter int WgWidth = 1,
  parameter int WfWidth = 1,
  parameter int AddrWidth = 13,
  parameter int WeightWidth = 2,
  parameter int CountWidth = 3,
  parameter int QueueDepth = 2,
  localparam int NumLanes = 2,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = 1,
  localparam int RegionWidth = 1,
  localparam int NumWindows = 1,
  localparam int NumRegions = 1,
  localparam int SlotWidth = 2,
  localparam int RowWidth = 1,
  localparam int NumberWidth = SlotWidth,
  localparam int WalkWidth = 1,
  localparam int SumWidth = WeightWidth + 1,
  localparam int KeyWidth = `T3_KEY_BITS,
  localparam int CompletionBits = `T3_COMPLETION_BITS,
  localparam int RowCountWidth = t3_pkg::RowCountWidth
) (
  input logic                            clk_i,
  input logic [NumLanes-1:0]             lane_valid_i,
  input logic [NumLanes*WgWidth-1:0]     lane_wg_i,
  input logic [NumLanes*WfWidth-1:0]     lane_wf_i,
  input logic [NumLanes*AddrWidth-1:0]   lane_addr_i,
  input logic [NumLanes*WeightWidth-1:0] lane_weight_i,
  input logic                            done_ready_i,
  input logic                            rel_ready_i
);
  `T3_FORMAL_RESET
  `T3_WINDOW_T(window_t);
  `T3_REGION_T(region_t);
  `T3_REG2HW_T(reg2hw_t);
  `T3_WRITES_T(writes_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);
  `T3_FILL_T(fill_t);
  `T3_UPDATE_T(update_t);
  localparam int IdWidth = WgWidth + WfWidth;
  localparam int UpdateBits = IdWidth + PageWidth + WeightWidth;
  localparam int BlockWidth = ((IdWidth > SlotWidth) ? IdWidth : SlotWidth) + 1;
  localparam int Most = 1 << (CountWidth - 1);
  localparam int MostWeight = 1 << (WeightWidth - 1);
  localparam int WideWidth = CountWidth + SumWidth;
  localparam int InsideWidth = 6;
  localparam int PtrWidth = $clog2(QueueDepth);

  logic [NumLanes-1:0] lane_ready;
  logic done_valid, done_spoiled, rel_valid, busy;
  logic [SlotWidth-1:0] done_slot;

  t3_track_trigger #(
    .NumLanes(NumLanes), .NumBanks(2), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .WeightWidth(WeightWidth), .CountWidth(CountWidth), .NumWindows(NumWindows), .NumRegions(NumRegions), .NumSlots(4), .NumRows(2),
    .LaneDepth(2), .QueueDepth(QueueDepth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .lane_valid_i, .lane_ready_o(lane_ready), .lane_wg_i, .lane_wf_i, .lane_addr_i,
    .lane_weight_i, .done_valid_o(done_valid), .done_ready_i, .done_slot_o(done_slot), .done_spoiled_o(done_spoiled),
    .rel_valid_o(rel_valid), .rel_ready_i, .busy_o(busy)
  );

  // ---- what the register file promises, and software ------------------------------------------
  (* hierconn *) wire [`T3_ACCESS_BITS-1:0] \u_dut.access ;
  (* hierconn *) wire [`T3_ANSWER_BITS-1:0] \u_dut.slot_answer ;
  (* hierconn *) wire [`T3_ANSWER_BITS-1:0] \u_dut.row_answer ;
  (* hierconn *) wire [`T3_REG2HW_BITS-1:0] \u_dut.reg2hw ;
  (* hierconn *) wire [`T3_WRITES_BITS-1:0] \u_dut.writes ;
  (* hierconn *) wire [`T3_FILL_BITS-1:0] \u_dut.fill ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.filled_first ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.filled_last ;
  (* hierconn *) wire \u_dut.filled_stopped ;
  (* hierconn *) wire \u_dut.walk_idle ;
  (* hierconn *) wire \u_dut.turn_on ;
  (* hierconn *) wire \u_dut.starting ;
  (* hierconn *) wire \u_dut.lanes_hold ;
  (* hierconn *) wire \u_dut.u_waiting.crowded ;
  (* hierconn *) wire \u_dut.u_waiting.sort_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_sort_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.crowded ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.sort_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.asked_sort_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.last_wants_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.r0_last_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.r1_last_q ;
  reg2hw_t reg2hw;
  writes_t writes;
  access_t access, access_q;
  answer_t slot_answer, row_answer;
  fill_t walk;
  assign reg2hw = \u_dut.reg2hw ;
  assign writes = \u_dut.writes ;
  assign access = \u_dut.access ;
  assign slot_answer = \u_dut.slot_answer ;
  assign row_answer = \u_dut.row_answer ;
  assign walk = \u_dut.fill ;

  (* anyconst *) logic enable;
  (* anyconst *) logic [`T3_WINDOW_BITS-1:0] window_settings;
  (* anyconst *) logic [`T3_REGION_BITS-1:0] settings;
  window_t window;
  region_t region, its;
  assign window = window_settings;
  assign region = settings;

  logic wants, wants_q, walks;
  assign wants = access.arm || access.look;
  assign walks = writes.ctrl_clear || writes.fill_write;
  always_ff @(posedge clk_i) begin
    wants_q <= rst_q && wants && !(access.row ? row_answer.done : slot_answer.done);
    access_q <= access;
  end
  always_comb begin
    // A target may change at any time.
    its = reg2hw.regions;
    its.target = region.target;
    assume (reg2hw.ctrl_enable == enable && reg2hw.windows == window_settings && its == region);
    // The region's state is what it is from reset on, and hints of forgotten slots do not fill a queue: none are sorted.
    assume (!\u_dut.turn_on && !writes.reg_state_write);
    assume (!\u_dut.u_waiting.crowded && !\u_dut.gen_rows.u_rows.u_waiting.crowded );
    assume (!writes.fill_write || !writes.fill_region[0]);
    assume (!writes.fill_write || {\u_dut.filled_first , \u_dut.filled_last , \u_dut.filled_stopped }
            == {region.slot_first, region.slot_last, region.stopped});
    assume (!(access.arm && access.look));
    assume (!wants_q || access == access_q);
    assume (!access.arm || access.row || access.value <= CountWidth'(Most));
    assume (!access.arm || !access.row || access.value[RowCountWidth-1:0] <= RowCountWidth'(1 << (RowCountWidth - 1)));
    assume (!writes.fill_write || writes.fill_bytes[CountWidth-1:0] <= CountWidth'(Most));
    // Nothing is armed while a walk is under way, none starts beside it.
    assume (!access.arm || (\u_dut.walk_idle && !walks));
    assume (!writes.fill_write || \u_dut.walk_idle );
    assume (rst_q || !(lane_valid_i != '0 || walks || wants));
  end

  // ---- the slot watched, and bytes of it ------------------------------------------------------
  (* anyconst *) logic [SlotWidth-1:0] x;
  logic bank;
  assign bank = ^x;

  // What an update of a workgroup and wavefront that its region covers gives the slot; and any update.
  function automatic [WeightWidth-1:0] of_block(input [IdWidth-1:0] block, input [WeightWidth-1:0] bytes);
    logic [BlockWidth-1:0] sum;
    sum = BlockWidth'(region.slot_first) + BlockWidth'(block);
    of_block = (bytes <= WeightWidth'(MostWeight) && sum <= BlockWidth'(region.slot_last) && sum == BlockWidth'(x))
               ? bytes : '0;
  endfunction
  function automatic [WeightWidth-1:0] of_id(input [IdWidth-1:0] id, input [WeightWidth-1:0] bytes);
    logic [IdWidth-1:0] block;
    block = (id - {region.wg_first, WfWidth'(0)}) >> region.shift;
    of_id = of_block(block, bytes);
  endfunction
  function automatic [WeightWidth-1:0] of_update(input [WgWidth-1:0] wg, input [WfWidth-1:0] wf,
                                                 input [PageWidth-1:0] page, input [WeightWidth-1:0] bytes);
    of_update = (enable && region.on && !region.stopped && !region.window && region.wg_first <= wg && wg <= region.wg_last
                 && window.page_first <= page && page <= window.page_last)
                ? of_id({wg, wf}, bytes) : '0;
  endfunction

  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.l1_valid_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.l2_valid_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.l3_valid_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.tail_valid_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.full_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.count_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.read_ptr_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.write_ptr_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.head_valid ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.head_bank ;
  (* hierconn *) wire [NumLanes*KeyWidth-1:0] \u_dut.head_key ;
  (* hierconn *) wire [NumLanes*WeightWidth-1:0] \u_dut.head_weight ;
  (* hierconn *) wire [UpdateBits-1:0] \u_dut.u_lanes.gen_lane[0].u_lane.l1_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.u_lanes.gen_lane[0].u_lane.l2_id_q ;
  (* hierconn *) wire [WeightWidth-1:0] \u_dut.u_lanes.gen_lane[0].u_lane.l2_weight_q ;
  (* hierconn *) wire \u_dut.u_lanes.gen_lane[0].u_lane.l2_region_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.u_lanes.gen_lane[0].u_lane.l3_block_q ;
  (* hierconn *) wire [WeightWidth-1:0] \u_dut.u_lanes.gen_lane[0].u_lane.l3_weight_q ;
  (* hierconn *) wire \u_dut.u_lanes.gen_lane[0].u_lane.l3_region_q ;
  (* hierconn *) wire [KeyWidth+WeightWidth:0] \u_dut.u_lanes.gen_lane[0].u_lane.tail_q[0] ;
  (* hierconn *) wire [UpdateBits-1:0] \u_dut.u_lanes.gen_lane[1].u_lane.l1_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.u_lanes.gen_lane[1].u_lane.l2_id_q ;
  (* hierconn *) wire [WeightWidth-1:0] \u_dut.u_lanes.gen_lane[1].u_lane.l2_weight_q ;
  (* hierconn *) wire \u_dut.u_lanes.gen_lane[1].u_lane.l2_region_q ;
  (* hierconn *) wire [IdWidth-1:0] \u_dut.u_lanes.gen_lane[1].u_lane.l3_block_q ;
  (* hierconn *) wire [WeightWidth-1:0] \u_dut.u_lanes.gen_lane[1].u_lane.l3_weight_q ;
  (* hierconn *) wire \u_dut.u_lanes.gen_lane[1].u_lane.l3_region_q ;
  (* hierconn *) wire [KeyWidth+WeightWidth:0] \u_dut.u_lanes.gen_lane[1].u_lane.tail_q[0] ;
  (* hierconn *) wire [1:0] \u_dut.u_router.r1_valid_q ;
  (* hierconn *) wire [2*NumLanes-1:0] \u_dut.u_router.r1_mask_q ;
  (* hierconn *) wire [NumLanes*KeyWidth-1:0] \u_dut.u_router.r1_key_q ;
  (* hierconn *) wire [NumLanes*WeightWidth-1:0] \u_dut.u_router.r1_weight_q ;
  (* hierconn *) wire [1:0] \u_dut.u_router.full ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.head_pop ;
  (* hierconn *) wire [1:0] \u_dut.update_valid ;
  (* hierconn *) wire [1:0] \u_dut.update_pop ;
  (* hierconn *) wire [2*KeyWidth-1:0] \u_dut.update_key ;
  (* hierconn *) wire [2*SumWidth-1:0] \u_dut.update_weight ;
  (* hierconn *) wire [KeyWidth-1:0] \u_dut.u_router.gen_bank[0].tail_key_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.u_router.gen_bank[0].tail_weight_q ;
  (* hierconn *) wire [KeyWidth-1:0] \u_dut.u_router.gen_bank[1].tail_key_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.u_router.gen_bank[1].tail_weight_q ;
  (* hierconn *) wire [SlotWidth-2:0] \u_dut.u_slots.fill_index ;
  (* hierconn *) wire \u_dut.slots_taken ;
  (* hierconn *) wire \u_dut.rows_taken ;
  (* hierconn *) wire \u_dut.clear_walk ;
  (* hierconn *) wire \u_dut.hold ;
  (* hierconn *) wire \u_dut.work ;
  (* hierconn *) wire \u_dut.ask_offer ;
  (* hierconn *) wire \u_dut.ask_look ;
  (* hierconn *) wire \u_dut.ask_grant ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.ask_slot ;
  (* hierconn *) wire \u_dut.completed ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.completion ;
  (* hierconn *) wire \u_dut.counted ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.u_regions.completion_q ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.b_update_q ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.done_valid ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.done_full ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.done_pop ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.u_turns.after_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.u_slots.gen_bank[0].head_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.u_slots.gen_bank[0].tail_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.update_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.arm_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.offer_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.look_q ;
  (* hierconn *) wire [SlotWidth-2:0] \u_dut.u_slots.gen_bank[0].u_bank.index_q ;
  (* hierconn *) wire [RegionWidth+1:0] \u_dut.u_slots.gen_bank[0].u_bank.tag_q ;
  (* hierconn *) wire \u_dut.u_slots.force_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.forwarded_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.u_slots.gen_bank[0].u_bank.weight_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_slots.value_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_slots.gen_bank[0].u_bank.forward_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_slots.gen_bank[0].u_bank.ram_word ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.u_slots.gen_bank[0].u_bank.u_ram.u_ram.words_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.u_slots.gen_bank[1].head_q ;
  (* hierconn *) wire [CompletionBits-1:0] \u_dut.u_slots.gen_bank[1].tail_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.update_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.arm_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.offer_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.look_q ;
  (* hierconn *) wire [SlotWidth-2:0] \u_dut.u_slots.gen_bank[1].u_bank.index_q ;
  (* hierconn *) wire [RegionWidth+1:0] \u_dut.u_slots.gen_bank[1].u_bank.tag_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.forwarded_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.u_slots.gen_bank[1].u_bank.weight_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_slots.gen_bank[1].u_bank.forward_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_slots.gen_bank[1].u_bank.ram_word ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.u_slots.gen_bank[1].u_bank.u_ram.u_ram.words_q ;
  (* hierconn *) wire [1:0] \u_dut.u_fill.state_q ;
  (* hierconn *) wire \u_dut.u_fill.index_q ;
  (* hierconn *) wire \u_dut.u_slots.b_ask_q ;
  (* hierconn *) wire \u_dut.u_slots.b_bank_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.r0_valid_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.r1_valid_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.r2_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.gen_rows.u_rows.u_waiting.u_hints.count_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.u_hints.mid_valid_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.hint_valid ;
  (* hierconn *) wire [PtrWidth:0] \u_dut.u_waiting.u_hints.count_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.u_waiting.u_hints.read_ptr_q ;
  (* hierconn *) wire [PtrWidth-1:0] \u_dut.u_waiting.u_hints.write_ptr_q ;
  (* hierconn *) wire \u_dut.u_waiting.u_hints.mid_valid_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_waiting.u_hints.mid ;
  (* hierconn *) wire [QueueDepth*SlotWidth-1:0] \u_dut.u_waiting.u_hints.u_ram.u_ram.words_q ;
  (* hierconn *) wire \u_dut.u_waiting.hint_valid ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_waiting.hint ;
  (* hierconn *) wire [SlotWidth:0] \u_dut.u_waiting.left_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_waiting.look_q ;
  (* hierconn *) wire \u_dut.u_waiting.found_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_look_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_found_q ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.u_waiting.asked_slot_q ;

  // Bytes of the slot that enter in this cycle, those in the lanes, the router, and those that reach the slot's bank.
  logic [InsideWidth-1:0] arrives, in_router, leaves, passes;
  logic [NumLanes*InsideWidth-1:0] in_lanes, enters, pops;
  logic [NumLanes*UpdateBits-1:0] l1;
  logic [NumLanes*IdWidth-1:0] l2_id, l3_block;
  logic [NumLanes*WeightWidth-1:0] l2_weight, l3_weight;
  logic [NumLanes*(1+KeyWidth+WeightWidth)-1:0] tail;
  assign l1 = {\u_dut.u_lanes.gen_lane[1].u_lane.l1_q , \u_dut.u_lanes.gen_lane[0].u_lane.l1_q };
  assign l2_id = {\u_dut.u_lanes.gen_lane[1].u_lane.l2_id_q , \u_dut.u_lanes.gen_lane[0].u_lane.l2_id_q };
  assign l2_weight = {\u_dut.u_lanes.gen_lane[1].u_lane.l2_weight_q , \u_dut.u_lanes.gen_lane[0].u_lane.l2_weight_q };
  assign l3_block = {\u_dut.u_lanes.gen_lane[1].u_lane.l3_block_q , \u_dut.u_lanes.gen_lane[0].u_lane.l3_block_q };
  assign l3_weight = {\u_dut.u_lanes.gen_lane[1].u_lane.l3_weight_q , \u_dut.u_lanes.gen_lane[0].u_lane.l3_weight_q };
  assign tail = {\u_dut.u_lanes.gen_lane[1].u_lane.tail_q[0] , \u_dut.u_lanes.gen_lane[0].u_lane.tail_q[0] };

  update_t update;
  logic [WeightWidth-1:0] weight;
  logic [KeyWidth-1:0] key;
  logic key_bank, keys_right, masks_right;
  always_comb begin
    arrives = '0;
    passes = '0;
    in_lanes = '0;
    enters = '0;
    pops = '0;
    in_router = '0;
    keys_right = 1'b1;
    masks_right = (\u_dut.u_router.r1_mask_q [0 +: NumLanes] & \u_dut.u_router.r1_mask_q [NumLanes +: NumLanes]) == '0
                  || \u_dut.u_router.r1_valid_q != '1;
    for (int l = 0; l < NumLanes; l++) begin
      if (lane_valid_i[l] && lane_ready[l])
        enters[l*InsideWidth +: InsideWidth] = InsideWidth'(of_update(lane_wg_i[l*WgWidth +: WgWidth], lane_wf_i[l*WfWidth +: WfWidth],
                                                  lane_addr_i[l*AddrWidth+t3_pkg::PageLog2 +: PageWidth],
                                                  lane_weight_i[l*WeightWidth +: WeightWidth]));
      update = l1[l*UpdateBits +: UpdateBits];
      if (\u_dut.u_lanes.l1_valid_q [l]) in_lanes[l*InsideWidth +: InsideWidth] =
            in_lanes[l*InsideWidth +: InsideWidth] + InsideWidth'(of_update(update.wg, update.wf, update.page, update.weight));
      if (\u_dut.u_lanes.l2_valid_q [l])
        in_lanes[l*InsideWidth +: InsideWidth] =
            in_lanes[l*InsideWidth +: InsideWidth] + InsideWidth'(of_id(l2_id[l*IdWidth +: IdWidth], l2_weight[l*WeightWidth +: WeightWidth]));
      if (\u_dut.u_lanes.l3_valid_q [l])
        in_lanes[l*InsideWidth +: InsideWidth] =
            in_lanes[l*InsideWidth +: InsideWidth] + InsideWidth'(of_block(l3_block[l*IdWidth +: IdWidth], l3_weight[l*WeightWidth +: WeightWidth]));
      {key_bank, key, weight} = tail[l*(1+KeyWidth+WeightWidth) +: 1+KeyWidth+WeightWidth];
      if (\u_dut.u_lanes.tail_valid_q [l]) begin
        if (key == KeyWidth'(x)) in_lanes[l*InsideWidth +: InsideWidth] =
            in_lanes[l*InsideWidth +: InsideWidth] + InsideWidth'(weight);
        if (key[KeyWidth-1] || key_bank != ^key || weight > WeightWidth'(MostWeight)) keys_right = 1'b0;
      end
      key = \u_dut.head_key [l*KeyWidth +: KeyWidth];
      weight = \u_dut.head_weight [l*WeightWidth +: WeightWidth];
      if (\u_dut.head_valid [l]) begin
        if (key == KeyWidth'(x)) in_lanes[l*InsideWidth +: InsideWidth] =
            in_lanes[l*InsideWidth +: InsideWidth] + InsideWidth'(weight);
        if (key == KeyWidth'(x) && \u_dut.head_pop [l]) pops[l*InsideWidth +: InsideWidth] = InsideWidth'(weight);
        if (key[KeyWidth-1] || \u_dut.head_bank [l] != ^key || weight > WeightWidth'(MostWeight)) keys_right = 1'b0;
      end
      arrives = arrives + enters[l*InsideWidth +: InsideWidth];
      passes = passes + pops[l*InsideWidth +: InsideWidth];
      key = \u_dut.u_router.r1_key_q [l*KeyWidth +: KeyWidth];
      weight = \u_dut.u_router.r1_weight_q [l*WeightWidth +: WeightWidth];
      for (int c = 0; c < 2; c++) begin
        if (\u_dut.u_router.r1_valid_q [c] && \u_dut.u_router.r1_mask_q [c*NumLanes + l]) begin
          if (key == KeyWidth'(x) && bank == c[0]) in_router = in_router + InsideWidth'(weight);
          if (key[KeyWidth-1] || ^key != c[0] || weight > WeightWidth'(MostWeight)) keys_right = 1'b0;
          if (\u_dut.u_router.r1_mask_q [c*NumLanes +: NumLanes] == '1
              && \u_dut.u_router.r1_key_q [0 +: KeyWidth] != \u_dut.u_router.r1_key_q [KeyWidth +: KeyWidth])
            keys_right = 1'b0;
        end
      end
    end
    for (int c = 0; c < 2; c++) begin
      if (\u_dut.u_router.r1_valid_q [c] && \u_dut.u_router.r1_mask_q [c*NumLanes +: NumLanes] == '0) masks_right = 1'b0;
      key = \u_dut.update_key [c*KeyWidth +: KeyWidth];
      if (\u_dut.update_valid [c]) begin
        if (key == KeyWidth'(x) && bank == c[0]) in_router = in_router + InsideWidth'(\u_dut.update_weight [c*SumWidth +: SumWidth]);
        if (key[KeyWidth-1] || ^key != c[0]) keys_right = 1'b0;
      end
      key = c[0] ? \u_dut.u_router.gen_bank[1].tail_key_q : \u_dut.u_router.gen_bank[0].tail_key_q ;
      if (\u_dut.u_router.full [c]) begin
        if (key == KeyWidth'(x) && bank == c[0])
          in_router = in_router + InsideWidth'(c[0] ? \u_dut.u_router.gen_bank[1].tail_weight_q
                                                    : \u_dut.u_router.gen_bank[0].tail_weight_q );
        if (key[KeyWidth-1] || ^key != c[0]) keys_right = 1'b0;
      end
    end
  end

  // ---- its word -------------------------------------------------------------------------------
  // What is done with it in A, and, one cycle later, in B.
  logic a_update, a_fill, a_arm, a_offer, a_look;
  assign a_update = \u_dut.update_pop [bank] && \u_dut.update_key [bank*KeyWidth +: KeyWidth] == KeyWidth'(x);
  assign a_fill = walk.step&& \u_dut.u_slots.fill_index == x[SlotWidth-1:1]
                  && walk.first<= x && x <= walk.last;
  assign a_arm = \u_dut.slots_taken && access.arm && access.number == x;
  assign a_look = (\u_dut.slots_taken && access.look && access.number == x)
                  || (\u_dut.ask_grant && \u_dut.ask_look && \u_dut.ask_slot == x);
  assign a_offer = \u_dut.ask_grant && \u_dut.ask_offer && \u_dut.ask_slot == x;
  assign leaves = a_update ? InsideWidth'(\u_dut.update_weight [bank*SumWidth +: SumWidth]) : '0;

  logic b_update_q, b_arm_q, b_offer_q, b_look_q, b_force_q;
  logic [SumWidth-1:0] b_weight_q;
  logic [CountWidth-1:0] b_value_q;
  logic [InsideWidth-1:0] inside, router_q;
  logic [NumLanes*InsideWidth-1:0] lanes_q;
  assign inside = lanes_q[0 +: InsideWidth] + lanes_q[InsideWidth +: InsideWidth] + router_q;
  always_ff @(posedge clk_i) begin
    router_q <= rst_q ? router_q + passes - leaves : '0;
    for (int l = 0; l < NumLanes; l++) begin
      lanes_q[l*InsideWidth +: InsideWidth] <= rst_q ? lanes_q[l*InsideWidth +: InsideWidth] + enters[l*InsideWidth +: InsideWidth]
                                                       - pops[l*InsideWidth +: InsideWidth] : '0;
    end
    b_update_q <= rst_q && a_update;
    b_arm_q <= rst_q && (a_arm || a_fill);
    b_offer_q <= rst_q && a_offer;
    b_look_q <= rst_q && a_look;
    b_weight_q <= \u_dut.update_weight [bank*SumWidth +: SumWidth];
    b_value_q <= a_fill ? walk.value: access.value;
    b_force_q <= a_fill ? walk.forced: access.forced;
  end

  // Armed with so many bytes, so many have come.
  logic [WideWidth-1:0] armed_q, came_q, sum;
  logic waits_q, spoiled_q, counts, counted, completes, surplus, accepted;
  assign sum = came_q + WideWidth'(b_weight_q);
  assign counts = came_q < armed_q;
  assign counted = b_update_q && !region.stopped;
  assign completes = counted && counts && sum == armed_q;
  assign surplus = counted && counts && sum > armed_q;
  assign accepted = b_arm_q && (b_force_q || !(counts || waits_q));
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      armed_q <= '0;
      came_q <= '0;
      waits_q <= 1'b0;
      spoiled_q <= 1'b0;
    end else if (accepted) begin
      armed_q <= WideWidth'(b_value_q);
      came_q <= '0;
      waits_q <= 1'b0;
      spoiled_q <= 1'b0;
    end else if (surplus) begin
      armed_q <= '0;
      came_q <= '0;
      spoiled_q <= 1'b1;
    end else if (counted && counts) begin
      came_q <= sum;
      waits_q <= completes && region.trigger;
    end else if (counted && waits_q) begin
      spoiled_q <= 1'b1;
    end else if (b_offer_q) begin
      waits_q <= 1'b0;
    end
  end
  logic [CountWidth-1:0] word;
  assign word = (waits_q || spoiled_q) ? CountWidth'(Most) | CountWidth'({spoiled_q, waits_q})
                                       : CountWidth'(armed_q - came_q);

  // Times that it was done, and completions of it that are not counted yet; cycles for which the oldest has waited.
  logic [2:0] uncounted_q, uncounted;
  logic [CompletionBits-1:0] head, its_completion;
  logic its_count;
  assign its_completion = {region.trigger, KeyWidth'(x)};
  assign its_count = \u_dut.counted && \u_dut.u_regions.completion_q == its_completion;
  assign head = bank ? \u_dut.u_slots.gen_bank[1].head_q : \u_dut.u_slots.gen_bank[0].head_q ;
  always_comb begin
    uncounted = 3'(its_count)
                + 3'(\u_dut.u_slots.done_valid [bank] && head == its_completion)
                + 3'(\u_dut.u_slots.done_full [bank] && (bank ? \u_dut.u_slots.gen_bank[1].tail_q : \u_dut.u_slots.gen_bank[0].tail_q ) == its_completion);
  end
  // What is in the banks' queues is of their slots.
  function automatic own(input [CompletionBits-1:0] completion, input which);
    own = completion[CompletionBits-1] == region.trigger && !completion[SlotWidth] && ^completion[SlotWidth-1:0] == which;
  endfunction
  logic own_slots;
  assign own_slots = (!\u_dut.u_slots.done_valid [0] || own(\u_dut.u_slots.gen_bank[0].head_q , 1'b0))
                     && (!\u_dut.u_slots.done_full [0] || own(\u_dut.u_slots.gen_bank[0].tail_q , 1'b0))
                     && (!\u_dut.u_slots.done_valid [1] || own(\u_dut.u_slots.gen_bank[1].head_q , 1'b1))
                     && (!\u_dut.u_slots.done_full [1] || own(\u_dut.u_slots.gen_bank[1].tail_q , 1'b1));
  always_ff @(posedge clk_i) begin
    uncounted_q <= rst_q ? uncounted_q + 3'(completes) - 3'(its_count) : '0;
  end

  // Done, and not shown at done_*; what was shown in the cycle before.
  logic due_q, shown_q, past_q, offers, shows;
  assign offers = b_offer_q && waits_q;
  assign shows = done_valid && done_slot == x && !shown_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    shown_q <= rst_q && done_valid && done_slot == x && !done_ready_i;
    if (!rst_q || accepted) due_q <= 1'b0;
    else if (completes && region.trigger) due_q <= 1'b1;
    else if (offers) due_q <= 1'b0;
  end
  logic offered_q;
  always_ff @(posedge clk_i) offered_q <= rst_q && offers;

  // The bank of the slot.
  logic u_update, u_arm, u_offer, u_look, u_index, u_tag, u_force, u_forwarded;
  logic [SumWidth-1:0] u_weight;
  logic [CountWidth-1:0] u_value, u_forward, u_ram_word, u_word;
  always_comb begin
    u_update = bank ? \u_dut.u_slots.gen_bank[1].u_bank.update_q : \u_dut.u_slots.gen_bank[0].u_bank.update_q ;
    u_arm = bank ? \u_dut.u_slots.gen_bank[1].u_bank.arm_q : \u_dut.u_slots.gen_bank[0].u_bank.arm_q ;
    u_offer = bank ? \u_dut.u_slots.gen_bank[1].u_bank.offer_q : \u_dut.u_slots.gen_bank[0].u_bank.offer_q ;
    u_look = bank ? \u_dut.u_slots.gen_bank[1].u_bank.look_q : \u_dut.u_slots.gen_bank[0].u_bank.look_q ;
    u_index = bank ? \u_dut.u_slots.gen_bank[1].u_bank.index_q : \u_dut.u_slots.gen_bank[0].u_bank.index_q ;
    u_tag = bank ? \u_dut.u_slots.gen_bank[1].u_bank.tag_q [0] : \u_dut.u_slots.gen_bank[0].u_bank.tag_q [0];
    u_force = \u_dut.u_slots.force_q ;
    u_forwarded = bank ? \u_dut.u_slots.gen_bank[1].u_bank.forwarded_q : \u_dut.u_slots.gen_bank[0].u_bank.forwarded_q ;
    u_weight = bank ? \u_dut.u_slots.gen_bank[1].u_bank.weight_q : \u_dut.u_slots.gen_bank[0].u_bank.weight_q ;
    u_value = \u_dut.u_slots.value_q ;
    u_forward = bank ? \u_dut.u_slots.gen_bank[1].u_bank.forward_q : \u_dut.u_slots.gen_bank[0].u_bank.forward_q ;
    u_ram_word = bank ? \u_dut.u_slots.gen_bank[1].u_bank.ram_word : \u_dut.u_slots.gen_bank[0].u_bank.ram_word ;
    u_word = bank ? \u_dut.u_slots.gen_bank[1].u_bank.u_ram.u_ram.words_q [x[1]*CountWidth +: CountWidth]
                  : \u_dut.u_slots.gen_bank[0].u_bank.u_ram.u_ram.words_q [x[1]*CountWidth +: CountWidth];
  end

  // ---- where a slot that waits will be found --------------------------------------------------
  logic any_offer_q, any_look_q, clear_q, hinted, to_look;
  logic [SlotWidth-1:0] any_slot_q, behind;
  logic [PtrWidth:0] place;
  always_ff @(posedge clk_i) begin
    clear_q <= rst_q && \u_dut.clear_walk ;
    any_offer_q <= rst_q && \u_dut.ask_grant && \u_dut.ask_offer ;
    any_look_q <= rst_q && \u_dut.ask_grant && \u_dut.ask_look ;
    any_slot_q <= \u_dut.ask_slot ;
  end
  always_comb begin
    hinted = (\u_dut.u_waiting.hint_valid && \u_dut.u_waiting.hint == x)
             || (\u_dut.u_waiting.u_hints.mid_valid_q && \u_dut.u_waiting.u_hints.mid == x);
    place = '0;
    for (int i = 0; i < QueueDepth; i++) begin
      place = (PtrWidth+1)'(PtrWidth'(PtrWidth'(i) - \u_dut.u_waiting.u_hints.read_ptr_q ));
      if (place < \u_dut.u_waiting.u_hints.count_q
          && \u_dut.u_waiting.u_hints.u_ram.u_ram.words_q [i*SlotWidth +: SlotWidth] == x) hinted = 1'b1;
    end
    // From look_q on, or, if that was found, behind it.
    behind = x - \u_dut.u_waiting.look_q ;
    to_look = \u_dut.u_waiting.found_q ? behind == '0 || (SlotWidth+1)'(behind) <= \u_dut.u_waiting.left_q
                                        : (SlotWidth+1)'(behind) < \u_dut.u_waiting.left_q ;
  end

  // ---- the walk after reset and for a clear ---------------------------------------------------
  // known_q: the word was cleared once.
  logic known_q, clearing;
  assign clearing = \u_dut.u_fill.state_q == 2'd0;
  always_ff @(posedge clk_i) begin
    if (!rst_q) known_q <= 1'b0;
    else if (b_arm_q && b_force_q) known_q <= 1'b1;
  end

  logic clears, hint_any;
  assign clears = b_arm_q && b_force_q && b_value_q == '0;
  assign hint_any = \u_dut.u_waiting.hint_valid || \u_dut.u_waiting.u_hints.mid_valid_q
                    || \u_dut.u_waiting.u_hints.count_q != '0 || \u_dut.u_waiting.left_q != '0 || \u_dut.u_waiting.found_q ;

  // ---- time -----------------------------------------------------------------------------------
  // Completions of the other bank that left, and cycles that went by, while the first one of this bank waited; the
  // cycles before this one in which all were held.
  logic [1:0] others_q, holds_q;
  logic [3:0] head_waits_q;
  logic its_turn;
  assign its_turn = bank ? \u_dut.u_slots.u_turns.after_q == 2'b10 : \u_dut.u_slots.u_turns.after_q != 2'b10;
  always_ff @(posedge clk_i) begin
    holds_q <= (rst_q && \u_dut.hold ) ? holds_q + 2'd1 : '0;
    if (!rst_q || !\u_dut.u_slots.done_valid [bank] || \u_dut.u_slots.done_pop [bank]) begin
      others_q <= '0;
      head_waits_q <= '0;
    end else begin
      others_q <= others_q + 2'(\u_dut.completed );
      head_waits_q <= head_waits_q + 4'd1;
    end
  end

  // ---- bytes that the lanes have taken for the count ------------------------------------------
  logic [InsideWidth-1:0] taken_q;
  always_ff @(posedge clk_i) begin
    if (!rst_q) taken_q <= '0;
    else if (accepted) taken_q <= inside + arrives;
    else taken_q <= taken_q + arrives;
  end

  always @(posedge clk_i) if (rst_q) begin
    unit_none_sorted: assert (!(\u_dut.starting || \u_dut.lanes_hold || \u_dut.u_waiting.sort_q
                                || \u_dut.u_waiting.asked_sort_q || \u_dut.gen_rows.u_rows.u_waiting.sort_q
                                || \u_dut.gen_rows.u_rows.u_waiting.asked_sort_q || \u_dut.gen_rows.u_rows.last_wants_q
                                || \u_dut.gen_rows.u_rows.r0_last_q || \u_dut.gen_rows.u_rows.r1_last_q ));
    // Bytes of the slot, from the lanes to its word.
    unit_lanes_keep: assert (lanes_q == in_lanes);
    unit_router_keeps: assert (router_q == in_router);
    unit_regions: assert ((!\u_dut.u_lanes.l2_valid_q [0] || !\u_dut.u_lanes.gen_lane[0].u_lane.l2_region_q )
                          && (!\u_dut.u_lanes.l2_valid_q [1] || !\u_dut.u_lanes.gen_lane[1].u_lane.l2_region_q )
                          && (!\u_dut.u_lanes.l3_valid_q [0] || !\u_dut.u_lanes.gen_lane[0].u_lane.l3_region_q )
                          && (!\u_dut.u_lanes.l3_valid_q [1] || !\u_dut.u_lanes.gen_lane[1].u_lane.l3_region_q ));
    unit_lanes: assert (\u_dut.u_lanes.tail_valid_q == \u_dut.u_lanes.count_q
                        && \u_dut.u_lanes.full_q == \u_dut.u_lanes.count_q
                        && \u_dut.u_lanes.read_ptr_q == '0 && \u_dut.u_lanes.write_ptr_q == '0
                        && (\u_dut.u_lanes.tail_valid_q & ~\u_dut.head_valid ) == '0);
    unit_stopped: assert ((region.on && !region.stopped)
                          || ((\u_dut.u_lanes.l2_valid_q | \u_dut.u_lanes.l3_valid_q | \u_dut.head_valid ) == '0
                              && (\u_dut.u_router.r1_valid_q | \u_dut.update_valid | \u_dut.u_slots.b_update_q ) == '0));
    unit_keys: assert (keys_right);
    unit_masks: assert (masks_right);
    unit_router: assert ((\u_dut.u_router.full & ~\u_dut.update_valid ) == '0);
    // What the word means.
    unit_word: assert ((!known_q || u_word == word) && armed_q <= WideWidth'(Most) && came_q <= armed_q
                       && (!(waits_q || spoiled_q) || !counts));
    unit_operation: assert ((u_update && u_index == x[1]) == b_update_q && (u_arm && u_index == x[1]) == b_arm_q
                            && (u_offer && u_index == x[1]) == b_offer_q && (u_look && u_index == x[1]) == b_look_q
                            && 3'(u_update) + 3'(u_arm) + 3'(u_offer) + 3'(u_look) <= 3'd1
                            && (!b_update_q || (!u_tag && u_weight == b_weight_q))
                            && (!b_arm_q || (u_value == b_value_q && u_force == b_force_q
                                             && b_value_q <= CountWidth'(Most))));
    unit_read: assert (!known_q || !(b_update_q || b_arm_q || b_offer_q || b_look_q)
                       || (u_forwarded ? u_forward : u_ram_word) == word);
    unit_fill: assert (walk.value<= CountWidth'(Most)
                       && (\u_dut.u_fill.state_q [0]
                           || (walk.forced&& walk.value== '0 && walk.first== '0 && walk.last== '1)));
    unit_clear: assert (!clearing || ((\u_dut.u_lanes.l1_valid_q | \u_dut.u_lanes.l2_valid_q | \u_dut.u_lanes.l3_valid_q
                                       | \u_dut.head_valid | \u_dut.u_router.r1_valid_q | \u_dut.update_valid
                                       | \u_dut.u_slots.done_valid | \u_dut.u_slots.b_update_q ) == '0
                                      && !\u_dut.counted && !\u_dut.gen_rows.u_rows.r0_valid_q && !\u_dut.gen_rows.u_rows.r1_valid_q
                                      && !\u_dut.gen_rows.u_rows.r2_valid_q
                                      && (!clear_q || !hint_any)));
    unit_cleared: assert ((!clearing || x[1] >= \u_dut.u_fill.index_q || clears || word == '0)
                          && (known_q || clears || (clearing && x[1] >= \u_dut.u_fill.index_q ))
                          && (known_q || (!due_q && armed_q == '0 && !spoiled_q && !b_offer_q && !b_update_q && !hint_any)));
    unit_drains: assert (\u_dut.u_fill.state_q != 2'd2 || !\u_dut.u_fill.index_q );
    unit_clears: assert (!(clearing && b_arm_q ) || (b_force_q && b_value_q == '0));
    unit_room: assert ((\u_dut.u_slots.done_full & ~\u_dut.u_slots.done_valid ) == '0
                       && (\u_dut.u_slots.done_full & \u_dut.u_slots.b_update_q ) == '0
                       && \u_dut.u_slots.b_update_q == {\u_dut.u_slots.gen_bank[1].u_bank.update_q ,
                                                         \u_dut.u_slots.gen_bank[0].u_bank.update_q });
    // Done once, counted once, in bounded time.
    unit_own: assert (own_slots && !(\u_dut.u_slots.gen_bank[0].u_bank.update_q && \u_dut.u_slots.gen_bank[0].u_bank.tag_q [0])
                      && !(\u_dut.u_slots.gen_bank[1].u_bank.update_q && \u_dut.u_slots.gen_bank[1].u_bank.tag_q [0]));
    unit_counted_once: assert (uncounted_q == uncounted);
    unit_hold: assert ((holds_q == '0 || !\u_dut.gen_rows.u_rows.r0_valid_q ) && (holds_q < 2'd2 || !\u_dut.gen_rows.u_rows.r1_valid_q )
                       && (holds_q < 2'd3 || !\u_dut.gen_rows.u_rows.r2_valid_q ));
    unit_fair: assert (others_q == '0 || (others_q == 2'd1 && its_turn));
    unit_counted_soon: assert (head_waits_q <= 4'(others_q) * 4'd4 + 4'(holds_q) && head_waits_q <= 4'd4);
    // What was held before the other bank's completion left finds less to be held for.
    unit_held_before: assert (others_q == '0 || head_waits_q <= 4'(holds_q) + 4'd1
                              || (holds_q == '0 && !\u_dut.gen_rows.u_rows.r1_valid_q
                                  && (head_waits_q == 4'd2 || !\u_dut.gen_rows.u_rows.r2_valid_q ))
                              || (holds_q == 2'd1 && head_waits_q == 4'd3 && !\u_dut.gen_rows.u_rows.r2_valid_q ));
    // The bytes that the lanes have taken.
    unit_taken: assert (!counts || taken_q == InsideWidth'(came_q) + (b_update_q ? InsideWidth'(b_weight_q) : '0) + inside);
    unit_not_early: assert (!completes || taken_q >= InsideWidth'(armed_q));
    unit_not_late: assert (busy || !counts || taken_q < InsideWidth'(armed_q));
    // What waits is shown.
    unit_asked: assert (\u_dut.u_waiting.asked_q == (any_offer_q || any_look_q) && !(any_offer_q && any_look_q)
                        && \u_dut.u_slots.b_ask_q == \u_dut.u_waiting.asked_q
                        && (!\u_dut.u_waiting.asked_q || (\u_dut.u_waiting.asked_look_q == any_look_q
                                                           && \u_dut.u_waiting.asked_slot_q == any_slot_q
                                                           && \u_dut.u_slots.b_bank_q == ^any_slot_q))
                        && (!b_offer_q || (any_offer_q && any_slot_q == x))
                        && (!any_offer_q || any_slot_q != x || b_offer_q)
                        && (!any_look_q || any_slot_q != x || b_look_q)
                        && !(done_valid && any_offer_q));
    unit_asked_for: assert ((!clear_q || !\u_dut.u_waiting.asked_q || clearing) && (clear_q || ((!any_look_q || (any_slot_q == \u_dut.u_waiting.look_q && !\u_dut.u_waiting.found_q
                                                         && \u_dut.u_waiting.left_q != '0
                                                         && !\u_dut.u_waiting.asked_found_q ))
                                        && (!(any_offer_q && \u_dut.u_waiting.asked_found_q )
                                            || (any_slot_q == \u_dut.u_waiting.look_q && \u_dut.u_waiting.found_q )))));
    unit_queue: assert (4'(\u_dut.u_waiting.u_hints.count_q ) + 4'(\u_dut.u_waiting.u_hints.mid_valid_q )
                        + 4'(\u_dut.u_waiting.hint_valid ) <= 4'(QueueDepth)
                        && PtrWidth'(\u_dut.u_waiting.u_hints.write_ptr_q - \u_dut.u_waiting.u_hints.read_ptr_q )
                           == PtrWidth'(\u_dut.u_waiting.u_hints.count_q )
                        && \u_dut.u_waiting.left_q <= (SlotWidth+1)'(4));
    unit_rows_queue: assert (4'(\u_dut.gen_rows.u_rows.u_waiting.u_hints.count_q ) + 4'(\u_dut.gen_rows.u_rows.u_waiting.u_hints.mid_valid_q )
                             + 4'(\u_dut.gen_rows.u_rows.u_waiting.hint_valid ) <= 4'd2);
    unit_none_lost: assert (clearing || clears || !waits_q || uncounted != 3'(its_count) || hinted || to_look || b_offer_q);
    // Shown once.
    unit_waits: assert (due_q == waits_q && (!waits_q || region.trigger));
    if (past_q) begin
      unit_shown: assert (shows == offered_q);
    end
    unit_quiet: assert (busy || clearing || (inside == '0 && uncounted_q == '0 && (!due_q || done_valid)));
    cover_shown: cover (shows && armed_q == WideWidth'(Most));
    cover_two_uncounted: cover (uncounted_q == 3'd2);
    cover_looked_for: cover (waits_q && uncounted == '0 && !hinted && to_look);
    cover_quiet: cover (!busy && counts && came_q != '0);
    cover_waits_while_another_is_shown: cover (!busy && due_q);
  end
endmodule
