// Sources of the join of several stacks' units, in compile order; paths are relative to the repository.
+incdir+rtl
rtl/t3_pkg.sv
rtl/t3_ram_1r1w.sv
rtl/t3_encode.sv
rtl/t3_decode.sv
rtl/t3_ram_protected.sv
rtl/t3_arb_rr.sv
rtl/t3_queue.sv
rtl/t3_waiting.sv
rtl/t3_stack_join.sv
