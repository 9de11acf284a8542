// SPDX-License-Identifier: Apache-2.0
/// What went wrong: a sticky bit and a count for each cause, and of what the first error was.
///
/// Promise: every event is kept in the cycle in which it is seen. A bit stays until software forgets
/// it; a count grows by the number of events, and stays at its maximum. The first error after reset, `clear_i` or `rearm_i` is kept with
/// its cause and what it is of, that of the lowest cause if there are several at once; later ones do not
/// change it. An event wins over `forget_i` and `rearm_i` in the same cycle, not over `clear_i`.
///
/// Why: an error leaves a wrong count behind, and the first one usually causes the others. Whoever
/// looks for it needs to know of what it was.
module t3_errors #(
  parameter int Causes = t3_pkg::Causes,
  parameter int NumberWidth = 5,
  parameter int ErrorBits = 22,
  localparam int CountWidth = t3_pkg::ErrorCountWidth,
  localparam int CauseWidth = t3_pkg::CauseWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  /// How often each cause occurs in this cycle, and of what the first of them is (T3_ERROR_T).
  input  logic [Causes*NumberWidth-1:0] number_i,
  input  logic [Causes*ErrorBits-1:0]   what_i,

  /// Software clears sticky bits, and makes room for another first error.
  input  logic [Causes-1:0] forget_i,
  input  logic              rearm_i,

  output logic [Causes-1:0]            errors_o,
  output logic [Causes*CountWidth-1:0] counts_o,
  output logic                         first_valid_o,
  output logic [CauseWidth-1:0]        first_cause_o,
  output logic [ErrorBits-1:0]         first_what_o,
  /// An error of any cause.
  output logic                         any_o
);

  localparam logic [CountWidth:0] Most = (CountWidth+1)'((1 << CountWidth) - 1);

  logic any_event;
  logic [Causes-1:0] happens;
  assign any_event = number_i != '0;
  assign any_o = any_event;

  always_comb begin : p_happens
    happens = '0;
    if (any_event) begin
      for (int c = 0; c < Causes; c++) happens[c] = number_i[c*NumberWidth +: NumberWidth] != '0;
    end
  end

  // The counts with what is added, up to the largest.
  logic [Causes*CountWidth-1:0] counts_next;
  logic [CountWidth:0] sum;
  always_comb begin : p_counts
    sum = '0;
    counts_next = counts_o;
    if (any_event) begin
      for (int c = 0; c < Causes; c++) begin
        sum = (CountWidth+1)'(counts_o[c*CountWidth +: CountWidth])
              + (CountWidth+1)'(number_i[c*NumberWidth +: NumberWidth]);
        counts_next[c*CountWidth +: CountWidth] = (sum > Most) ? Most[CountWidth-1:0]
                                                               : sum[CountWidth-1:0];
      end
    end
  end

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
      errors_o <= (errors_o & ~forget_i) | happens;
      counts_o <= counts_next;
      first_valid_o <= any_event || (first_valid_o && !rearm_i);
    end
  end

  logic [CauseWidth-1:0] cause;
  logic [ErrorBits-1:0] what;

  always_comb begin : p_first
    cause = '0;
    what = '0;
    if (any_event) begin
      for (int c = Causes - 1; c >= 0; c--) begin
        if (happens[c]) begin
          cause = CauseWidth'(c);
          what = what_i[c*ErrorBits +: ErrorBits];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_capture
    if (any_event && (!first_valid_o || rearm_i)) begin
      first_cause_o <= cause;
      first_what_o <= what;
    end
  end

endmodule
