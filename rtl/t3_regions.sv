// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Counts the slots of each region that were done.
///
/// Promise: a completion counts in the cycle after that in which it is shown: `counted_o`, and `triggered_o` if it
/// triggers. `reached_o` is a pulse in that cycle for the region whose count becomes its target; and in the cycle after
/// `retarget_i`, in which a region that is not off has a new target, if that is not 0 and its count is there already, or
/// beyond. `restart_i` makes the count of a region 0, or 1 if one of its slots is done in that cycle.
/// `clear_i` makes all counts 0, and comes in the first cycle behind reset, too.
module t3_regions #(
  parameter int NumRegions = 8,
  parameter int NumSlots = 4096,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int DoneWidth = t3_pkg::DoneWidth
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  input  logic                            completed_i,
  input  logic [`T3_COMPLETION_BITS-1:0]       completion_i,
  /// Software writes the count, the target of region `restart_region_i`.
  input  logic                            restart_i,
  input  logic                            retarget_i,
  input  logic [RegionWidth-1:0]          restart_region_i,
  input  logic [NumRegions*DoneWidth-1:0] target_i,
  input  logic [NumRegions-1:0]           off_i,
  output logic [NumRegions*DoneWidth-1:0] done_o,
  output logic [NumRegions-1:0]           reached_o,
  output logic                            counted_o,
  output logic                            triggered_o,
  output logic                            work_o
);

  `T3_COMPLETION_T(completion_t);
  completion_t completion_q;
  logic [NumRegions*DoneWidth-1:0] next;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_counted
    if (!rst_ni) begin
      counted_o <= 1'b0;
    end else if (completed_i || counted_o) begin
      counted_o <= completed_i;
    end
  end

  always_ff @(posedge clk_i) begin : p_completion
    if (completed_i) completion_q <= completion_i;
  end
  assign triggered_o = counted_o && completion_q.triggers;

  // One region at a time: the one that has one more; the one whose target was written, if it is not off.
  logic retarget_q;
  logic [RegionWidth-1:0] retarget_region_q;
  logic [DoneWidth-1:0] one_more, its_target, new_target, new_done;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_retarget
    if (!rst_ni) begin
      retarget_q <= 1'b0;
    end else if (retarget_i || retarget_q) begin
      retarget_q <= retarget_i;
    end
  end

  always_ff @(posedge clk_i) begin : p_retarget_region
    if (retarget_i) retarget_region_q <= restart_region_i;
  end

  assign work_o = counted_o || retarget_q;

  // What a restart makes of it is chosen last: it comes late, from the decoding of a write.
  always_comb begin : p_next
    next = done_o;
    reached_o = '0;
    one_more = '0;
    its_target = '0;
    new_target = '0;
    new_done = '0;
    if (counted_o || restart_i || retarget_q) begin
      for (int r = 0; r < NumRegions; r++) begin
        if (completion_q.region == RegionWidth'(r)) begin
          one_more = one_more | done_o[r*DoneWidth +: DoneWidth];
          its_target = its_target | target_i[r*DoneWidth +: DoneWidth];
        end
        if (retarget_region_q == RegionWidth'(r)) begin
          new_done = new_done | done_o[r*DoneWidth +: DoneWidth];
          new_target = new_target | target_i[r*DoneWidth +: DoneWidth];
        end
      end
      one_more = one_more + DoneWidth'(1);
      for (int r = 0; r < NumRegions; r++) begin
        if (counted_o && completion_q.region == RegionWidth'(r)) begin
          next[r*DoneWidth +: DoneWidth] = one_more;
          reached_o[r] = one_more == its_target;
        end
        if (restart_i && restart_region_i == RegionWidth'(r)) begin
          next[r*DoneWidth +: DoneWidth] = DoneWidth'(counted_o && completion_q.region == RegionWidth'(r));
          reached_o[r] = counted_o && completion_q.region == RegionWidth'(r) && its_target == DoneWidth'(1);
        end
        if (retarget_q && retarget_region_q == RegionWidth'(r) && !off_i[r]
            && new_target != '0 && new_target <= new_done) begin
          reached_o[r] = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_done
    if (clear_i) begin
      done_o <= '0;
    end else if (counted_o || restart_i) begin
      done_o <= next;
    end
  end

  logic unused_slot;
  assign unused_slot = ^completion_q;

endmodule
