// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_spill_port: every request granted leaves once, in order, unchanged and stable. Whether one is
/// granted depends on the requests that wait, not on `mem_ready_i`. Answers go to their bank, if the
/// memory has a read of it that is not answered; others are reported. A request whose address wrapped
/// is never shown to the memory, and a read of it is answered with zeros; nothing waits behind it for
/// the memory. A bank waits for at most one grant of each other bank.
module formal_spill_port #(
  parameter int NumBanks = 4,
  parameter int AddrWidth = 12
) (
  input logic                 clk_i,
  input logic [NumBanks-1:0]  req_i,
  input logic [NumBanks-1:0]  write_i,
  input logic [AddrWidth-1:0] addr_i,
  input logic [127:0]         wdata_i,
  input logic                 wraps_i,
  input logic                 mem_ready_i,
  input logic                 mem_rvalid_i,
  input logic [1:0]           mem_rid_i,
  input logic [127:0]         mem_rdata_i
);
  `T3_FORMAL_RESET
  logic [NumBanks-1:0] gnt, rvalid;
  logic [127:0] rdata, wdata;
  logic valid, write, rready, evicted, filled, unasked, active, work;
  logic [1:0] unasked_bank;
  logic [AddrWidth-1:0] addr;
  logic [1:0] id;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_arb.after_q ;
  (* hierconn *) wire \u_dut.valid ;
  (* hierconn *) wire \u_dut.full ;
  (* hierconn *) wire [2+2+AddrWidth+128-1:0] \u_dut.head_q ;
  (* hierconn *) wire [2+2+AddrWidth+128-1:0] \u_dut.tail_q ;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.asked_q ;
  t3_spill_port #(
    .NumBanks(NumBanks), .AddrWidth(AddrWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .req_i, .gnt_o(gnt), .write_i, .addr_i, .wdata_i, .wraps_i, .rvalid_o(rvalid),
    .rdata_o(rdata), .mem_valid_o(valid), .mem_ready_i, .mem_write_o(write), .mem_addr_o(addr),
    .mem_id_o(id), .mem_wdata_o(wdata), .mem_rvalid_i, .mem_rready_o(rready), .mem_rid_i,
    .mem_rdata_i, .evicted_o(evicted), .filled_o(filled), .unasked_o(unasked), .unasked_bank_o(unasked_bank), .active_o(active), .work_o(work)
  );

  // Requests granted that are still inside, oldest first: {wraps, write, bank, address, record}.
  localparam int RequestWidth = 2 + 2 + AddrWidth + 128;
  logic [1:0] owed_q, left;
  logic [RequestWidth-1:0] request, granted, first_q, second_q, request_q;
  logic past_q, granted_q, granted_write_q, granted_live_q, waits_q, answered_q, lost_q, unasked_q;
  logic [1:0] rid_q, unasked_rid_q;
  logic [127:0] rdata_q;
  logic wraps, answers, leaves, lost;
  assign request = {wraps, write, id, addr, wdata};
  assign wraps = owed_q != '0 && first_q[RequestWidth-1];
  // The memory has reads of these banks.
  logic [NumBanks-1:0] asked_q;
  assign answers = mem_rvalid_i && rready && asked_q[mem_rid_i];
  assign lost = wraps && !first_q[RequestWidth-2] && !answers;
  assign leaves = wraps ? first_q[RequestWidth-2] || !answers : valid && mem_ready_i;
  assign left = owed_q - 2'(leaves);
  always_comb begin
    granted = {wraps_i, (gnt & write_i) != '0, 2'd0, addr_i, (gnt & write_i) != '0 ? wdata_i : 128'd0};
    for (int b = 0; b < NumBanks; b++) if (gnt[b]) granted[AddrWidth+128 +: 2] = 2'(b);
  end

  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    granted_q <= gnt != '0 && !wraps_i;
    granted_write_q <= (gnt & write_i) != '0;
    granted_live_q <= wdata_i[83];
    lost_q <= rst_q && lost;
    unasked_rid_q <= mem_rid_i;
    unasked_q <= rst_q && mem_rvalid_i && !answers;
    waits_q <= valid && !mem_ready_i;
    request_q <= request;
    answered_q <= answers || lost;
    rid_q <= lost ? id : mem_rid_i;
    rdata_q <= lost ? '0 : mem_rdata_i;
    if (!rst_q) begin
      owed_q <= '0;
      asked_q <= '0;
    end else begin
      if (answers) asked_q[mem_rid_i] <= 1'b0;
      if (valid && mem_ready_i && !write) asked_q[id] <= 1'b1;
      owed_q <= left + 2'(gnt != '0);
      if (leaves) first_q <= second_q;
      if (gnt != '0) begin
        if (left == 2'd0) first_q <= granted;
        else second_q <= granted;
      end
    end
  end

  (* anyconst *) logic [1:0] who;
  logic [3:0] waited_q;
  logic [1:0] next, distance;
  always_comb begin
    next = '0;
    for (int i = NumBanks - 1; i >= 0; i--) if (\u_dut.u_arb.after_q [i]) next = 2'(i);
    distance = who - next;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_q || !req_i[who] || gnt[who]) waited_q <= '0;
    else if (gnt != '0) waited_q <= waited_q + 4'd1;
  end

  always @(posedge clk_i) if (rst_q) begin
    spill_one_grant: assert ((gnt & (gnt - NumBanks'(1))) == '0 && (gnt & ~req_i) == '0);
    spill_grants_with_room: assert ((gnt != '0) == (req_i != '0 && owed_q != 2'd2));
    spill_owed: assert (owed_q <= 2'd2 && \u_dut.valid == (owed_q != '0) && valid == (owed_q != 2'd0 && !wraps)
                        && \u_dut.full == (owed_q == 2'd2));
    spill_request: assert (owed_q == '0 || (request == first_q && \u_dut.head_q == first_q));
    spill_asked: assert (\u_dut.asked_q == asked_q);
    spill_second: assert (owed_q != 2'd2 || \u_dut.tail_q == second_q);
    spill_mask: assert ((~\u_dut.u_arb.after_q & (~\u_dut.u_arb.after_q + NumBanks'(1))) == '0);
    spill_fair: assert (waited_q < 4'(NumBanks) && waited_q + 4'(distance) < 4'(NumBanks));
    spill_takes_answers: assert (rready);
    if (past_q) begin
      spill_stable: assert (!waits_q || (valid && request == request_q));
      spill_pulses: assert (evicted == (granted_q && granted_write_q && granted_live_q)
                            && filled == (granted_q && !granted_write_q));
      spill_answer: assert (rvalid == (answered_q ? NumBanks'(1) << rid_q : '0));
      spill_answer_data: assert (!answered_q || rdata == rdata_q);
      spill_unasked: assert (unasked == unasked_q && (!unasked || unasked_bank == unasked_rid_q));
      spill_lost: assert (!lost_q || (rvalid != '0 && rdata == '0));
    end
    cover_back_to_back: cover (granted_q && gnt != '0 && valid && mem_ready_i && write);
    cover_two_wait: cover (owed_q == 2'd2 && waits_q && mem_ready_i && req_i != '0);
    cover_lost_behind_an_answer: cover (wraps && !first_q[RequestWidth-2] && answers);
    cover_unasked: cover (unasked && owed_q == 2'd2);
    cover_waits_longest: cover (waited_q == 4'd3);
  end
endmodule
