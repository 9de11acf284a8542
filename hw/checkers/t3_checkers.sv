// SPDX-License-Identifier: Apache-2.0
// What the neighbours of t3_track_trigger and the unit itself must keep at its ports (docs/tracker.md,
// "Ports"), as concurrent assertions. hw/checkers/t3_bind.sv binds them to every instance of the unit, so
// that a simulation of a whole design says at once, and in which cycle, who breaks a rule.
//
// Each rule is an assertion with a name of its own and is off in reset. Rules on unknown bits ($isunknown)
// mean something in a simulator with four states only; in Verilator they always hold.

// Modules of one purpose are in one file, and their reset is a condition here, not a reset.
/* verilator lint_off DECLFILENAME */
/* verilator lint_off SYNCASYNCNET */
`define T3_CHECK(label, property_) \
  label: assert property (@(posedge clk_i) disable iff (!rst_ni) property_);

/// A stream with valid and ready: what is shown stays until it is taken, if `Holds`.
module t3_stream_checker #(
  parameter int Width = 8,
  parameter bit Holds = 1'b1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] word_i
);
  if (Holds) begin : gen_holds
    `T3_CHECK(valid_stays, valid_i && !ready_i |=> valid_i)
    `T3_CHECK(word_stays, valid_i && !ready_i |=> $stable(word_i))
  end
  `T3_CHECK(handshake_is_known, !$isunknown({valid_i, ready_i}))
  `T3_CHECK(word_is_known, valid_i |-> !$isunknown(word_i))
endmodule

/// Update lanes. A lane may withdraw or change an update that was not taken; a source that promises not to
/// is checked with `Holds`.
module t3_lanes_checker #(
  parameter int NumLanes = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int WeightWidth = 8,
  parameter bit Holds = 1'b0
) (
  input logic                          clk_i,
  input logic                          rst_ni,
  input logic [NumLanes-1:0]             valid_i,
  input logic [NumLanes-1:0]             ready_i,
  input logic [NumLanes*WgWidth-1:0]     wg_i,
  input logic [NumLanes*WfWidth-1:0]     wf_i,
  input logic [NumLanes*AddrWidth-1:0]   addr_i,
  input logic [NumLanes*WeightWidth-1:0] weight_i
);
  localparam logic [WeightWidth-1:0] MostWeight = WeightWidth'(1) << (WeightWidth - 1);
  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    logic [WeightWidth-1:0] weight;
    assign weight = weight_i[l*WeightWidth +: WeightWidth];
    t3_stream_checker #(
      .Width(WgWidth + WfWidth + AddrWidth + WeightWidth),
      .Holds(Holds)
    ) u_stream (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i[l]),
      .ready_i(ready_i[l]),
      .word_i ({wg_i[l*WgWidth +: WgWidth], wf_i[l*WfWidth +: WfWidth],
                addr_i[l*AddrWidth +: AddrWidth], weight})
    );
    `T3_CHECK(weight_is_not_zero_nor_too_large,
              valid_i[l] && ready_i[l] |-> weight != '0 && weight <= MostWeight)
  end
endmodule

/// AXI4-Lite, both sides of it.
module t3_axil_checker (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        awvalid_i,
  input logic        awready_i,
  input logic [15:0] awaddr_i,
  input logic [2:0]  awprot_i,
  input logic        wvalid_i,
  input logic        wready_i,
  input logic [31:0] wdata_i,
  input logic [3:0]  wstrb_i,
  input logic        bvalid_i,
  input logic        bready_i,
  input logic [1:0]  bresp_i,
  input logic        arvalid_i,
  input logic        arready_i,
  input logic [15:0] araddr_i,
  input logic [2:0]  arprot_i,
  input logic        rvalid_i,
  input logic        rready_i,
  input logic [31:0] rdata_i,
  input logic [1:0]  rresp_i
);
  localparam int CountWidth = 2;
  // Cycles from the last valid of an access (address and data) to its response.
  localparam int SlowestAnswer = 16;
  localparam int WaitWidth = 5;
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  // Words taken whose response has not been taken yet: of one, and of the next one, which may wait.
  logic [CountWidth-1:0] addresses_q, words_q, reads_q;
  logic aw_taken, w_taken, b_taken, ar_taken, r_taken;
  assign aw_taken = awvalid_i && awready_i;
  assign w_taken = wvalid_i && wready_i;
  assign b_taken = bvalid_i && bready_i;
  assign ar_taken = arvalid_i && arready_i;
  assign r_taken = rvalid_i && rready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_count
    if (!rst_ni) begin
      addresses_q <= '0;
      words_q <= '0;
      reads_q <= '0;
    end else begin
      addresses_q <= addresses_q + CountWidth'(aw_taken) - CountWidth'(b_taken);
      words_q <= words_q + CountWidth'(w_taken) - CountWidth'(b_taken);
      reads_q <= reads_q + CountWidth'(ar_taken) - CountWidth'(r_taken);
    end
  end

  // Cycles that an access has waited for its response so far, up to one too many.
  logic [WaitWidth-1:0] write_wait_q, read_wait_q;
  logic write_waits, read_waits;
  assign write_waits = (awvalid_i || addresses_q != '0) && (wvalid_i || words_q != '0) && !bvalid_i;
  assign read_waits = (arvalid_i || reads_q != '0) && !rvalid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_wait
    if (!rst_ni) begin
      write_wait_q <= '0;
      read_wait_q <= '0;
    end else begin
      write_wait_q <= !write_waits ? '0
                      : write_wait_q + WaitWidth'(32'(write_wait_q) <= SlowestAnswer);
      read_wait_q <= !read_waits ? '0
                     : read_wait_q + WaitWidth'(32'(read_wait_q) <= SlowestAnswer);
    end
  end

  t3_stream_checker #(.Width(19)) u_aw (
    .clk_i, .rst_ni, .valid_i(awvalid_i), .ready_i(awready_i), .word_i({awprot_i, awaddr_i})
  );
  t3_stream_checker #(.Width(36)) u_w (
    .clk_i, .rst_ni, .valid_i(wvalid_i), .ready_i(wready_i), .word_i({wstrb_i, wdata_i})
  );
  t3_stream_checker #(.Width(2)) u_b (
    .clk_i, .rst_ni, .valid_i(bvalid_i), .ready_i(bready_i), .word_i(bresp_i)
  );
  t3_stream_checker #(.Width(19)) u_ar (
    .clk_i, .rst_ni, .valid_i(arvalid_i), .ready_i(arready_i), .word_i({arprot_i, araddr_i})
  );
  t3_stream_checker #(.Width(34)) u_r (
    .clk_i, .rst_ni, .valid_i(rvalid_i), .ready_i(rready_i), .word_i({rresp_i, rdata_i})
  );
  `T3_CHECK(write_response_after_address_and_data,
            bvalid_i |-> addresses_q != '0 && words_q != '0)
  `T3_CHECK(read_response_after_address, rvalid_i |-> reads_q != '0)
  `T3_CHECK(write_response_is_okay_or_slverr, bvalid_i |-> bresp_i == Okay || bresp_i == SlvErr)
  `T3_CHECK(read_response_is_okay_or_slverr, rvalid_i |-> rresp_i == Okay || rresp_i == SlvErr)
  `T3_CHECK(write_is_answered_in_time, 32'(write_wait_q) <= SlowestAnswer)
  `T3_CHECK(read_is_answered_in_time, 32'(read_wait_q) <= SlowestAnswer)
  `T3_CHECK(two_accesses_of_a_kind_at_most,
            addresses_q <= 2'd2 && words_q <= 2'd2 && reads_q <= 2'd2)
endmodule

/// All ports of t3_track_trigger, under their names there.
module t3_ports_checker #(
  parameter int NumLanes = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int WeightWidth = 8,
  parameter int NumSlots = 4096,
  parameter int NumRows = 256,
  /// The sources of updates hold what they show.
  parameter bit LanesHold = 1'b0,
  localparam int SlotWidth = t3_pkg::index_width(NumSlots),
  localparam int RowWidth = t3_pkg::index_width(NumRows)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [NumLanes-1:0]             lane_valid_i,
  input logic [NumLanes-1:0]             lane_ready_o,
  input logic [NumLanes*WgWidth-1:0]     lane_wg_i,
  input logic [NumLanes*WfWidth-1:0]     lane_wf_i,
  input logic [NumLanes*AddrWidth-1:0]   lane_addr_i,
  input logic [NumLanes*WeightWidth-1:0] lane_weight_i,

  input logic                 done_valid_o,
  input logic                 done_ready_i,
  input logic [SlotWidth-1:0] done_slot_o,
  input logic                 done_spoiled_o,

  input logic                rel_valid_o,
  input logic                rel_ready_i,
  input logic [RowWidth-1:0] rel_row_o,
  input logic                rel_spoiled_o,

  input logic        s_axil_awvalid_i,
  input logic        s_axil_awready_o,
  input logic [15:0] s_axil_awaddr_i,
  input logic [2:0]  s_axil_awprot_i,
  input logic        s_axil_wvalid_i,
  input logic        s_axil_wready_o,
  input logic [31:0] s_axil_wdata_i,
  input logic [3:0]  s_axil_wstrb_i,
  input logic        s_axil_bvalid_o,
  input logic        s_axil_bready_i,
  input logic [1:0]  s_axil_bresp_o,
  input logic        s_axil_arvalid_i,
  input logic        s_axil_arready_o,
  input logic [15:0] s_axil_araddr_i,
  input logic [2:0]  s_axil_arprot_i,
  input logic        s_axil_rvalid_o,
  input logic        s_axil_rready_i,
  input logic [31:0] s_axil_rdata_o,
  input logic [1:0]  s_axil_rresp_o,

  input logic irq_o,
  input logic alert_o,
  input logic busy_o
);
  t3_lanes_checker #(
    .NumLanes   (NumLanes),
    .WgWidth    (WgWidth),
    .WfWidth    (WfWidth),
    .AddrWidth  (AddrWidth),
    .WeightWidth(WeightWidth),
    .Holds      (LanesHold)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .valid_i (lane_valid_i),
    .ready_i (lane_ready_o),
    .wg_i    (lane_wg_i),
    .wf_i    (lane_wf_i),
    .addr_i  (lane_addr_i),
    .weight_i(lane_weight_i)
  );

  t3_stream_checker #(
    .Width(SlotWidth + 1)
  ) u_done (
    .clk_i,
    .rst_ni,
    .valid_i(done_valid_o),
    .ready_i(done_ready_i),
    .word_i ({done_slot_o, done_spoiled_o})
  );

  t3_stream_checker #(
    .Width(RowWidth + 1)
  ) u_rel (
    .clk_i,
    .rst_ni,
    .valid_i(rel_valid_o),
    .ready_i(rel_ready_i),
    .word_i ({rel_row_o, rel_spoiled_o})
  );

  t3_axil_checker u_axil (
    .clk_i,
    .rst_ni,
    .awvalid_i(s_axil_awvalid_i),
    .awready_i(s_axil_awready_o),
    .awaddr_i (s_axil_awaddr_i),
    .awprot_i (s_axil_awprot_i),
    .wvalid_i (s_axil_wvalid_i),
    .wready_i (s_axil_wready_o),
    .wdata_i  (s_axil_wdata_i),
    .wstrb_i  (s_axil_wstrb_i),
    .bvalid_i (s_axil_bvalid_o),
    .bready_i (s_axil_bready_i),
    .bresp_i  (s_axil_bresp_o),
    .arvalid_i(s_axil_arvalid_i),
    .arready_i(s_axil_arready_o),
    .araddr_i (s_axil_araddr_i),
    .arprot_i (s_axil_arprot_i),
    .rvalid_i (s_axil_rvalid_o),
    .rready_i (s_axil_rready_i),
    .rdata_i  (s_axil_rdata_o),
    .rresp_i  (s_axil_rresp_o)
  );

  `T3_CHECK(levels_are_known, !$isunknown({irq_o, alert_o, busy_o}))
endmodule
`undef T3_CHECK
/* verilator lint_on SYNCASYNCNET */
/* verilator lint_on DECLFILENAME */
