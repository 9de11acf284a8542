// SPDX-License-Identifier: Apache-2.0
/// Self-checking bench of the join of several stacks' units for a second simulator, see vectors.svh. What accompanies a
/// valid is compared only while it is up.
module stack_join_vectors_tb;

  parameter int Stacks = 4;
  parameter int NumSlots = 4096;
  parameter int QueueDepth = 64;
  parameter int Protection = 0;
  localparam int SlotWidth = $clog2(NumSlots);
  localparam int Fields = 28;

  reg clk, rst_n, done_ready, cmd_valid, cmd_write, cmd_force, look;
  reg [Stacks-1:0] share_valid, share_spoiled, cmd_shares;
  reg [Stacks*SlotWidth-1:0] share_slot;
  reg [SlotWidth-1:0] cmd_first, cmd_last;

  wire [Stacks-1:0] share_ready, seen_missing, event_stack;
  wire [SlotWidth-1:0] done_slot, event_slot;
  wire done_valid, done_spoiled, cmd_ready, cmd_refused, seen_waits, seen_spoiled, stray, damaged, corrected, waiting, busy;

  // The same outputs as recorded.
  reg [Stacks-1:0] want_share_ready, want_seen_missing, want_event_stack;
  reg [SlotWidth-1:0] want_done_slot, want_event_slot;
  reg want_done_valid, want_done_spoiled, want_cmd_ready, want_cmd_refused, want_seen_waits, want_seen_spoiled, want_stray,
      want_damaged, want_corrected, want_waiting, want_busy;

  t3_stack_join #(
    .Stacks(Stacks), .NumSlots(NumSlots), .QueueDepth(QueueDepth), .Protection(Protection)
  ) u_unit (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .share_valid_i  (share_valid),
    .share_ready_o  (share_ready),
    .share_slot_i   (share_slot),
    .share_spoiled_i(share_spoiled),
    .done_valid_o   (done_valid),
    .done_ready_i   (done_ready),
    .done_slot_o    (done_slot),
    .done_spoiled_o (done_spoiled),
    .cmd_valid_i    (cmd_valid),
    .cmd_ready_o    (cmd_ready),
    .cmd_write_i    (cmd_write),
    .cmd_first_i    (cmd_first),
    .cmd_last_i     (cmd_last),
    .cmd_shares_i   (cmd_shares),
    .cmd_force_i    (cmd_force),
    .cmd_refused_o  (cmd_refused),
    .seen_missing_o (seen_missing),
    .seen_waits_o   (seen_waits),
    .seen_spoiled_o (seen_spoiled),
    .look_i         (look),
    .stray_o        (stray),
    .damaged_o      (damaged),
    .corrected_o    (corrected),
    .event_slot_o   (event_slot),
    .event_stack_o  (event_stack),
    .waiting_o      (waiting),
    .busy_o         (busy)
  );

`include "tests/support/vectors.svh"

  task read;
    begin
      got = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h", rst_n, share_valid, share_slot, share_spoiled, done_ready,
                    cmd_valid, cmd_write, cmd_first, cmd_last, cmd_shares, cmd_force, look);
      got = got + $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h", want_share_ready, want_done_valid,
                          want_done_slot, want_done_spoiled, want_cmd_ready, want_cmd_refused, want_seen_missing,
                          want_seen_waits, want_seen_spoiled, want_stray, want_damaged, want_corrected, want_event_slot,
                          want_event_stack, want_waiting, want_busy);
    end
  endtask

  // `!==`: an unknown output is a difference too.
  task compare;
    begin
      if (share_ready !== want_share_ready) report("share_ready");
      if (done_valid !== want_done_valid) report("done_valid");
      if (want_done_valid && {done_slot, done_spoiled} !== {want_done_slot, want_done_spoiled}) report("done_*");
      if ({cmd_ready, cmd_refused} !== {want_cmd_ready, want_cmd_refused}) report("cmd_*");
      if ({seen_missing, seen_waits, seen_spoiled} !== {want_seen_missing, want_seen_waits, want_seen_spoiled})
        report("seen_*");
      if ({stray, damaged, corrected, event_slot, event_stack}
          !== {want_stray, want_damaged, want_corrected, want_event_slot, want_event_stack})
        report("event_*");
      if ({waiting, busy} !== {want_waiting, want_busy}) report("busy");
    end
  endtask

endmodule
