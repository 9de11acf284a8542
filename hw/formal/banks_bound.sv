// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_banks: how long an update can stay in B1 of a bank, whatever the table holds, if a record request
/// is granted after at most Grant cycles, an answer comes after Answer and a completion is taken after
/// Take. An update that waits for none of these stays one cycle, and its completion is at the head in
/// the next. Every RAM read returns any value.
module formal_banks_bound #(
  parameter int Grant = 3,
  parameter int Answer = 4,
  parameter int Take = 2,
  localparam int KeyWidth = 6,
  localparam int GranWidth = 8
) (
  input logic                    clk_i,
  input logic [1:0]              valid_i,
  input logic [2*KeyWidth-1:0]   key_i,
  input logic [2*GranWidth-1:0]  gran_i,
  input logic [3:0]              bytes_i,
  input logic [1:0]              done_pop_i,
  input logic [1:0]              spill_gnt_i,
  input logic [1:0]              spill_rvalid_i,
  input logic [127:0]            spill_rdata_i,
  input logic [1:0]              park_i,
  input logic [1:0]              geo_i,
  input logic [13:0]             updates_i,
  input logic [31:0]             expected_i
);
  `T3_FORMAL_RESET
  // Run, Evict, Read, Wait, Take, Resume.
  localparam int Bound = 1 + (Grant + 1) + (Grant + 1) + (Answer + 1) + (Grant + 1) + (Take + 1);

  logic [1:0] pop, done_valid, req, write, live_up, live_down, spilling;
  logic bad_record, wrapped, wraps;
  logic [3:0] bad_record_id, wrapped_id;
  logic [2*(5+GranWidth)-1:0] done;
  logic [12:0] addr;
  logic [127:0] wdata;
  logic active, work;

  (* hierconn *) wire [1:0] \u_dut.b1_valid_q ;
  (* hierconn *) wire [1:0] \u_dut.evict_q ;
  (* hierconn *) wire [1:0] \u_dut.read_q ;
  (* hierconn *) wire [1:0] \u_dut.wait_q ;
  (* hierconn *) wire [1:0] \u_dut.take_q ;
  (* hierconn *) wire [1:0] \u_dut.resume_q ;
  (* hierconn *) wire [1:0] \u_dut.run ;
  (* hierconn *) wire [1:0] \u_dut.evicts ;
  (* hierconn *) wire [1:0] \u_dut.fills ;
  (* hierconn *) wire [1:0] \u_dut.completes ;
  (* hierconn *) wire [1:0] \u_dut.overruns ;
  (* hierconn *) wire [1:0] \u_dut.leave ;
  (* hierconn *) wire [1:0] \u_dut.done_full ;
  t3_banks #(
    .NumBanks(2), .SetsPerBank(2), .Ways(1), .WgWidth(2), .WfWidth(1), .AddrWidth(13), .CntWidth(2),
    .SumWidth(2), .NumRegions(1), .NumGeometries(1), .ParkWidth(1), .ParkedWidth(1)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i(1'b0), .clear_set_i('0), .clear_park_i('0), .valid_i,
    .pop_o(pop), .key_i, .gran_i, .bytes_i, .reg_park_i(park_i), .reg_geo_i(geo_i),
    .reg_updates_i(updates_i), .geo_expected_i(expected_i), .geo_spill_base_i('0),
    .geo_epoch_i('0), .done_valid_o(done_valid), .done_pop_i, .done_o(done), .spill_req_o(req),
    .spill_write_o(write), .spill_gnt_i, .spill_addr_o(addr), .spill_wraps_o(wraps), .spill_wdata_o(wdata),
    .spill_rvalid_i, .spill_rdata_i, .live_up_o(live_up), .live_down_o(live_down),
    .bad_record_o(bad_record), .bad_record_id_o(bad_record_id), .wrapped_o(wrapped),
    .wrapped_id_o(wrapped_id), .spilling_o(spilling), .active_o(active), .work_o(work)
  );

  // Bank 0. Cycles that its request, its read and the head of its completions have waited.
  logic [3:0] request_q, read_q, head_q;
  // Cycles that the update has been in B1, and of these it could leave but for the completions.
  logic [5:0] stays_q;
  logic [3:0] blocked_q;
  logic [1:0] asked_q;
  logic b1, evict, read, waits, take, resume, may_leave, past_q, popped_q, quick_q;
  assign b1 = \u_dut.b1_valid_q [0];
  assign evict = \u_dut.evict_q [0];
  assign read = \u_dut.read_q [0];
  assign waits = \u_dut.wait_q [0];
  assign take = \u_dut.take_q [0];
  assign resume = \u_dut.resume_q [0];
  assign may_leave = b1 && (resume || (\u_dut.run [0] && !\u_dut.evicts [0] && !\u_dut.fills [0]));

  always_comb begin
    assume ((spill_gnt_i & ~req) == '0 && spill_gnt_i != 2'b11);
    assume ((spill_rvalid_i & ~asked_q) == '0 && spill_rvalid_i != 2'b11);
    assume ((done_pop_i & ~done_valid) == '0);
    assume (request_q != 4'(Grant) || spill_gnt_i[0] || !req[0]);
    assume (read_q != 4'(Answer) || spill_rvalid_i[0] || !waits);
    assume (head_q != 4'(Take) || done_pop_i[0] || !done_valid[0]);
  end

  always_ff @(posedge clk_i) begin
    past_q <= rst_q;
    popped_q <= rst_q && pop[0] && !done_valid[0] && !(may_leave && (\u_dut.completes [0] || \u_dut.overruns [0]));
    quick_q <= rst_q && popped_q && b1 && may_leave && \u_dut.completes [0];
    if (!rst_q) begin
      {request_q, read_q, head_q} <= '0;
      stays_q <= '0;
      blocked_q <= '0;
      asked_q <= '0;
    end else begin
      asked_q <= (asked_q & ~spill_rvalid_i) | (spill_gnt_i & ~write);
      request_q <= (req[0] && !spill_gnt_i[0]) ? request_q + 4'd1 : '0;
      read_q <= (waits && !spill_rvalid_i[0]) ? read_q + 4'd1 : '0;
      head_q <= (done_valid[0] && !done_pop_i[0]) ? head_q + 4'd1 : '0;
      stays_q <= (b1 && !\u_dut.leave [0]) ? stays_q + 6'd1 : '0;
      blocked_q <= (may_leave && !\u_dut.leave [0]) ? blocked_q + 4'd1 : '0;
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    bound_states: assert (3'(evict) + 3'(read) + 3'(waits) + 3'(take) + 3'(resume) <= 3'(b1)
                          && ((\u_dut.evict_q | \u_dut.read_q | \u_dut.wait_q | \u_dut.take_q
                               | \u_dut.resume_q ) & ~\u_dut.b1_valid_q ) == '0
                          && asked_q == \u_dut.wait_q
                          && 3'(\u_dut.evict_q [1]) + 3'(\u_dut.read_q [1]) + 3'(\u_dut.wait_q [1])
                             + 3'(\u_dut.take_q [1]) + 3'(\u_dut.resume_q [1]) <= 3'd1);
    bound_waits: assert (request_q <= 4'(Grant) && read_q <= 4'(Answer) && head_q <= 4'(Take)
                         && (req[0] || request_q == '0) && (waits || read_q == '0)
                         && (done_valid[0] || (head_q == '0 && !\u_dut.done_full [0])));
    // While completions block it, their head waits; so not longer than that may.
    bound_blocked: assert (blocked_q == '0 || (may_leave && blocked_q <= (\u_dut.done_full [0]
                                                ? head_q : 4'(Take + 1))));
    bound_run: assert (evict || read || waits || take || resume || stays_q == 6'(blocked_q));
    bound_evict: assert (!evict || (stays_q <= 6'd1 + 6'(request_q) && blocked_q == '0));
    bound_read: assert (!read || (stays_q <= 6'(Grant + 2) + 6'(request_q) && blocked_q == '0));
    bound_wait: assert (!waits || (stays_q <= 6'(2*Grant + 3) + 6'(read_q) && blocked_q == '0));
    bound_take: assert (!take || (stays_q <= 6'(2*Grant + Answer + 4) + 6'(request_q)
                                  && blocked_q == '0));
    bound_resume: assert (!resume || stays_q <= 6'(3*Grant + Answer + 5) + 6'(blocked_q));
    // The promise: this many cycles, and never stuck.
    bound_leaves: assert (stays_q < 6'(Bound) + 6'd1);
    bound_at_once: assert (!popped_q || !may_leave || \u_dut.leave [0]);
    bound_two_cycles: assert (!quick_q || done_valid[0]);
    cover_longest: cover (stays_q >= 6'(3*Grant + Answer + 4) && may_leave);
    cover_blocked: cover (blocked_q == 4'(Take));
    cover_quick: cover (quick_q);
  end
endmodule
