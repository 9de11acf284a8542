// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Takes updates from the lanes' queues to the banks, those of one slot from several lanes at once.
///
/// Promise: per cycle each bank takes the head of one lane, round robin over the lanes, and with it the heads of
/// all other lanes that carry the same key (region and slot). A lane stays in order. An update that leaves its lane
/// in cycle 0 is at its bank's head in cycle 2 when the bank is empty. A bank that is behind holds up only lanes
/// whose next update is for it. All outputs to the banks are registers.
///
///   heads ─► same-key matrix ─┐
///         └► per bank arbiter ┴► mask per bank │ R1 │ ─► add up the masked lanes ─► bank queue (2)
///                               data per lane  │    │
///
/// Why: comparing every lane with every other is half as many comparators as comparing every lane
/// with every bank's choice, and keeps them off the arbiters' path. A popped update waits in R1,
/// one per lane, until its bank takes it; a lane whose R1 waits is not popped again.
module t3_router #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int KeyWidth = 15,
  parameter int WeightWidth = 8,
  localparam int BankWidth = $clog2(NumBanks),
  localparam int SumWidth = WeightWidth + $clog2(NumLanes),
  localparam int JoinedWidth = $clog2(NumLanes) + 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Heads of the lanes' queues.
  input  logic [NumLanes-1:0]            valid_i,
  output logic [NumLanes-1:0]            pop_o,
  input  logic [NumLanes*BankWidth-1:0]  bank_i,
  input  logic [NumLanes*KeyWidth-1:0]   key_i,
  input  logic [NumLanes*WeightWidth-1:0] weight_i,

  /// Heads of the banks' queues: combined updates, and of how many each is made.
  output logic [NumBanks-1:0]            valid_o,
  input  logic [NumBanks-1:0]            pop_i,
  output logic [NumBanks*KeyWidth-1:0]   key_o,
  output logic [NumBanks*SumWidth-1:0]   weight_o,
  output logic [NumBanks*JoinedWidth-1:0] joined_o,

  /// An update is inside.
  output logic work_o
);

  logic [NumBanks-1:0] r1_valid_q;
  logic [NumBanks*NumLanes-1:0] r1_mask_q;
  logic [NumLanes*KeyWidth-1:0] r1_key_q;
  logic [NumLanes*WeightWidth-1:0] r1_weight_q;

  // ---- R1 to the banks' queues ----------------------------------------------------------------
  logic [NumBanks-1:0] push, full, waiting;
  assign push = r1_valid_q & ~full;
  assign waiting = r1_valid_q & full;

  t3_queue2_ctrl #(.Count(NumBanks)) u_queues (
    .clk_i, .rst_ni,
    .push_i(push), .pop_i, .valid_o, .full_o(full)
  );

  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic [KeyWidth-1:0] key, tail_key_q;
    logic [SumWidth-1:0] weight, tail_weight_q;
    logic [JoinedWidth-1:0] joined, tail_joined_q;
    logic load_head;

    t3_join #(.NumLanes(NumLanes), .KeyWidth(KeyWidth), .WeightWidth(WeightWidth)) u_join (
      .en_i(push[b]), .mask_i(r1_mask_q[b*NumLanes +: NumLanes]), .key_i(r1_key_q), .weight_i(r1_weight_q), .key_o(key),
      .weight_o(weight)
    );

    assign joined = JoinedWidth'($countones(r1_mask_q[b*NumLanes +: NumLanes]));

    // Also where nothing comes, or goes to the head: then it is not valid.
    assign load_head = pop_i[b] || (push[b] && !valid_o[b]);
    always_ff @(posedge clk_i) begin : p_queue
      if (load_head) begin
        key_o[b*KeyWidth +: KeyWidth] <= full[b] ? tail_key_q : key;
        weight_o[b*SumWidth +: SumWidth] <= full[b] ? tail_weight_q : weight;
        joined_o[b*JoinedWidth +: JoinedWidth] <= full[b] ? tail_joined_q : joined;
      end
      if (push[b]) {tail_key_q, tail_weight_q, tail_joined_q} <= {key, weight, joined};
    end
  end

  // ---- lanes to R1 ----------------------------------------------------------------------------
  // Heads whose R1 is free, which bank each asks for, and which of them are of one slot.
  logic [NumLanes-1:0] held, candidate;
  logic [NumBanks*NumLanes-1:0] req, mask;
  logic [NumLanes*NumLanes-1:0] same;
  logic [NumBanks-1:0] grant;
  logic [NumBanks*NumLanes-1:0] winner;
  logic [NumLanes-1:0] won;

  always_comb begin : p_held
    held = '0;
    if (waiting != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (waiting[b]) held = held | r1_mask_q[b*NumLanes +: NumLanes];
      end
    end
  end
  assign candidate = valid_i & ~held;

  always_comb begin : p_ask
    req = '0;
    same = '0;
    if (candidate != '0) begin
      for (int i = 0; i < NumLanes; i++) begin
        for (int b = 0; b < NumBanks; b++) begin
          req[b*NumLanes + i] = candidate[i] && bank_i[i*BankWidth +: BankWidth] == BankWidth'(b) && !waiting[b];
        end
        same[i*NumLanes + i] = candidate[i];
        for (int j = 0; j < NumLanes; j++) begin
          if (j < i) begin
            same[i*NumLanes + j] = candidate[i] && candidate[j]
                                   && key_i[i*KeyWidth +: KeyWidth] == key_i[j*KeyWidth +: KeyWidth];
            same[j*NumLanes + i] = same[i*NumLanes + j];
          end
        end
      end
    end
  end

  for (genvar b = 0; b < NumBanks; b++) begin : gen_turns
    assign grant[b] = req[b*NumLanes +: NumLanes] != '0;
    t3_arb_rr #(.Count(NumLanes)) u_turns (
      .clk_i, .rst_ni,
      .req_i(req[b*NumLanes +: NumLanes]), .take_i(grant[b]), .grant_o(winner[b*NumLanes +: NumLanes])
    );
  end

  // A lane goes if one that won is of its slot; of one slot is of one bank.
  always_comb begin : p_take
    won = '0;
    pop_o = '0;
    mask = '0;
    if (grant != '0) begin
      for (int b = 0; b < NumBanks; b++) won = won | winner[b*NumLanes +: NumLanes];
      for (int i = 0; i < NumLanes; i++) pop_o[i] = (won & same[i*NumLanes +: NumLanes]) != '0;
      for (int b = 0; b < NumBanks; b++) begin
        for (int i = 0; i < NumLanes; i++) begin
          mask[b*NumLanes + i] = pop_o[i] && bank_i[i*BankWidth +: BankWidth] == BankWidth'(b);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_r1_valid
    if (!rst_ni) begin
      r1_valid_q <= '0;
    end else begin
      r1_valid_q <= grant | waiting;
    end
  end

  always_ff @(posedge clk_i) begin : p_r1
    if (grant != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (grant[b]) r1_mask_q[b*NumLanes +: NumLanes] <= mask[b*NumLanes +: NumLanes];
      end
      for (int l = 0; l < NumLanes; l++) begin
        if (pop_o[l]) begin
          r1_key_q[l*KeyWidth +: KeyWidth] <= key_i[l*KeyWidth +: KeyWidth];
          r1_weight_q[l*WeightWidth +: WeightWidth] <= weight_i[l*WeightWidth +: WeightWidth];
        end
      end
    end
  end

  assign work_o = (r1_valid_q | valid_o) != '0;

endmodule
