// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Finds the region of one update.
///
/// Promise: combinational. `found_o` says that a region matches which is not off, `region_o` is the
/// lowest-numbered one, `stopped_o` says that it is stopped. All are zero while `en_i` is low.
///
/// Why: windows are compared once for all regions that refer to them, so a region costs two comparators of
/// workgroups and none of addresses.
module t3_match #(
  parameter int WgWidth = 16,
  parameter int PageWidth = 36,
  parameter int NumWindows = 4,
  parameter int NumRegions = 8,
  parameter int SlotWidth = 12,
  parameter int RowWidth = 8,
  localparam int WindowWidth = t3_pkg::index_width(NumWindows),
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int WindowBits = `T3_WINDOW_BITS,
  localparam int RegionBits = `T3_REGION_BITS
) (
  input  logic                             en_i,
  input  logic [WgWidth-1:0]               wg_i,
  input  logic [PageWidth-1:0]             page_i,
  input  logic [NumWindows*WindowBits-1:0] windows_i,
  input  logic [NumRegions*RegionBits-1:0] regions_i,
  output logic                             found_o,
  output logic                             stopped_o,
  output logic [RegionWidth-1:0]           region_o
);

  `T3_WINDOW_T(window_t);
  `T3_REGION_T(region_t);

  logic [(1<<WindowWidth)-1:0] hit;
  window_t window;
  always_comb begin : p_windows
    window = '0;
    hit = '0;
    if (en_i) begin
      for (int w = 0; w < NumWindows; w++) begin
        window = windows_i[w*WindowBits +: WindowBits];
        hit[w] = !t3_pkg::below(48'(page_i), 48'(window.page_first))
                 && !t3_pkg::below(48'(window.page_last), 48'(page_i));
      end
    end
  end

  region_t region;
  always_comb begin : p_regions
    region = '0;
    found_o = 1'b0;
    stopped_o = 1'b0;
    region_o = '0;
    if (hit != '0) begin
      for (int r = NumRegions - 1; r >= 0; r--) begin
        region = regions_i[r*RegionBits +: RegionBits];
        if ((region.on || region.stopped) && hit[region.window]
            && !t3_pkg::below(48'(wg_i), 48'(region.wg_first)) && !t3_pkg::below(48'(region.wg_last), 48'(wg_i))) begin
          found_o = 1'b1;
          stopped_o = region.stopped;
          region_o = RegionWidth'(r);
        end
      end
    end
  end

  logic unused_settings;
  assign unused_settings = ^region;

endmodule
