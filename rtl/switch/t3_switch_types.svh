// SPDX-License-Identifier: Apache-2.0
// The words that pass between the modules of the merge unit, by name: as ../t3_types.svh.
`ifndef T3_SWITCH_TYPES_SVH
`define T3_SWITCH_TYPES_SVH

/// What an update is beside its data.
`define T3_HEADER_BITS (t3_switch_pkg::FormatWidth + CountWidth + LineWidth)
`define T3_HEADER_T(name) \
  typedef struct packed { \
    logic [t3_switch_pkg::FormatWidth-1:0] format; \
    logic [CountWidth-1:0]                 count; \
    logic [LineWidth-1:0]                  line; \
  } name

/// An entry of the table beside its data.
`define T3_ENTRY_BITS (2 + `T3_HEADER_BITS)
`define T3_ENTRY_T(name) \
  typedef struct packed { \
    logic                                  valid; \
    logic                                  marked; \
    logic [t3_switch_pkg::FormatWidth-1:0] format; \
    logic [CountWidth-1:0]                 count; \
    logic [LineWidth-1:0]                  line; \
  } name

/// What becomes of data: read the entry; add to it; write it; something leaves; what leaves is the update itself.
`define T3_MOVE_BITS 5
`define T3_MOVE_T(name) \
  typedef struct packed { \
    logic read; \
    logic add; \
    logic store; \
    logic leave; \
    logic pass; \
  } name

`endif
