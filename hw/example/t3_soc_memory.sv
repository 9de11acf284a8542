// SPDX-License-Identifier: Apache-2.0
/// The memory: two channels, in which successive words alternate, and the way to them.
///
/// Promise: that of t3_soc_channel, for each channel. Of the reads of the DMA engine one at a time may
/// be under way.
module t3_soc_memory #(
  localparam int Channels = t3_soc_pkg::Channels,
  localparam int IndexWidth = t3_soc_pkg::IndexWidth,
  localparam int WgWidth = t3_soc_pkg::WgWidth,
  localparam int WfWidth = t3_soc_pkg::WfWidth,
  localparam int AddrWidth = t3_soc_pkg::AddrWidth,
  localparam int WordWidth = t3_soc_pkg::WordWidth,
  localparam int WeightWidth = t3_soc_pkg::WeightWidth,
  localparam int WriteWidth = t3_soc_pkg::WriteWidth
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Writes {add, wg, wf, index, data} from the link and from the GPU's own stores.
  input  logic                  link_valid_i,
  output logic                  link_ready_o,
  input  logic [WriteWidth-1:0] link_i,
  input  logic                  store_valid_i,
  output logic                  store_ready_o,
  input  logic [WriteWidth-1:0] store_i,

  input  logic                  rd_valid_i,
  output logic                  rd_ready_o,
  input  logic [IndexWidth-1:0] rd_index_i,
  output logic                  rd_rvalid_o,
  output logic [WordWidth-1:0]  rd_rdata_o,

  /// The tracker's lanes, one per channel.
  output logic [Channels-1:0]             lane_valid_o,
  input  logic [Channels-1:0]             lane_ready_i,
  output logic [Channels*WgWidth-1:0]     lane_wg_o,
  output logic [Channels*WfWidth-1:0]     lane_wf_o,
  output logic [Channels*AddrWidth-1:0]   lane_addr_o,
  output logic [Channels*WeightWidth-1:0] lane_weight_o
);

  localparam int ChannelLog2 = $clog2(Channels);
  localparam int RowWidth = IndexWidth - ChannelLog2;  // a word of a channel
  localparam int IndexLsb = WordWidth;
  localparam int WfLsb = IndexLsb + IndexWidth;
  localparam int WgLsb = WfLsb + WfWidth;
  localparam int AddBit = WgLsb + WgWidth;

  logic [Channels-1:0] link_ready, store_ready, rd_ready, rd_rvalid;
  logic [Channels*WordWidth-1:0] rdata;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [RowWidth-1:0] lane_row;
    logic [1:0] ready;
    assign {store_ready[c], link_ready[c]} = ready;

    t3_soc_channel #(
      .Depth(1 << RowWidth)
    ) u_channel (
      .clk_i,
      .rst_ni,
      .wr_valid_i  ({store_valid_i && store_i[IndexLsb +: ChannelLog2] == ChannelLog2'(c),
                     link_valid_i && link_i[IndexLsb +: ChannelLog2] == ChannelLog2'(c)}),
      .wr_ready_o  (ready),
      .wr_add_i    ({store_i[AddBit], link_i[AddBit]}),
      .wr_wg_i     ({store_i[WgLsb +: WgWidth], link_i[WgLsb +: WgWidth]}),
      .wr_wf_i     ({store_i[WfLsb +: WfWidth], link_i[WfLsb +: WfWidth]}),
      .wr_index_i  ({store_i[IndexLsb + ChannelLog2 +: RowWidth],
                     link_i[IndexLsb + ChannelLog2 +: RowWidth]}),
      .wr_data_i   ({store_i[WordWidth-1:0], link_i[WordWidth-1:0]}),
      .rd_valid_i  (rd_valid_i && rd_index_i[ChannelLog2-1:0] == ChannelLog2'(c)),
      .rd_ready_o  (rd_ready[c]),
      .rd_index_i  (rd_index_i[IndexWidth-1:ChannelLog2]),
      .rd_rvalid_o (rd_rvalid[c]),
      .rdata_o     (rdata[c*WordWidth +: WordWidth]),
      .lane_valid_o(lane_valid_o[c]),
      .lane_ready_i(lane_ready_i[c]),
      .lane_wg_o   (lane_wg_o[c*WgWidth +: WgWidth]),
      .lane_wf_o   (lane_wf_o[c*WfWidth +: WfWidth]),
      .lane_index_o(lane_row)
    );

    assign lane_addr_o[c*AddrWidth +: AddrWidth] =
        AddrWidth'({lane_row, ChannelLog2'(c), t3_soc_pkg::WordLog2'(0)});
    assign lane_weight_o[c*WeightWidth +: WeightWidth] = WeightWidth'(t3_soc_pkg::WordBytes);
  end

  // A channel grants only what came to it. Both channels are open from the same cycle on.
  assign link_ready_o = link_ready != '0;
  assign store_ready_o = store_ready != '0;
  assign rd_ready_o = rd_ready != '0;

  assign rd_rvalid_o = rd_rvalid != '0;

  always_comb begin : p_answer
    rd_rdata_o = '0;
    for (int c = 0; c < Channels; c++) begin
      if (rd_rvalid[c]) rd_rdata_o = rd_rdata_o | rdata[c*WordWidth +: WordWidth];
    end
  end

endmodule
