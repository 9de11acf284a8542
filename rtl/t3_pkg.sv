// SPDX-License-Identifier: Apache-2.0
/// Constants and functions shared by the modules of the track-and-trigger unit. Parameters are `int`, not `int
/// unsigned`, because Icarus Verilog 11 reads no unsigned localparam.
package t3_pkg;

  /// Regions match whole pages of 4 KiB.
  localparam int PageLog2 = 12;
  /// ceil(2^26 / blocks per row): a row's number is (n * reciprocal) >> ReciprocalLsb, exact for n and
  /// blocks per row up to 2^13.
  localparam int ReciprocalWidth = 27;
  localparam int ReciprocalLsb = 26;
  /// Bits from one region's settings to the next in T3_SPREAD.
  localparam int RegionStride = 256;
  /// log2 of the wavefront ids of a block.
  localparam int ShiftWidth = 4;
  /// Slots of a region that were done.
  localparam int DoneWidth = 16;
  /// A row counts up to 2^13 blocks: as many as there are slots.
  localparam int RowCountWidth = 15;

  /// Event counters, modulo 2^40.
  localparam int CounterWidth = 40;
  localparam int IrqWidth = 2;

  /// Causes of errors: the bits of ERRORS, in t3_reg_pkg.
  localparam int Causes = 11;
  localparam int CauseWidth = 4;
  /// Counts per cause, which stay at their maximum.
  localparam int ErrorCountWidth = 8;
  /// What an error is of: {wf, wg}, a slot, a row, or a register.
  localparam int InfoWidth = 19;

  /// Where the state of a slot's or row's word stands: a word whose top bit is 0 is the count, idle if that is 0. With
  /// the top bit 1 the two lowest bits are 0 for the largest count, else these.
  localparam int StateWaits = 1;
  localparam int StateSpoiled = 2;
  localparam int StateBoth = 3;

  /// Bits that number `count` things; one bit where there is only one thing.
  function automatic int index_width(input int count);
    index_width = (count > 1) ? $clog2(count) : 1;
  endfunction

  /// a < b. Yosys, not other tools, makes a carry tree of `<`, of twice the gates and half the delay: it gets a chain.
  function automatic logic below(input logic [47:0] a, input logic [47:0] b);
`ifdef YOSYS
    below = 1'b0;
    for (int i = 0; i < 48; i++) below = (b[i] && !a[i]) || (below && (b[i] || !a[i]));
`else
    below = a < b;
`endif
  endfunction

  /// The bits of a register that a field has: `width` of them from `lsb` on, at most `most`.
  function automatic logic [31:0] field_mask(input int lsb, input int width, input int most);
    field_mask = '0;
    for (int b = 0; b < 32; b++) begin
      if (b >= lsb && b < lsb + width && b < lsb + most) field_mask[b] = 1'b1;
    end
  endfunction

  /// How the memories are protected: check bits of a word, and what they show.
  localparam int ProtectNone = 0;
  localparam int ProtectParity = 1;  // a wrong bit is noticed
  localparam int ProtectSecded = 2;  // a wrong bit is corrected, two are noticed

  /// The number that names data bit `index` in a code: from three on, without the powers of two.
  function automatic int code_position(input int index);
    code_position = index + 1;
    for (int power = 1; power <= code_position; power = power * 2) begin
      code_position = code_position + 1;
    end
  endfunction

  /// Bits of the widest word with check bits, and what check bit `check` covers: the data bits whose position
  /// has this bit. The last bit's position is the 128th number that is no power of two.
  localparam int CodeMost = 128;
  function automatic logic [CodeMost-1:0] code_mask(input int check);
    int position;
    code_mask = '0;
    position = CodeMost + 8;
    for (int d = 0; d < CodeMost; d++) begin
      if ((position & (position - 1)) == 0) position = position - 1;
      code_mask = {code_mask[CodeMost-2:0], ((position >> check) & 1) != 0};
      position = position - 1;
    end
  endfunction

  /// Check bits of a word of `width` bits.
  function automatic int check_width(input int protection, input int width);
    check_width = 0;
    if (protection == ProtectParity) check_width = 1;
    if (protection == ProtectSecded) begin
      check_width = 1;
      while ((1 << check_width) < width + check_width + 1) check_width = check_width + 1;
      check_width = check_width + 1;
    end
  endfunction

endpackage
