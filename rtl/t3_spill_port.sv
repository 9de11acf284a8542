// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// The banks' one port to the spill records in memory.
///
/// Promise: one request per cycle, round robin over the banks; each bank's requests leave in its
/// order. Two requests that the memory has not taken wait here; request outputs are registers and
/// stay until `mem_ready_i`. An answer reaches its bank in the cycle after it arrived; answers are
/// always taken, because a bank has at most one read outstanding and waits for it. One that no bank
/// has asked for goes no further and is reported. A request whose address passed the end of the
/// address space is not made: its record is lost, and a read of it is answered with zeros.
///
///   banks ─► round robin ─► queue of two requests ─► mem_*
///   banks ◄─ by id ◄────── answer register ◄─────── mem_r*
///
/// Why two places: so a grant depends on registers only. With one place it would depend on
/// `mem_ready_i`, which would come before the longest path: grant, the bank's record, address.
module t3_spill_port #(
  parameter int NumBanks = 8,
  parameter int AddrWidth = 48,
  localparam int BankWidth = t3_pkg::index_width(NumBanks)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [NumBanks-1:0]                     req_i,
  output logic [NumBanks-1:0]                     gnt_o,
  input  logic [NumBanks-1:0]                     write_i,
  /// Of the granted bank, in the cycle of its grant.
  input  logic [AddrWidth-1:0]                    addr_i,
  input  logic                                    wraps_i,
  input  logic [t3_pkg::RecordWidth-1:0]          wdata_i,
  output logic [NumBanks-1:0]                     rvalid_o,
  output logic [t3_pkg::RecordWidth-1:0]          rdata_o,

  output logic                           mem_valid_o,
  input  logic                           mem_ready_i,
  output logic                           mem_write_o,
  output logic [AddrWidth-1:0]           mem_addr_o,
  output logic [BankWidth-1:0]           mem_id_o,
  output logic [t3_pkg::RecordWidth-1:0] mem_wdata_o,
  input  logic                           mem_rvalid_i,
  output logic                           mem_rready_o,
  input  logic [BankWidth-1:0]           mem_rid_i,
  input  logic [t3_pkg::RecordWidth-1:0] mem_rdata_i,

  /// Pulses: the write of a live record, the read of a record was granted.
  output logic evicted_o,
  output logic filled_o,
  /// Pulse: an answer for bank `unasked_bank_o`, which did not ask.
  output logic                 unasked_o,
  output logic [BankWidth-1:0] unasked_bank_o,

  output logic active_o,
  output logic work_o
);

  localparam int RequestWidth = 2 + BankWidth + AddrWidth + t3_pkg::RecordWidth;

  logic valid, full, take, pop, to_head, to_tail, shift;
  logic evicted_q, filled_q;
  logic [NumBanks-1:0] winner;
  logic [BankWidth-1:0] winner_id;
  logic writes;
  // {wraps, write, bank, address, record}
  logic [RequestWidth-1:0] request, head_q, tail_q;
  logic wraps, answer, lost;

  assign take = req_i != '0 && !full;
  // A lost read takes the place of an answer.
  assign lost = valid && wraps && !mem_write_o && !answer;
  assign pop = valid && (wraps ? mem_write_o || !answer : mem_ready_i);

  t3_arb_rr #(
    .Count(NumBanks)
  ) u_arb (
    .clk_i,
    .rst_ni,
    .req_i,
    .take_i (take),
    .grant_o(winner)
  );
  assign gnt_o = take ? winner : '0;

  t3_queue2_ctrl #(
    .Count(1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .push_i   (take),
    .pop_i    (pop),
    .valid_o  (valid),
    .full_o   (full),
    .to_head_o(to_head),
    .to_tail_o(to_tail),
    .shift_o  (shift)
  );

  always_comb begin : p_take
    writes = 1'b0;
    winner_id = '0;
    request = '0;
    if (take) begin
      writes = (winner & write_i) != '0;
      for (int b = 0; b < NumBanks; b++) begin
        if (winner[b]) winner_id = winner_id | BankWidth'(b);
      end
      request = {wraps_i, writes, winner_id, addr_i, writes ? wdata_i : t3_pkg::RecordWidth'(0)};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_request
    if (!rst_ni) begin
      evicted_q <= 1'b0;
      filled_q <= 1'b0;
      head_q <= '0;
    end else if (take || pop || evicted_q || filled_q) begin
      evicted_q <= take && writes && wdata_i[t3_pkg::RecordLiveLsb] && !wraps_i;
      filled_q <= take && !writes && !wraps_i;
      if (shift) head_q <= tail_q;
      else if (to_head) head_q <= request;
    end
  end

  always_ff @(posedge clk_i) begin : p_second
    if (to_tail) tail_q <= request;
  end

  logic rvalid_q, unasked_q;
  logic [NumBanks-1:0] asked_q, asks, answers;  // reads that the memory has, and has not answered
  logic [BankWidth-1:0] rid_q, unasked_bank_q;
  logic [t3_pkg::RecordWidth-1:0] rdata_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_answer_valid
    if (!rst_ni) begin
      rvalid_q <= 1'b0;
      unasked_q <= 1'b0;
      asked_q <= '0;
    end else begin
      rvalid_q <= answer || lost;
      unasked_q <= mem_rvalid_i && !answer;
      if ((asks | answers) != '0) asked_q <= (asked_q & ~answers) | asks;
    end
  end

  always_ff @(posedge clk_i) begin : p_answer
    if (mem_rvalid_i) unasked_bank_q <= mem_rid_i;
    if (mem_rvalid_i || lost) begin
      rid_q <= lost ? mem_id_o : mem_rid_i;
      rdata_q <= lost ? '0 : mem_rdata_i;
    end
  end

  assign answer = mem_rvalid_i && asked_q[mem_rid_i];

  always_comb begin : p_asked
    asks = '0;
    answers = '0;
    if (mem_valid_o && mem_ready_i && !mem_write_o) asks[mem_id_o] = 1'b1;
    if (answer) answers[mem_rid_i] = 1'b1;
  end

  always_comb begin : p_rvalid
    rvalid_o = '0;
    if (rvalid_q) rvalid_o[rid_q] = 1'b1;
  end

  assign rdata_o = rdata_q;
  assign mem_valid_o = valid && !wraps;
  assign {wraps, mem_write_o, mem_id_o, mem_addr_o, mem_wdata_o} = head_q;
  assign mem_rready_o = 1'b1;
  assign evicted_o = evicted_q;
  assign filled_o = filled_q;
  assign unasked_o = unasked_q;
  assign unasked_bank_o = unasked_bank_q;

  assign active_o = take || rvalid_q || unasked_q || evicted_q || filled_q || (valid && wraps);
  assign work_o = valid || rvalid_q || unasked_q || evicted_q || filled_q;

  `T3_ASSERT(one_grant, !take || $onehot(winner))

endmodule
