// SPDX-License-Identifier: Apache-2.0
/// Sizes and addresses that the parts of the example share.
///
/// A memory of 64 KiB in words of 32 bytes, which alternate between two channels:
///
///   0x00000  output: a chunk of 4 KiB per GPU          0x08000  spill records of geometry 0
///   0x04000  sums that go on to the next GPU, alike    0x0C000  spill records of geometry 1
///   0x10000  the same of the next GPU in the ring: writes only
///
/// A chunk has 8 tiles, a tile two wavefront tiles of 8 words, a DMA command 2 tiles. The output is
/// 4 tiles wide, so a chunk has two rows of tiles.
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
  localparam int IndexWidth = 11;
  localparam int WindowBit = IndexWidth + WordLog2;

  localparam int MostGpus = 4;
  localparam int TilesAcross = 4;
  localparam int WaveWordsLog2 = 3;
  localparam int TileWordsLog2 = WaveWordsLog2 + WfWidth;
  localparam int BlockLog2 = 1;
  localparam int BlockWordsLog2 = TileWordsLog2 + BlockLog2;
  localparam int ChunkTilesLog2 = 3;
  localparam int ChunkWordsLog2 = TileWordsLog2 + ChunkTilesLog2;

  localparam int CmdDepth = 64;
  localparam int CmdWidth = 6;
  localparam int ReleaseRows = 16;
  localparam int RowWidth = 4;

  localparam logic [31:0] OutputBase = 32'h0000_0000;
  localparam logic [31:0] SumBase = 32'h0000_4000;
  localparam logic [31:0] RecordBase = 32'h0000_8000;
  localparam logic [31:0] RecordStride = 32'h0000_4000;

  /// What travels on the link: {add, wg, wf, index, data}. An addition is done by the memory that
  /// it comes to.
  localparam int WriteWidth = 1 + WgWidth + WfWidth + IndexWidth + WordWidth;

endpackage
