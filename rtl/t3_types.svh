// SPDX-License-Identifier: Apache-2.0
// The words that pass between the modules of the unit, by name. A module that has the widths as parameters says
// `T3_REGION_T(region_t); between modules they are flat vectors, because ports cannot have a type that depends on
// a parameter in all tools.
`ifndef T3_TYPES_SVH
`define T3_TYPES_SVH

/// An update as it is taken, without the address inside its page.
`define T3_UPDATE_T(name) \
  typedef struct packed { \
    logic [WgWidth-1:0]     wg; \
    logic [WfWidth-1:0]     wf; \
    logic [PageWidth-1:0]   page; \
    logic [WeightWidth-1:0] weight; \
  } name

/// What says where an update counts: updates with the same key are joined.
`define T3_KEY_T(name) \
  typedef struct packed { \
    logic [RegionWidth-1:0] region; \
    logic [SlotWidth-1:0]   slot; \
  } name

/// A slot that is done.
`define T3_COMPLETION_T(name) \
  typedef struct packed { \
    logic                   triggers; \
    logic [RegionWidth-1:0] region; \
    logic [SlotWidth-1:0]   slot; \
  } name

/// The settings of a region (registers REG_*), and of a window.
`define T3_REGION_T(name) \
  typedef struct packed { \
    logic                               on; \
    logic                               stopped; \
    logic                               triggers; \
    logic                               rows; \
    logic [t3_pkg::ShiftWidth-1:0]      shift; \
    logic [WindowWidth-1:0]             window; \
    logic [WgWidth-1:0]                 wg_first; \
    logic [WgWidth-1:0]                 wg_last; \
    logic [SlotWidth-1:0]               slot_first; \
    logic [SlotWidth-1:0]               slot_last; \
    logic [SlotWidth-1:0]               row_phase; \
    logic [RowWidth-1:0]                row_first; \
    logic [t3_pkg::ReciprocalWidth-1:0] row_reciprocal; \
  } name

`define T3_WINDOW_T(name) \
  typedef struct packed { \
    logic [PageWidth-1:0] page_first; \
    logic [PageWidth-1:0] page_last; \
  } name

/// Of what an error is.
`define T3_ERROR_T(name) \
  typedef struct packed { \
    logic [RegionWidth-1:0]       region; \
    logic [t3_pkg::InfoWidth-1:0] info; \
  } name

`endif
