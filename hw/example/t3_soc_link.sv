// SPDX-License-Identifier: Apache-2.0
/// The link of the testbench from one GPU to the next: every word arrives, in order, Latency cycles
/// after it was taken at least, with pauses at random. With `lose_i` the word numbered `Faulty` is
/// lost, with `flip_i` its lowest bit is wrong.
module t3_soc_link #(
  parameter int Faulty = 20,
  parameter int Depth = 8,
  parameter int Latency = 20,
  localparam int WriteWidth = t3_soc_pkg::WriteWidth
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  lose_i,
  input  logic                  flip_i,
  input  logic                  pause_i,
  input  logic                  valid_i,
  output logic                  ready_o,
  input  logic [WriteWidth-1:0] word_i,
  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [WriteWidth-1:0] word_o
);

  logic [WriteWidth-1:0] flying_q [Depth];
  int due_q [Depth];
  int words_q, sent_q, arrived_q, cycle_q;

  assign ready_o = sent_q - arrived_q < Depth;
  assign word_o = flying_q[arrived_q % Depth];

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_link
    if (!rst_ni) begin
      words_q <= 0;
      sent_q <= 0;
      arrived_q <= 0;
      cycle_q <= 0;
      valid_o <= 1'b0;
    end else begin
      cycle_q <= cycle_q + 1;
      if (valid_i && ready_o) begin
        words_q <= words_q + 1;
        if (!lose_i || words_q != Faulty) sent_q <= sent_q + 1;
      end
      if (valid_o) begin
        if (ready_i) begin
          valid_o <= 1'b0;
          arrived_q <= arrived_q + 1;
        end
      end else begin
        valid_o <= sent_q != arrived_q && cycle_q >= due_q[arrived_q % Depth] && !pause_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_words
    if (valid_i && ready_o) begin
      flying_q[sent_q % Depth] <= word_i ^ WriteWidth'(flip_i && words_q == Faulty);
      due_q[sent_q % Depth] <= cycle_q + Latency;
    end
  end

endmodule
