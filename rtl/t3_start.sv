// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Turns a region on, behind everything that was taken before.
///
/// Promise: from the cycle after `turn_on_i`, in which the region's state says that it is on, no update goes on to a
/// region (`hold_o`), and what is inside of this region does not count (`starting_o`), until nothing is inside
/// (`inside_i`) and the hints of slots and rows that do not wait are dropped (`sort_o`, `sorting_i`). If nothing is
/// inside and no hint is out of date, that is no cycle at all. Another region may be turned on meanwhile.
///
///   Idle ──turn_on_i, something inside or stale──► Drain ──nothing inside──► Sort ──sorted──► Idle
///                                                     ▲──another one, stale again────┘
///
/// Why: a region's slots are armed anew before it is turned on. An update that was taken before it was stopped may still
/// stand in a lane whose bank is behind, and a slot that software made idle while it waited may still have a hint: the one
/// would count for the new kernel, the other let a slot leave before its turn. Waiting for both here needs no bit for
/// each of them.
module t3_start #(
  parameter int NumRegions = 8,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   turn_on_i,
  input  logic [RegionWidth-1:0] region_i,
  /// An update or a completion is inside; hints of slots or rows may be out of date.
  input  logic                   inside_i,
  input  logic                   stale_i,
  output logic                   sort_o,
  input  logic                   sorting_i,
  output logic                   hold_o,
  output logic [NumRegions-1:0]  starting_o,
  output logic                   work_o
);

  typedef enum logic [1:0] {
    Idle, Drain, Sort
  } state_t;

  state_t state_q;
  logic again_q, begins, ends;
  assign begins = turn_on_i && (inside_i || stale_i);
  // Sorted again only for a hint that has gone out of date since: no slot is done meanwhile, so that comes to an end.
  assign sort_o = state_q == Drain && !inside_i && !sorting_i;
  assign ends = state_q == Sort && !sorting_i && !again_q && !(turn_on_i && stale_i);
  assign hold_o = state_q != Idle;
  assign work_o = state_q != Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= Idle;
      again_q <= 1'b0;
      starting_o <= '0;
    end else if (begins || state_q != Idle) begin
      unique case (state_q)
        Idle: state_q <= Drain;
        Drain: if (sort_o) state_q <= Sort;
        default: begin  // Sort
          if (!sorting_i) state_q <= ends ? Idle : Drain;
        end
      endcase
      again_q <= state_q == Sort && sorting_i && (again_q || (turn_on_i && stale_i));
      if (ends) starting_o <= '0;
      else if (turn_on_i) starting_o[region_i] <= 1'b1;
    end
  end

  `T3_ASSERT(nothing_comes_inside, state_q != Sort || !inside_i)

endmodule
