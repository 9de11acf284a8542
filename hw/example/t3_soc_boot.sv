// SPDX-License-Identifier: Apache-2.0
/// The software of the example as a sequencer: an AXI4-Lite master that programs tracker and DMA
/// engine for GPU `Gpu` of a ring of `Gpus`, waits until its kernel has ended, and looks whether
/// the tracker counted what it should.
///
/// The sequence is the one of docs/tracker-integration.md ("Programming"): ring reduce-scatter, all-gather
/// beside it, and rows for the next kernel. GPU g sends to g + 1. Of chunk c, the tiles from c·8 on:
///
///   chunk          where              region  updates                  when a block is done
///   g - 1          the next GPU's     none    none                     (stored there by the kernel)
///   others         SumBase, window 1  3       own store, neighbour's   add it at the next GPU
///   g              Output, window 0   0       own store, neighbour's   write it to the next GPU; rows
///   g + 1          Output, window 0   1       neighbour's              rows
///   others         Output, window 0   2       neighbour's              write it to the next GPU; rows
///
/// Regions 2 and 3 span all chunks: slots of chunks that others match first, or that nobody updates,
/// are the ones that differ after the fill, and stay idle.
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
  localparam int ChunkTiles = 1 << t3_soc_pkg::ChunkTilesLog2;
  localparam int ChunkBlocks = ChunkTiles >> t3_soc_pkg::BlockLog2;
  localparam int ChunkWords = 1 << t3_soc_pkg::ChunkWordsLog2;
  localparam int OutputWords = t3_soc_pkg::MostGpus * ChunkWords;
  localparam int OutputPages = (OutputWords * t3_soc_pkg::WordBytes) >> t3_pkg::PageLog2;
  localparam int BlockTiles = 1 << t3_soc_pkg::BlockLog2;
  localparam int BlockWords = 1 << t3_soc_pkg::BlockWordsLog2;
  localparam int BlockBytes = BlockWords * t3_soc_pkg::WordBytes;
  localparam int RowBlocks = t3_soc_pkg::TilesAcross >> t3_soc_pkg::BlockLog2;
  localparam int ChunkRows = ChunkBlocks / RowBlocks;
  localparam int Rows = Gpus * ChunkRows;
  localparam int OutputPage = 32'(t3_soc_pkg::OutputBase >> t3_pkg::PageLog2);
  localparam int SumPage = 32'(t3_soc_pkg::SumBase >> t3_pkg::PageLog2);
  localparam int OutputIndex = 32'(t3_soc_pkg::OutputBase >> t3_soc_pkg::WordLog2);
  localparam int SumIndex = 32'(t3_soc_pkg::SumBase >> t3_soc_pkg::WordLog2);

  // Regions, and the first slot of each.
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
  localparam int Window = 32'(t3_reg_pkg::WindowBase);
  localparam int WindowStride = 32'(t3_reg_pkg::WindowStride);
  localparam int Slots = 32'(t3_reg_pkg::SlotBase);
  // Of the DMA engine.
  localparam int Sources = 32'h1_0000;
  localparam int Targets = 32'h1_8000;
  localparam int SourceWgLsb = 16;
  localparam int SourceAdd = 32'h8000_0000;

  localparam int Off = 0;
  localparam int On = 1;
  localparam int Stopped = 2;
  localparam int Trigger = 1 << t3_reg_pkg::RegCtrlTriggerLsb;
  localparam int ForRows = 1 << t3_reg_pkg::RegCtrlRowsLsb;
  localparam int Shift = (t3_soc_pkg::WfWidth + t3_soc_pkg::BlockLog2) << t3_reg_pkg::RegCtrlShiftLsb;
  localparam int SumWindow = 1 << t3_reg_pkg::RegCtrlWindowLsb;

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

  function automatic logic [EntryWidth-1:0] skip(input int unused_reason);
    skip = entry(Skip, 0, 0, unused_reason, 0);
  endfunction

  // The addresses of window `w`: the output, the sums.
  function automatic logic [EntryWidth-1:0] window(input int w, input int field);
    int base, page;
    base = Window + w * WindowStride;
    page = (w == 0) ? OutputPage : SumPage;
    case (field)
      0: window = write(base + 32'(t3_reg_pkg::WindowPageFirstOffset), page);
      1: window = write(base + 32'(t3_reg_pkg::WindowPageLastOffset), page + OutputPages - 1);
      default: window = write(base + 32'(t3_reg_pkg::WindowPageHighOffset), 0);
    endcase
  endfunction

  // Region `r`: its settings, its slots, and last of all: on.
  function automatic logic [EntryWidth-1:0] region(input int r, input int step);
    int base, first, chunks, slot, row, target, control, bytes;
    base = Region + r * RegionStride;
    first = 0;
    chunks = Gpus;
    slot = 0;
    row = 0;
    target = Passing * ChunkBlocks;
    control = 0;
    bytes = BlockBytes;
    case (r)
      Own: begin
        first = Gpu;
        chunks = 1;
        slot = OwnSlot;
        row = Gpu * ChunkRows;
        target = ChunkBlocks;
        control = Trigger + ForRows;
        bytes = 2 * BlockBytes;
      end
      Last: begin
        first = Next;
        chunks = 1;
        slot = LastSlot;
        row = Next * ChunkRows;
        target = ChunkBlocks;
        control = ForRows;
      end
      Through: begin
        slot = ThroughSlot;
        control = Trigger + ForRows;
      end
      default: begin
        slot = SumsSlot;
        control = Trigger + SumWindow;
        bytes = 2 * BlockBytes;
      end
    endcase
    case (step)
      0: region = write(base + 32'(t3_reg_pkg::RegStateOffset), Off);
      1: region = write(base + 32'(t3_reg_pkg::RegCtrlOffset), Shift + control);
      2: region = write(base + 32'(t3_reg_pkg::RegWgFirstOffset), first * ChunkTiles);
      3: region = write(base + 32'(t3_reg_pkg::RegWgLastOffset), (first + chunks) * ChunkTiles - 1);
      4: region = write(base + 32'(t3_reg_pkg::RegSlotFirstOffset), slot);
      5: region = write(base + 32'(t3_reg_pkg::RegSlotLastOffset), slot + chunks * ChunkBlocks - 1);
      6: region = write(base + 32'(t3_reg_pkg::RegRowFirstOffset), row);
      7: region = write(base + 32'(t3_reg_pkg::RegRowPhaseOffset), 0);
      8: region = write(base + 32'(t3_reg_pkg::RegRowReciprocalOffset),
                        (1 << t3_pkg::ReciprocalLsb) / RowBlocks);
      9: region = write(base + 32'(t3_reg_pkg::RegTargetOffset), target);
      10: region = write(base + 32'(t3_reg_pkg::RegStateOffset), Stopped);
      11: region = write(32'(t3_reg_pkg::FillOffset),
                         bytes + (r << t3_reg_pkg::FillRegionLsb));
      12: region = entry(Poll, 1, 32'(t3_reg_pkg::StatusOffset), 0, 0);
      13: region = idle(r, slot, (r == Sums) ? Previous : Next);
      14: region = idle(r, slot, Gpu);
      default: region = write(base + 32'(t3_reg_pkg::RegStateOffset), On);
    endcase
    if (r >= Through && !Ring) region = skip(r);
  endfunction

  // Of regions that span all chunks: the slots of a chunk that is not theirs.
  function automatic logic [EntryWidth-1:0] idle(input int r, input int slot, input int chunk);
    idle = entry(Write, ChunkBlocks, Slots + 4 * (slot + chunk * ChunkBlocks), 0, 0);
    if (r < Through) idle = skip(r);
  endfunction

  // The DMA engine's table for chunk `chunk`, whose region has its first slot at `slot`; `block` is the
  // number of the chunk's first block in that region.
  function automatic logic [EntryWidth-1:0] commands(input int slot, input int block, input int chunk,
                                                     input int field, input int source, input int target);
    int first;
    first = 4 * (slot + block);
    case (field)
      0: commands = entry(Write, ChunkBlocks, Sources + first,
                          source + chunk * (ChunkWords + (ChunkTiles << SourceWgLsb)),
                          BlockWords + (BlockTiles << SourceWgLsb));
      default: commands = entry(Write, ChunkBlocks, Targets + first, target + chunk * ChunkWords,
                                BlockWords);
    endcase
  endfunction

  // Where the parts of the program begin.
  localparam int Windows = 4;
  localparam int WindowFields = 3;
  localparam int OwnCommands = Windows + 2 * WindowFields;
  localparam int ThroughCommands = OwnCommands + 2;
  localparam int SumsCommands = ThroughCommands + 2 * t3_soc_pkg::MostGpus;
  localparam int RowCounts = SumsCommands + 2 * t3_soc_pkg::MostGpus;
  localparam int Regions = RowCounts + 1;
  localparam int RegionSteps = 16;
  localparam int Start = Regions + 4 * RegionSteps;

  localparam int AllDone = Ring ? 15 : 3;

  function automatic logic [EntryWidth-1:0] program_at(input int step);
    int chunk;
    program_at = entry(Done, 0, 0, 0, 0);
    if (step < Windows) begin
      case (step)
        0: program_at = entry(Poll, 1, 32'(t3_reg_pkg::CtrlOffset), 0, 0);  // the walk after reset
        1: program_at = check(t3_reg_pkg::IdOffset, 32'(t3_reg_pkg::IdValue));
        2: program_at = write(32'(t3_reg_pkg::CtrlOffset), 1 << t3_reg_pkg::CtrlClearLsb);
        default: program_at = entry(Poll, 1, 32'(t3_reg_pkg::CtrlOffset), 0, 0);
      endcase
    end else if (step < OwnCommands) begin
      program_at = window((step - Windows) / WindowFields, (step - Windows) % WindowFields);
    end else if (step < ThroughCommands) begin
      program_at = commands(OwnSlot, 0, Gpu, step - OwnCommands, OutputIndex, OutputIndex);
    end else if (step < SumsCommands) begin
      chunk = (step - ThroughCommands) / 2;
      program_at = commands(ThroughSlot, chunk * ChunkBlocks, chunk, (step - ThroughCommands) % 2,
                            OutputIndex, OutputIndex);
      if (chunk >= Gpus || chunk == Gpu || chunk == Next) program_at = skip(chunk);
    end else if (step < RowCounts) begin
      chunk = (step - SumsCommands) / 2;
      program_at = commands(SumsSlot, chunk * ChunkBlocks, chunk, (step - SumsCommands) % 2,
                            SumIndex + SourceAdd, (chunk == Next) ? OutputIndex : SumIndex);
      if (chunk >= Gpus || chunk == Gpu || chunk == Previous) program_at = skip(chunk);
    end else if (step < Regions) begin
      program_at = entry(Write, Rows, 32'(t3_reg_pkg::RowBase), RowBlocks, 0);
    end else if (step < Start) begin
      program_at = region((step - Regions) / RegionSteps, (step - Regions) % RegionSteps);
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
        11: program_at = check(t3_reg_pkg::DroppedOffset, 0);
        12: program_at = check(t3_reg_pkg::UpdatesOffset, 3 * (1 + Passing) * ChunkWords);
        13: program_at = check(t3_reg_pkg::CompletedOffset, 2 * (1 + Passing) * ChunkBlocks);
        14: program_at = check(t3_reg_pkg::TriggersOffset, (1 + 2 * Passing) * ChunkBlocks);
        15: program_at = check(t3_reg_pkg::TakenOffset, (1 + 2 * Passing) * ChunkBlocks);
        16: program_at = check(t3_reg_pkg::ReleasedOffset, Rows);
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
