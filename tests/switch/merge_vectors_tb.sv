// SPDX-License-Identifier: Apache-2.0
/// Self-checking bench of the merge unit for a second simulator, see vectors.svh. What accompanies a valid
/// is compared only while it is up.
module merge_vectors_tb;

  parameter int LineWidth = 41;
  parameter int CountWidth = 7;
  parameter int DataWidth = 1024;
  parameter int Sets = 128;
  parameter int Ways = 4;
  parameter int AgeWidth = 20;
  parameter int Credits = 8;
  localparam int Fields = 23;

  reg clk, rst_n, drain, upd_valid, wr_valid, credit_upd, credit_wr;
  reg [CountWidth-1:0] expected, upd_count;
  reg [AgeWidth-1:0] age;
  reg [LineWidth-1:0] upd_line, wr_line;
  reg [1:0] upd_format;
  reg [DataWidth-1:0] upd_data, wr_data;

  wire upd_ready, wr_ready, link_valid, link_write, empty;
  wire [LineWidth-1:0] link_line;
  wire [CountWidth-1:0] link_count;
  wire [1:0] link_format;
  wire [DataWidth-1:0] link_data;

  // The same outputs as recorded.
  reg want_upd_ready, want_wr_ready, want_link_valid, want_link_write, want_empty;
  reg [LineWidth-1:0] want_link_line;
  reg [CountWidth-1:0] want_link_count;
  reg [1:0] want_link_format;
  reg [DataWidth-1:0] want_link_data;

  t3_switch_merge #(
    .LineWidth(LineWidth), .CountWidth(CountWidth), .DataWidth(DataWidth), .Sets(Sets), .Ways(Ways),
    .AgeWidth(AgeWidth), .Credits(Credits)
  ) u_unit (
    .clk_i        (clk),
    .rst_ni       (rst_n),
    .expected_i   (expected),
    .age_i        (age),
    .drain_i      (drain),
    .upd_valid_i  (upd_valid),
    .upd_ready_o  (upd_ready),
    .upd_line_i   (upd_line),
    .upd_count_i  (upd_count),
    .upd_format_i (upd_format),
    .upd_data_i   (upd_data),
    .wr_valid_i   (wr_valid),
    .wr_ready_o   (wr_ready),
    .wr_line_i    (wr_line),
    .wr_data_i    (wr_data),
    .link_valid_o (link_valid),
    .link_write_o (link_write),
    .link_line_o  (link_line),
    .link_count_o (link_count),
    .link_format_o(link_format),
    .link_data_o  (link_data),
    .credit_upd_i (credit_upd),
    .credit_wr_i  (credit_wr),
    .empty_o      (empty)
  );

`include "tests/support/vectors.svh"

  task read;
    begin
      got = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h", rst_n, expected, age, drain, upd_valid,
                    upd_line, upd_count, upd_format, upd_data, wr_valid, wr_line, wr_data, credit_upd, credit_wr);
      got = got + $fscanf(file, "%h %h %h %h %h %h %h %h %h", want_upd_ready, want_wr_ready, want_link_valid,
                          want_link_write, want_link_line, want_link_count, want_link_format, want_link_data,
                          want_empty);
    end
  endtask

  // `!==`: an unknown output is a difference too.
  task compare;
    begin
      if (upd_ready !== want_upd_ready) report("upd_ready");
      if (wr_ready !== want_wr_ready) report("wr_ready");
      if (link_valid !== want_link_valid) report("link_valid");
      if (empty !== want_empty) report("empty");
      if (want_link_valid && {link_write, link_line, link_data} !== {want_link_write, want_link_line, want_link_data})
        report("link_*");
      if (want_link_valid && !want_link_write && {link_count, link_format} !== {want_link_count, want_link_format})
        report("link_count");
    end
  endtask

endmodule
