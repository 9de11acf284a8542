// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// t3_multicast: any port takes a word as often as its mask says, once, and no word is gone before; a word is gone as
/// soon as the last port has taken it.
module formal_multicast #(
  parameter int Ports = 3
) (
  input logic             clk_i,
  input logic             valid_i,
  input logic [Ports-1:0] mask_i,
  input logic [Ports-1:0] ready_i
);
  `T3_FORMAL_RESET

  logic ready;
  logic [Ports-1:0] valid;
  (* hierconn *) wire [Ports-1:0] \u_dut.taken_q ;
  t3_multicast #(.Ports(Ports)) u_dut (
    .clk_i, .rst_ni(rst_q), .valid_i, .mask_i, .ready_o(ready), .valid_o(valid), .ready_i
  );

  // The word that waits stays.
  logic waits_q;
  logic [Ports-1:0] mask_q;
  always_ff @(posedge clk_i) begin
    waits_q <= rst_q && valid_i && !ready;
    mask_q <= mask_i;
  end
  always_comb assume (!waits_q || (valid_i && mask_i == mask_q));

  // How often the port has taken the word that waits.
  (* anyconst *) logic [1:0] chosen;
  logic [1:0] times_q, times;
  logic asked;
  always_comb begin
    asked = 1'b0;
    times = times_q;
    for (int p = 0; p < Ports; p++) begin
      if (chosen == 2'(p)) begin
        asked = mask_i[p];
        times = times_q + 2'(valid[p] && ready_i[p]);
      end
    end
  end
  always_ff @(posedge clk_i) times_q <= (!rst_q || (valid_i && ready)) ? '0 : times;

  always @(posedge clk_i) if (rst_q) begin
    multicast_once: assert (!(valid_i && ready) || times == 2'(asked));
    multicast_at_most_once: assert (times <= 2'd1 && (asked || !valid_i || times == 2'd0));
    multicast_no_port_waits: assert (!(valid_i && !ready) || (valid & ~ready_i) != '0);
    multicast_taken: assert (waits_q || \u_dut.taken_q == '0);
    multicast_mask: assert (!waits_q || (\u_dut.taken_q & ~mask_q) == '0);
    multicast_times: assert (times_q == 2'((\u_dut.taken_q >> chosen) & Ports'(1)));
    cover_three_cycles: cover (valid_i && ready && mask_i == '1 && \u_dut.taken_q == Ports'(3));
    cover_at_once: cover (valid_i && ready && mask_i == '1 && \u_dut.taken_q == '0);
  end
endmodule
