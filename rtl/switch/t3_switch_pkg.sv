// SPDX-License-Identifier: Apache-2.0
/// Constants shared by the modules of the merge unit.
package t3_switch_pkg;

  /// Bits that have an adder of their own: one number, or two.
  localparam int LaneWidth = 32;

  /// What the elements of an update are. Updates of FormatNone are never added: they pass.
  localparam int FormatWidth = 2;
  localparam logic [FormatWidth-1:0] FormatFp16 = 2'd0;
  localparam logic [FormatWidth-1:0] FormatBf16 = 2'd1;
  localparam logic [FormatWidth-1:0] FormatFp32 = 2'd2;
  localparam logic [FormatWidth-1:0] FormatNone = 2'd3;

endpackage
