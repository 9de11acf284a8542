// SPDX-License-Identifier: Apache-2.0

/// Watches the DMA commands that the trackers of a ring issue: counts them per GPU and raises a
/// sticky flag when a command is issued a second time.
///
/// One event per cycle, counted at the next edge; no back-pressure. One flip-flop per command
/// instead of a counter, because "exactly once" is all that is asked.
module trigger_monitor #(
  parameter int NumGpus = 4,       // GPUs watched
  parameter int NumCommands = 64,  // slots of one tracker that are in use
  localparam int GpuWidth = NumGpus > 1 ? $clog2(NumGpus) : 1,
  localparam int CmdWidth = $clog2(NumCommands)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  valid_i,
  input  logic [GpuWidth-1:0]   gpu_i,
  input  logic [CmdWidth-1:0]   cmd_i,
  output logic [NumGpus*16-1:0] count_o,     // commands seen, GPU g at [16*g +: 16]
  output logic                  duplicate_o  // a command came twice
);
  logic [NumGpus*16-1:0] count_q;
  logic [NumGpus*NumCommands-1:0] seen_q;
  logic duplicate_q;

  logic [GpuWidth+CmdWidth-1:0] index;
  assign index = {gpu_i, cmd_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_count
    if (!rst_ni) begin
      count_q <= '0;
      seen_q <= '0;
      duplicate_q <= 1'b0;
    end else if (valid_i) begin
      count_q[16*gpu_i +: 16] <= count_q[16*gpu_i +: 16] + 16'd1;
      seen_q[index] <= 1'b1;
      duplicate_q <= duplicate_q | seen_q[index];
    end
  end

  assign count_o = count_q;
  assign duplicate_o = duplicate_q;
endmodule
