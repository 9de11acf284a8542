// SPDX-License-Identifier: Apache-2.0
// Binds the checkers of hw/checkers/t3_checkers.sv to every t3_track_trigger of a design.
bind t3_track_trigger t3_ports_checker #(
  .NumLanes   (NumLanes),
  .NumBanks   (NumBanks),
  .WgWidth    (WgWidth),
  .WfWidth    (WfWidth),
  .AddrWidth  (AddrWidth),
  .CmdDepth   (CmdDepth),
  .ReleaseRows(ReleaseRows)
) u_ports_checker (.*);
