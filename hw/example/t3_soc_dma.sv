// SPDX-License-Identifier: Apache-2.0
/// DMA engine: takes the slots that the tracker has done, reads the block of each and sends it to the
/// next GPU.
///
/// Promise: commands are done one after the other, in the order in which they come, each word of a
/// block once and in order. A word on the link carries the workgroup and wavefront that its block
/// says, so the next GPU's tracker counts it for the same slot. A word takes four cycles at least,
/// because one read at a time is under way. A spoiled command is dropped: its block got a byte too many, so
/// what it would send is not what was computed. (The tracker reports the byte; software aborts the kernel.)
///
/// A command is the number of a slot. Where its block is and where it goes is in a table, t3_soc_table.
///
///   Idle ──command──► Fetch ──► Read ──taken──► Answer ──► Send ──taken, last──► Idle
///                                ^                           └──taken──┐
///                                └─────────────────────────────────────┘
module t3_soc_dma #(
  localparam int CmdWidth = t3_soc_pkg::SlotWidth,
  localparam int WgWidth = t3_soc_pkg::WgWidth,
  localparam int IndexWidth = t3_soc_pkg::IndexWidth,
  localparam int WordWidth = t3_soc_pkg::WordWidth,
  localparam int WriteWidth = t3_soc_pkg::WriteWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                cmd_valid_i,
  output logic                cmd_ready_o,
  input  logic [CmdWidth-1:0] cmd_i,
  input  logic                cmd_spoiled_i,

  output logic                  rd_valid_o,
  input  logic                  rd_ready_i,
  output logic [IndexWidth-1:0] rd_index_o,
  input  logic                  rd_rvalid_i,
  input  logic [WordWidth-1:0]  rd_rdata_i,

  /// Words {add, wg, wf, index, data} for the next GPU's memory.
  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [WriteWidth-1:0] out_o,

  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [15:0] awaddr_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0]  wstrb_i,
  output logic        bvalid_o,
  input  logic        bready_i,
  output logic [1:0]  bresp_o,
  input  logic        arvalid_i,
  output logic        arready_o,
  input  logic [15:0] araddr_i,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o
);

  localparam int CountWidth = t3_soc_pkg::BlockWordsLog2;
  localparam int WfWidth = t3_soc_pkg::WfWidth;

  // ---- the table ------------------------------------------------------------------------------
  logic source_add, take;
  logic [WgWidth-1:0] first_wg;
  logic [IndexWidth-1:0] source_index, target_index;

  t3_soc_table u_table (
    .clk_i, .rst_ni, .re_i(take), .cmd_i, .add_o(source_add), .first_wg_o(first_wg), .source_o(source_index),
    .target_o(target_index),
    .awvalid_i, .awready_o, .awaddr_i, .wvalid_i, .wready_o, .wdata_i, .wstrb_i, .bvalid_o, .bready_i, .bresp_o,
    .arvalid_i, .arready_o, .araddr_i, .rvalid_o, .rready_i, .rdata_o, .rresp_o
  );

  // ---- a block --------------------------------------------------------------------------------
  localparam logic [2:0] Idle = 3'd0;
  localparam logic [2:0] Fetch = 3'd1;
  localparam logic [2:0] Read = 3'd2;
  localparam logic [2:0] Answer = 3'd3;
  localparam logic [2:0] Send = 3'd4;

  logic [2:0] state_q;
  logic [CountWidth-1:0] count_q;  // words of the block that are sent
  logic [WgWidth-1:0] wg;
  logic [WfWidth-1:0] wf;
  logic [WordWidth-1:0] data_q;

  assign cmd_ready_o = state_q == Idle;
  assign take = cmd_ready_o && cmd_valid_i && !cmd_spoiled_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= Idle;
      count_q <= '0;
    end else begin
      case (state_q)
        Idle: if (take) state_q <= Fetch;
        Fetch: state_q <= Read;
        Read: if (rd_ready_i) state_q <= Answer;
        Answer: if (rd_rvalid_i) state_q <= Send;
        default: begin
          if (out_ready_i) begin
            count_q <= count_q + CountWidth'(1);
            state_q <= (count_q == {CountWidth{1'b1}}) ? Idle : Read;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin : p_data
    if (rd_rvalid_i) data_q <= rd_rdata_i;
  end

  assign rd_valid_o = state_q == Read;
  assign rd_index_o = source_index + IndexWidth'(count_q);

  assign wg = first_wg + WgWidth'(count_q[CountWidth-1:t3_soc_pkg::TileWordsLog2]);
  assign wf = count_q[t3_soc_pkg::WaveWordsLog2 +: WfWidth];
  assign out_valid_o = state_q == Send;
  assign out_o = {source_add, wg, wf, target_index + IndexWidth'(count_q), data_q};

endmodule
