// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// A memory of words that count down: slots of one bank, or all row slots.
///
/// Promise: one operation per cycle, also on one word in successive cycles; each sees what the one before has
/// written. It is given in a cycle A with `…_i` and reads its word; in the next cycle B the outputs `…_o` say what
/// it found and did, and its word is written. What a word is: t3_pkg, and docs/tracker.md, "Vocabulary".
///
///   operation   word                       does                                  says
///   update      counts, more than weight   weight less                           -
///               counts, exactly weight     waits if `waits_i`, else idle         done
///               counts, less               spoiled                               overrun
///               idle                       -                                     stray
///               waits                      waits and spoiled                     stray
///               spoiled                    -                                     -
///   arm         idle, spoiled, or `force_i`  `value_i`                             -
///               counts, waits              -                                     refused
///   offer       waits                      idle, or spoiled if it was that, too  waits, spoiled
///               other                      -                                     -
///   look        any                        -                                     missing, waits, spoiled
///
/// An update with `ignore_i` does nothing. `waits_i`, `ignore_i` come in B, for the update of `tag_o`, and so do `value_i` and
/// `force_i`, for what is armed. A word that is damaged counts as spoiled, whatever it was, and is written so: nothing is
/// ever counted from a word that cannot be trusted. A word that was corrected is written back.
///
///   clk            A     B
///   update_i     __/‾‾‾\_______________   index_i, weight_i, tag_i
///   done_o       ________/‾‾‾\_________   index_o, tag_o; the RAM is written at its end
///
/// Why: one word has all that there is to know about a slot, so one read-modify-write is enough for
/// everything, in one order, and what says whether a slot waits cannot disagree with its count.
module t3_bank #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int Depth = 512,
  parameter int Width = 23,
  parameter int WeightWidth = 11,
  parameter int TagWidth = 3,
  localparam int IndexWidth = t3_pkg::index_width(Depth)
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// A: at most one of these.
  input  logic                   update_i,
  input  logic                   arm_i,
  input  logic                   offer_i,
  input  logic                   look_i,
  input  logic [IndexWidth-1:0]  index_i,
  input  logic [WeightWidth-1:0] weight_i,
  input  logic [TagWidth-1:0]    tag_i,

  /// B.
  input  logic [Width-1:0]      value_i,
  input  logic                  force_i,
  output logic [IndexWidth-1:0] index_o,
  output logic [TagWidth-1:0]   tag_o,
  input  logic                  waits_i,
  input  logic                  ignore_i,
  output logic                  done_o,
  output logic                  overrun_o,
  output logic                  stray_o,
  output logic                  refused_o,
  /// Armed though it waited.
  output logic                  forgotten_o,
  output logic                  waits_o,
  output logic                  spoiled_o,
  output logic [Width-1:0]      missing_o,
  output logic                  corrected_o,
  output logic                  damaged_o,
  /// An operation is in B.
  output logic                  active_o
);

  localparam int DiffWidth = ((Width > WeightWidth) ? Width : WeightWidth) + 1;

  localparam logic [Width-1:0] Waits = {1'b1, (Width-1)'(t3_pkg::StateWaits)};
  localparam logic [Width-1:0] Spoiled = {1'b1, (Width-1)'(t3_pkg::StateSpoiled)};
  localparam logic [Width-1:0] Both = {1'b1, (Width-1)'(t3_pkg::StateBoth)};

  // ---- A: read --------------------------------------------------------------------------------
  logic read, write, forwarded_q;
  logic update_q, arm_q, offer_q, look_q;
  logic [IndexWidth-1:0] index_q;
  logic [WeightWidth-1:0] weight_q;
  logic [TagWidth-1:0] tag_q;
  logic [Width-1:0] forward_q, ram_word, word, next;
  logic ram_corrected, ram_damaged;

  assign read = update_i || arm_i || offer_i || look_i;
  assign active_o = update_q || arm_q || offer_q || look_q;

  t3_ram_protected #(.Protection(Protection), .Depth(Depth), .Width(Width)) u_ram (
    .clk_i,
    .en_i(read || write), .we_i(write), .waddr_i(index_q), .wdata_i(next), .re_i(read), .raddr_i(index_i),
    .rdata_o(ram_word), .corrected_o(ram_corrected), .damaged_o(ram_damaged)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_operation
    if (!rst_ni) begin
      {update_q, arm_q, offer_q, look_q} <= '0;
    end else if (read || active_o) begin
      update_q <= update_i;
      arm_q <= arm_i;
      offer_q <= offer_i;
      look_q <= look_i;
    end
  end

  always_ff @(posedge clk_i) begin : p_operands
    if (read) begin
      index_q <= index_i;
      forwarded_q <= write && index_q == index_i;
      forward_q <= next;
    end
    if (update_i) begin
      weight_q <= weight_i;
      tag_q <= tag_i;
    end
  end

  // ---- B: what it is, and what becomes of it --------------------------------------------------
  logic top, counts, waits, spoiled, idle, counted, late;
  logic [DiffWidth-1:0] left;

  always_comb begin : p_word
    // A forwarded word is none of the RAM's.
    // Nor is it looked at if it is written whatever it is: after power-up it is anything.
    corrected_o = active_o && ram_corrected && !forwarded_q && !(arm_q && force_i);
    damaged_o = active_o && ram_damaged && !forwarded_q && !(arm_q && force_i);
    word = forwarded_q ? forward_q : damaged_o ? Spoiled : ram_word;
    top = word[Width-1];
    idle = word == '0;
    waits = top && word[0];
    spoiled = top && word[1];
    counts = !idle && !waits && !spoiled;
  end

  always_comb begin : p_next
    counted = update_q && !ignore_i;
    left = '0;
    late = 1'b0;
    done_o = 1'b0;
    overrun_o = 1'b0;
    stray_o = 1'b0;
    refused_o = 1'b0;
    forgotten_o = 1'b0;
    next = word;
    write = corrected_o || damaged_o;
    if (counted) begin
      left = DiffWidth'(word) - DiffWidth'(weight_q);
      late = left[DiffWidth-1];
      done_o = counts && left == '0;
      overrun_o = counts && late;
      stray_o = idle || (waits && !spoiled);
      if (counts) begin
        next = late ? Spoiled
             : done_o ? (waits_i ? Waits : '0) : left[Width-1:0];
      end else if (stray_o && waits) begin
        next = Both;
      end
      write = write || counts || (stray_o && waits);
    end
    if (arm_q) begin
      refused_o = (counts || waits) && !force_i;
      forgotten_o = waits && force_i;
      if (!refused_o) begin
        next = value_i;
        write = 1'b1;
      end
    end
    if (offer_q && waits) begin
      next = spoiled ? Spoiled : '0;
      write = 1'b1;
    end
  end

  assign index_o = index_q;
  assign tag_o = tag_q;
  assign waits_o = waits;
  assign spoiled_o = spoiled;
  assign missing_o = counts ? word : '0;

  logic unused_left;
  assign unused_left = ^left;

  `T3_ASSERT(one_operation, 32'(update_i) + 32'(arm_i) + 32'(offer_i) + 32'(look_i) <= 1)
  `T3_ASSERT(arms_a_count, !arm_q || !value_i[Width-1] || value_i[Width-2:0] == '0)

endmodule
