// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// What went wrong: a sticky bit and a count for each cause, and of what the first error was.
///
/// Promise: every event is kept in the cycle after that in which it happens. A bit stays until software forgets
/// it; a count grows by the number of lanes or banks that see an event, and stays at its maximum. The first error
/// after reset, `clear_i` or `rearm_i` is kept with its cause and what it is of, that of the lowest cause if there
/// are several at once; later ones do not change it. An event wins over `forget_i` and `rearm_i` in the same cycle,
/// not over `clear_i`.
///
/// Why: an error leaves a wrong count behind, and the first one usually causes the others. Whoever
/// looks for it needs to know of what it was.
module t3_errors #(
  parameter int TimesWidth = 9,
  parameter int RegionWidth = 3,
  localparam int Causes = t3_pkg::Causes,
  localparam int EventBits = `T3_EVENT_BITS
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  /// T3_EVENT_T of each cause.
  input  logic [Causes*EventBits-1:0] events_i,

  /// Software clears sticky bits, and makes room for another first error.
  input  logic [Causes-1:0] forget_i,
  input  logic              rearm_i,

  /// T3_ERROR_STATE_T.
  output logic [`T3_ERROR_STATE_BITS-1:0] state_o,
  /// An error of any cause is kept; one has happened.
  output logic                 any_o,
  output logic                 work_o
);

  localparam int CountWidth = t3_pkg::ErrorCountWidth;
  localparam logic [CountWidth:0] Most = (CountWidth+1)'((1 << CountWidth) - 1);

  `T3_EVENT_T(event_t);
  `T3_ERROR_T(error_t);
  `T3_ERROR_STATE_T(state_t);
  event_t seen;
  error_t what;
  state_t state_q, next;
  logic [Causes*EventBits-1:0] events_q;
  logic [Causes-1:0] happens;
  logic [Causes*CountWidth-1:0] counts;
  logic [CountWidth:0] sum;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_events
    if (!rst_ni) events_q <= '0;
    else if (events_i != '0 || events_q != '0) events_q <= events_i;
  end

  always_comb begin : p_next
    next = state_q;
    counts = state_q.error_count;
    happens = '0;
    seen = '0;
    what = '0;
    sum = '0;
    if (rearm_i) begin
      next.error_first_valid = 1'b0;
      next.error_first_cause = '0;
      next.error_first_region = '0;
      next.error_info = '0;
    end
    if (events_q != '0) begin
      for (int c = Causes - 1; c >= 0; c--) begin
        seen = events_q[c*EventBits +: EventBits];
        what = seen.what;
        happens[c] = seen.times != '0;
        sum = (CountWidth+1)'(counts[c*CountWidth +: CountWidth]) + (CountWidth+1)'($countones(seen.times));
        counts[c*CountWidth +: CountWidth] = (sum > Most) ? Most[CountWidth-1:0] : sum[CountWidth-1:0];
        if (happens[c] && (!state_q.error_first_valid || rearm_i)) begin
          next.error_first_valid = 1'b1;
          next.error_first_cause = t3_pkg::CauseWidth'(c);
          next.error_first_region = what.region;
          next.error_info = what.info;
        end
      end
    end
    any_o = happens != '0;
    work_o = events_q != '0;
    next.errors = (state_q.errors & ~forget_i) | happens;
    next.error_count = counts;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= '0;
    end else if (clear_i) begin
      state_q <= '0;
    end else if (any_o || forget_i != '0 || rearm_i) begin
      state_q <= next;
    end
  end
  assign state_o = state_q;

endmodule
