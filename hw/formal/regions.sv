// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_regions, of any of 16 regions: docs/tracker.md, promise 6. Each completion counts once, in the region that it is of
/// and in no other: in COMPLETED (`counted_o`), in TRIGGERS if it triggers, and in its region's DONE, modulo 2^16; DONE =
/// TARGET is an event, and so is a write of TARGET, but 0, of a region that is not off, if DONE is there already or
/// beyond. A write to DONE makes it 0, or 1 if a slot of the region is done in that cycle.
///
/// Assumed: a target is written no later than in the cycle before the next write to DONE.
module formal_regions #(
  localparam int NumRegions = 16,
  localparam int NumSlots = 4,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int DoneWidth = t3_pkg::DoneWidth
) (
  input logic                            clk_i,
  input logic                            clear_i,
  input logic                            completed_i,
  input logic [`T3_COMPLETION_BITS-1:0]  completion_i,
  input logic                            restart_i,
  input logic [RegionWidth-1:0]          restart_region_i,
  input logic                            retarget_i,
  input logic [NumRegions-1:0]           off_i,
  input logic [NumRegions*DoneWidth-1:0] target_i
);
  `T3_FORMAL_RESET
  `T3_COMPLETION_T(completion_t);
  logic [NumRegions*DoneWidth-1:0] done;
  logic [NumRegions-1:0] reached;
  logic counted, triggered, work;
  t3_regions #(.NumRegions(NumRegions), .NumSlots(NumSlots)) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .completed_i, .completion_i, .target_i, .restart_i, .restart_region_i, .retarget_i, .off_i, .work_o(work),
    .done_o(done), .reached_o(reached), .counted_o(counted), .triggered_o(triggered)
  );

  (* anyconst *) logic [RegionWidth-1:0] x;
  completion_t completion, completion_q;
  (* hierconn *) wire \u_dut.retarget_q ;
  (* hierconn *) wire [RegionWidth-1:0] \u_dut.retarget_region_q ;
  (* hierconn *) wire [`T3_COMPLETION_BITS-1:0] \u_dut.completion_q ;
  assign completion = completion_i;
  logic comes_q, its, restarts, retargets_q, some_retarget_q;
  logic [DoneWidth-1:0] done_q, next, target;
  assign its = comes_q && completion_q.region == x;
  assign restarts = restart_i && restart_region_i == x;
  assign next = (restarts ? '0 : done_q) + DoneWidth'(its);
  assign target = target_i[x*DoneWidth +: DoneWidth];
  always_ff @(posedge clk_i) begin
    comes_q <= rst_q && completed_i;
    some_retarget_q <= rst_q && retarget_i;
    retargets_q <= rst_q && retarget_i && restart_region_i == x;
    completion_q <= completion;
    done_q <= (!rst_q || clear_i) ? '0 : next;
  end

  logic past_q;
  always_ff @(posedge clk_i) past_q <= rst_q;
  always_comb assume (!(some_retarget_q && restart_i) && (past_q || clear_i));  // clear_i: t3_track_trigger
  always @(posedge clk_i) if (rst_q && past_q) begin
    regions_kept: assert (!comes_q || \u_dut.completion_q == completion_q);
    regions_completed: assert (counted == comes_q);
    regions_triggers: assert (triggered == (comes_q && completion_q.triggers));
    regions_done: assert (done[x*DoneWidth +: DoneWidth] == done_q);
    regions_reached: assert (reached[x] == ((its && next == target)
                                            || (retargets_q && !off_i[x] && target != '0 && target <= done_q)));
    regions_retarget: assert (\u_dut.retarget_q == some_retarget_q
                              && (!some_retarget_q || (\u_dut.retarget_region_q == x) == retargets_q));
    regions_work: assert (work == (comes_q || some_retarget_q));
    cover_reached: cover (reached[x] && done_q == DoneWidth'(2));
    cover_retarget: cover (reached[x] && !its);
    cover_restart: cover (its && restarts && done_q != '0);
  end
endmodule
