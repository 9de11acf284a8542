// SPDX-License-Identifier: Apache-2.0
/// The software of the example as a sequencer: an AXI4-Lite master that programs tracker and DMA
/// engine for GPU `Gpu` of a ring of `Gpus`, waits until its kernel has ended, and looks whether
/// the tracker counted what it should.
///
/// The sequence is the one of docs/tracker-integration.md ("Programming"): ring reduce-scatter, all-gather
/// beside it, and rows for the next kernel. GPU g sends to g + 1. Of chunk c, the tiles from c·8 on:
///
///   chunk          where               region  updates                  when a block is complete
///   g - 1          the next GPU's      none    none                     (stored there by the kernel)
///   others         SumBase, geometry 0   3     own store, neighbour's   add it at the next GPU (parked meanwhile)
///   g              OutputBase, geo 0     0     own store, neighbour's   write it to the next GPU; notify; rows
///   g + 1          OutputBase, geo 1     1     neighbour's              notify; rows
///   others         OutputBase, geo 1     2     neighbour's              write it to the next GPU; notify; rows
///
/// Promise: `run_o` rises when everything is programmed: from then on updates may come. `done_o`
/// rises when all regions have reached their targets, all commands are taken and the counters that
/// do not depend on timing are as expected; `failed_o` if an access was refused or a register was
/// not what it must be, and then its address and what was read stay on the bus. The sequencer stops
/// at either.
module t3_soc_boot #(
  parameter int Gpu = 0,
  parameter int Gpus = 2,
  localparam int AddrWidth = 32
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// Bit 16 of an address is up for the DMA engine.
  output logic                 awvalid_o,
  input  logic                 awready_i,
  output logic [AddrWidth-1:0] awaddr_o,
  output logic                 wvalid_o,
  input  logic                 wready_i,
  output logic [31:0]          wdata_o,
  input  logic                 bvalid_i,
  output logic                 bready_o,
  input  logic [1:0]           bresp_i,
  output logic                 arvalid_o,
  input  logic                 arready_i,
  output logic [AddrWidth-1:0] araddr_o,
  input  logic                 rvalid_i,
  output logic                 rready_o,
  input  logic [31:0]          rdata_i,
  input  logic [1:0]           rresp_i,

  input  logic irq_i,
  output logic run_o,
  output logic done_o,
  output logic failed_o
);

  localparam int Next = (Gpu + 1) % Gpus;
  localparam int Previous = (Gpu + Gpus - 1) % Gpus;
  localparam int Waves = 1 << t3_soc_pkg::WfWidth;
  localparam int ChunkTiles = 1 << t3_soc_pkg::ChunkTilesLog2;
  localparam int ChunkBlocks = ChunkTiles >> t3_soc_pkg::BlockLog2;
  localparam int ChunkWords = 1 << t3_soc_pkg::ChunkWordsLog2;
  localparam int ChunkPages = (ChunkWords * t3_soc_pkg::WordBytes) >> t3_pkg::PageLog2;
  localparam int BlockWords = 1 << t3_soc_pkg::BlockWordsLog2;
  localparam int BlockWaves = Waves << t3_soc_pkg::BlockLog2;
  localparam int WaveBytes = (ChunkWords / ChunkTiles / Waves) * t3_soc_pkg::WordBytes;
  localparam int Rows = Gpus * ChunkTiles / t3_soc_pkg::TilesAcross;
  localparam int OutputPage = 32'(t3_soc_pkg::OutputBase >> t3_pkg::PageLog2);
  localparam int SumPage = 32'(t3_soc_pkg::SumBase >> t3_pkg::PageLog2);
  localparam int OutputIndex = 32'(t3_soc_pkg::OutputBase >> t3_soc_pkg::WordLog2);
  localparam int SumIndex = 32'(t3_soc_pkg::SumBase >> t3_soc_pkg::WordLog2);

  // Regions, and the first command slot of each.
  localparam int Own = 0;
  localparam int Last = 1;
  localparam int Through = 2;
  localparam int Sums = 3;
  localparam int OwnSlot = 0;
  localparam int LastSlot = ChunkBlocks;
  localparam int ThroughSlot = 16;
  localparam int SumsSlot = 32;
  localparam bit Ring = Gpus > 2;  // chunks pass through
  localparam int Passing = Gpus - 2;

  localparam int Region = 32'(t3_reg_pkg::RegBase);
  localparam int RegionStride = 32'(t3_reg_pkg::RegStride);
  localparam int Geometry = 32'(t3_reg_pkg::GeoBase);
  localparam int GeometryStride = 32'(t3_reg_pkg::GeoStride);
  localparam int Commands = 32'(t3_reg_pkg::CommandBase);
  localparam int Sources = 32'h1_0000;
  localparam int Targets = 32'h1_8000;

  localparam int Enable = 1 << t3_reg_pkg::RegCtrlEnableLsb;
  localparam int Trigger = 1 << t3_reg_pkg::RegCtrlTriggerLsb;
  localparam int Notify = 1 << t3_reg_pkg::RegCtrlNotifyLsb;
  localparam int Park = 1 << t3_reg_pkg::RegCtrlParkLsb;
  localparam int Gathered = 1 << t3_reg_pkg::RegCtrlGeometryLsb;
  localparam int Updates = 1 << t3_reg_pkg::RegCtrlUpdatesLsb;
  localparam int Blocks = t3_soc_pkg::BlockLog2 << t3_reg_pkg::RegCtrlBlockLog2Lsb;
  localparam int Releases = 1 << t3_reg_pkg::RegReleaseEnableLsb;

  // ---- the program ----------------------------------------------------------------------------
  localparam logic [2:0] Write = 3'd0;  // `count` words from `address` on, each `step` more than the one before
  localparam logic [2:0] Poll = 3'd1;   // read until it is `data`
  localparam logic [2:0] Check = 3'd2;  // read, and fail if it is not `data`
  localparam logic [2:0] Run = 3'd3;
  localparam logic [2:0] Await = 3'd4;  // the interrupt
  localparam logic [2:0] Skip = 3'd5;
  localparam logic [2:0] Done = 3'd6;
  localparam logic [2:0] Again = 3'd7;  // read, and `count` steps back if it is not `data`
  localparam int WordsWidth = 5;
  localparam int EntryWidth = 3 + 4 * 32;
  localparam int StepWidth = 7;

  function automatic logic [EntryWidth-1:0] entry(input logic [2:0] operation, input int count,
                                                  input int address, input int data, input int step);
    entry = {operation, 32'(count), 32'(address), 32'(data), 32'(step)};
  endfunction

  function automatic logic [EntryWidth-1:0] write(input int address, input int data);
    write = entry(Write, 1, address, data, 0);
  endfunction

  function automatic logic [EntryWidth-1:0] check(input logic [15:0] offset, input int data);
    check = entry(Check, 1, 32'(offset), data, 0);
  endfunction

  // The fields of geometry `g`: the grid, EXPECTED of all classes, records.
  function automatic logic [EntryWidth-1:0] geometry(input int g, input int field);
    int base;
    base = Geometry + g * GeometryStride;
    case (field)
      0: geometry = write(base + 32'(t3_reg_pkg::GeoTilesAcrossOffset), t3_soc_pkg::TilesAcross);
      1: geometry = write(base + 32'(t3_reg_pkg::GeoTilesDownOffset), Rows);
      2: geometry = write(base + 32'(t3_reg_pkg::GeoReciprocalLoOffset),
                          (1 << 30) / t3_soc_pkg::TilesAcross * 4);
      3: geometry = write(base + 32'(t3_reg_pkg::GeoReciprocalHiOffset), 0);
      4: geometry = write(base + 32'(t3_reg_pkg::GeoSpillBaseLoOffset),
                          32'(t3_soc_pkg::RecordBase) + g * 32'(t3_soc_pkg::RecordStride));
      5: geometry = write(base + 32'(t3_reg_pkg::GeoSpillBaseHiOffset), 0);
      6: geometry = write(base + 32'(t3_reg_pkg::GeoEpochOffset), 1);
      default: geometry = entry(Write, Waves, base + 32'(t3_reg_pkg::GeoExpectedOffset) + (field - 7) * 32,
                                WaveBytes, 0);
    endcase
  endfunction

  // The slots, sources and targets of chunk `chunk`, whose region has slots from `slot` on.
  function automatic logic [EntryWidth-1:0] commands(input int slot, input int chunk, input int field,
                                                     input int source, input int target);
    int first;
    first = 4 * (slot + chunk * ChunkBlocks);
    case (field)
      0: commands = entry(Write, ChunkBlocks, Commands + first, BlockWaves, 0);
      1: commands = entry(Write, ChunkBlocks, Sources + first, source + chunk * ChunkWords, BlockWords);
      default: commands = entry(Write, ChunkBlocks, Targets + first, target + chunk * ChunkWords, BlockWords);
    endcase
  endfunction

  // The fields of region `r`, its CTRL last.
  function automatic logic [EntryWidth-1:0] region(input int r, input int field);
    int base, first, chunks, page, slot, target, release_rows, control;
    base = Region + r * RegionStride;
    first = 0;
    chunks = Gpus;
    page = OutputPage;
    slot = 0;
    target = Passing * ChunkBlocks;
    release_rows = Releases;
    control = 0;
    case (r)
      Own: begin
        first = Gpu;
        chunks = 1;
        page = OutputPage + Gpu * ChunkPages;
        slot = OwnSlot;
        target = ChunkBlocks;
        control = Trigger + Notify + 2 * Updates;
      end
      Last: begin
        first = Next;
        chunks = 1;
        page = OutputPage + Next * ChunkPages;
        slot = LastSlot;
        target = ChunkBlocks;
        control = Notify + Gathered + Updates;
      end
      Through: begin
        slot = ThroughSlot;
        control = Trigger + Notify + Gathered + Updates;
      end
      Sums: begin
        page = SumPage;
        slot = SumsSlot;
        release_rows = 0;
        control = Trigger + Park + 2 * Updates;
      end
      default: control = 0;
    endcase
    case (field)
      0: region = write(base + 32'(t3_reg_pkg::RegWgFirstOffset), first * ChunkTiles);
      1: region = write(base + 32'(t3_reg_pkg::RegWgLastOffset), (first + chunks) * ChunkTiles - 1);
      2: region = write(base + 32'(t3_reg_pkg::RegPageFirstOffset), page);
      3: region = write(base + 32'(t3_reg_pkg::RegPageLastOffset), page + chunks * ChunkPages - 1);
      4: region = write(base + 32'(t3_reg_pkg::RegPageHighOffset), 0);
      5: region = write(base + 32'(t3_reg_pkg::RegCmdBaseOffset), slot);
      6: region = write(base + 32'(t3_reg_pkg::RegTargetOffset), target);
      7: region = write(base + 32'(t3_reg_pkg::RegReleaseOffset), release_rows);
      default: region = write(base + 32'(t3_reg_pkg::RegCtrlOffset), Enable + Blocks + control);
    endcase
    if (r >= Through && !Ring) region = entry(Skip, 0, 0, 0, 0);
  endfunction

  // Where the parts of the program begin.
  localparam int Geometries = 4;
  localparam int GeometryFields = 11;
  localparam int OwnCommands = Geometries + 2 * GeometryFields;
  localparam int ThroughCommands = OwnCommands + 5;
  localparam int SumsCommands = ThroughCommands + 3 * t3_soc_pkg::MostGpus;
  localparam int Regions = SumsCommands + 3 * t3_soc_pkg::MostGpus;
  localparam int RegionFields = 9;
  localparam int Start = Regions + 4 * RegionFields;

  // Wavefront tiles of a chunk, and updates.
  localparam int ChunkWaves = ChunkTiles * Waves;
  localparam int AllDone = Ring ? 15 : 3;

  function automatic logic [EntryWidth-1:0] program_at(input int step);
    int chunk;
    program_at = entry(Done, 0, 0, 0, 0);
    if (step < Geometries) begin
      case (step)
        0: program_at = entry(Poll, 1, 32'(t3_reg_pkg::CtrlOffset), 0, 0);  // the walk after reset
        1: program_at = check(t3_reg_pkg::IdOffset, 32'(t3_reg_pkg::IdValue));
        2: program_at = write(32'(t3_reg_pkg::CtrlOffset), 1 << t3_reg_pkg::CtrlClearLsb);
        default: program_at = entry(Poll, 1, 32'(t3_reg_pkg::CtrlOffset), 0, 0);
      endcase
    end else if (step < Geometries + GeometryFields) begin
      program_at = geometry(0, step - Geometries);
    end else if (step < OwnCommands) begin
      program_at = geometry(1, step - Geometries - GeometryFields);
    end else if (step < ThroughCommands) begin
      case (step - OwnCommands)
        0: program_at = entry(Write, 2 * ChunkBlocks, Commands, BlockWaves, 0);  // Own and Last
        1: program_at = entry(Write, ChunkBlocks, Sources, OutputIndex + Gpu * ChunkWords, BlockWords);
        2: program_at = entry(Write, ChunkBlocks, Targets, OutputIndex + Gpu * ChunkWords, BlockWords);
        3: program_at = entry(Write, Rows, 32'(t3_reg_pkg::RowBase), t3_soc_pkg::TilesAcross * Waves, 0);
        default: program_at = entry(Skip, 0, 0, 0, 0);
      endcase
    end else if (step < SumsCommands) begin
      chunk = (step - ThroughCommands) / 3;
      program_at = commands(ThroughSlot, chunk, (step - ThroughCommands) % 3, OutputIndex, OutputIndex);
      if (chunk >= Gpus || chunk == Gpu || chunk == Next) program_at = entry(Skip, 0, 0, 0, 0);
    end else if (step < Regions) begin
      chunk = (step - SumsCommands) / 3;
      program_at = commands(SumsSlot, chunk, (step - SumsCommands) % 3, SumIndex + 32'h8000_0000,
                            (chunk == Next) ? OutputIndex : SumIndex);
      if (chunk >= Gpus || chunk == Gpu || chunk == Previous) program_at = entry(Skip, 0, 0, 0, 0);
    end else if (step < Start) begin
      program_at = region((step - Regions) / RegionFields, (step - Regions) % RegionFields);
    end else begin
      case (step - Start)
        0: program_at = write(32'(t3_reg_pkg::IrqEnableOffset),
                              (1 << t3_reg_pkg::IrqStatusRegionDoneLsb)
                              + (1 << t3_reg_pkg::IrqStatusErrorLsb));
        1: program_at = write(32'(t3_reg_pkg::CtrlOffset), 1 << t3_reg_pkg::CtrlEnableLsb);
        2: program_at = write(32'(t3_reg_pkg::LockOffset), 1 << t3_reg_pkg::LockLockedLsb);
        3: program_at = entry(Run, 0, 0, 0, 0);
        4: program_at = entry(Await, 0, 0, 0, 0);
        // Acknowledged before the regions are read: one that is done later interrupts again.
        5: program_at = write(32'(t3_reg_pkg::IrqStatusOffset),
                              1 << t3_reg_pkg::IrqStatusRegionDoneLsb);
        6: program_at = check(t3_reg_pkg::ErrorsOffset, 0);
        7: program_at = entry(Again, 3, 32'(t3_reg_pkg::RegionDoneOffset), AllDone, 0);
        8: program_at = entry(Poll, 1, 32'(t3_reg_pkg::StatusOffset), 0, 0);
        9: program_at = check(t3_reg_pkg::ErrorsOffset, 0);
        10: program_at = check(t3_reg_pkg::UntrackedOffset, 0);
        11: program_at = check(t3_reg_pkg::OverrunOffset, 0);
        12: program_at = check(t3_reg_pkg::StrayOffset, 0);
        13: program_at = check(t3_reg_pkg::UpdatesOffset, (2 + Gpus - 1 + 2 * Passing) * ChunkWords);
        14: program_at = check(t3_reg_pkg::CompletedOffset, (1 + Gpus - 1 + Passing) * ChunkWaves);
        15: program_at = check(t3_reg_pkg::TriggersOffset, (1 + 2 * Passing) * ChunkBlocks);
        16: program_at = check(t3_reg_pkg::TakenOffset, (1 + 2 * Passing) * ChunkBlocks);
        17: program_at = check(t3_reg_pkg::NotificationsOffset, Gpus * ChunkBlocks);
        18: program_at = check(t3_reg_pkg::ReleasesOffset, Rows);
        19: program_at = check(t3_reg_pkg::LiveOffset, 0);
        20: program_at = check(t3_reg_pkg::IrqStatusOffset, 1 << t3_reg_pkg::IrqStatusSpillLsb);
        default: program_at = entry(Done, 0, 0, 0, 0);
      endcase
    end
  endfunction

  // ---- the sequencer --------------------------------------------------------------------------
  logic [StepWidth-1:0] step_q;
  logic [WordsWidth-1:0] word_q;   // of a Write
  logic [31:0] data_q;             // what is written next
  logic address_q, write_data_q, answer_q;  // address, data to be taken; answer awaited
  logic begun_q;                   // the access of this word has begun

  logic [2:0] operation;
  logic [31:0] count, address, data, increment;
  assign {operation, count, address, data, increment} = program_at(32'(step_q));

  logic writes, reads, answered, refused, last_word, equal;
  assign writes = operation == Write;
  assign reads = operation == Poll || operation == Check || operation == Again;
  assign answered = answer_q && (writes ? bvalid_i : rvalid_i);
  assign refused = (writes ? bresp_i : rresp_i) != 2'b00;
  assign last_word = 32'(word_q) + 32'd1 == count;
  assign equal = rdata_i == data;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_sequence
    if (!rst_ni) begin
      step_q <= '0;
      word_q <= '0;
      data_q <= '0;
      begun_q <= 1'b0;
      address_q <= 1'b0;
      write_data_q <= 1'b0;
      answer_q <= 1'b0;
      run_o <= 1'b0;
      failed_o <= 1'b0;
    end else if (!failed_o) begin
      if (writes || reads) begin
        if (!begun_q) begin
          begun_q <= 1'b1;
          address_q <= 1'b1;
          write_data_q <= writes;
          answer_q <= 1'b1;
          if (word_q == '0) data_q <= data;
        end
        if (address_q && (writes ? awready_i : arready_i)) address_q <= 1'b0;
        if (write_data_q && wready_i) write_data_q <= 1'b0;
        if (answered) begin
          begun_q <= 1'b0;
          answer_q <= 1'b0;
          if (refused || (operation == Check && !equal)) begin
            failed_o <= 1'b1;
          end else if (writes && !last_word) begin
            word_q <= word_q + WordsWidth'(1);
            data_q <= data_q + increment;
          end else if (operation == Again && !equal) begin
            step_q <= step_q - StepWidth'(count);
          end else if (operation != Poll || equal) begin
            word_q <= '0;
            step_q <= step_q + StepWidth'(1);
          end
        end
      end else if (operation != Done && (operation != Await || irq_i)) begin
        step_q <= step_q + StepWidth'(1);
        if (operation == Run) run_o <= 1'b1;
      end
    end
  end

  assign awvalid_o = address_q && writes;
  assign awaddr_o = address + (AddrWidth'(word_q) << 2);
  assign wvalid_o = write_data_q;
  assign wdata_o = data_q;
  assign bready_o = answer_q && writes;
  assign arvalid_o = address_q && reads;
  assign araddr_o = address;
  assign rready_o = answer_q && reads;
  assign done_o = operation == Done && !failed_o;

endmodule
