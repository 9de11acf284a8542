// SPDX-License-Identifier: Apache-2.0
/// t3_fold, for any two slots: one to one with the lowest bits, so that a bank and the upper bits name a
/// slot; neighbours, and slots the number of banks apart, are in different banks.
module formal_fold #(
  parameter int SlotWidth = 7,
  parameter int BankBits = 3
) (
  input logic [SlotWidth-1:0] other_i
);
  (* anyconst *) logic [SlotWidth-1:0] slot;
  logic [BankBits-1:0] one, other, upper;
  t3_fold #(.SlotWidth(SlotWidth), .BankBits(BankBits)) u_dut (.slot_i(slot), .bank_o(one));
  t3_fold #(.SlotWidth(SlotWidth), .BankBits(BankBits)) u_other (.slot_i(other_i), .bank_o(other));
  // What t3_slots makes of a bank and an index: the lowest bits.
  t3_fold #(.SlotWidth(SlotWidth-BankBits), .BankBits(BankBits)) u_upper (
    .slot_i(slot[SlotWidth-1:BankBits]), .bank_o(upper)
  );
  always_comb begin
    fold_one_to_one: assert (slot == other_i || one != other
                             || slot[SlotWidth-1:BankBits] != other_i[SlotWidth-1:BankBits]);
    fold_back: assert ((upper ^ one) == slot[BankBits-1:0]);
    fold_neighbours: assert ((slot ^ other_i) != SlotWidth'(1) || one != other);
    fold_banks_apart: assert ((slot ^ other_i) != SlotWidth'(1 << BankBits) || one != other);
    cover_same_bank: cover (one == other && slot != other_i);
  end
endmodule
