// SPDX-License-Identifier: Apache-2.0
/// The whole unit, out of reset, in any state. `may_stop_o` is docs/tracker.md's condition for
/// stopping the clock; the runner proves that no register changes at the next edge while it is up,
/// and that no input reaches an output but through a register (proof idle). What waits at an output
/// stream stays (proof ports).
module formal_idle #(
  parameter int NumLanes = 8,
  parameter int NumBanks = 8,
  parameter int SetsPerBank = 64,
  parameter int Ways = 4,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int CntWidth = 18,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  parameter int CmdDepth = 4096,
  parameter int LaneFifoDepth = 8,
  parameter int ParkDepth = 4096,
  parameter int ParkedWidth = 2,
  parameter int ReleaseRows = 256,
  localparam int BankWidth = t3_pkg::index_width(NumBanks),
  localparam int CmdWidth = t3_pkg::index_width(CmdDepth),
  localparam int RowWidth = t3_pkg::index_width(ReleaseRows)
) (
  input  logic                          clk_i,
  input  logic [NumLanes-1:0]           lane_valid_i,
  output logic [NumLanes-1:0]           lane_ready_o,
  input  logic [NumLanes*WgWidth-1:0]   lane_wg_i,
  input  logic [NumLanes*WfWidth-1:0]   lane_wf_i,
  input  logic [NumLanes*AddrWidth-1:0] lane_addr_i,
  input  logic [NumLanes*8-1:0]         lane_bytes_i,
  output logic                          dma_valid_o,
  input  logic                          dma_ready_i,
  output logic [CmdWidth-1:0]           dma_cmd_o,
  output logic [3:0]                    dma_region_o,
  output logic [WgWidth-1:0]            dma_wg_o,
  output logic                          ntf_valid_o,
  output logic [CmdWidth-1:0]           ntf_cmd_o,
  output logic [3:0]                    ntf_region_o,
  output logic [WgWidth-1:0]            ntf_wg_o,
  output logic [WfWidth-1:0]            ntf_wf_o,
  output logic [AddrWidth-1:0]          ntf_addr_o,
  output logic                          rel_valid_o,
  input  logic                          rel_ready_i,
  output logic [RowWidth-1:0]           rel_row_o,
  output logic                          mem_valid_o,
  input  logic                          mem_ready_i,
  output logic                          mem_write_o,
  output logic [AddrWidth-1:0]          mem_addr_o,
  output logic [BankWidth-1:0]          mem_id_o,
  output logic [127:0]                  mem_wdata_o,
  input  logic                          mem_rvalid_i,
  output logic                          mem_rready_o,
  input  logic [BankWidth-1:0]          mem_rid_i,
  input  logic [127:0]                  mem_rdata_i,
  input  logic                          s_axil_awvalid_i,
  output logic                          s_axil_awready_o,
  input  logic [15:0]                   s_axil_awaddr_i,
  input  logic [2:0]                    s_axil_awprot_i,
  input  logic                          s_axil_wvalid_i,
  output logic                          s_axil_wready_o,
  input  logic [31:0]                   s_axil_wdata_i,
  input  logic [3:0]                    s_axil_wstrb_i,
  output logic                          s_axil_bvalid_o,
  input  logic                          s_axil_bready_i,
  output logic [1:0]                    s_axil_bresp_o,
  input  logic                          s_axil_arvalid_i,
  output logic                          s_axil_arready_o,
  input  logic [15:0]                   s_axil_araddr_i,
  input  logic [2:0]                    s_axil_arprot_i,
  output logic                          s_axil_rvalid_o,
  input  logic                          s_axil_rready_i,
  output logic [31:0]                   s_axil_rdata_o,
  output logic [1:0]                    s_axil_rresp_o,
  output logic                          irq_o,
  output logic                          busy_o,
  output logic                          may_stop_o
);
  logic rst_ni;
  assign rst_ni = 1'b1;

  t3_track_trigger #(
    .NumLanes(NumLanes), .NumBanks(NumBanks), .SetsPerBank(SetsPerBank), .Ways(Ways),
    .WgWidth(WgWidth), .WfWidth(WfWidth), .AddrWidth(AddrWidth), .CntWidth(CntWidth),
    .NumRegions(NumRegions), .NumGeometries(NumGeometries), .CmdDepth(CmdDepth),
    .LaneFifoDepth(LaneFifoDepth), .ParkDepth(ParkDepth), .ParkedWidth(ParkedWidth),
    .ReleaseRows(ReleaseRows)
  ) u_dut (.*);

  // What other proofs (trigger, release, clear) say about every reachable state: software's access in the
  // pipeline of the trigger or release unit keeps it busy, T2 has an event only together with a completion, a row goes into its
  // queue only when it fell to zero, and the fourth value of the clear state does not occur.
  (* hierconn *) wire \u_dut.u_trigger.u_slots.sw_busy_q ;
  (* hierconn *) wire \u_dut.u_trigger.t0_sw_q ;
  (* hierconn *) wire \u_dut.u_trigger.u_slots.sw_count_q ;
  (* hierconn *) wire \u_dut.u_trigger.u_slots.sw_done_q ;
  (* hierconn *) wire \u_dut.u_trigger.t2_completed_q ;
  (* hierconn *) wire \u_dut.u_trigger.u_slots.none_o ;
  (* hierconn *) wire \u_dut.u_trigger.u_slots.fell_o ;
  (* hierconn *) wire \u_dut.u_trigger.u_slots.queued_o ;
  (* hierconn *) wire \u_dut.u_release.u_slots.sw_busy_q ;
  (* hierconn *) wire \u_dut.u_release.r0_sw_q ;
  (* hierconn *) wire \u_dut.u_release.r1_sw_q ;
  (* hierconn *) wire \u_dut.u_release.u_slots.sw_count_q ;
  (* hierconn *) wire \u_dut.u_release.u_slots.sw_done_q ;
  (* hierconn *) wire \u_dut.u_release.u_slots.fell_o ;
  (* hierconn *) wire \u_dut.u_release.u_slots.queued_o ;
  (* hierconn *) wire [1:0] \u_dut.u_clear.state_q ;
  logic reachable;
  assign reachable =
      (\u_dut.u_trigger.u_slots.sw_busy_q
       || !(\u_dut.u_trigger.t0_sw_q || \u_dut.u_trigger.u_slots.sw_count_q || \u_dut.u_trigger.u_slots.sw_done_q ))
      && (\u_dut.u_trigger.t2_completed_q
          || !(\u_dut.u_trigger.u_slots.none_o || \u_dut.u_trigger.u_slots.fell_o ))
      && (\u_dut.u_trigger.u_slots.fell_o || !\u_dut.u_trigger.u_slots.queued_o )
      && (\u_dut.u_release.u_slots.sw_busy_q
          || !(\u_dut.u_release.r0_sw_q || \u_dut.u_release.r1_sw_q || \u_dut.u_release.u_slots.sw_count_q
               || \u_dut.u_release.u_slots.sw_done_q ))
      && (\u_dut.u_release.u_slots.fell_o || !\u_dut.u_release.u_slots.queued_o )
      && \u_dut.u_clear.state_q != 2'd3;

  assign may_stop_o = reachable &&
      !(busy_o || lane_valid_i != '0 || s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i
        || (s_axil_bvalid_o && s_axil_bready_i) || (s_axil_rvalid_o && s_axil_rready_i)
        || (dma_valid_o && dma_ready_i) || (rel_valid_o && rel_ready_i) || (mem_valid_o && mem_ready_i) || mem_rvalid_i);

  // What the streams offered in the cycle before.
  logic past_q = 1'b0;
  logic dma_waits_q, rel_waits_q, mem_waits_q, b_waits_q, r_waits_q;
  logic [RowWidth-1:0] rel_q;
  logic [CmdWidth+4+WgWidth-1:0] dma_q;
  logic [AddrWidth+BankWidth+128:0] mem_q;
  logic [1:0] b_q;
  logic [33:0] r_q;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    dma_waits_q <= dma_valid_o && !dma_ready_i;
    rel_waits_q <= rel_valid_o && !rel_ready_i;
    mem_waits_q <= mem_valid_o && !mem_ready_i;
    b_waits_q <= s_axil_bvalid_o && !s_axil_bready_i;
    r_waits_q <= s_axil_rvalid_o && !s_axil_rready_i;
    dma_q <= {dma_cmd_o, dma_region_o, dma_wg_o};
    rel_q <= rel_row_o;
    mem_q <= {mem_write_o, mem_addr_o, mem_id_o, mem_wdata_o};
    b_q <= s_axil_bresp_o;
    r_q <= {s_axil_rdata_o, s_axil_rresp_o};
  end

  always @(posedge clk_i) if (past_q) begin
    port_dma: assert (!dma_waits_q
                      || (dma_valid_o && {dma_cmd_o, dma_region_o, dma_wg_o} == dma_q));
    port_rel: assert (!rel_waits_q || (rel_valid_o && rel_row_o == rel_q));
    port_mem: assert (!mem_waits_q || (mem_valid_o && {mem_write_o, mem_addr_o, mem_id_o,
                                                       mem_wdata_o} == mem_q));
    port_answers: assert (mem_rready_o);
    port_b: assert (!b_waits_q || (s_axil_bvalid_o && s_axil_bresp_o == b_q));
    port_r: assert (!r_waits_q || (s_axil_rvalid_o && {s_axil_rdata_o, s_axil_rresp_o} == r_q));
    cover_all_wait: cover (dma_waits_q && rel_waits_q && mem_waits_q && b_waits_q && r_waits_q);
  end
endmodule
