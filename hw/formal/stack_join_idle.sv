// SPDX-License-Identifier: Apache-2.0
/// t3_stack_join whole, out of reset, in any state. `may_stop_o` is docs/stack-join.md's condition for stopping the clock;
/// the runner proves that no register changes at the next edge while it is up, and that no input reaches an output but
/// through a register. Excluded is what proof `stack_join` shows to be unreachable: that a slot is asked for, to show
/// it, while one is shown, or that t3_waiting and the word that it asked for disagree on who is in B.
module formal_stack_join_idle #(
  localparam int Stacks = 3,
  localparam int NumSlots = 16,
  localparam int SlotWidth = 4
) (
  input  logic                        clk_i,
  input  logic [Stacks-1:0]           share_valid_i,
  output logic [Stacks-1:0]           share_ready_o,
  input  logic [Stacks*SlotWidth-1:0] share_slot_i,
  input  logic [Stacks-1:0]           share_spoiled_i,
  output logic                        done_valid_o,
  input  logic                        done_ready_i,
  output logic [SlotWidth-1:0]        done_slot_o,
  output logic                        done_spoiled_o,
  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  logic                        cmd_write_i,
  input  logic [SlotWidth-1:0]        cmd_first_i,
  input  logic [SlotWidth-1:0]        cmd_last_i,
  input  logic [Stacks-1:0]           cmd_shares_i,
  input  logic                        cmd_force_i,
  output logic                        cmd_refused_o,
  output logic [Stacks-1:0]           seen_missing_o,
  output logic                        seen_waits_o,
  output logic                        seen_spoiled_o,
  input  logic                        look_i,
  output logic                        stray_o,
  output logic                        damaged_o,
  output logic                        corrected_o,
  output logic [SlotWidth-1:0]        event_slot_o,
  output logic [Stacks-1:0]           event_stack_o,
  output logic                        waiting_o,
  output logic                        busy_o,
  output logic                        may_stop_o
);
  logic rst_ni;
  assign rst_ni = 1'b1;

  t3_stack_join #(
    .Stacks(Stacks), .NumSlots(NumSlots), .QueueDepth(16)
  ) u_dut (.*);

  (* hierconn *) wire \u_dut.u_waiting.asked_q ;
  (* hierconn *) wire \u_dut.u_waiting.asked_look_q ;
  (* hierconn *) wire \u_dut.u_waiting.valid_q ;
  (* hierconn *) wire [Stacks+1:0] \u_dut.b_turn_q ;
  logic reachable;
  assign reachable = !(\u_dut.u_waiting.valid_q && \u_dut.u_waiting.asked_q && !\u_dut.u_waiting.asked_look_q )
                     && \u_dut.b_turn_q [0] == \u_dut.u_waiting.asked_q ;
  always_comb assume (reachable);

  assign may_stop_o = reachable && !(busy_o || share_valid_i != '0 || cmd_valid_i || look_i
                                     || (done_valid_o && done_ready_i));
endmodule
