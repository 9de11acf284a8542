// SPDX-License-Identifier: Apache-2.0
// The data of the merge unit as merge.sv and merge_order.sv have it, after merge_unit.svh: of each entry, once what is on
// its way in C and D is written; of what leaves. The adder is any function (t3_lane_add.sv).
  (* hierconn *) wire [127:0] \u_dut.u_data.gen_lane[0].u_lane.u_add.sums ;
  logic [127:0] sums;
  assign sums = \u_dut.u_data.gen_lane[0].u_lane.u_add.sums ;

  logic [DataWidth-1:0] c_new, d_new, d_old, d_sum, d_result, c_before, c_sum, c_leaves, d_leaves, c_word, d_word;
  logic [Entries*DataWidth-1:0] after_d, data_of;
  assign c_new = \u_dut.u_data.gen_lane[0].u_lane.c_q ;
  assign d_new = \u_dut.u_data.gen_lane[0].u_lane.new_q ;
  assign d_old = \u_dut.u_data.gen_lane[0].u_lane.old_q ;
  always_comb begin
    d_sum = sums[{d_header.format, d_old, d_new}*DataWidth +: DataWidth];
    d_result = d_move.add ? d_sum : d_new;
    c_before = '0;
    c_word = '0;
    d_word = '0;
    for (int i = 0; i < Entries; i++) begin
      after_d[i*DataWidth +: DataWidth] = (d_move.store && \u_dut.u_data.d_index_q == IndexWidth'(i)) ? d_result
          : \u_dut.u_data.u_ram.words_q [i*DataWidth +: DataWidth];
      if (\u_dut.u_data.c_index_q == IndexWidth'(i)) begin
        c_before = after_d[i*DataWidth +: DataWidth];
        c_word = \u_dut.u_data.u_ram.words_q [i*DataWidth +: DataWidth];
      end
      if (\u_dut.u_data.d_index_q == IndexWidth'(i)) d_word = \u_dut.u_data.u_ram.words_q [i*DataWidth +: DataWidth];
    end
    c_sum = sums[{c_header.format, c_before, c_new}*DataWidth +: DataWidth];
    for (int i = 0; i < Entries; i++) begin
      data_of[i*DataWidth +: DataWidth] = !(c_move.store && \u_dut.u_data.c_index_q == IndexWidth'(i))
          ? after_d[i*DataWidth +: DataWidth] : c_move.add ? c_sum : c_new;
    end
    c_leaves = c_move.pass ? c_new : c_move.add ? c_sum : c_before;
    d_leaves = d_move.pass ? d_new : d_move.add ? d_sum : d_old;
  end

  // An addition reads; what leaves is the update, the sum, or what was read; a sum stays or leaves.
  function automatic logic sensible(input logic [4:0] bits);
    logic read, add, store, leave, pass;
    {read, add, store, leave, pass} = bits;
    sensible = (!add || read) && (!leave || pass || read) && (!pass || (leave && !read && !add && !store))
               && (!add || store != leave);
  endfunction

  always @(posedge clk_i) if (rst_q) begin
    data_sensible: assert (sensible(c_move) && sensible(d_move));
    // What C and D have read is what stands there.
    data_c_reads: assert (!c_move.read || (\u_dut.u_data.c_missed_q ? \u_dut.u_data.gen_lane[0].u_lane.stored_q
                                           : \u_dut.u_data.ram_data ) == c_word);
    data_d_reads: assert (!d_move.read || d_old == d_word);
    data_lane: assert (d_move == '0 || (\u_dut.u_data.gen_lane[0].u_lane.add_q == d_move.add
                                        && \u_dut.u_data.gen_lane[0].u_lane.format_q == d_header.format));
  end
