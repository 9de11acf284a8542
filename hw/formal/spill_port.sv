// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_spill_port: every request granted leaves once, unchanged and stable; answers go to their bank;
/// nobody waits for more than all others.
module formal_spill_port #(
  parameter int NumBanks = 4,
  parameter int AddrWidth = 12
) (
  input logic                 clk_i,
  input logic [NumBanks-1:0]  req_i,
  input logic [NumBanks-1:0]  write_i,
  input logic [AddrWidth-1:0] addr_i,
  input logic [127:0]         wdata_i,
  input logic                 mem_ready_i,
  input logic                 mem_rvalid_i,
  input logic [1:0]           mem_rid_i,
  input logic [127:0]         mem_rdata_i
);
  `T3_FORMAL_RESET
  logic [NumBanks-1:0] gnt, rvalid;
  logic [127:0] rdata, wdata;
  logic valid, write, rready, evicted, filled, active, work;
  logic [AddrWidth-1:0] addr;
  logic [1:0] id;
  (* hierconn *) wire [NumBanks-1:0] \u_dut.u_arb.after_q ;
  t3_spill_port #(
    .NumBanks(NumBanks), .AddrWidth(AddrWidth)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .req_i, .gnt_o(gnt), .write_i, .addr_i, .wdata_i, .rvalid_o(rvalid),
    .rdata_o(rdata), .mem_valid_o(valid), .mem_ready_i, .mem_write_o(write), .mem_addr_o(addr),
    .mem_id_o(id), .mem_wdata_o(wdata), .mem_rvalid_i, .mem_rready_o(rready), .mem_rid_i,
    .mem_rdata_i, .evicted_o(evicted), .filled_o(filled), .active_o(active), .work_o(work)
  );

  logic past_q, owed_q, owed_write_q, granted_q, granted_write_q, waits_q, answered_q;
  logic [AddrWidth-1:0] owed_addr_q, addr_q;
  logic [1:0] owed_id_q, id_q, rid_q;
  logic [127:0] owed_data_q, data_q, rdata_q;
  logic write_q;
  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    granted_q <= gnt != '0;
    granted_write_q <= (gnt & write_i) != '0;
    waits_q <= valid && !mem_ready_i;
    addr_q <= addr;
    id_q <= id;
    data_q <= wdata;
    write_q <= write;
    answered_q <= mem_rvalid_i && rready;
    rid_q <= mem_rid_i;
    rdata_q <= mem_rdata_i;
    if (!rst_q) begin
      owed_q <= 1'b0;
    end else if (gnt != '0) begin
      owed_q <= 1'b1;
      owed_write_q <= (gnt & write_i) != '0;
      owed_addr_q <= addr_i;
      owed_data_q <= wdata_i;
      for (int b = 0; b < NumBanks; b++) if (gnt[b]) owed_id_q <= 2'(b);
    end else if (mem_ready_i) begin
      owed_q <= 1'b0;
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
    spill_grants_when_free: assert (req_i == '0 || (valid && !mem_ready_i) || gnt != '0);
    spill_owed: assert (valid == owed_q);
    spill_request: assert (!valid || (write == owed_write_q && addr == owed_addr_q
                                      && id == owed_id_q && (!write || wdata == owed_data_q)));
    spill_mask: assert ((~\u_dut.u_arb.after_q & (~\u_dut.u_arb.after_q + NumBanks'(1))) == '0);
    spill_fair: assert (waited_q < 4'(NumBanks) && waited_q + 4'(distance) < 4'(NumBanks));
    spill_takes_answers: assert (rready);
    if (past_q) begin
      spill_stable: assert (!waits_q || (valid && write == write_q && addr == addr_q && id == id_q
                                         && wdata == data_q));
      spill_pulses: assert (evicted == (granted_q && granted_write_q)
                            && filled == (granted_q && !granted_write_q));
      spill_answer: assert (rvalid == (answered_q ? NumBanks'(1) << rid_q : '0));
      spill_answer_data: assert (!answered_q || rdata == rdata_q);
    end
    cover_back_to_back: cover (granted_q && gnt != '0 && valid && mem_ready_i && write);
    cover_waits_longest: cover (waited_q == 4'd3);
  end
endmodule
