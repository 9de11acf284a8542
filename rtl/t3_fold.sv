// SPDX-License-Identifier: Apache-2.0
/// The bank of a slot: the XOR of all groups of BankBits bits of its number.
///
/// Promise: combinational; among slots with the same upper bits the lowest BankBits bits and the bank determine
/// each other.
///
/// Why: neighbours lie in different banks, as with plain low bits, and so do slots that are a multiple of the banks
/// apart, which lanes touch together when tiles of the output are stored row by row.
module t3_fold #(
  parameter int SlotWidth = 12,
  parameter int BankBits = 3
) (
  input  logic [SlotWidth-1:0] slot_i,
  output logic [BankBits-1:0]  bank_o
);

  localparam int Groups = (SlotWidth + BankBits - 1) / BankBits;
  logic [Groups*BankBits-1:0] groups;
  assign groups = (Groups*BankBits)'(slot_i);

  always_comb begin : p_fold
    bank_o = '0;
    for (int g = 0; g < Groups; g++) bank_o = bank_o ^ groups[g*BankBits +: BankBits];
  end

endmodule
