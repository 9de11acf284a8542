// SPDX-License-Identifier: Apache-2.0
/// Constants and functions shared by the modules of the block codec (docs/block-codec.md).
package t3_codec_pkg;

  /// Values that share an exponent.
  localparam int Values = 32;

  /// Bits of a number: these, and 4 for the other codes.
  localparam int SizeWidth = 2;
  localparam logic [SizeWidth-1:0] Bits8 = 2'd0;
  localparam logic [SizeWidth-1:0] Bits6 = 2'd1;

  /// The exponent, as fp32 has it, of a block with an infinity or a NaN.
  localparam logic [7:0] NotFinite = 8'hff;

  function automatic logic [3:0] bits_of(input logic [SizeWidth-1:0] size);
    bits_of = size == Bits8 ? 4'd8 : size == Bits6 ? 4'd6 : 4'd4;
  endfunction

endpackage
