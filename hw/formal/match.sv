// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// t3_match, for every update and every setting of 16 regions and 2 windows: the lowest-numbered region that
/// is not off, whose workgroups and whose window hold the update; none if there is none.
module formal_match #(
  parameter int WgWidth = 4,
  parameter int PageWidth = 3,
  localparam int NumWindows = 2,
  localparam int NumRegions = 16,
  localparam int SlotWidth = 4,
  localparam int RowWidth = 4,
  localparam int WindowWidth = 1,
  localparam int WindowBits = 2 * PageWidth,
  localparam int RegionBits = `T3_REGION_BITS
) (
  input logic                             en_i,
  input logic [WgWidth-1:0]               wg_i,
  input logic [PageWidth-1:0]             page_i,
  input logic [NumWindows*WindowBits-1:0] windows_i,
  input logic [NumRegions*RegionBits-1:0] regions_i
);
  `T3_REGION_T(region_t);
  logic found, stopped;
  logic [3:0] region;
  t3_match #(
    .WgWidth(WgWidth), .PageWidth(PageWidth), .NumWindows(NumWindows), .NumRegions(NumRegions),
    .SlotWidth(SlotWidth), .RowWidth(RowWidth)
  ) u_dut (
    .en_i, .wg_i, .page_i, .windows_i, .regions_i, .found_o(found), .stopped_o(stopped), .region_o(region)
  );

  region_t settings;
  logic [PageWidth-1:0] first, last;
  logic [NumRegions-1:0] matches, is_stopped;
  always_comb begin
    for (int r = 0; r < NumRegions; r++) begin
      settings = regions_i[r*RegionBits +: RegionBits];
      {first, last} = settings.window ? windows_i[WindowBits +: WindowBits] : windows_i[0 +: WindowBits];
      is_stopped[r] = settings.stopped;
      matches[r] = en_i && (settings.on || settings.stopped) && first <= page_i && page_i <= last
                   && settings.wg_first <= wg_i && wg_i <= settings.wg_last;
    end
  end

  // Any region.
  (* anyconst *) logic [3:0] some;
  logic below;  // a lower-numbered one matches, too
  always_comb begin
    below = 1'b0;
    for (int r = 0; r < NumRegions; r++) if (r < 32'(some) && matches[r]) below = 1'b1;
    match_lowest: assert (!(matches[some] && !below)
                          || (found && region == some && stopped == is_stopped[some]));
    match_none: assert (matches != '0 || !(found || stopped || region != '0));
    cover_two: cover (matches == 16'h8200 && stopped && some == 4'd15 && below);
  end
endmodule
