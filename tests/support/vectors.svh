// SPDX-License-Identifier: Apache-2.0
// What benches for a second simulator share, inside their module: repeats what a unit test recorded
// (vectors.h), one line per clock cycle, and compares every output in every cycle. `+vectors=<file>`; prints
// PASS or FAIL with the number of cycles.
//
// The bench has clk and rst_n, the number of Fields of a line, `read`, which leaves in `got` how many it has
// read of `file`, and `compare`, which calls `report` for an output that differs.

  integer file, got, cycles, differences;
  reg [8*1024-1:0] name;

  task report(input [8*12-1:0] port);
    begin
      differences = differences + 1;
      if (differences <= 10) $display("cycle %0d: %0s differs", cycles, port);
    end
  endtask

  initial begin
    cycles = 0;
    differences = 0;
    clk = 1'b0;
    if (!$value$plusargs("vectors=%s", name)) begin
      $display("FAIL: +vectors=<file> is missing");
      $finish;
    end
    file = $fopen(name, "r");
    if (file == 0) begin
      $display("FAIL: cannot read %0s", name);
      $finish;
    end
    got = Fields;
    while (got == Fields) begin
      read;
      if (got == Fields) begin
        #1;
        if (rst_n) compare;
        clk = 1'b1;
        #1;
        clk = 1'b0;
        cycles = cycles + 1;
      end
    end
    if (differences == 0 && cycles > 0) $display("PASS: %0d cycles", cycles);
    else $display("FAIL: %0d differences in %0d cycles", differences, cycles);
    $finish;
  end
