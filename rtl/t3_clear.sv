// SPDX-License-Identifier: Apache-2.0
/// Clears the memories after reset and on CTRL.clear.
///
/// Promise: after reset, and after `start_i`, the lanes are closed and the work inside runs to its
/// end (`work_i` low). Then a walk visits all sets and command slots, one per cycle; `finished_o`
/// pulses in the last cycle and the lanes open. `pending_o` is up from the request to the end.
///
///   reset ──► Walk ──last index──► Open ──start──► Drain ──no work──► Walk
///
/// Why: memories have no reset. The walk waits for the work inside, so that no update is half
/// counted and no answer of the memory arrives for a bank that has forgotten its request.
module t3_clear #(
  parameter int IndexWidth = 12
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  start_i,
  input  logic                  work_i,
  output logic                  open_o,
  output logic                  walk_o,
  output logic [IndexWidth-1:0] index_o,
  output logic                  finished_o,
  /// The walk is the one after reset.
  output logic                  first_o,
  output logic                  pending_o,
  output logic                  active_o
);

  typedef enum logic [1:0] {
    Walk, Open, Drain
  } state_t;

  state_t state_q;
  logic [IndexWidth-1:0] index_q;
  logic first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= Walk;
      index_q <= '0;
      first_q <= 1'b1;
    end else if (state_q != Open || start_i) begin
      unique case (state_q)
        Walk: begin
          index_q <= index_q + IndexWidth'(1);
          if (index_q == '1) begin
            state_q <= Open;
            first_q <= 1'b0;
          end
        end
        Open: if (start_i) state_q <= Drain;
        Drain: if (!work_i) state_q <= Walk;
        default: state_q <= Walk;
      endcase
    end
  end

  assign open_o = state_q == Open;
  assign walk_o = state_q == Walk;
  assign index_o = index_q;
  assign finished_o = state_q == Walk && index_q == '1;
  assign first_o = first_q;
  assign pending_o = state_q != Open;
  assign active_o = state_q == Walk || (state_q == Drain && !work_i);

endmodule
