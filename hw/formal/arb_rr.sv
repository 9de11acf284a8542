// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_arb_rr: one grant, to a requester, and a requester that keeps asking waits for at most
/// Count - 1 others.
module formal_arb_rr #(
  parameter int Count = 4
) (
  input logic             clk_i,
  input logic [Count-1:0] req_i,
  input logic             take_i
);
  `T3_FORMAL_RESET
  localparam int W = $clog2(Count) + 1;

  logic [Count-1:0] grant;
  (* hierconn *) wire [Count-1:0] \u_dut.after_q ;
  t3_arb_rr #(
    .Count(Count)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .req_i, .take_i, .grant_o(grant)
  );
  always_comb assume (!take_i || req_i != '0);

  // The requester watched, how many grants others have had, and how far its turn is away.
  (* anyconst *) logic [W-2:0] who;
  logic [W-1:0] waited_q;
  logic [W-2:0] next, distance;

  always_comb begin
    next = '0;
    for (int i = Count - 1; i >= 0; i--) if (\u_dut.after_q [i]) next = (W-1)'(i);
    distance = who - next;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_q || !req_i[who] || (take_i && grant[who])) waited_q <= '0;
    else if (take_i) waited_q <= waited_q + W'(1);
  end

  always @(posedge clk_i) if (rst_q) begin
    grant_one: assert ((grant & (grant - Count'(1))) == '0);
    grant_asked: assert ((grant & ~req_i) == '0);
    grant_some: assert (req_i == '0 || grant != '0);
    mask_is_thermometer: assert ((~\u_dut.after_q & (~\u_dut.after_q + Count'(1))) == '0);
    waits_for_its_turn: assert (waited_q + W'(distance) < W'(Count));
    fair: assert (waited_q < W'(Count));
    cover_waits_longest: cover (waited_q == W'(Count - 1));
  end
endmodule
