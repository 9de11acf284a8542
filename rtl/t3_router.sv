// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Takes updates from the lanes' queues to the banks, several lanes' updates of one tile at a time.
///
/// Promise: per cycle each bank takes the head of one lane, round robin over the lanes, and with
/// it the heads of all other lanes that carry the same key (region, workgroup, wavefront). A lane
/// stays in order. Latency from a lane's head to the bank is two cycles. A bank that is not ready
/// holds up only lanes whose next update is for it. All outputs are functions of registers.
///
///   heads ─► same-key matrix ─┐
///         └► per bank arbiter ┴► mask per bank │ R1 │ ─► add up the masked lanes ─► bank queue
///                               data per lane  │    │
///
/// Why: comparing every lane with every other is half as many comparators as comparing every lane
/// with every bank's choice, and keeps them off the arbiters' path. A popped update waits in R1,
/// one per lane, until its bank takes it; a lane whose R1 waits is not popped again.
module t3_router #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int KeyWidth = 24,
  parameter int GranWidth = 43,
  localparam int BankWidth = t3_pkg::index_width(NumBanks),
  localparam int BytesWidth = t3_pkg::BytesWidth,
  localparam int SumWidth = BytesWidth + $clog2(NumLanes)
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Heads of the lanes' queues.
  input  logic [NumLanes-1:0]            valid_i,
  output logic [NumLanes-1:0]            pop_o,
  input  logic [NumLanes*BankWidth-1:0]  bank_i,
  input  logic [NumLanes*KeyWidth-1:0]   key_i,
  input  logic [NumLanes*GranWidth-1:0]  gran_i,
  input  logic [NumLanes*BytesWidth-1:0] bytes_i,

  /// One combined update per bank.
  output logic [NumBanks-1:0]            valid_o,
  input  logic [NumBanks-1:0]            ready_i,
  output logic [NumBanks*KeyWidth-1:0]   key_o,
  output logic [NumBanks*GranWidth-1:0]  gran_o,
  output logic [NumBanks*SumWidth-1:0]   bytes_o,

  output logic active_o,
  output logic work_o
);

  logic [NumBanks-1:0] r1_valid_q;
  logic [NumBanks*NumLanes-1:0] r1_mask_q;
  logic [NumLanes*KeyWidth-1:0] r1_key;
  logic [NumLanes*GranWidth-1:0] r1_gran;
  logic [NumLanes*BytesWidth-1:0] r1_bytes;

  // Lanes whose R1 waits for its bank.
  logic [NumBanks-1:0] waiting;
  logic [NumLanes-1:0] held;

  always_comb begin : p_held
    waiting = r1_valid_q & ~ready_i;
    held = '0;
    if (waiting != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (waiting[b]) held = held | r1_mask_q[b*NumLanes +: NumLanes];
      end
    end
  end

  // Which heads ask for which bank, and which heads are of one tile.
  logic [NumLanes-1:0] candidate;
  logic [NumBanks*NumLanes-1:0] req;
  logic [NumLanes*NumLanes-1:0] same;

  always_comb begin : p_request
    candidate = valid_i & ~held;
    req = '0;
    same = '0;
    if (candidate != '0) begin
      for (int i = 0; i < NumLanes; i++) begin
        if (candidate[i]) begin
          req[32'(bank_i[i*BankWidth +: BankWidth])*NumLanes + i] =
              !waiting[bank_i[i*BankWidth +: BankWidth]];
          same[i*NumLanes + i] = 1'b1;
          for (int j = 0; j < NumLanes; j++) begin
            if (j < i && candidate[j] && key_i[i*KeyWidth +: KeyWidth] == key_i[j*KeyWidth +: KeyWidth])
            begin
              same[i*NumLanes + j] = 1'b1;
              same[j*NumLanes + i] = 1'b1;
            end
          end
        end
      end
    end
  end

  logic [NumBanks-1:0] grant_any;
  logic [NumBanks*NumLanes-1:0] mask;

  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic [NumLanes-1:0] bank_req, winner, partners;

    assign bank_req = req[b*NumLanes +: NumLanes];
    assign grant_any[b] = bank_req != '0;

    t3_arb_rr #(
      .Count(NumLanes)
    ) u_arb (
      .clk_i,
      .rst_ni,
      .req_i  (bank_req),
      .take_i (grant_any[b]),
      .grant_o(winner)
    );

    always_comb begin : p_partners
      partners = '0;
      if (grant_any[b]) begin
        for (int i = 0; i < NumLanes; i++) begin
          if (winner[i]) partners = partners | same[i*NumLanes +: NumLanes];
        end
      end
    end
    assign mask[b*NumLanes +: NumLanes] = partners;

    always_ff @(posedge clk_i) begin : p_mask
      if (grant_any[b]) r1_mask_q[b*NumLanes +: NumLanes] <= partners;
    end

    t3_combine #(
      .NumLanes (NumLanes),
      .KeyWidth (KeyWidth),
      .GranWidth(GranWidth)
    ) u_combine (
      .mask_i (r1_valid_q[b] ? r1_mask_q[b*NumLanes +: NumLanes] : '0),
      .key_i  (r1_key),
      .gran_i (r1_gran),
      .bytes_i(r1_bytes),
      .key_o  (key_o[b*KeyWidth +: KeyWidth]),
      .gran_o (gran_o[b*GranWidth +: GranWidth]),
      .bytes_o(bytes_o[b*SumWidth +: SumWidth])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_r1_valid
    if (!rst_ni) begin
      r1_valid_q <= '0;
    end else begin
      r1_valid_q <= grant_any | waiting;
    end
  end

  always_comb begin : p_pop
    pop_o = '0;
    if (grant_any != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (grant_any[b]) pop_o = pop_o | mask[b*NumLanes +: NumLanes];
      end
    end
  end

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    logic [KeyWidth-1:0] key_q;
    logic [GranWidth-1:0] gran_q;
    logic [BytesWidth-1:0] bytes_q;

    always_ff @(posedge clk_i) begin : p_r1
      if (pop_o[l]) begin
        key_q <= key_i[l*KeyWidth +: KeyWidth];
        gran_q <= gran_i[l*GranWidth +: GranWidth];
        bytes_q <= bytes_i[l*BytesWidth +: BytesWidth];
      end
    end

    assign r1_key[l*KeyWidth +: KeyWidth] = key_q;
    assign r1_gran[l*GranWidth +: GranWidth] = gran_q;
    assign r1_bytes[l*BytesWidth +: BytesWidth] = bytes_q;
  end

  assign valid_o = r1_valid_q;
  assign active_o = (r1_valid_q & ready_i) != '0 || grant_any != '0;
  assign work_o = r1_valid_q != '0;

endmodule
