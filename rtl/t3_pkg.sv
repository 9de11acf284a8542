// SPDX-License-Identifier: Apache-2.0
/// Constants and functions shared by the modules of the track-and-trigger unit.
package t3_pkg;

  /// Bytes of an update: 1 … 128, so 8 bits.
  localparam int BytesWidth = 8;
  /// Most bytes of an update.
  localparam int UpdateLog2 = 7;
  /// Addresses are kept in granules of 32 bytes. In practice no lane update starts inside one.
  /// This saves five bits, so that an entry has 76.
  localparam int GranuleLog2 = 5;
  /// Regions match whole pages of 4 KiB.
  localparam int PageLog2 = 12;
  /// Per set: how many of its tiles have a record in memory; the maximum means "that many or more".
  localparam int SpilledWidth = 3;
  /// Interior, right edge, lower edge, corner.
  localparam int ClassWidth = 2;
  /// Updates per element of a region: 1 … 127.
  localparam int UpdatesWidth = 7;
  localparam int BlockLog2Width = 4;
  /// ceil(2^32 / tiles_across) is 2^32 for a grid of one column.
  localparam int ReciprocalWidth = 33;
  localparam int TilesWidth = 16;
  localparam int EpochWidth = 16;
  /// Wavefront tiles a command still waits for.
  localparam int MissingWidth = 16;
  /// Region number as it appears on ports and in records.
  localparam int RegionPortWidth = 4;

  localparam int CounterWidth = 64;
  /// Entries of the largest table: 16 banks x 4096 sets x 4 ways, all of them live.
  localparam int LiveWidth = 19;
  localparam int IrqWidth = 5;

  /// Causes of errors: the bits of ERRORS, in t3_reg_pkg.
  localparam int Causes = 13;
  localparam int CauseWidth = 4;
  /// Counts per cause, which stay at their maximum.
  localparam int ErrorCountWidth = 8;

  /// A spill record: 16 bytes at the start of a 32-byte slot.
  localparam int RecordWidth = 128;
  localparam int RecordLog2 = 5;
  localparam int RecordAddrLsb = 0;
  localparam int RecordBytesLsb = 43;
  localparam int RecordEpochLsb = 63;
  localparam int RecordRegionLsb = 79;
  localparam int RecordLiveLsb = 83;
  localparam int RecordWgLsb = 84;
  localparam int RecordWfLsb = 100;
  localparam int RecordTakenLsb = 104;
  /// Check bits of the bits below, where memories are protected.
  localparam int RecordCheckLsb = 105;

  /// Bits that number `count` things; one bit where there is only one thing.
  function automatic int index_width(input int count);
    index_width = (count > 1) ? $clog2(count) : 1;
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

  /// What a word that is damaged belonged to: the lower bits of the address of the error.
  localparam int DamageWidth = 3;
  localparam int DamagedTable = 0;
  localparam int DamagedParked = 1;
  localparam int DamagedRecord = 2;
  localparam int DamagedCommand = 3;
  localparam int DamagedReady = 4;
  localparam int DamagedRow = 5;
  localparam int DamagedRelease = 6;

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
