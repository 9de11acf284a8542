// SPDX-License-Identifier: Apache-2.0
/// Sizes and addresses that the parts of the example share.
///
/// A memory of 32 KiB in words of 32 bytes, which alternate between two channels:
///
///   0x0000  output: a chunk of 4 KiB per GPU
///   0x4000  sums that go on to the next GPU, alike
///   0x8000  the same of the next GPU in the ring: writes only
///
/// A chunk has 8 tiles, a tile two wavefront tiles of 8 words, a block 2 tiles. The output is 4 tiles
/// wide, so a chunk has two rows of tiles.
package t3_soc_pkg;

  localparam int WgWidth = 8;
  localparam int WfWidth = 1;
  localparam int AddrWidth = 32;
  localparam int Channels = 2;

  localparam int WordLog2 = 5;
  localparam int WordBytes = 1 << WordLog2;
  localparam int WordWidth = 8 * WordBytes;
  /// Elements are 32-bit integers.
  localparam int ElementWidth = 32;
  /// A word of the memory, and one of it or of the next GPU's.
  localparam int IndexWidth = 10;
  localparam int WindowBit = IndexWidth + WordLog2;

  localparam int MostGpus = 4;
  localparam int TilesAcross = 4;
  localparam int WaveWordsLog2 = 3;
  localparam int TileWordsLog2 = WaveWordsLog2 + WfWidth;
  localparam int BlockLog2 = 1;
  localparam int BlockWordsLog2 = TileWordsLog2 + BlockLog2;
  localparam int ChunkTilesLog2 = 3;
  localparam int ChunkWordsLog2 = TileWordsLog2 + ChunkTilesLog2;

  /// Of the tracker: a slot is a DMA command.
  localparam int Slots = 64;
  localparam int SlotWidth = 6;
  localparam int RowSlots = 16;
  localparam int RowWidth = 4;
  localparam int WeightWidth = 8;

  localparam logic [31:0] OutputBase = 32'h0000_0000;
  localparam logic [31:0] SumBase = 32'h0000_4000;

  /// What travels on the link: {add, wg, wf, index, data}. An addition is done by the memory that
  /// it comes to.
  localparam int WriteWidth = 1 + WgWidth + WfWidth + IndexWidth + WordWidth;

endpackage
