// SPDX-License-Identifier: Apache-2.0
`include "formal.svh"
`include "t3_switch_types.svh"
/// t3_merge_set with the word of a set, for any two entries: which of them took its line first is what their bit of the
/// order says. So of a full set the oldest entry makes room, and of the marked ones the oldest is put out: one
/// entry each time. An update finds an entry of its line if there is one, and takes a free one if it needs it.
module formal_merge_set #(
  parameter int LineWidth = 3,
  parameter int CountWidth = 2,
  parameter int Ways = 4,
  localparam int HeaderWidth = `T3_HEADER_BITS
) (
  input logic                   clk_i,
  input logic                   update_i,
  input logic                   visit_i,
  input logic [HeaderWidth-1:0] header_i,
  input logic [CountWidth-1:0]  expected_i,
  input logic                   drain_i
);
  `T3_FORMAL_RESET
  `T3_MOVE_T(move_t);
  `T3_HEADER_T(header_t);
  localparam int EntryWidth = `T3_ENTRY_BITS;
  localparam int OrderWidth = Ways * (Ways - 1) / 2;
  localparam int WordWidth = OrderWidth + Ways * EntryWidth;
  localparam int WayWidth = $clog2(Ways);

  logic [WordWidth-1:0] word_q, after;
  logic write, taken, freed;
  logic [4:0] moves;
  move_t move;
  logic [WayWidth-1:0] way;
  logic [HeaderWidth-1:0] left;
  header_t header;
  assign header = header_i;
  assign move = moves;
  (* hierconn *) wire [Ways-1:0] \u_dut.target ;

  t3_merge_set #(.LineWidth(LineWidth), .CountWidth(CountWidth), .Ways(Ways)) u_dut (
    .update_i, .visit_i, .header_i, .expected_i, .drain_i, .word_i(word_q), .word_o(after), .write_o(write),
    .move_o(moves), .way_o(way), .header_o(left), .taken_o(taken), .freed_o(freed)
  );
  always_comb assume (!(update_i && visit_i));

  always_ff @(posedge clk_i) begin
    if (!rst_q) word_q <= '0;
    else if (write) word_q <= after;
  end

  function automatic int pair(input int i, input int j);
    pair = (i < j) ? j * (j - 1) / 2 + i : 0;
  endfunction

  // The set, and whether entry i is older than entry j.
  logic [Ways-1:0] valid, marked, has_line;
  logic [Ways*Ways-1:0] older;
  always_comb begin
    for (int i = 0; i < Ways; i++) begin
      valid[i] = word_q[(i+1)*EntryWidth-1];
      marked[i] = valid[i] && (word_q[(i+1)*EntryWidth-2] || drain_i);
      has_line[i] = valid[i] && word_q[i*EntryWidth +: LineWidth] == header.line;
      for (int j = 0; j < Ways; j++) begin
        older[i*Ways+j] = (i < j) ? word_q[Ways*EntryWidth+pair(i, j)]
                        : (i > j) ? !word_q[Ways*EntryWidth+pair(j, i)] : 1'b0;
      end
    end
  end

  // Any two entries: who took its line first.
  (* anyconst *) logic [WayWidth-1:0] one, two;
  logic first_q, takes;  // entry `one` is older
  logic [Ways-1:0] target;
  assign target = \u_dut.target ;
  assign takes = update_i && move.store && !move.add;
  always_ff @(posedge clk_i) begin
    if (takes && target[two]) first_q <= 1'b1;
    if (takes && target[one]) first_q <= 1'b0;
  end

  logic consistent, oldest, doubles;
  logic [2:0] targets;
  always_comb begin
    consistent = 1'b1;
    oldest = 1'b1;
    doubles = 1'b0;
    targets = '0;
    for (int i = 0; i < Ways; i++) begin
      targets = targets + 3'(target[i]);
      for (int j = 0; j < Ways; j++) begin
        if (i != j && valid[i] && valid[j] && word_q[i*EntryWidth +: LineWidth] == word_q[j*EntryWidth +: LineWidth])
          doubles = 1'b1;
        if (target[j] && older[i*Ways+j] && (visit_i ? marked[i] : valid[i])) oldest = 1'b0;
        for (int k = 0; k < Ways; k++) begin
          if (valid[i] && valid[j] && valid[k] && older[i*Ways+j] && older[j*Ways+k] && !older[i*Ways+k])
            consistent = 1'b0;
        end
      end
    end
  end

  logic pass;
  assign pass = header.count >= expected_i || header.format == t3_switch_pkg::FormatNone || drain_i;

  always @(posedge clk_i) if (rst_q) begin
    set_order_true: assert (one == two || !valid[one] || !valid[two] || older[one*Ways+two] == first_q);
    set_order: assert (consistent && !doubles);
    set_one_target: assert (targets == 3'((update_i && !pass) || (visit_i && marked != '0)));
    set_way: assert (targets == '0 || target == (Ways'(1) << way));
    set_finds: assert (!update_i || pass || has_line == '0 || target == has_line);
    set_takes_free: assert (!update_i || pass || has_line != '0 || valid == '1 || (target & valid) == '0);
    set_oldest_makes_room: assert (!(update_i && !pass && has_line == '0 && valid == '1) || oldest);
    set_oldest_leaves: assert (!(visit_i && move.leave) || (oldest && (target & ~marked) == '0));
    set_taken: assert (taken == (update_i && !pass && has_line == '0 && valid != '1));
    set_leaves: assert (move.leave == ((update_i && (pass || freed || (takes && (target & valid) != '0)))
                                       || (visit_i && marked != '0)));
    cover_room: cover (takes && move.leave && has_line == '0 && way == 2'd2);
    cover_visit: cover (visit_i && move.leave && way == 2'd1 && valid == '1 && !drain_i);
    cover_again: cover (takes && move.leave && has_line != '0);
  end
endmodule
