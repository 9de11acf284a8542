// SPDX-License-Identifier: Apache-2.0
/// Which class of flits goes to the link in this cycle: updates or writes.
///
/// Promise: `send_o` is one-hot or zero, combinational: a function of `valid_i` and registers. A class sends when it
/// has a flit and a credit, and the other one has not, or had the last turn. So a class without credits never
/// keeps the other one from sending. A class has Credits at first; each flit takes one, each cycle with `credit_i`
/// gives one back. One that comes while there are Credits is ignored.
///
/// Why: the receiver has a buffer for each class and gives a credit when a place in it is free. So a flit that is sent
/// is taken, and the wires of the link need no ready. A credit too many must not wrap to none, which would keep the
/// class from sending for ever.
module t3_link_turns #(
  parameter int Credits = 8,
  localparam int CreditWidth = $clog2(Credits + 1)
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [1:0] valid_i,
  input  logic [1:0] credit_i,
  output logic [1:0] send_o
);

  logic [2*CreditWidth-1:0] credits_q;
  logic [1:0] may;

  always_comb begin : p_may
    for (int c = 0; c < 2; c++) may[c] = valid_i[c] && credits_q[c*CreditWidth +: CreditWidth] != '0;
  end

  t3_arb_rr #(.Count(2)) u_turn (.clk_i, .rst_ni, .req_i(may), .take_i(may != '0), .grant_o(send_o));

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_credits
    if (!rst_ni) begin
      credits_q <= {2{CreditWidth'(Credits)}};
    end else begin
      for (int c = 0; c < 2; c++) begin
        if (send_o[c] && !credit_i[c]) begin
          credits_q[c*CreditWidth +: CreditWidth] <= credits_q[c*CreditWidth +: CreditWidth] - CreditWidth'(1);
        end else if (credit_i[c] && !send_o[c] && credits_q[c*CreditWidth +: CreditWidth] != CreditWidth'(Credits)) begin
          credits_q[c*CreditWidth +: CreditWidth] <= credits_q[c*CreditWidth +: CreditWidth] + CreditWidth'(1);
        end
      end
    end
  end

endmodule
