// SPDX-License-Identifier: Apache-2.0
/// The records of the banks: builds the one that the record port takes, and judges the one that the
/// memory answers. docs/tracker.md, promise 9, says what stands in it.
///
/// Promise: record and address of the granted bank are there in the cycle of its grant; whether an
/// answer belongs to the tile that asks, and what it says, in the cycle of the answer. A record is the
/// tile's own if it says what would be written for this tile now: geometry's epoch, region, workgroup
/// and wavefront, and live; or taken. Errors come one cycle later.
///
/// Why: the port takes one record and gets one answer at a time, so there is one of this for all banks.
/// What goes into a record (tile, granule, bytes) stays in the banks.
///
///   banks' tiles ─► granted one ─► base + place ─► addr_o, wdata_o
///        └────────► asking one ──► same identity? ─► own_o, taken_o      rdata_i ─► answer_*
module t3_records #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int NumBanks = 8,
  parameter int WgWidth = 16,
  parameter int WfWidth = 3,
  parameter int AddrWidth = 48,
  parameter int CntWidth = 18,
  parameter int NumRegions = 8,
  parameter int NumGeometries = 2,
  localparam int GranWidth = AddrWidth - t3_pkg::GranuleLog2,
  localparam int RegionWidth = t3_pkg::index_width(NumRegions),
  localparam int GeoWidth = t3_pkg::index_width(NumGeometries),
  localparam int Regions = 1 << RegionWidth,
  localparam int Geometries = 1 << GeoWidth,
  localparam int BaseWidth = AddrWidth - t3_pkg::PageLog2,
  localparam int IdWidth = RegionWidth + WgWidth + WfWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// Something may change: up while a record is taken or answered, and until its errors are reported.
  input  logic en_i,

  /// Region and geometry tables, element i at [i*W +: W].
  input  logic [Regions*GeoWidth-1:0]              reg_geo_i,
  input  logic [Geometries*BaseWidth-1:0]          geo_spill_base_i,
  input  logic [Geometries*t3_pkg::EpochWidth-1:0] geo_epoch_i,

  /// Per bank: the tile {region, wg, wf} whose record is written or read, with granule and bytes.
  input  logic [NumBanks*IdWidth-1:0]   id_i,
  input  logic [NumBanks*GranWidth-1:0] gran_i,
  input  logic [NumBanks*CntWidth-1:0]  bytes_i,

  /// The bank whose record is taken, if any; it is a mark that the record was taken.
  input  logic [NumBanks-1:0]            gnt_i,
  input  logic                           taken_i,
  output logic [AddrWidth-1:0]           addr_o,
  output logic                           wraps_o,
  output logic [t3_pkg::RecordWidth-1:0] wdata_o,

  /// The bank that gets an answer, if any: the record is its tile's, live or taken; its tile; the record.
  input  logic [NumBanks-1:0]            rvalid_i,
  input  logic [t3_pkg::RecordWidth-1:0] rdata_i,
  output logic                           own_o,
  output logic                           taken_o,
  output logic [IdWidth-1:0]             answered_id_o,
  output logic [GranWidth-1:0]           answer_gran_o,
  output logic [CntWidth-1:0]            answer_bytes_o,
  output logic                           corrected_o,
  output logic                           damaged_o,

  /// Pulses: a record was none of its tile, but was not empty either; an address passed the end of the
  /// address space. Each with the tile.
  output logic               bad_o,
  output logic [IdWidth-1:0] bad_id_o,
  output logic               wrapped_o,
  output logic [IdWidth-1:0] wrapped_id_o
);

  localparam int IdentityWidth = t3_pkg::RecordCheckLsb - t3_pkg::RecordEpochLsb;
  localparam int RecordCodeWidth =
      t3_pkg::RecordCheckLsb + t3_pkg::check_width(Protection, t3_pkg::RecordCheckLsb);

  // ---- a record to be written -----------------------------------------------------------------
  // The fields of a tile's record other than granule and bytes. A record is live or taken.
  function automatic logic [IdentityWidth-1:0] identity(input logic [IdWidth-1:0] id,
                                                        input logic was_taken);
    logic [GeoWidth-1:0] geo;
    geo = reg_geo_i[id[IdWidth-1 -: RegionWidth]*GeoWidth +: GeoWidth];
    identity = '0;
    identity[0 +: t3_pkg::EpochWidth] =
        geo_epoch_i[geo*t3_pkg::EpochWidth +: t3_pkg::EpochWidth];
    identity[t3_pkg::RecordRegionLsb-t3_pkg::RecordEpochLsb +: RegionWidth] =
        id[IdWidth-1 -: RegionWidth];
    identity[t3_pkg::RecordLiveLsb-t3_pkg::RecordEpochLsb] = !was_taken;
    identity[t3_pkg::RecordTakenLsb-t3_pkg::RecordEpochLsb] = was_taken;
    identity[t3_pkg::RecordWgLsb-t3_pkg::RecordEpochLsb +: WgWidth] = id[WfWidth +: WgWidth];
    identity[t3_pkg::RecordWfLsb-t3_pkg::RecordEpochLsb +: WfWidth] = id[0 +: WfWidth];
  endfunction

  // The record of the bank that the port grants, without its check bits.
  logic [t3_pkg::RecordCheckLsb-1:0] granted_record;
  logic [IdWidth-1:0] granted_id;
  logic [GeoWidth-1:0] granted_geo;

  always_comb begin : p_record
    granted_id = '0;
    granted_geo = '0;
    addr_o = '0;
    wraps_o = 1'b0;
    granted_record = '0;
    if (gnt_i != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (gnt_i[b]) begin
          granted_id = granted_id | id_i[b*IdWidth +: IdWidth];
          granted_record[t3_pkg::RecordAddrLsb +: GranWidth] =
              gran_i[b*GranWidth +: GranWidth];
          granted_record[t3_pkg::RecordBytesLsb +: CntWidth] =
              bytes_i[b*CntWidth +: CntWidth];
        end
      end
      granted_geo = reg_geo_i[granted_id[IdWidth-1 -: RegionWidth]*GeoWidth +: GeoWidth];
      {wraps_o, addr_o} =
          {1'b0, geo_spill_base_i[granted_geo*BaseWidth +: BaseWidth], t3_pkg::PageLog2'(0)}
          + (AddrWidth+1)'({granted_id[0 +: WgWidth+WfWidth], t3_pkg::RecordLog2'(0)});
      granted_record[t3_pkg::RecordEpochLsb +: IdentityWidth] =
          identity(granted_id, taken_i);
    end
  end

  logic [RecordCodeWidth-1:0] record_code;
  t3_encode #(
    .Protection(Protection),
    .Width     (t3_pkg::RecordCheckLsb)
  ) u_encode (
    .data_i(granted_record),
    .code_o(record_code)
  );
  assign wdata_o = t3_pkg::RecordWidth'(record_code);

  // ---- a record that was read -----------------------------------------------------------------
  // What the memory answers. A damaged record is nobody's: its tile starts new, and never completes.
  logic [t3_pkg::RecordCheckLsb-1:0] answer;
  t3_decode #(
    .Protection(Protection),
    .Width     (t3_pkg::RecordCheckLsb)
  ) u_decode (
    .code_i     (rdata_i[RecordCodeWidth-1:0]),
    .data_o     (answer),
    .corrected_o(corrected_o),
    .damaged_o  (damaged_o)
  );

  // A record belongs to the tile that asks if it has the identity that we would write for it now.
  logic of_the_tile, plausible, beyond;
  // Bits above the record must be zero. With check bits nobody looks at them.
  assign beyond = Protection == t3_pkg::ProtectNone && rdata_i >> RecordCodeWidth != '0;
  // In a record: wg, wf, taken and the rest; of these and of address and count what must be zero.
  localparam int PlaceWidth = t3_pkg::RecordCheckLsb - t3_pkg::RecordWgLsb;
  localparam int RecordBytesWidth = t3_pkg::RecordEpochLsb - t3_pkg::RecordBytesLsb;
  localparam logic [PlaceWidth-1:0] TakenMask =
      PlaceWidth'(1) << (t3_pkg::RecordTakenLsb - t3_pkg::RecordWgLsb);

  always_comb begin : p_own
    answered_id_o = '0;
    own_o = 1'b0;
    taken_o = 1'b0;
    of_the_tile = 1'b0;
    plausible = 1'b0;
    if (rvalid_i != '0) begin
      for (int b = 0; b < NumBanks; b++) begin
        if (rvalid_i[b]) answered_id_o = answered_id_o | id_i[b*IdWidth +: IdWidth];
      end
      // Whatever its epoch and region. A record says live or taken, not both, has counted bytes, and
      // nothing where a unit of this size writes zeros.
      of_the_tile = (answer[t3_pkg::RecordWgLsb +: PlaceWidth] & ~TakenMask)
                    == (PlaceWidth'(answered_id_o[WfWidth +: WgWidth])
                        | (PlaceWidth'(answered_id_o[0 +: WfWidth])
                           << (t3_pkg::RecordWfLsb - t3_pkg::RecordWgLsb)));
      plausible = !damaged_o && !beyond
                  && answer[t3_pkg::RecordBytesLsb +: CntWidth] != '0
                  && answer[t3_pkg::RecordBytesLsb +: RecordBytesWidth] >> CntWidth == '0
                  && answer[t3_pkg::RecordAddrLsb +: t3_pkg::RecordBytesLsb] >> GranWidth == '0
                  && answer[t3_pkg::RecordLiveLsb] != answer[t3_pkg::RecordTakenLsb];
      own_o = plausible &&
          answer[t3_pkg::RecordEpochLsb +: IdentityWidth] == identity(answered_id_o, 1'b0);
      taken_o = plausible &&
          answer[t3_pkg::RecordEpochLsb +: IdentityWidth] == identity(answered_id_o, 1'b1);
    end
  end

  assign answer_gran_o = answer[t3_pkg::RecordAddrLsb +: GranWidth];
  assign answer_bytes_o = answer[t3_pkg::RecordBytesLsb +: CntWidth];

  // Errors of records, one cycle later.
  logic bad_q, wrapped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_errors
    if (!rst_ni) begin
      bad_q <= 1'b0;
      wrapped_q <= 1'b0;
    end else if (en_i) begin
      bad_q <= rvalid_i != '0 && (answer != '0 || beyond) && !damaged_o
                      && !(of_the_tile && plausible);
      wrapped_q <= wraps_o;
    end
  end

  always_ff @(posedge clk_i) begin : p_error_ids
    if (rvalid_i != '0) bad_id_o <= answered_id_o;
    if (gnt_i != '0) wrapped_id_o <= granted_id;
  end

  assign bad_o = bad_q;
  assign wrapped_o = wrapped_q;

endmodule
