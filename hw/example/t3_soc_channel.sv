// SPDX-License-Identifier: Apache-2.0
/// One channel of the memory: takes an access per cycle, adds where it is asked to, and reports
/// every write to its lane of the tracker in the cycle in which it takes it.
///
/// Promise: accesses are done in the order in which they are taken, whoever asked. So a read that
/// follows from a report (tracker, command, DMA engine) sees what was reported. A read is answered
/// in the cycle after it was taken. Writes and reads take turns; a write waits while its lane is not
/// ready. After reset all words are zeroed, one per cycle, before the first access: sums begin with
/// zero.
///
///   link, store ─► round robin ─► taken ─┬─► report
///   DMA read ────►                       └─► RAM read ─► │ + │ ─► RAM write
///                                              answer ◄──┘   └─► forwarded to the next access
///
/// Why: an addition reads in the first cycle and writes in the second, so the access behind it may
/// read a word that is being written; the word is then forwarded.
module t3_soc_channel #(
  parameter int Depth = 512,
  localparam int IndexWidth = t3_pkg::index_width(Depth),
  localparam int WgWidth = t3_soc_pkg::WgWidth,
  localparam int WfWidth = t3_soc_pkg::WfWidth,
  localparam int WordWidth = t3_soc_pkg::WordWidth,
  /// Sources of writes: link, store.
  localparam int Sources = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [Sources-1:0]            wr_valid_i,
  output logic [Sources-1:0]            wr_ready_o,
  input  logic [Sources-1:0]            wr_add_i,
  input  logic [Sources*WgWidth-1:0]    wr_wg_i,
  input  logic [Sources*WfWidth-1:0]    wr_wf_i,
  input  logic [Sources*IndexWidth-1:0] wr_index_i,
  input  logic [Sources*WordWidth-1:0]  wr_data_i,

  input  logic                  rd_valid_i,
  output logic                  rd_ready_o,
  input  logic [IndexWidth-1:0] rd_index_i,
  output logic                  rd_rvalid_o,
  output logic [WordWidth-1:0]  rdata_o,

  output logic                  lane_valid_o,
  input  logic                  lane_ready_i,
  output logic [WgWidth-1:0]    lane_wg_o,
  output logic [WfWidth-1:0]    lane_wf_o,
  output logic [IndexWidth-1:0] lane_index_o
);

  localparam int Elements = WordWidth / t3_soc_pkg::ElementWidth;

  // ---- zeroes after reset ---------------------------------------------------------------------
  logic [IndexWidth:0] zeroed_q;  // words that are zero; the top bit: all
  logic open;
  assign open = zeroed_q[IndexWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_zero
    if (!rst_ni) begin
      zeroed_q <= '0;
    end else if (!open) begin
      zeroed_q <= zeroed_q + (IndexWidth+1)'(1);
    end
  end

  // ---- one access per cycle -------------------------------------------------------------------
  logic [Sources:0] request, grant;  // writes, and the read above them
  assign request = open ? {rd_valid_i, wr_valid_i & {Sources{lane_ready_i}}} : '0;

  t3_arb_rr #(
    .Count(Sources + 1)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .req_i  (request),
    .take_i (request != '0),
    .grant_o(grant)
  );

  assign wr_ready_o = grant[Sources-1:0];
  assign rd_ready_o = grant[Sources];
  assign lane_valid_o = grant[Sources-1:0] != '0;

  logic access, write, add;
  logic [IndexWidth-1:0] index;
  logic [WordWidth-1:0] data;
  assign access = grant != '0;
  assign lane_index_o = index;

  always_comb begin : p_access
    write = 1'b0;
    add = 1'b0;
    index = rd_index_i;
    data = '0;
    lane_wg_o = '0;
    lane_wf_o = '0;
    for (int s = 0; s < Sources; s++) begin
      if (grant[s]) begin
        write = 1'b1;
        add = wr_add_i[s];
        index = wr_index_i[s*IndexWidth +: IndexWidth];
        data = wr_data_i[s*WordWidth +: WordWidth];
        lane_wg_o = wr_wg_i[s*WgWidth +: WgWidth];
        lane_wf_o = wr_wf_i[s*WfWidth +: WfWidth];
      end
    end
  end

  // ---- the access in its second cycle ---------------------------------------------------------
  logic write_q, add_q, read_q, forwarded_q;
  logic [IndexWidth-1:0] index_q;
  logic [WordWidth-1:0] data_q, forward_q, ram_word, old_word, new_word;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_kind
    if (!rst_ni) begin
      write_q <= 1'b0;
      read_q <= 1'b0;
    end else begin
      write_q <= write;
      read_q <= grant[Sources];
    end
  end

  always_ff @(posedge clk_i) begin : p_second
    if (access) begin
      add_q <= add;
      index_q <= index;
      data_q <= data;
      forwarded_q <= write_q && index == index_q;
      forward_q <= new_word;
    end
  end

  t3_ram_1r1w #(
    .Depth(Depth),
    .Width(WordWidth)
  ) u_ram (
    .clk_i,
    .en_i   (1'b1),
    .we_i   (write_q || !open),
    .waddr_i(open ? index_q : zeroed_q[IndexWidth-1:0]),
    .wdata_i(open ? new_word : '0),
    .re_i   (access),
    .raddr_i(index),
    .rdata_o(ram_word)
  );

  assign old_word = forwarded_q ? forward_q : ram_word;
  for (genvar e = 0; e < Elements; e++) begin : gen_element
    localparam int Lsb = e * t3_soc_pkg::ElementWidth;
    localparam int Width = t3_soc_pkg::ElementWidth;
    assign new_word[Lsb +: Width] =
        data_q[Lsb +: Width] + (add_q ? old_word[Lsb +: Width] : Width'(0));
  end

  assign rdata_o = old_word;
  assign rd_rvalid_o = read_q;

endmodule
