// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_regions, of any of 16 regions: docs/tracker.md, promise 6. Each completion counts once, in the region that it is of
/// and in no other: in COMPLETED (`counted_o`), in TRIGGERS if it triggers, and in its region's DONE, modulo 2^16; DONE =
/// TARGET is an event. A write to DONE makes it 0, or 1 if a slot of the region is done in that cycle. Targets change
/// at any time.
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
  input logic [NumRegions*DoneWidth-1:0] target_i
);
  `T3_FORMAL_RESET
  `T3_COMPLETION_T(completion_t);
  logic [NumRegions*DoneWidth-1:0] done;
  logic [NumRegions-1:0] reached;
  logic counted, triggered;
  t3_regions #(.NumRegions(NumRegions), .NumSlots(NumSlots)) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .completed_i, .completion_i, .target_i, .restart_i, .restart_region_i,
    .done_o(done), .reached_o(reached), .counted_o(counted), .triggered_o(triggered)
  );

  (* anyconst *) logic [RegionWidth-1:0] x;
  completion_t completion, completion_q;
  (* hierconn *) wire [`T3_COMPLETION_BITS-1:0] \u_dut.completion_q ;
  assign completion = completion_i;
  logic comes_q, its, restarts;
  logic [DoneWidth-1:0] done_q, next, target;
  assign its = comes_q && completion_q.region == x;
  assign restarts = restart_i && restart_region_i == x;
  assign next = (restarts ? '0 : done_q) + DoneWidth'(its);
  assign target = target_i[x*DoneWidth +: DoneWidth];
  always_ff @(posedge clk_i) begin
    comes_q <= rst_q && completed_i;
    completion_q <= completion;
    done_q <= (!rst_q || clear_i) ? '0 : next;
  end

  always @(posedge clk_i) if (rst_q) begin
    regions_kept: assert (!comes_q || \u_dut.completion_q == completion_q);
    regions_completed: assert (counted == comes_q);
    regions_triggers: assert (triggered == (comes_q && completion_q.triggers));
    regions_done: assert (done[x*DoneWidth +: DoneWidth] == done_q);
    regions_reached: assert (reached[x] == (its && next == target));
    cover_reached: cover (reached[x] && done_q == DoneWidth'(2));
    cover_restart: cover (its && restarts && done_q != '0);
  end
endmodule
