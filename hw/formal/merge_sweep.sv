// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_switch_types.svh"
/// The sweep in the whole merge unit: promises 9 and 10 of docs/switch-merge.md, with bounds in cycles, whatever the
/// ports, the receiver and the settings do. Cycles in which the unit stands, which `merge` bounds, do not count.
///
/// A round begins within `age_i` + 1 cycles, not earlier, and when the unit stands then as soon as it goes on; it visits
/// the sets as promised. For any line: what is inside has left within 2 (age + 1) + 2 R cycles of its last contribution
/// and 3 to the link, R for the longest round, while `drain_i` is down and `age_i` is between 1 and `age`. While
/// `drain_i` is up, the table is empty within MostWaits + 2 cycles for each entry and each set but one.
///
/// `left_…` is how long it may still take by the words of the promises; it falls with every cycle that counts.
module formal_merge_sweep #(
  parameter int LineWidth = 2,
  parameter int CountWidth = 2,
  parameter int Sets = 2,
  parameter int Ways = 2,
  parameter int AgeWidth = 3,
  parameter int Credits = 1
) (
  input logic clk_i
);
`include "merge_unit.svh"
  localparam int VisitCost = MostWaits + 2;  // updates that go first, the visit, the cycle after it
  localparam int SetCost = (Ways + 1) * VisitCost;
  localparam int RoundCost = Sets * SetCost;
  localparam int N = 8;  // bits of a number of cycles

  logic go;
  assign go = \u_dut.go ;

  // The longest age of all time.
  (* anyconst *) logic [AgeWidth-1:0] longest;
  always_comb assume (age <= longest);

  // A visit is in B, and found something; is wanted; is in A.
  logic visit_b, found, wanted, visits;
  logic [SetWidth:0] next_q;  // the set of a round that is next
  logic [2:0] went_q;         // updates that went before a visit that is wanted

  // ---- a round begins ----------------------------------------------------------------------------------
  // Cycles before this one, in succession, in which a round could have begun; since one began; each as it was a cycle
  // ago, too, together with what led to the state of now.
  logic could_begin, could_q, go_q, in_round_q, begins, over_q;
  logic [N-1:0] waited_q, waited_before_q, begun_q;
  logic [AgeWidth-1:0] age_q;
  assign could_begin = resting && !\u_dut.drain_q && taken_entries != '0 && age != '0;
  assign begins = in_round && !in_round_q;
  always_ff @(posedge clk_i) begin
    in_round_q <= rst_q && in_round;
    could_q <= rst_q && could_begin;
    age_q <= age;
    go_q <= go;
    over_q <= taken_entries == '0 || (go && visit_b && !found && next_q == (SetWidth+1)'(Sets - 1));
    waited_before_q <= waited_q;
    if (!rst_q || !could_begin) waited_q <= '0;
    else if (waited_q != '1) waited_q <= waited_q + 1'b1;
    if (!rst_q) begun_q <= '1;
    else if (begins) begun_q <= 1;
    else if (begun_q != '1) begun_q <= begun_q + 1'b1;
  end

  // ---- and visits --------------------------------------------------------------------------------------
  assign visit_b = \u_dut.u_tags.visit_q ;
  assign found = \u_dut.u_sweep.found_i ;
  assign visits = go && \u_dut.u_sweep.visit_o ;
  assign wanted = go && (in_round || (resting && \u_dut.drain_q )) && taken_entries != '0 && !visit_b;
  always_ff @(posedge clk_i) begin
    if (!rst_q || !in_round) next_q <= '0;
    else if (go && visit_b && !found) next_q <= next_q + 1'b1;
    if (!rst_q) went_q <= '0;
    else if (go) went_q <= (wanted && !visits) ? went_q + 3'd1 : '0;
  end

  // ---- any line ----------------------------------------------------------------------------------------
  (* anyconst *) logic [LineWidth-1:0] line;
  logic inside, marked, taken;
  logic [N-1:0] marked_here, farthest, home, at;
  assign home = N'(set_of(line));
  assign at = N'(\u_dut.u_sweep.set_q );
  assign taken = upd_valid && upd_ready && upd_line == line;
  always_comb begin
    inside = 1'b0;
    marked = 1'b0;
    marked_here = '0;
    farthest = '0;  // sets from the one that is next to one with an entry
    for (int s = 0; s < Sets; s++) begin
      for (int w = 0; w < Ways; w++) begin
        if (valid[s*Ways+w]) begin
          if (\u_dut.u_tags.u_ram.words_q [s*WordWidth+w*EntryWidth +: LineWidth] == line) begin
            inside = 1'b1;
            marked = \u_dut.u_tags.u_ram.words_q [s*WordWidth+(w+1)*EntryWidth-2];
          end
          if (at == N'(s) && \u_dut.u_tags.u_ram.words_q [s*WordWidth+(w+1)*EntryWidth-2])
            marked_here = marked_here + 1'b1;
          if (farthest < ((N'(s) - at) & N'(Sets - 1))) farthest = (N'(s) - at) & N'(Sets - 1);
        end
      end
    end
  end

  // Cycles until the set that is next is done; the round; until the next one has begun; until the line has left; until
  // the table is empty.
  logic [N-1:0] left_set, left_round, left_begin, left_inside, left_drain, home_done, again, bound;
  always_comb begin
    again = N'(longest) + 1'b1;
    home_done = (home + 1'b1) * SetCost;
    bound = 2 * again + 2 * RoundCost;
    left_set = visit_b ? marked_here * VisitCost + 1'b1 : (marked_here + 1'b1) * VisitCost - N'(went_q);
    left_round = left_set + (N'(Sets - 1) - at) * SetCost;
    left_begin = (\u_dut.u_sweep.since_q < longest) ? again - N'(\u_dut.u_sweep.since_q ) : N'(1);
    if (!in_round) left_inside = marked ? left_begin + home_done : left_begin + RoundCost + again + home_done;
    else if (marked && at <= home) left_inside = left_set + (home - at) * SetCost;
    else if (marked || at <= home) left_inside = left_round + again + home_done;
    else left_inside = left_round + again + RoundCost + again + home_done;
    left_drain = visit_b ? (N'(taken_entries) + farthest - 1'b1) * VisitCost + 1'b1
                         : (N'(taken_entries) + farthest) * VisitCost - N'(went_q);
  end

  // Cycles in which the unit went on: since a contribution to the line was taken, with settings that have rounds; since
  // the unit drains.
  logic [N-1:0] aged_q, drained_q;
  logic [N-1:0] on_way;  // of the line: cycles to the link of the last one
  always_ff @(posedge clk_i) begin
    if (!rst_q || taken || \u_dut.drain_q || age == '0) aged_q <= '0;
    else if (go && aged_q != '1) aged_q <= aged_q + 1'b1;
    if (!rst_q || !\u_dut.drain_q || clearing) drained_q <= '0;
    else if (go && drained_q != '1) drained_q <= drained_q + 1'b1;
  end
  assign on_way = (\u_dut.u_tags.update_q && b_header.line == line) ? N'(4)
                : (c_move.leave && c_header.line == line) ? N'(3)
                : (d_move.leave && d_header.line == line) ? N'(2)
                : (\u_dut.u_data.e_valid_q && e_header.line == line) ? N'(1) : '0;

  always @(posedge clk_i) if (rst_q) begin
    // The promises.
    sweep_begins: assert (!(could_q && go_q && waited_before_q >= N'(age_q)) || in_round);
    sweep_not_early: assert (!begins || (could_q && begun_q > N'(age_q)));
    sweep_visits: assert (!(in_round && visit_b) || N'(\u_dut.u_tags.set_q ) == N'(next_q));
    sweep_ends: assert (in_round || !in_round_q || over_q);
    sweep_visit_waits: assert (!visits || ((!upd_valid || went_q == 3'(MostWaits)) && !visit_b));
    sweep_visit_comes: assert (!(wanted && (!upd_valid || went_q == 3'(MostWaits))) || visits);
    sweep_leaves: assert (!(inside || on_way != '0) || aged_q <= bound + N'(3));
    sweep_drains: assert (taken_entries == '0 || drained_q <= N'((Entries + Sets - 1) * VisitCost));
    // What they rest on.
    sweep_left_inside: assert (!inside || aged_q + left_inside <= bound + 1'b1);
    sweep_left_way: assert (on_way == '0 || aged_q + on_way <= bound + N'(4));
    sweep_left_drain: assert (taken_entries == '0 || drained_q + left_drain <= N'((Entries + Sets - 1) * VisitCost));
    sweep_since: assert (!resting || waited_q <= N'(\u_dut.u_sweep.since_q ) || \u_dut.u_sweep.since_q == '1);
    sweep_begun: assert (N'(\u_dut.u_sweep.since_q ) <= (begins ? '0 : begun_q));
    sweep_next: assert (!in_round || (next_q == (SetWidth+1)'(\u_dut.u_sweep.set_q )));
    sweep_set: assert (!visit_b || \u_dut.u_tags.set_q == \u_dut.u_sweep.set_q );
    sweep_went: assert (went_q == 3'(\u_dut.u_sweep.waits_q ) && (!visit_b || went_q == '0));
    sweep_new: assert (!(\u_dut.u_tags.update_q && b_header.line == line) || aged_q == '0);
    sweep_clear: assert (!clearing || taken_entries == '0);
    cover_begins_late: cover (begins && waited_before_q > N'(age_q) + 1'b1 && begun_q != '1);
    cover_visit_due: cover (visits && upd_valid && in_round);
    cover_left_by_age: cover ($past(inside && marked && visit_b && aged_q > N'(VisitCost)) && !inside);
    cover_drained: cover (drained_q == N'(2 * VisitCost) && taken_entries != '0);
    cover_age_falls: cover (begins && !$past(begins) && age_q < $past(age_q));
  end
endmodule
