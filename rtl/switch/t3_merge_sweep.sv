// SPDX-License-Identifier: Apache-2.0
/// Walks the sets of the merge table: once after reset, to make them empty; then in rounds, so that no entry stays
/// for ever; and while it is drained.
///
/// Promise: after reset each set is cleared, one per cycle, and no update is let in before. Then there is a time for a
/// round every `age_i` + 1 cycles (0: never); the `age_i` of the moment counts. A round begins at it if an entry is
/// taken and no round is under way. A round visits every set, from the first to the last, and each again as long as a
/// visit finds something to put out. A visit takes a cycle in which no update comes, and in full traffic every 17th at
/// most. So an entry leaves that had no new contribution for two rounds.
/// While `drain_i` is up, no round begins, but visits go on until no entry is taken.
///
///   Clear ─► Rest ─── time for a round ──► Round ─── last set, or empty ──► Rest
///
///   clk        _/‾\_/‾\_/‾\_/‾\_/‾\_/‾\_    age_i = 3. A time at which a round is to begin lasts until the
///   go_i       ‾‾‾‾‾‾‾‾‾‾‾\_______/‾‾‾‾    unit goes on. If it passed, traffic that lets the unit go on in every
///   since_q    <1  <2  <3  <4  <5  <0      second cycle could meet it in the other ones for ever.
///   state_q    <Rest               <Round
///
/// Why: an age for each entry would be a counter for each, or a time to compare with; a mark that one round sets
/// and the next one finds is one bit. And an entry that waits for contributions that other evictions have taken
/// must leave some time: its home counts what is inside.
module t3_merge_sweep #(
  parameter int Sets = 128,
  parameter int AgeWidth = 20,
  localparam int SetWidth = t3_pkg::index_width(Sets)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                go_i,
  input  logic [AgeWidth-1:0] age_i,
  input  logic                drain_i,
  input  logic                empty_i,
  /// An update asks; it is not let in while `hold_o` is up, which is a function of registers.
  input  logic                update_i,
  output logic                hold_o,
  /// An operation for t3_merge_tags, taken with `go_i`. What it found, in the cycle after it.
  output logic                clear_o,
  output logic                visit_o,
  output logic [SetWidth-1:0] set_o,
  input  logic                found_i
);

  localparam int MostWaits = 15;
  localparam int WaitWidth = $clog2(MostWaits + 1);

  typedef enum logic [1:0] {Clear, Rest, Round} state_e;

  state_e state_q;
  logic [SetWidth-1:0] set_q;
  logic [AgeWidth-1:0] since_q;  // cycles between the last time for a round and this one, or more
  logic [WaitWidth-1:0] waits_q;
  logic visiting_q;  // a visit is in cycle B
  logic at_last, want, due, step, is_time, begins;

  always_comb begin : p_visit
    at_last = set_q == SetWidth'(Sets - 1);
    want = (state_q == Round || (state_q == Rest && drain_i)) && !empty_i && !visiting_q;
    due = want && waits_q == WaitWidth'(MostWaits);
    hold_o = state_q == Clear || due;
    clear_o = state_q == Clear;
    visit_o = want && (due || !update_i);
    step = visiting_q && !found_i;
    is_time = since_q >= age_i;
    begins = is_time && age_i != '0 && state_q == Rest && !drain_i && !empty_i;
  end

  assign set_o = set_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_since
    if (!rst_ni) since_q <= '1;
    else if (is_time && (go_i || !begins)) since_q <= '0;
    else if (since_q != '1) since_q <= since_q + AgeWidth'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= Clear;
      set_q <= '0;
      waits_q <= '0;
      visiting_q <= 1'b0;
    end else if (go_i) begin
      visiting_q <= visit_o;
      waits_q <= (want && !visit_o) ? waits_q + WaitWidth'(1) : '0;
      if (step || clear_o) set_q <= at_last ? '0 : set_q + SetWidth'(1);
      unique case (state_q)
        Clear: if (at_last) state_q <= Rest;
        Round: if (empty_i || (step && at_last)) state_q <= Rest;
        default: if (begins) begin
          state_q <= Round;
          set_q <= '0;
        end
      endcase
    end
  end

endmodule
