// SPDX-License-Identifier: Apache-2.0
/// Counts the slots of each region that were done.
///
/// Promise: a completion counts in the cycle in which it is shown. `reached_o` is a pulse in that cycle for the
/// region whose count becomes its target. `restart_i` makes the count of a region 0, or 1 if one of its slots is done in
/// that cycle.
module t3_regions #(
  parameter int NumRegions = 8,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int DoneWidth = t3_pkg::DoneWidth
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  input  logic                            completed_i,
  input  logic [RegionWidth-1:0]          region_i,
  input  logic                            restart_i,
  input  logic [RegionWidth-1:0]          restart_region_i,
  input  logic [NumRegions*DoneWidth-1:0] target_i,
  output logic [NumRegions*DoneWidth-1:0] done_o,
  output logic [NumRegions-1:0]           reached_o
);

  logic [NumRegions*DoneWidth-1:0] next;

  // What a restart makes of it is chosen last: it comes late, from the decoding of a write.
  logic [DoneWidth-1:0] one_more;
  always_comb begin : p_next
    next = done_o;
    reached_o = '0;
    one_more = '0;
    if (completed_i || restart_i) begin
      for (int r = 0; r < NumRegions; r++) begin
        if (completed_i && region_i == RegionWidth'(r)) begin
          one_more = done_o[r*DoneWidth +: DoneWidth] + DoneWidth'(1);
          next[r*DoneWidth +: DoneWidth] = one_more;
          reached_o[r] = one_more == target_i[r*DoneWidth +: DoneWidth];
        end
        if (restart_i && restart_region_i == RegionWidth'(r)) begin
          next[r*DoneWidth +: DoneWidth] = DoneWidth'(completed_i && region_i == RegionWidth'(r));
          reached_o[r] = completed_i && region_i == RegionWidth'(r)
                         && target_i[r*DoneWidth +: DoneWidth] == DoneWidth'(1);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_done
    if (!rst_ni) begin
      done_o <= '0;
    end else if (clear_i) begin
      done_o <= '0;
    end else if (completed_i || restart_i) begin
      done_o <= next;
    end
  end

endmodule
