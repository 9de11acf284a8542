// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// What went wrong: a sticky bit and a count for each cause, and of what the first error was.
///
/// Promise: every event is kept in the cycle after that in which it happens. A bit stays until software forgets
/// it; a count grows by the number of lanes or banks that see an event, and stays at its maximum. The first error
/// after reset, `clear_i` or `rearm_i` is kept with its cause and what it is of, that of the lowest cause if there
/// are several at once; later ones do not change it. An event wins over `forget_i` and `rearm_i` in the same cycle,
/// not over `clear_i`, which comes in the first cycle behind reset, too.
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
  error_t what, what_q, first_what_q;
  state_t state;
  logic [Causes*TimesWidth-1:0] times, times_q;
  logic [TimesWidth-1:0] its;
  logic [Causes-1:0] happens, errors_q;
  logic [Causes*CountWidth-1:0] counts, error_count_q;
  logic [CountWidth:0] sum;
  logic [t3_pkg::CauseWidth-1:0] cause, first_cause_q;
  logic first_q, takes;

  // ---- who sees which cause, and of what the lowest is -------------------------------------------
  always_comb begin : p_seen
    times = '0;
    what = '0;
    seen = '0;
    for (int c = Causes - 1; c >= 0; c--) begin
      seen = events_i[c*EventBits +: EventBits];
      times[c*TimesWidth +: TimesWidth] = seen.times;
      if (seen.times != '0) what = seen.what;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_times
    if (!rst_ni) begin
      times_q <= '0;
    end else if (times != '0 || times_q != '0) begin
      times_q <= times;
    end
  end

  always_ff @(posedge clk_i) begin : p_what
    if (times != '0) what_q <= what;
  end

  // ---- what is kept --------------------------------------------------------------------------------
  always_comb begin : p_counts
    happens = '0;
    counts = error_count_q;
    cause = '0;
    its = '0;
    sum = '0;
    if (times_q != '0) begin
      for (int c = Causes - 1; c >= 0; c--) begin
        its = times_q[c*TimesWidth +: TimesWidth];  // Icarus Verilog 11 counts the ones of no part of a vector
        happens[c] = its != '0;
        if (happens[c]) cause = t3_pkg::CauseWidth'(c);
        sum = (CountWidth+1)'(error_count_q[c*CountWidth +: CountWidth]) + (CountWidth+1)'($countones(its));
        counts[c*CountWidth +: CountWidth] = (sum > Most) ? Most[CountWidth-1:0] : sum[CountWidth-1:0];
      end
    end
  end

  assign any_o = happens != '0;
  assign work_o = times_q != '0;
  assign takes = any_o && (!first_q || rearm_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_errors
    if (!rst_ni) begin
      errors_q <= '0;
    end else if (clear_i || any_o || forget_i != '0) begin
      errors_q <= clear_i ? '0 : (errors_q & ~forget_i) | happens;
    end
  end

  // Without reset: nobody but software sees it.
  always_ff @(posedge clk_i) begin : p_kept
    if (clear_i || any_o) error_count_q <= clear_i ? '0 : counts;
    if (clear_i || takes || rearm_i) begin
      first_q <= takes && !clear_i;
      first_cause_q <= (takes && !clear_i) ? cause : '0;
      first_what_q <= (takes && !clear_i) ? what_q : '0;
    end
  end

  always_comb begin : p_state
    state.errors = errors_q;
    state.error_first_cause = first_cause_q;
    state.error_first_region = first_what_q.region;
    state.error_first_valid = first_q;
    state.error_info = first_what_q.info;
    state.error_count = error_count_q;
  end
  assign state_o = state;

endmodule
