// SPDX-License-Identifier: Apache-2.0
/// What went wrong: a sticky bit and a count for each cause, and the tile of the first error.
///
/// Promise: every event is kept in the cycle in which it is seen. A bit stays until software forgets
/// it; a count stays at its maximum. The first error after reset, `clear_i` or `rearm_i` is kept with
/// its cause and tile, that of the lowest cause if there are several at once; later ones do not
/// change it. An event wins over `forget_i` and `rearm_i` in the same cycle, not over `clear_i`.
///
/// Why: an error leaves a wrong tile behind, and the first one usually causes the others. Whoever
/// looks for it needs to know which tile it was.
module t3_errors #(
  parameter int Causes = t3_pkg::Causes,
  parameter int TileWidth = 65,
  localparam int CountWidth = t3_pkg::ErrorCountWidth,
  localparam int CauseWidth = t3_pkg::CauseWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  /// Pulses, at most one of each cause per cycle, and their tiles {region, wg, wf, granule}.
  input  logic [Causes-1:0]           event_i,
  input  logic [Causes*TileWidth-1:0] tile_i,

  /// Software clears sticky bits, and makes room for another first error.
  input  logic [Causes-1:0] forget_i,
  input  logic              rearm_i,

  output logic [Causes-1:0]            errors_o,
  output logic [Causes*CountWidth-1:0] counts_o,
  output logic                         first_valid_o,
  output logic [CauseWidth-1:0]        first_cause_o,
  output logic [TileWidth-1:0]         first_tile_o
);

  logic any_event;
  assign any_event = event_i != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_errors
    if (!rst_ni) begin
      errors_o <= '0;
      counts_o <= '0;
      first_valid_o <= 1'b0;
    end else if (clear_i) begin
      errors_o <= '0;
      counts_o <= '0;
      first_valid_o <= 1'b0;
    end else if (any_event || forget_i != '0 || rearm_i) begin
      errors_o <= (errors_o & ~forget_i) | event_i;
      for (int c = 0; c < Causes; c++) begin
        if (event_i[c] && counts_o[c*CountWidth +: CountWidth] != {CountWidth{1'b1}}) begin
          counts_o[c*CountWidth +: CountWidth] <=
              counts_o[c*CountWidth +: CountWidth] + CountWidth'(1);
        end
      end
      first_valid_o <= any_event || (first_valid_o && !rearm_i);
    end
  end

  logic [CauseWidth-1:0] cause;
  logic [TileWidth-1:0] tile;

  always_comb begin : p_first
    cause = '0;
    tile = '0;
    if (any_event) begin
      for (int c = Causes - 1; c >= 0; c--) begin
        if (event_i[c]) begin
          cause = CauseWidth'(c);
          tile = tile_i[c*TileWidth +: TileWidth];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_capture
    if (any_event && (!first_valid_o || rearm_i)) begin
      first_cause_o <= cause;
      first_tile_o <= tile;
    end
  end

endmodule
