// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_errors, of any cause: docs/tracker.md, "Errors". An event sets the cause's bit in ERRORS, which stays until
/// software clears it; of an event and a clear in the same cycle the event wins. ERROR_COUNT grows by as many as see
/// the event, and stays at 255. ERROR_FIRST is the first since it was made free, the lowest cause of several, and
/// stays; an event wins over making it free in the same cycle. CTRL.clear forgets all.
///
/// An event is kept in the cycle after that in which it happens.
module formal_errors #(
  localparam int TimesWidth = 3,
  localparam int RegionWidth = 2,
  localparam int Causes = t3_pkg::Causes,
  localparam int EventBits = `T3_EVENT_BITS
) (
  input logic                        clk_i,
  input logic                        clear_i,
  input logic [Causes*EventBits-1:0] events_i,
  input logic [Causes-1:0]           forget_i,
  input logic                        rearm_i
);
  `T3_FORMAL_RESET
  `T3_EVENT_T(event_t);
  `T3_ERROR_T(error_t);
  `T3_ERROR_STATE_T(state_t);
  logic [`T3_ERROR_STATE_BITS-1:0] state_bits;
  state_t state;
  logic any, work, past_q;
  assign state = state_bits;
  t3_errors #(.TimesWidth(TimesWidth), .RegionWidth(RegionWidth)) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .events_i, .forget_i, .rearm_i, .state_o(state_bits), .any_o(any), .work_o(work)
  );

  always_ff @(posedge clk_i) past_q <= rst_q;
  always_comb assume (past_q || clear_i);  // t3_track_trigger

  // The cause watched, and what happened in the cycle before.
  (* anyconst *) logic [3:0] x;
  logic [Causes*EventBits-1:0] before_q;
  logic [Causes*TimesWidth-1:0] times;
  error_t lowest;
  event_t its, other;
  logic happens, below, some;
  error_t what;
  always_ff @(posedge clk_i) before_q <= rst_q ? events_i : '0;
  always_comb begin
    assume (x < 4'(Causes));
    its = before_q[x*EventBits +: EventBits];
    what = its.what;
    happens = its.times != '0;
    below = 1'b0;
    some = 1'b0;
    other = '0;
    times = '0;
    lowest = '0;
    for (int c = 0; c < Causes; c++) begin
      other = before_q[c*EventBits +: EventBits];
      times[c*TimesWidth +: TimesWidth] = other.times;
      if (other.times != '0 && !some) lowest = other.what;
      if (other.times != '0) begin
        some = 1'b1;
        if (4'(c) < x) below = 1'b1;
      end
    end
  end

  logic bit_q, first_q, its_first_q;
  logic [7:0] count_q;
  logic [8:0] sum;
  error_t first_what_q;
  assign sum = 9'(count_q) + 9'($countones(its.times));
  always_ff @(posedge clk_i) begin
    if (!rst_q || clear_i) begin
      bit_q <= 1'b0;
      count_q <= '0;
      first_q <= 1'b0;
      its_first_q <= 1'b0;
    end else begin
      if (happens) bit_q <= 1'b1;
      else if (forget_i[x]) bit_q <= 1'b0;
      count_q <= (sum > 9'd255) ? 8'd255 : sum[7:0];
      if (some && (!first_q || rearm_i)) begin
        first_q <= 1'b1;
        its_first_q <= happens && !below;
        first_what_q <= what;
      end else if (rearm_i) begin
        first_q <= 1'b0;
        its_first_q <= 1'b0;
      end
    end
  end

  (* hierconn *) wire [Causes*TimesWidth-1:0] \u_dut.times_q ;
  (* hierconn *) wire [`T3_ERROR_BITS-1:0] \u_dut.what_q ;
  always @(posedge clk_i) if (rst_q && past_q) begin
    errors_before: assert (\u_dut.times_q == times && (!some || \u_dut.what_q == lowest));
    errors_bit: assert (state.errors[x] == bit_q);
    errors_count: assert (state.error_count[x*8 +: 8] == count_q);
    errors_any: assert (any == some);
    errors_first: assert (state.error_first_valid == first_q
                          && (first_q || (state.error_first_cause == '0 && state.error_first_region == '0
                                          && state.error_info == '0)));
    errors_first_is: assert (!first_q || (state.error_first_cause == x) == its_first_q);
    errors_first_of: assert (!its_first_q || (first_q && state.error_first_region == first_what_q.region
                                              && state.error_info == first_what_q.info));
    errors_work: assert (work || !some);
    cover_event_against_clear: cover (happens && forget_i[x] && bit_q);
    cover_first_against_room: cover (happens && rearm_i && first_q);
    cover_of_two: cover (happens && below);
  end
endmodule
