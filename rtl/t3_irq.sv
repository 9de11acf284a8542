// SPDX-License-Identifier: Apache-2.0
`include "t3_types.svh"
/// Interrupt and alert.
///
/// Promise: a bit of IRQ_STATUS and of REGION_DONE is set by its event, or IRQ_TEST, until software clears it; an
/// event wins over software's clear in the same cycle. `irq_o` follows IRQ_STATUS & IRQ_ENABLE, and `alert_o`
/// follows `damaged_i`, one cycle later.
module t3_irq #(
  parameter int NumRegions = 8,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  /// T3_WRITES_T, and IRQ_ENABLE.
  input  logic [`T3_WRITES_BITS-1:0]       writes_i,
  input  logic [t3_pkg::IrqWidth-1:0] enable_i,

  /// Pulses: a region is done, an error happens. Level: something is damaged.
  input  logic [NumRegions-1:0] reached_i,
  input  logic                  error_i,
  input  logic                  damaged_i,

  output logic [t3_pkg::IrqWidth-1:0] status_o,
  output logic [NumRegions-1:0]       region_done_o,
  output logic                        irq_o,
  output logic                        alert_o,
  /// A register changes at the next edge.
  output logic                        active_o
);

  `T3_WRITES_T(writes_t);
  writes_t writes;
  logic level, late;
  logic [t3_pkg::IrqWidth-1:0] set;
  assign writes = writes_i;

  always_comb begin : p_set
    set = writes.irq_test;
    if (reached_i != '0) set[t3_reg_pkg::IrqStatusRegionDoneLsb] = 1'b1;
    if (error_i) set[t3_reg_pkg::IrqStatusErrorLsb] = 1'b1;
  end

  assign level = (status_o & enable_i) != '0;
  assign late = irq_o != level || alert_o != damaged_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_sticky
    if (!rst_ni) begin
      {status_o, region_done_o, irq_o, alert_o} <= '0;
    end else if (writes.irq_status_write || writes.region_done_write || set != '0 || clear_i || late) begin
      irq_o <= level;
      alert_o <= damaged_i;
      status_o <= clear_i ? '0 : (status_o & ~writes.irq_status) | set;
      region_done_o <= clear_i ? '0 : (region_done_o & ~writes.region_done) | reached_i;
    end
  end
  assign active_o = late;

  logic unused_writes;
  assign unused_writes = ^writes;

endmodule
