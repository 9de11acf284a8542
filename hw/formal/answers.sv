// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
/// The whole unit with its register file: every write and every read is answered within Most cycles after its last
/// valid, whatever the lanes bring, whatever the walks, the slots and the rows do, and though nobody takes anything from
/// `done_*` or `rel_*`, as long as the responses are taken. What the memories return is anything.
module formal_answers #(
  localparam int Most = 16
) (
  input logic        clk_i,
  input logic [1:0]  lane_valid_i,
  input logic [1:0]  lane_wg_i,
  input logic [1:0]  lane_wf_i,
  input logic [25:0] lane_addr_i,
  input logic [3:0]  lane_weight_i,
  input logic        done_ready_i,
  input logic        rel_ready_i,
  input logic        awvalid_i,
  input logic [15:0] awaddr_i,
  input logic [2:0]  awprot_i,
  input logic        wvalid_i,
  input logic [31:0] wdata_i,
  input logic [3:0]  wstrb_i,
  input logic        arvalid_i,
  input logic [15:0] araddr_i,
  input logic [2:0]  arprot_i
);
  `T3_FORMAL_RESET
  logic awready, wready, bvalid, arready, rvalid;

  t3_track_trigger #(
    .NumLanes(2), .NumBanks(2), .WgWidth(1), .WfWidth(1), .AddrWidth(13), .WeightWidth(2), .CountWidth(17), .NumWindows(1),
    .NumRegions(1), .NumSlots(4), .NumRows(2), .LaneDepth(2), .QueueDepth(2)
  ) u_dut (
    .clk_i, .rst_ni(rst_q), .lane_valid_i, .lane_wg_i, .lane_wf_i, .lane_addr_i, .lane_weight_i, .done_ready_i, .rel_ready_i,
    .s_axil_awvalid_i(awvalid_i), .s_axil_awready_o(awready), .s_axil_awaddr_i(awaddr_i), .s_axil_awprot_i(awprot_i),
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready), .s_axil_wdata_i(wdata_i), .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid), .s_axil_bready_i(1'b1), .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready),
    .s_axil_araddr_i(araddr_i), .s_axil_arprot_i(arprot_i), .s_axil_rvalid_o(rvalid), .s_axil_rready_i(1'b1)
  );

  // A valid that was up stays until it is taken.
  logic aw_stays_q, w_stays_q, ar_stays_q;
  always_ff @(posedge clk_i) begin
    aw_stays_q <= rst_q && awvalid_i && !awready;
    w_stays_q <= rst_q && wvalid_i && !wready;
    ar_stays_q <= rst_q && arvalid_i && !arready;
  end
  always_comb begin
    assume (!aw_stays_q || awvalid_i);
    assume (!w_stays_q || wvalid_i);
    assume (!ar_stays_q || arvalid_i);
  end

  // Taken and not answered; for how many cycles all of it has been valid.
  logic aw_taken_q, w_taken_q, ar_taken_q, write_waits, read_waits;
  logic [4:0] write_q, read_q;
  assign write_waits = (aw_taken_q || awvalid_i) && (w_taken_q || wvalid_i) && !bvalid;
  assign read_waits = (ar_taken_q || arvalid_i) && !rvalid;
  always_ff @(posedge clk_i) begin
    if (!rst_q) begin
      {aw_taken_q, w_taken_q, ar_taken_q} <= '0;
      write_q <= '0;
      read_q <= '0;
    end else begin
      aw_taken_q <= (aw_taken_q && !bvalid) || (awvalid_i && awready);
      w_taken_q <= (w_taken_q && !bvalid) || (wvalid_i && wready);
      ar_taken_q <= (ar_taken_q && !rvalid) || (arvalid_i && arready);
      write_q <= write_waits ? write_q + 5'd1 : '0;
      read_q <= read_waits ? read_q + 5'd1 : '0;
    end
  end

  always @(posedge clk_i) if (rst_q) begin
    answers_write: assert (write_q <= 5'(Most));
    answers_read: assert (read_q <= 5'(Most));
    cover_write: cover (write_q == 5'd4 && bvalid);
    cover_read: cover (read_q == 5'd8 && rvalid);
  end
endmodule
