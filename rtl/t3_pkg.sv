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
  localparam int Causes = 12;
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

  /// Bits that number `count` things; one bit where there is only one thing.
  function automatic int index_width(input int count);
    index_width = (count > 1) ? $clog2(count) : 1;
  endfunction

endpackage
