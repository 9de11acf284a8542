// SPDX-License-Identifier: Apache-2.0
// A ring of t3_soc: every GPU's kernel stores its contribution to the whole output; in the end the
// sums of all of them must be in every memory, element by element, and every row must have been
// released once and whole.
//
// Stores, links and the consumers of rows pause at random (+seed=N), in the same way in every
// simulator.
//
//   +lose    word 20, counted from 0, on the link of GPU 0 is lost: a tile must stay incomplete
//   +flip    one of its bits is changed: a sum must be wrong
//   +stray   GPU 0's kernel names another block for its word 20: the unit must report it
//   +wave=F  writes a waveform to F
//
// Prints one line, which begins with PASS or FAIL.
module t3_soc_tb #(
  parameter int Gpus = 2
);

  localparam int WriteWidth = t3_soc_pkg::WriteWidth;
  localparam int Limit = 20000;
  localparam int Drain = 200;  // cycles after the end in which a word too many would arrive

  logic clk, rst_n, lose, flip, stray;
  logic [31:0] seed;
  logic [8*256-1:0] wave;

  initial begin
    clk = 1'b0;
    forever #5 clk = !clk;
  end

  initial begin
    rst_n = 1'b1;
    if ($value$plusargs("seed=%d", seed) == 0) seed = 32'd1;
    lose = $test$plusargs("lose") != 0;
    flip = $test$plusargs("flip") != 0;
    stray = $test$plusargs("stray") != 0;
    if ($value$plusargs("wave=%s", wave) != 0) begin
      $dumpfile(wave);
      $dumpvars(0, t3_soc_tb);
    end
    #1 rst_n = 1'b0;
    #22 rst_n = 1'b1;
  end

  logic [Gpus-1:0] out_valid, out_ready, in_valid, in_ready;
  logic [Gpus*WriteWidth-1:0] out, in;
  logic [Gpus-1:0] random, run, stored, done, failed, rows_done;
  logic over, compare, compared_q;
  int over_cycles_q;
  assign over = done == {Gpus{1'b1}} && rows_done == {Gpus{1'b1}};
  assign compare = over_cycles_q == Drain;
  logic [Gpus*16-1:0] failed_addr;
  logic [Gpus*32-1:0] failed_data;
  logic [Gpus*32-1:0] wrong, early;

  for (genvar g = 0; g < Gpus; g++) begin : gen_gpu
    localparam int Next = (g + 1) % Gpus;
    localparam bit First = g == 0;  // the one with faults (Icarus 11 takes no comparison of g below)

    t3_soc_gpu #(
      .Gpu (g),
      .Gpus(Gpus)
    ) u_gpu (
      .clk_i        (clk),
      .rst_ni       (rst_n),
      .seed_i       (seed),
      .start_i      (run == {Gpus{1'b1}}),
      .compare_i    (compare),
      .stray_i      (stray && First),
      .out_valid_o  (out_valid[g]),
      .out_ready_i  (out_ready[g]),
      .out_o        (out[g*WriteWidth +: WriteWidth]),
      .in_valid_i   (in_valid[g]),
      .in_ready_o   (in_ready[g]),
      .in_i         (in[g*WriteWidth +: WriteWidth]),
      .random_o     (random[g]),
      .run_o        (run[g]),
      .stored_o     (stored[g]),
      .done_o       (done[g]),
      .failed_o     (failed[g]),
      .failed_addr_o(failed_addr[g*16 +: 16]),
      .failed_data_o(failed_data[g*32 +: 32]),
      .rows_done_o  (rows_done[g]),
      .wrong_o      (wrong[g*32 +: 32]),
      .early_o      (early[g*32 +: 32])
    );

    t3_soc_link u_link (
      .clk_i  (clk),
      .rst_ni (rst_n),
      .lose_i (lose && First),
      .flip_i (flip && First),
      .pause_i(random[g]),
      .valid_i(out_valid[g]),
      .ready_o(out_ready[g]),
      .word_i (out[g*WriteWidth +: WriteWidth]),
      .valid_o(in_valid[Next]),
      .ready_i(in_ready[Next]),
      .word_o (in[Next*WriteWidth +: WriteWidth])
    );
  end

  int all_wrong, all_early, first_failed;
  always_comb begin : p_all
    all_wrong = 0;
    all_early = 0;
    first_failed = 0;
    for (int n = 0; n < Gpus; n++) begin
      all_wrong = all_wrong + wrong[n*32 +: 32];
      all_early = all_early + early[n*32 +: 32];
      if (failed[Gpus-1-n]) first_failed = Gpus - 1 - n;
    end
  end

  int cycle_q;

  always @(posedge clk or negedge rst_n) begin : p_end
    if (!rst_n) begin
      cycle_q <= 0;
      over_cycles_q <= 0;
      compared_q <= 1'b0;
    end else begin
      cycle_q <= cycle_q + 1;
      if (over) over_cycles_q <= over_cycles_q + 1;
      compared_q <= compare;
      if (compared_q && all_wrong == 0 && all_early == 0) begin
        $display("PASS: %0d GPUs, %0d words right in each memory, %0d cycles", Gpus,
                 Gpus << t3_soc_pkg::ChunkWordsLog2, cycle_q - Drain);
        $finish;
      end else if (compared_q) begin
        $display("FAIL: %0d words are wrong, %0d were when their row was released", all_wrong, all_early);
        $finish;
      end else if (failed != '0) begin
        $display("FAIL: the software of GPU %0d read %h from register %h", first_failed,
                 failed_data[first_failed*32 +: 32], failed_addr[first_failed*16 +: 16]);
        $finish;
      end else if (cycle_q == Limit) begin
        $display("FAIL: not done after %0d cycles: programmed %b, stored %b, rows %b, done %b",
                 Limit, run, stored, rows_done, done);
        $finish;
      end
    end
  end

endmodule
