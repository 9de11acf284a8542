// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_types.svh"
/// The whole unit without its register file, of 16 regions, any of which is off, on or stopped and changes at any time:
/// docs/tracker.md, "Abort" and promise 2. In a cycle in which a region is stopped no update of it counts, wherever it
/// is: no word changes by it, no slot is done, nothing is reported; and no update is counted in UPDATES unless some
/// region is on. Slots of other regions count on meanwhile.
///
/// From any state, reachable or not.
module formal_stop #(
  localparam int NumLanes = 2,
  localparam int NumBanks = 2,
  localparam int NumRegions = 16,
  localparam int NumWindows = 1,
  localparam int WgWidth = 1,
  localparam int WfWidth = 1,
  localparam int AddrWidth = 13,
  localparam int WeightWidth = 2,
  localparam int CountWidth = 3,
  localparam int SlotWidth = 2,
  localparam int RowWidth = 1,
  localparam int QueueDepth = 2,
  localparam int PageWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int WindowWidth = 1,
  localparam int RegionWidth = 4,
  localparam int NumberWidth = SlotWidth
) (
  input logic                            clk_i,
  input logic [NumLanes-1:0]             lane_valid_i,
  input logic [NumLanes*WgWidth-1:0]     lane_wg_i,
  input logic [NumLanes*WfWidth-1:0]     lane_wf_i,
  input logic [NumLanes*AddrWidth-1:0]   lane_addr_i,
  input logic [NumLanes*WeightWidth-1:0] lane_weight_i,
  input logic                            done_ready_i,
  input logic                            rel_ready_i
);
  `T3_FORMAL_RESET
  `include "whole.svh"

  // Of any bank: the region of the update that reaches its words in this cycle.
  (* anyconst *) logic bank;
  (* hierconn *) wire [1:0] \u_dut.u_slots.done ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.overrun ;
  (* hierconn *) wire [1:0] \u_dut.u_slots.stray ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.arm_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[0].u_bank.offer_q ;
  (* hierconn *) wire [RegionWidth+1:0] \u_dut.u_slots.gen_bank[0].u_bank.tag_q ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.u_slots.gen_bank[0].u_bank.u_ram.u_ram.words_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.arm_q ;
  (* hierconn *) wire \u_dut.u_slots.gen_bank[1].u_bank.offer_q ;
  (* hierconn *) wire [RegionWidth+1:0] \u_dut.u_slots.gen_bank[1].u_bank.tag_q ;
  (* hierconn *) wire [2*CountWidth-1:0] \u_dut.u_slots.gen_bank[1].u_bank.u_ram.u_ram.words_q ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.tracked ;
  (* hierconn *) wire [NumLanes-1:0] \u_dut.dropped ;
  (* hierconn *) wire [2:0] \u_dut.bank_tracked ;
  logic update, arms, offers, of_stopped, of_stopped_q, valid_q, none_on_q, on_counts;
  logic [RegionWidth+1:0] tag_joined;  // and of how many updates it is made
  logic [RegionWidth-1:0] tag;
  logic [2*CountWidth-1:0] words, words_q;
  always_comb begin
    update = bank ? \u_dut.u_slots.gen_bank[1].u_bank.update_q : \u_dut.u_slots.gen_bank[0].u_bank.update_q ;
    arms = bank ? \u_dut.u_slots.gen_bank[1].u_bank.arm_q : \u_dut.u_slots.gen_bank[0].u_bank.arm_q ;
    offers = bank ? \u_dut.u_slots.gen_bank[1].u_bank.offer_q : \u_dut.u_slots.gen_bank[0].u_bank.offer_q ;
    tag_joined = bank ? \u_dut.u_slots.gen_bank[1].u_bank.tag_q : \u_dut.u_slots.gen_bank[0].u_bank.tag_q ;
    tag = tag_joined[RegionWidth-1:0];
    words = bank ? \u_dut.u_slots.gen_bank[1].u_bank.u_ram.u_ram.words_q : \u_dut.u_slots.gen_bank[0].u_bank.u_ram.u_ram.words_q ;
    of_stopped = update && !arms && !offers && stopped[tag];
    on_counts = \u_dut.u_slots.done [bank] && on[tag];
  end
  always_ff @(posedge clk_i) begin
    valid_q <= rst_q;
    of_stopped_q <= of_stopped;
    words_q <= words;
    none_on_q <= rst_q && on == '0;
  end

  always @(posedge clk_i) if (rst_q) begin
    stop_not_done: assert (!of_stopped || !(\u_dut.u_slots.done [bank] || \u_dut.u_slots.overrun [bank]
                                            || \u_dut.u_slots.stray [bank]));
    stop_none_counted: assert (on != '0 || \u_dut.bank_tracked == '0);
    if (valid_q) begin
      stop_changes_no_word: assert (!of_stopped_q || words == words_q);
      stop_none_tracked: assert (!none_on_q || \u_dut.tracked == '0);
    end
    cover_late: cover (of_stopped && tag == 4'd15);
    cover_dropped: cover (none_on_q && \u_dut.dropped == 2'b11);
    cover_another_counts: cover (on_counts && stopped != '0);
  end
endmodule
