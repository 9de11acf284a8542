// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_router with t3_join: of any key, the bytes that left the lanes are those that the key's bank
/// was given and those inside; nothing else reaches a bank; a lane that asks waits for at most
/// NumLanes - 1 grants of its bank, and a bank that has room grants.
///
/// Assumed: the bank of an update is a function of its key; weights are 1 to 2^(WeightWidth-1).
module formal_router #(
  parameter int NumLanes = 4,
  parameter int NumBanks = 2,
  parameter int KeyWidth = 2,
  parameter int WeightWidth = 4,
  localparam int SumWidth = WeightWidth + $clog2(NumLanes)
) (
  input logic                          clk_i,
  input logic [NumLanes-1:0]           valid_i,
  input logic [NumLanes*KeyWidth-1:0]  key_i,
  input logic [NumLanes*WeightWidth-1:0] weight_i,
  input logic [NumBanks-1:0]           pop_i
);
  `T3_FORMAL_RESET
  localparam int Most = 1 << (WeightWidth - 1);
  logic [NumLanes-1:0] pop;
  logic [NumLanes-1:0] bank;
  logic [NumBanks-1:0] valid;
  logic [NumBanks*KeyWidth-1:0] key;
  logic [NumBanks*SumWidth-1:0] weight;
  logic work;

  (* hierconn *) wire [NumBanks-1:0] \u_dut.r1_valid_q ;
  (* hierconn *) wire [NumBanks*NumLanes-1:0] \u_dut.r1_mask_q ;
  (* hierconn *) wire [NumLanes*KeyWidth-1:0] \u_dut.r1_key_q ;
  (* hierconn *) wire [NumLanes*WeightWidth-1:0] \u_dut.r1_weight_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.gen_turns[0].u_turns.after_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.gen_turns[1].u_turns.after_q ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.full ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.waiting ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.grant ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.candidate ;
  (* hierconn *) wire [KeyWidth-1:0] \u_dut.gen_bank[0].tail_key_q ;
  (* hierconn *) wire [KeyWidth-1:0] \u_dut.gen_bank[1].tail_key_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.gen_bank[0].tail_weight_q ;
  (* hierconn *) wire [SumWidth-1:0] \u_dut.gen_bank[1].tail_weight_q ;

  t3_router #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .KeyWidth(KeyWidth), .WeightWidth(WeightWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .valid_i, .pop_o(pop), .bank_i(bank), .key_i, .weight_i,
    .valid_o(valid), .pop_i, .key_o(key), .weight_o(weight),
    .work_o(work)
  );

  logic [NumBanks*NumLanes-1:0] after;
  assign after = {\u_dut.gen_turns[1].u_turns.after_q , \u_dut.gen_turns[0].u_turns.after_q };

  // The key watched, and its bank.
  (* anyconst *) logic [KeyWidth-1:0] x;
  logic b;
  assign b = x[0];

  logic [SumWidth-1:0] arrives, leaves, held;
  logic [SumWidth+1:0] inside_q, r1;
  logic [KeyWidth-1:0] head_key, tail_key;
  logic [SumWidth-1:0] head_weight, tail_weight;
  logic keys_right, masks_right;
  assign head_key = key[b*KeyWidth +: KeyWidth];
  assign head_weight = weight[b*SumWidth +: SumWidth];
  assign tail_key = b ? \u_dut.gen_bank[1].tail_key_q : \u_dut.gen_bank[0].tail_key_q ;
  assign tail_weight = b ? \u_dut.gen_bank[1].tail_weight_q : \u_dut.gen_bank[0].tail_weight_q ;

  always_comb begin
    arrives = '0;
    r1 = '0;
    keys_right = 1'b1;
    masks_right = (\u_dut.r1_mask_q [0 +: NumLanes] & \u_dut.r1_mask_q [NumLanes +: NumLanes]) == '0
                  || \u_dut.r1_valid_q != '1;
    for (int l = 0; l < NumLanes; l++) begin
      bank[l] = key_i[l*KeyWidth];
      assume (!valid_i[l] || (weight_i[l*WeightWidth +: WeightWidth] != '0 && weight_i[l*WeightWidth +: WeightWidth] <= WeightWidth'(Most)));
      if (pop[l] && key_i[l*KeyWidth +: KeyWidth] == x) arrives = arrives + weight_i[l*WeightWidth +: WeightWidth];
      if (\u_dut.r1_valid_q [b] && \u_dut.r1_mask_q [b*NumLanes + l]
          && \u_dut.r1_key_q [l*KeyWidth +: KeyWidth] == x)
        r1 = r1 + \u_dut.r1_weight_q [l*WeightWidth +: WeightWidth];
      for (int c = 0; c < NumBanks; c++) begin
        if (\u_dut.r1_valid_q [c] && \u_dut.r1_mask_q [c*NumLanes + l]) begin
          if (\u_dut.r1_key_q [l*KeyWidth] != c[0]
              || \u_dut.r1_weight_q [l*WeightWidth +: WeightWidth] > WeightWidth'(Most)) keys_right = 1'b0;
          for (int m = 0; m < NumLanes; m++) begin
            if (\u_dut.r1_mask_q [c*NumLanes + m]
                && \u_dut.r1_key_q [m*KeyWidth +: KeyWidth] != \u_dut.r1_key_q [l*KeyWidth +: KeyWidth])
              keys_right = 1'b0;
          end
        end
      end
    end
    for (int c = 0; c < NumBanks; c++) begin
      assume (!pop_i[c] || valid[c]);
      if (\u_dut.r1_valid_q [c] && \u_dut.r1_mask_q [c*NumLanes +: NumLanes] == '0)
        masks_right = 1'b0;
    end
    leaves = (pop_i[b] && head_key == x) ? head_weight : '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_q) inside_q <= '0;
    else inside_q <= inside_q + arrives - leaves;
  end

  // A lane that asks, how many grants its bank has given to others, and how far its turn is away.
  (* anyconst *) logic [1:0] who;
  logic [2:0] waited_q;
  logic [1:0] next, distance;
  logic its_bank, asks, asked_q, its_bank_q;
  assign its_bank = bank[who];
  assign asks = \u_dut.candidate [who];
  always_comb begin
    next = '0;
    for (int i = NumLanes - 1; i >= 0; i--) if (after[its_bank*NumLanes + i]) next = 2'(i);
    distance = who - next;
    // A head stays until it is popped (proof lanes).
    assume (!asked_q || (valid_i[who] && its_bank == its_bank_q));
  end
  always_ff @(posedge clk_i) begin
    asked_q <= rst_q && asks && !pop[who];
    its_bank_q <= its_bank;
    if (!rst_q || !asks || pop[who]) waited_q <= '0;
    else if (\u_dut.grant [its_bank]) waited_q <= waited_q + 3'd1;
  end

  logic thermometers;
  always_comb begin
    thermometers = 1'b1;
    for (int c = 0; c < NumBanks; c++) begin
      if ((~after[c*NumLanes +: NumLanes]
           & (~after[c*NumLanes +: NumLanes] + NumLanes'(1))) != '0) thermometers = 1'b0;
    end
  end

  // An update on its way to an empty bank.
  logic first_q, second_q;
  always_ff @(posedge clk_i) begin
    first_q <= rst_q && arrives != '0 && !valid[b] && !\u_dut.r1_valid_q [b];
    second_q <= rst_q && first_q;
  end

  always @(posedge clk_i) if (rst_q) begin
    router_keeps_weight: assert (inside_q
                                == r1 + ((valid[b] && head_key == x) ? head_weight : '0)
                                   + ((\u_dut.full [b] && tail_key == x) ? tail_weight : '0));
    router_queue: assert ((\u_dut.full & ~valid) == '0);
    router_keys: assert (keys_right && (!valid[b] || head_key[0] == b)
                         && (!\u_dut.full [b] || tail_key[0] == b));
    router_masks: assert (masks_right);
    router_pops_what_is_there: assert ((pop & ~valid_i) == '0);
    router_arbiters: assert (thermometers);
    router_fair: assert (!asks || (waited_q < 3'(NumLanes)
                                   && waited_q + 3'(distance) < 3'(NumLanes)));
    router_not_asked: assert (asks || waited_q == '0 || asked_q);
    router_keeps_asking: assert (!asked_q || asks);
    router_grants_when_free: assert (!asks || \u_dut.waiting [its_bank] || \u_dut.grant [its_bank]);
    router_in_two_cycles: assert (!second_q || (valid[b] && head_key == x));
    router_at_once: assert (!first_q || (r1 != '0 && !valid[b]));
    cover_all_lanes: cover (valid[b] && head_weight == SumWidth'(Most*NumLanes) && head_key == x);
    cover_backs_up: cover (\u_dut.waiting == '1 && valid_i != '0 && pop == '0);
    cover_waits_longest: cover (waited_q == 3'(NumLanes - 1));
  end
endmodule
