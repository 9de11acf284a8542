// Sources of the merge unit of a switch, in compile order; paths are relative to the repository.
// Icarus 11, as in Debian 12, simulates these files without end: hw/icarus/run --sources DIR writes a copy for it.
+incdir+rtl
+incdir+rtl/switch
rtl/t3_pkg.sv
rtl/t3_ram_1r1w.sv
rtl/t3_arb_rr.sv
rtl/t3_fold.sv
rtl/switch/t3_switch_pkg.sv
rtl/switch/t3_float_add.sv
rtl/switch/t3_lane_add.sv
rtl/switch/t3_merge_set.sv
rtl/switch/t3_merge_tags.sv
rtl/switch/t3_merge_sweep.sv
rtl/switch/t3_merge_lane.sv
rtl/switch/t3_merge_data.sv
rtl/switch/t3_multicast.sv
rtl/switch/t3_link_turns.sv
rtl/switch/t3_switch_merge.sv
