// SPDX-License-Identifier: Apache-2.0
// The body of a checker of the whole unit without its register file (`cut` in hw/formal/run), at the sizes that its
// localparams say. What the register file gives is anything that docs/tracker.md, "Software", allows: regions start,
// stop, stop being stopped and go off, settings change while a region is off, slots and rows are armed and read, fills and
// clears begin, in any cycle and under traffic.
//
// Assumed of software: nothing.

  `T3_WINDOW_T(window_t);
  `T3_REGION_T(region_t);
  `T3_REG2HW_T(reg2hw_t);
  `T3_WRITES_T(writes_t);
  `T3_HW2REG_T(hw2reg_t);
  `T3_ACCESS_T(access_t);
  `T3_ANSWER_T(answer_t);
  `T3_COUNTS_T(counts_t);
  `T3_ERROR_STATE_T(error_state_t);
  localparam int Most = 1 << (CountWidth - 1);
  localparam int MostWeight = 1 << (WeightWidth - 1);

  logic [NumLanes-1:0] lane_ready;
  logic done_valid, done_spoiled, rel_valid, rel_spoiled, irq, alert, busy;
  logic [SlotWidth-1:0] done_slot;
  logic [RowWidth-1:0] rel_row;

  t3_track_trigger #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth),
    .WeightWidth(WeightWidth), .CountWidth(CountWidth), .NumWindows(NumWindows), .NumRegions(NumRegions),
    .NumSlots(1 << SlotWidth), .NumRows(1 << RowWidth), .LaneDepth(2), .QueueDepth(QueueDepth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .lane_valid_i, .lane_ready_o(lane_ready), .lane_wg_i, .lane_wf_i, .lane_addr_i,
    .lane_weight_i, .done_valid_o(done_valid), .done_ready_i, .done_slot_o(done_slot), .done_spoiled_o(done_spoiled),
    .rel_valid_o(rel_valid), .rel_ready_i, .rel_row_o(rel_row), .rel_spoiled_o(rel_spoiled), .irq_o(irq), .alert_o(alert), .busy_o(busy)
  );

  (* hierconn *) wire [`T3_ACCESS_BITS-1:0] \u_dut.access ;
  (* hierconn *) wire [`T3_ANSWER_BITS-1:0] \u_dut.slot_answer ;
  (* hierconn *) wire [`T3_ANSWER_BITS-1:0] \u_dut.row_answer ;
  (* hierconn *) wire [`T3_REG2HW_BITS-1:0] \u_dut.reg2hw ;
  (* hierconn *) wire [`T3_WRITES_BITS-1:0] \u_dut.writes ;
  (* hierconn *) wire [`T3_COUNTS_BITS-1:0] \u_dut.counts ;
  (* hierconn *) wire [`T3_ERROR_STATE_BITS-1:0] \u_dut.error_state ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.filled_first ;
  (* hierconn *) wire [SlotWidth-1:0] \u_dut.filled_last ;
  (* hierconn *) wire \u_dut.filled_stopped ;
  (* hierconn *) wire \u_dut.walk_idle ;
  (* hierconn *) wire \u_dut.turn_on ;
  (* hierconn *) wire \u_dut.lanes_open ;
  (* hierconn *) wire \u_dut.work ;
  reg2hw_t reg2hw, reg2hw_q;
  writes_t writes;
  access_t access, access_q;
  answer_t slot_answer, row_answer;
  counts_t counts;
  error_state_t error_state;
  assign reg2hw = \u_dut.reg2hw ;
  assign writes = \u_dut.writes ;
  assign access = \u_dut.access ;
  assign slot_answer = \u_dut.slot_answer ;
  assign row_answer = \u_dut.row_answer ;
  assign counts = \u_dut.counts ;
  assign error_state = \u_dut.error_state ;

  logic wants, wants_q, walks, was_q, turn_on_q, state_write_q;
  logic [RegionWidth-1:0] index_q;
  assign wants = access.arm || access.look;
  assign walks = writes.ctrl_clear || writes.fill_write;
  always_ff @(posedge clk_i) begin
    was_q <= rst_q;
    turn_on_q <= rst_q && \u_dut.turn_on ;
    index_q <= writes.reg_write_index;
    state_write_q <= rst_q && writes.reg_state_write;
    wants_q <= rst_q && wants && !(access.row ? row_answer.done : slot_answer.done);
    access_q <= access;
    reg2hw_q <= reg2hw;
  end

  localparam int RegionBits = `T3_REGION_BITS;
  localparam int WindowBits = `T3_WINDOW_BITS;
  region_t now, past, filled;
  assign filled = reg2hw.regions[writes.fill_region[RegionWidth-1:0]*RegionBits +: RegionBits];
  logic [NumRegions-1:0] off, off_q, on, on_q, stopped, changed, frozen;
  logic [NumWindows-1:0] used_q;
  always_comb begin
    now = '0;
    past = '0;
    used_q = '0;
    for (int r = 0; r < NumRegions; r++) begin
      now = reg2hw.regions[r*RegionBits +: RegionBits];
      past = reg2hw_q.regions[r*RegionBits +: RegionBits];
      stopped[r] = now.stopped;
      on_q[r] = past.on && !past.stopped;
      changed[r] = {now.on, now.stopped} != {past.on, past.stopped};
      on[r] = now.on && !now.stopped;
      off[r] = !now.on && !now.stopped;
      off_q[r] = !past.on && !past.stopped;
      // The same but for state and target.
      {past.on, past.stopped, past.target} = {now.on, now.stopped, now.target};
      frozen[r] = now == past;
      if (!off_q[r]) used_q[past.window] = 1'b1;
    end
  end

  // What the register file lets through.
  always_comb begin
    assume (rst_q || !(lane_valid_i != '0 || walks || wants));
    assume (!(access.arm && access.look));
    assume (!wants_q || access == access_q);
    assume (!access.arm || access.row || access.value <= CountWidth'(Most));
    assume (!access.arm || !access.row
            || access.value[t3_pkg::RowCountWidth-1:0] <= t3_pkg::RowCountWidth'(1 << (t3_pkg::RowCountWidth - 1)));
    assume (!writes.fill_write || writes.fill_bytes[CountWidth-1:0] <= CountWidth'(Most));
    assume (!writes.fill_write || 32'(writes.fill_region) < NumRegions);
    assume (!writes.fill_write || {\u_dut.filled_first , \u_dut.filled_last , \u_dut.filled_stopped }
            == {filled.slot_first, filled.slot_last, filled.stopped});
    assume (!access.arm || (\u_dut.walk_idle && !walks));
    assume (!writes.fill_write || \u_dut.walk_idle );
    for (int r = 0; r < NumRegions; r++) begin
      assume (!writes.fill_write || 32'(writes.fill_region) != r || !on[r]);
      if (was_q && !off_q[r]) begin
        assume (frozen[r]);
      end
      // A write of REG_STATE changes one region.
      if (was_q) begin
        assume (!changed[r] || (32'(index_q) == r && state_write_q));
        assume ((on[r] && !on_q[r]) == (turn_on_q && 32'(index_q) == r));
      end
    end
    for (int w = 0; w < NumWindows; w++) begin
      if (was_q && used_q[w])
        assume (reg2hw.windows[w*WindowBits +: WindowBits] == reg2hw_q.windows[w*WindowBits +: WindowBits]);
    end
  end

  // What other proofs (lanes, router, slots) say of every reachable state: a queue with a tail has a head, and its
  // pointers say how many words it has; a bank's update is known beside it. Asserted, so that induction may use it.
  (* hierconn *) wire [NumLanes-1:0] \u_dut.head_valid ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.tail_valid_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.full_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.count_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.read_ptr_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.u_lanes.write_ptr_q ;
  (* hierconn *) wire [1:0] \u_dut.u_router.full ;
  (* hierconn *) wire [1:0] \u_dut.update_valid ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.b_update_q ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.done_valid ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.done_full ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.update_q ;
  (* hierconn *) wire [NumRegions-1:0] \u_dut.starting ;
  (* hierconn *) wire \u_dut.u_waiting.asked_sort_q ;
  (* hierconn *) wire \u_dut.gen_rows.u_rows.u_waiting.asked_sort_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.update_q ;
  // Nothing is left of a region that was turned on, or of a sort of hints.
  logic settled;
  assign settled = \u_dut.starting == '0 && !\u_dut.u_waiting.asked_sort_q && !\u_dut.gen_rows.u_rows.u_waiting.asked_sort_q ;
  always @(posedge clk_i) if (rst_q) begin
    whole_reachable: assert (\u_dut.u_lanes.tail_valid_q == \u_dut.u_lanes.count_q
                             && \u_dut.u_lanes.full_q == \u_dut.u_lanes.count_q
                             && \u_dut.u_lanes.read_ptr_q == '0 && \u_dut.u_lanes.write_ptr_q == '0
                             && (\u_dut.u_lanes.tail_valid_q & ~\u_dut.head_valid ) == '0
                             && (\u_dut.u_router.full & ~\u_dut.update_valid ) == '0
                             && (\u_dut.u_slots.done_full & ~\u_dut.u_slots.done_valid ) == '0
                             && (\u_dut.u_slots.done_full & \u_dut.u_slots.b_update_q ) == '0
                             && \u_dut.u_slots.b_update_q == {\u_dut.u_slots.gen_bank[1].u_bank.update_q ,
                                                               \u_dut.u_slots.gen_bank[0].u_bank.update_q });
  end
