// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// t3_irq, of any region: docs/tracker.md, "Interrupts". A bit of REGION_DONE is set when its region is done, and
/// one of IRQ_STATUS when a bit of REGION_DONE is set, when an error happens, or by IRQ_TEST; it stays until software
/// clears it; of an event and a clear in the same cycle the event wins, also of two regions. CTRL.clear makes all of
/// them 0. `irq_o` is IRQ_STATUS & IRQ_ENABLE, and `alert_o` follows `damaged`, one cycle later; not active: nothing
/// of it changes.
///
/// Assumed: what a register is written with comes with its write (t3_reg_map).
module formal_irq #(
  parameter int NumRegions = 16,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions)
) (
  input logic                         clk_i,
  input logic                         clear_i,
  input logic [`T3_WRITES_BITS-1:0]   writes_i,
  input logic [t3_pkg::IrqWidth-1:0]  enable_i,
  input logic [NumRegions-1:0]        reached_i,
  input logic                         error_i,
  input logic                         damaged_i
);
  `T3_FORMAL_RESET
  `T3_WRITES_T(writes_t);
  writes_t writes;
  assign writes = writes_i;

  logic irq, alert, active;
  logic [t3_pkg::IrqWidth-1:0] status;
  logic [NumRegions-1:0] region_done;
  t3_irq #(.NumRegions(NumRegions)) u_dut (
    .clk_i, .rst_ni(rst_q), .clear_i, .writes_i, .enable_i, .reached_i, .error_i, .damaged_i, .status_o(status),
    .region_done_o(region_done), .irq_o(irq), .alert_o(alert), .active_o(active)
  );

  always_comb begin
    assume (writes.irq_status_write || writes.irq_status == '0);
    assume (writes.irq_test_write || writes.irq_test == '0);
    assume (writes.region_done_write || writes.region_done == '0);
  end

  // Of each bit: what has happened since it was cleared.
  logic [NumRegions-1:0] done_q;
  logic some_region_q, some_error_q, level_q, damaged_q;
  always_ff @(posedge clk_i) begin
    if (!rst_q || clear_i) begin
      done_q <= '0;
      some_region_q <= 1'b0;
      some_error_q <= 1'b0;
    end else begin
      for (int r = 0; r < NumRegions; r++) begin
        if (reached_i[r]) done_q[r] <= 1'b1;
        else if (writes.region_done[r]) done_q[r] <= 1'b0;
      end
      if (reached_i != '0 || writes.irq_test[t3_reg_pkg::IrqStatusRegionDoneLsb]) some_region_q <= 1'b1;
      else if (writes.irq_status[t3_reg_pkg::IrqStatusRegionDoneLsb]) some_region_q <= 1'b0;
      if (error_i || writes.irq_test[t3_reg_pkg::IrqStatusErrorLsb]) some_error_q <= 1'b1;
      else if (writes.irq_status[t3_reg_pkg::IrqStatusErrorLsb]) some_error_q <= 1'b0;
    end
    level_q <= rst_q && (status & enable_i) != '0;
    damaged_q <= rst_q && damaged_i;
  end

  always @(posedge clk_i) if (rst_q) begin
    irq_region_done: assert (region_done == done_q);
    irq_status: assert (status[t3_reg_pkg::IrqStatusRegionDoneLsb] == some_region_q
                        && status[t3_reg_pkg::IrqStatusErrorLsb] == some_error_q);
    irq_follows: assert (irq == level_q);
    irq_alert: assert (alert == damaged_q);
    irq_active: assert (active == (irq != ((status & enable_i) != '0) || alert != damaged_i));
    cover_both_at_once: cover (reached_i[NumRegions-1] && writes.region_done[NumRegions-1] && region_done[NumRegions-1]);
    cover_error_against_clear: cover (error_i && writes.irq_status[t3_reg_pkg::IrqStatusErrorLsb] && irq);
  end
endmodule
