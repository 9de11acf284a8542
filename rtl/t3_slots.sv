// SPDX-License-Identifier: Apache-2.0
`include "t3_assert.svh"
/// Slots that count down: each holds how many completions it still waits for. The one that falls from
/// one to zero goes into a queue, and waits there until somebody takes it.
///
/// Promise: one completion per cycle, also when successive ones are of one slot. It reads its slot in
/// one cycle and counts it down in the next, in which `last` or `none` say what it found; these, and its
/// slot, are at the outputs one cycle later, and its slot is at the head of the queue one cycle after that
/// if nothing waits there. A slot that is zero stays zero. Slots leave in the order in which they fell to
/// zero, each with the word that the owner gave it.
///
/// Software's accesses, writes before reads, one at a time, take the same way. The owner says when one may
/// begin and when it reads; it is done two cycles after it reads. Software cannot arm a slot that waits, so
/// a slot is in the queue once at most, and the queue cannot overflow.
///
///   clk          0     1     2     3     4
///   read_i     __/‾‾‾\_______________________  with slot_i; or sw_read_i
///   count_i    ________/‾‾‾\_________________  counted down, RAM written; forwarded to a read in this cycle
///   fell_o     ______________/‾‾‾\___________  was one: word_i goes into the queue; or none_o: was zero
///   valid_o    ____________________/‾‾‾‾‾‾‾‾‾  word_o, until ready_i
///
/// A completion whose slot is damaged counts nothing down and changes nothing; so does one that would be the
/// last, if it is not known whether the slot was in the queue before. A slot of which one does not know whether it
/// waits cannot be armed: until it leaves the queue, or until a reset. A damaged count is good again when
/// software writes it. A place of the queue that is damaged is dropped, and its slot
/// waits for ever. So nothing is counted wrong or queued twice; each is reported.
///
/// Why: commands and rows wait for completions in the same way, and software's accesses belong into one
/// order with them. One RAM port of each kind is enough for that. Whether a slot waits is the difference of
/// two bits in two RAMs, because it begins and ends at different ends of the queue: the one turns over when
/// the slot goes into the queue, the other takes that value when it leaves.
module t3_slots #(
  parameter int Protection = t3_pkg::ProtectNone,
  parameter int Slots = 4096,
  parameter int WordWidth = 15,
  localparam int SlotWidth = t3_pkg::index_width(Slots)
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// A completion or an access is inside, or begins: without it, only the queue moves.
  input  logic en_i,

  /// While up, nothing is inside and slot `clear_slot_i` becomes zero; with `reset_i`, no slot waits.
  input  logic                 clear_i,
  input  logic                 reset_i,
  input  logic [SlotWidth-1:0] clear_slot_i,

  /// A completion, see above. `queues_i` comes with `count_i`: the slot goes into the queue if it falls
  /// to zero. `word_i` comes with `queued_o`: its upper bits are `slot_o`.
  input  logic                 read_i,
  input  logic [SlotWidth-1:0] slot_i,
  input  logic                 count_i,
  input  logic                 queues_i,
  input  logic [WordWidth-1:0] word_i,

  /// Registers: the slot of a completion fell to zero, and goes into the queue; it was zero. Which slot.
  output logic                 fell_o,
  output logic                 queued_o,
  output logic                 none_o,
  output logic [SlotWidth-1:0] slot_o,

  /// Pulses, with `fell_o` or the done of an access: what was read was corrected; it was damaged, of which
  /// slot. And a place of the queue.
  output logic                 corrected_o,
  output logic                 damaged_o,
  output logic [SlotWidth-1:0] damaged_slot_o,
  output logic                 queue_corrected_o,
  output logic                 queue_damaged_o,

  /// Software's accesses: held until the pulse of their done. None begins while `sw_hold_i` is up: the
  /// slots are about to be cleared.
  input  logic                            sw_hold_i,
  input  logic                            sw_wr_valid_i,
  input  logic [SlotWidth-1:0]            sw_wr_slot_i,
  input  logic [t3_pkg::MissingWidth-1:0] sw_wr_data_i,
  output logic                            sw_wr_done_o,
  /// With the done: not written, because the slot waits, or may wait.
  output logic                            sw_wr_refused_o,
  input  logic                            sw_rd_valid_i,
  input  logic [SlotWidth-1:0]            sw_rd_slot_i,
  output logic                            sw_rd_done_o,
  output logic [t3_pkg::MissingWidth-1:0] sw_rd_data_o,
  output logic                            sw_rd_waits_o,
  /// An access may begin; the owner takes it; it reads its slot, in a cycle without `read_i`.
  output logic                            sw_wants_o,
  input  logic                            sw_take_i,
  input  logic                            sw_read_i,
  /// From the cycle after it was taken until its done.
  output logic                            sw_busy_o,
  /// Pulse: software armed slot `armed_slot_o` early.
  output logic                            armed_early_o,
  output logic [SlotWidth-1:0]            armed_slot_o,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [WordWidth-1:0] word_o,
  /// At the next edge `next_o` becomes `word_o`.
  output logic                 load_o,
  output logic [WordWidth-1:0] next_o,
  /// Slots that wait.
  output logic [SlotWidth:0]   waiting_o,
  /// A register of the queue changes at the next edge even if `ready_i` is low.
  output logic                 queue_active_o
);

  localparam int MissingWidth = t3_pkg::MissingWidth;

  // ---- software's access ----------------------------------------------------------------------
  logic sw_busy_q, sw_done_q, sw_write_q, sw_count_q;
  logic [SlotWidth-1:0] sw_slot_q;
  logic [MissingWidth-1:0] sw_data_q;

  assign sw_wants_o = (sw_wr_valid_i || sw_rd_valid_i) && !sw_busy_q && !sw_hold_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_sw_valid
    if (!rst_ni) begin
      sw_busy_q <= 1'b0;
      sw_count_q <= 1'b0;
      sw_done_q <= 1'b0;
    end else if (en_i) begin
      sw_count_q <= sw_read_i;
      sw_done_q <= sw_count_q;
      if (sw_take_i) begin
        sw_busy_q <= 1'b1;
      end else if (sw_done_q) begin
        sw_busy_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_sw
    if (sw_take_i) begin
      sw_write_q <= sw_wr_valid_i;
      sw_slot_q <= sw_wr_valid_i ? sw_wr_slot_i : sw_rd_slot_i;
      sw_data_q <= sw_wr_data_i;
    end
  end

  // ---- read -----------------------------------------------------------------------------------
  logic reads, write, turn, forwarded_q;
  logic [SlotWidth-1:0] read_slot, slot_q;
  logic count_corrected, count_damaged, entered_corrected, entered_damaged, left_corrected, left_damaged;
  logic [MissingWidth-1:0] ram_missing, forward_q, missing, missing_next;
  assign reads = read_i || sw_read_i;
  assign read_slot = sw_read_i ? sw_slot_q : slot_i;

  t3_ram_protected #(
    .Protection(Protection),
    .Depth     (Slots),
    .Width     (MissingWidth)
  ) u_counts (
    .clk_i,
    .en_i   (en_i || clear_i),
    .we_i   (write || clear_i),
    .waddr_i(clear_i ? clear_slot_i : slot_q),
    .wdata_i(clear_i ? '0 : missing_next),
    .re_i   (reads),
    .raddr_i(read_slot),
    .rdata_o(ram_missing),
    .corrected_o(count_corrected),
    .damaged_o  (count_damaged)
  );

  // Turns over when the slot goes into the queue; what it was when the slot left.
  logic ram_entered, ram_left, entered_forward_q, entered_forwarded_q, left_forward_q, left_forwarded_q;
  logic entered, left, waits, take, head_turn;
  logic [SlotWidth-1:0] head_slot;
  assign take = valid_o && ready_i;
  assign head_slot = word_o[WordWidth-1 -: SlotWidth];

  t3_ram_protected #(
    .Protection(Protection),
    .Depth     (Slots),
    .Width     (1)
  ) u_entered (
    .clk_i,
    .en_i   (en_i || clear_i),
    .we_i   (turn || (clear_i && reset_i)),
    .waddr_i(clear_i ? clear_slot_i : slot_q),
    .wdata_i(clear_i ? 1'b0 : !entered),
    .re_i   (reads),
    .raddr_i(read_slot),
    .rdata_o(ram_entered),
    .corrected_o(entered_corrected),
    .damaged_o  (entered_damaged)
  );

  t3_ram_protected #(
    .Protection(Protection),
    .Depth     (Slots),
    .Width     (1)
  ) u_left (
    .clk_i,
    .en_i   (en_i || clear_i || take),
    .we_i   (take || (clear_i && reset_i)),
    .waddr_i(take ? head_slot : clear_slot_i),
    .wdata_i(take && head_turn),
    .re_i   (reads),
    .raddr_i(read_slot),
    .rdata_o(ram_left),
    .corrected_o(left_corrected),
    .damaged_o  (left_damaged)
  );

  always_ff @(posedge clk_i) begin : p_read
    if (reads) begin
      slot_q <= read_slot;
      forwarded_q <= write && slot_q == read_slot;
      entered_forwarded_q <= turn && slot_q == read_slot;
      entered_forward_q <= !entered;
      left_forwarded_q <= take && head_slot == read_slot;
      left_forward_q <= head_turn;
    end
    if (write) forward_q <= missing_next;
  end

  // ---- count down -----------------------------------------------------------------------------
  logic last, none, refused, lost, entered_lost, unknown, corrected, damaged;

  always_comb begin : p_count
    missing = '0;
    none = 1'b0;
    last = 1'b0;
    missing_next = '0;
    write = 1'b0;
    turn = 1'b0;
    entered = 1'b0;
    left = 1'b0;
    waits = 1'b0;
    refused = 1'b0;
    lost = 1'b0;
    entered_lost = 1'b0;
    unknown = 1'b0;
    corrected = 1'b0;
    damaged = 1'b0;
    if (count_i || sw_count_q) begin
      // A forwarded word is none of the RAM's.
      lost = !forwarded_q && count_damaged;
      entered_lost = !entered_forwarded_q && entered_damaged;
      unknown = entered_lost || (!left_forwarded_q && left_damaged);
      corrected = (!forwarded_q && count_corrected) || (!entered_forwarded_q && entered_corrected)
                  || (!left_forwarded_q && left_corrected);
      missing = forwarded_q ? forward_q : lost ? '0 : ram_missing;
      none = missing == '0 && !lost;
      last = missing == MissingWidth'(1) && !(queues_i && entered_lost);
      damaged = count_i ? lost || (missing == MissingWidth'(1) && queues_i && entered_lost)
                        : sw_write_q ? unknown && sw_data_q != '0 : lost || unknown;
      missing_next = sw_count_q ? sw_data_q : missing - MissingWidth'(1);
      entered = entered_forwarded_q ? entered_forward_q : ram_entered;
      left = left_forwarded_q ? left_forward_q : ram_left;
      waits = unknown || entered != left;
      refused = sw_count_q && sw_write_q && waits && sw_data_q != '0;
      turn = count_i && last && queues_i;
      write = sw_count_q ? sw_write_q && !refused : !none && !damaged;
    end
  end

  logic turn_q, sw_refused_q, sw_waits_q;
  logic [MissingWidth-1:0] sw_read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_result
    if (!rst_ni) begin
      fell_o <= 1'b0;
      queued_o <= 1'b0;
      none_o <= 1'b0;
      corrected_o <= 1'b0;
      damaged_o <= 1'b0;
    end else if (en_i) begin
      fell_o <= count_i && last;
      queued_o <= turn;
      none_o <= count_i && none;
      corrected_o <= corrected;
      damaged_o <= damaged;
    end
  end

  always_ff @(posedge clk_i) begin : p_found
    if (count_i && (last || none)) begin
      slot_o <= slot_q;
      turn_q <= !entered;
    end
    if (damaged) damaged_slot_o <= slot_q;
    if (sw_count_q) begin
      sw_read_q <= missing;
      sw_waits_q <= waits;
      sw_refused_q <= refused;
    end
  end

  assign sw_wr_done_o = sw_done_q && sw_write_q;
  assign sw_rd_done_o = sw_done_q && !sw_write_q;
  assign sw_rd_data_o = sw_read_q;
  assign sw_rd_waits_o = sw_waits_q;
  assign sw_wr_refused_o = sw_refused_q;
  assign sw_busy_o = sw_busy_q;
  assign armed_early_o = sw_wr_done_o && sw_refused_q && !damaged_o;
  assign armed_slot_o = sw_slot_q;

  // ---- wait -----------------------------------------------------------------------------------
  logic next_turn;

  t3_ready_queue #(
    .Protection(Protection),
    .Depth     (Slots),
    .Width     (1 + WordWidth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .push_i  (queued_o),
    .data_i  ({turn_q, word_i}),
    .valid_o,
    .ready_i,
    .data_o  ({head_turn, word_o}),
    .load_o,
    .next_o  ({next_turn, next_o}),
    .count_o (waiting_o),
    .corrected_o(queue_corrected_o),
    .damaged_o  (queue_damaged_o),
    .active_o(queue_active_o)
  );

  logic unused_next;
  assign unused_next = next_turn;

  `T3_ASSERT(one_reads_at_a_time, !read_i || !sw_read_i)
  `T3_ASSERT(one_counts_at_a_time, !count_i || !sw_count_q)
  `T3_ASSERT(the_word_names_the_slot, !queued_o || word_i[WordWidth-1 -: SlotWidth] == slot_o)

endmodule
