// SPDX-License-Identifier: Apache-2.0
// Binds the checkers of hw/checkers/t3_checkers.sv to every t3_track_trigger of a design.
bind t3_track_trigger t3_ports_checker #(
  .NumLanes   (NumLanes),
  .WgWidth    (WgWidth),
  .WfWidth    (WfWidth),
  .AddrWidth  (AddrWidth),
  .WeightWidth(WeightWidth),
  .NumSlots   (NumSlots),
  .NumRows    (NumRows)
) u_ports_checker (.*);
