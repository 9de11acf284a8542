// SPDX-License-Identifier: Apache-2.0
// A cover statement is reached if the assertion that it never holds fails.
(* techmap_celltype = "$cover" *)
module t3_cover_as_assert (input A, input EN);
  \$assert _TECHMAP_REPLACE_ (.A(~A), .EN(EN));
endmodule
