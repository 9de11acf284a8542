# SPDX-License-Identifier: Apache-2.0
# Constraints of t3_track_trigger and t3_switch_merge, for any flow that reads SDC. Set T3_PERIOD_NS to the target
# before reading it; a unit has one clock.
if {![info exists T3_PERIOD_NS]} { set T3_PERIOD_NS 5.0 }

create_clock -name clk -period $T3_PERIOD_NS [get_ports clk_i]

# Neighbours get 30 % of the cycle on either side: no input reaches an output but through a register.
set outside [expr {0.3 * $T3_PERIOD_NS}]
set data_inputs {}
foreach port [all_inputs] {
  if {[lsearch {clk_i rst_ni} [get_property $port full_name]] < 0} { lappend data_inputs $port }
}
set_input_delay $outside -clock clk $data_inputs
set_output_delay $outside -clock clk [all_outputs]

# Asserted at any time, released synchronously by the integrator's reset synchroniser. Here rst_ni is a
# port; in a chip drop this line and constrain that synchroniser's output, so that recovery and removal
# are checked.
set_false_path -from [get_ports rst_ni]
