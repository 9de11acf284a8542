// SPDX-License-Identifier: Apache-2.0
/// Round-robin arbiter.
///
/// Promise: `grant_o` is one-hot when any `req_i` is up, else zero; combinational, a function of `req_i` and the
/// last grant taken. Every requester that keeps asking is granted after at most Count - 1 other grants. A grant
/// counts only when `take_i` is up (so a caller may look at it and not use it); `take_i` without a request is not
/// allowed.
///
/// Why: a thermometer mask of the indices after the last winner gives the priority, and the lowest
/// bit of the masked requests wins. This takes two carry chains, no rotation and no division.
module t3_arb_rr #(
  parameter int Count = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Count-1:0] req_i,
  input  logic             take_i,
  output logic [Count-1:0] grant_o
);

  logic [Count-1:0] after_q;  // ones above the last winner
  logic [Count-1:0] preferred;
  logic [Count-1:0] pick;

  always_comb begin : p_pick
    preferred = req_i & after_q;
    pick = (preferred != '0) ? preferred : req_i;
    grant_o = pick & (~pick + Count'(1));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_after
    if (!rst_ni) begin
      after_q <= '0;
    end else if (take_i) begin
      after_q <= ~(grant_o | (grant_o - Count'(1)));
    end
  end

endmodule
