// SPDX-License-Identifier: Apache-2.0
`include "t3_switch_types.svh"
/// What an update, or a visit, does to a set of the merge table.
///
/// Promise: combinational. At most one flit leaves for each operation.
///
///   operation   the set                                      does                               leaves
///   update      (count ≥ expected or 0, no format, draining) -                                  the update
///               has its line, can be joined, sum < expected  adds to the entry                  -
///               has its line, can be joined, sum = expected  frees the entry                    the sum
///               has its line, cannot be joined               takes the entry, as the youngest   what was there
///               has not, and has a free entry                takes it, as the youngest          -
///               has not, and is full                         takes the oldest, as the youngest  what was there
///   visit       has marked entries                           frees the oldest of them           what was there
///               has none                                     marks all                          -
///
/// An update can be joined with an entry of its format if the two have no more than `expected` contributions
/// together. A new contribution takes the mark off. While draining, a visit finds every entry marked.
///
/// Why: an update never waits for a place, because the oldest can always leave. Age is a bit for each two entries,
/// which says which of them is older: the oldest of any subset is found without a walk, and no entry moves.
module t3_merge_set #(
  parameter int LineWidth = 41,
  parameter int CountWidth = 7,
  parameter int Ways = 4,
  localparam int WayWidth = t3_pkg::index_width(Ways),
  localparam int OrderWidth = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1,
  localparam int WordWidth = OrderWidth + Ways * `T3_ENTRY_BITS
) (
  input  logic                       update_i,
  input  logic                       visit_i,
  input  logic [`T3_HEADER_BITS-1:0] header_i,
  input  logic [CountWidth-1:0]      expected_i,
  input  logic                       drain_i,
  /// The set, as it is and as it becomes; whether that differs.
  input  logic [WordWidth-1:0]       word_i,
  output logic [WordWidth-1:0]       word_o,
  output logic                       write_o,
  /// What becomes of the data (T3_MOVE_T), and of which entry; what leaves (T3_HEADER_T).
  output logic [`T3_MOVE_BITS-1:0]   move_o,
  output logic [WayWidth-1:0]        way_o,
  output logic [`T3_HEADER_BITS-1:0] header_o,
  /// An entry was taken that was free; one became free.
  output logic                       taken_o,
  output logic                       freed_o
);

  localparam int EntryWidth = `T3_ENTRY_BITS;
  `T3_HEADER_T(header_t);
  `T3_ENTRY_T(entry_t);
  `T3_MOVE_T(move_t);

  // Number of a pair of entries, i < j.
  function automatic int pair(input int i, input int j);
    pair = (i < j) ? j * (j - 1) / 2 + i : 0;
  endfunction

  header_t header, leaving;
  assign header = header_i;
  logic [OrderWidth-1:0] order;  // bit pair(i, j): entry i is older than entry j
  assign order = word_i[Ways*EntryWidth +: OrderWidth];

  // ---- the entries ------------------------------------------------------------------------------
  entry_t entry;
  logic [CountWidth:0] sum;
  logic [Ways-1:0] valid, marked, hit, joins, completes;
  logic [Ways*CountWidth-1:0] sums;

  always_comb begin : p_entries
    entry = '0;
    sum = '0;
    for (int w = 0; w < Ways; w++) begin
      entry = word_i[w*EntryWidth +: EntryWidth];
      sum = {1'b0, entry.count} + {1'b0, header.count};
      valid[w] = entry.valid;
      marked[w] = entry.valid && (entry.marked || drain_i);
      hit[w] = update_i && entry.valid && entry.line == header.line;
      joins[w] = hit[w] && entry.format == header.format && sum <= {1'b0, expected_i};
      completes[w] = sum == {1'b0, expected_i};
      sums[w*CountWidth +: CountWidth] = sum[CountWidth-1:0];
    end
  end

  // ---- which one ----------------------------------------------------------------------------------
  logic pass, full, joined, complete, evict;
  logic [Ways-1:0] among, oldest, first_free, target;

  always_comb begin : p_oldest
    among = visit_i ? marked : valid;
    oldest = among;
    for (int j = 0; j < Ways; j++) begin
      for (int i = 0; i < Ways; i++) begin
        if (i < j && among[i] && among[j]) begin
          if (order[pair(i, j)]) oldest[j] = 1'b0;
          else oldest[i] = 1'b0;
        end
      end
    end
  end

  always_comb begin : p_choose
    pass = header.count == '0 || header.count >= expected_i || header.format == t3_switch_pkg::FormatNone || drain_i;
    full = valid == '1;
    first_free = ~valid & (valid + Ways'(1));
    joined = joins != '0;
    complete = (joins & completes) != '0;
    evict = update_i ? !joined && (hit != '0 || full) : visit_i && marked != '0;
    target = '0;
    if (update_i && !pass) target = (hit != '0) ? hit : full ? oldest : first_free;
    if (visit_i) target = oldest;
  end

  // ---- the set after it ---------------------------------------------------------------------------
  entry_t after;
  logic [OrderWidth-1:0] order_after;

  always_comb begin : p_after
    after = '0;
    word_o = word_i;
    order_after = order;
    for (int w = 0; w < Ways; w++) begin
      after = word_i[w*EntryWidth +: EntryWidth];
      if (update_i && target[w]) begin
        after.valid = !complete;
        after.marked = 1'b0;
        after.format = header.format;
        after.count = joined ? sums[w*CountWidth +: CountWidth] : header.count;
        after.line = header.line;
      end
      if (visit_i) begin
        if (target[w]) after.valid = 1'b0;
        if (!evict) after.marked = 1'b1;
      end
      word_o[w*EntryWidth +: EntryWidth] = after;
    end
    if (update_i && !joined) begin
      for (int j = 0; j < Ways; j++) begin
        for (int i = 0; i < Ways; i++) begin
          if (i < j && target[j]) order_after[pair(i, j)] = 1'b1;
          if (i < j && target[i]) order_after[pair(i, j)] = 1'b0;
        end
      end
    end
    word_o[Ways*EntryWidth +: OrderWidth] = order_after;
  end

  // ---- what moves ---------------------------------------------------------------------------------
  move_t move;
  entry_t left;

  always_comb begin : p_move
    left = '0;
    way_o = '0;
    for (int w = 0; w < Ways; w++) begin
      if (target[w]) begin
        left = left | word_i[w*EntryWidth +: EntryWidth];
        way_o = way_o | WayWidth'(w);
      end
    end
    move = '0;
    if (update_i && pass) begin
      move.leave = 1'b1;
      move.pass = 1'b1;
    end else if (update_i) begin
      move.read = joined || evict;
      move.add = joined;
      move.store = !complete;
      move.leave = complete || evict;
    end else if (visit_i) begin
      move.read = evict;
      move.leave = evict;
    end
    leaving.format = move.pass ? header.format : left.format;
    leaving.count = move.pass ? header.count : complete ? expected_i : left.count;
    leaving.line = move.pass ? header.line : left.line;
    taken_o = update_i && !pass && hit == '0 && !full;
    freed_o = (update_i && !pass && complete) || (visit_i && evict);
  end

  assign write_o = (update_i && !pass) || visit_i;
  assign move_o = move;
  assign header_o = leaving;

  logic unused_left;
  assign unused_left = ^{left.valid, left.marked, sum};

endmodule
