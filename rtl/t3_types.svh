// SPDX-License-Identifier: Apache-2.0
// The words that pass between the modules of the unit, by name. A module that has the widths as parameters says
// `T3_REGION_T(region_t); between modules they are flat vectors, because ports cannot have a type that depends on a
// parameter in all tools, of `T3_REGION_BITS. Those of the registers, among them the settings of regions and
// windows, are in t3_reg_types.svh.
`ifndef T3_TYPES_SVH
`define T3_TYPES_SVH

`include "t3_reg_types.svh"

/// `spread` has the settings of each region in `regions` at a multiple of a power of two, where one is chosen by its number. At
/// an even distance that is none, Yosys makes a shifter of the whole vector of the choice: six times the gates of a lane.
`define T3_SPREAD(regions, spread) \
  logic [NumRegions*t3_pkg::RegionStride-1:0] spread; \
  always_comb begin : p_``spread \
    spread = '0; \
    for (int r = 0; r < NumRegions; r++) begin \
      spread[r*t3_pkg::RegionStride +: RegionBits] = regions[r*RegionBits +: RegionBits]; \
    end \
  end

/// An update as it is taken, without the address inside its page.
`define T3_UPDATE_T(name) \
  typedef struct packed { \
    logic [WgWidth-1:0]     wg; \
    logic [WfWidth-1:0]     wf; \
    logic [PageWidth-1:0]   page; \
    logic [WeightWidth-1:0] weight; \
  } name

/// What says where an update counts: updates with the same key are joined.
`define T3_KEY_BITS (RegionWidth + SlotWidth)
`define T3_KEY_T(name) \
  typedef struct packed { \
    logic [RegionWidth-1:0] region; \
    logic [SlotWidth-1:0]   slot; \
  } name

/// A slot that is done.
`define T3_COMPLETION_BITS (1 + RegionWidth + SlotWidth)
`define T3_COMPLETION_T(name) \
  typedef struct packed { \
    logic                   triggers; \
    logic [RegionWidth-1:0] region; \
    logic [SlotWidth-1:0]   slot; \
  } name

/// Of what an error is.
`define T3_ERROR_BITS (RegionWidth + t3_pkg::InfoWidth)
`define T3_ERROR_T(name) \
  typedef struct packed { \
    logic [RegionWidth-1:0]       region; \
    logic [t3_pkg::InfoWidth-1:0] info; \
  } name

/// An error in one cycle: which lanes or banks see it, and of what the lowest of them is (T3_ERROR_T).
`define T3_EVENT_BITS (TimesWidth + `T3_ERROR_BITS)
`define T3_EVENT_T(name) \
  typedef struct packed { \
    logic [TimesWidth-1:0]     times; \
    logic [`T3_ERROR_BITS-1:0] what; \
  } name

/// What software asks for; a request stays up until its `done`, which may come in the same cycle. The answer.
`define T3_REQUEST_BITS 67
`define T3_REQUEST_T(name) \
  typedef struct packed { \
    logic        wr_valid; \
    logic        wr_privileged; \
    logic [15:0] wr_addr; \
    logic [31:0] wr_data; \
    logic        rd_valid; \
    logic [15:0] rd_addr; \
  } name
`define T3_REPLY_BITS 36
`define T3_REPLY_T(name) \
  typedef struct packed { \
    logic        wr_done; \
    logic        wr_error; \
    logic        rd_done; \
    logic        rd_error; \
    logic [31:0] rd_data; \
  } name

/// Software's access to a slot or row, held until its answer: write `value`, also over a count, or look.
`define T3_ACCESS_BITS (4 + NumberWidth + CountWidth)
`define T3_ACCESS_T(name) \
  typedef struct packed { \
    logic                   row; \
    logic                   arm; \
    logic                   look; \
    logic                   forced; \
    logic [NumberWidth-1:0] number; \
    logic [CountWidth-1:0]  value; \
  } name

/// What it found, in the one cycle in which it is done.
`define T3_ANSWER_BITS (4 + CountWidth)
`define T3_ANSWER_T(name) \
  typedef struct packed { \
    logic                  done; \
    logic                  refused; \
    logic                  waits; \
    logic                  spoiled; \
    logic [CountWidth-1:0] missing; \
  } name

/// A step of a walk: the words `index` of all banks become `value`, if their slots are `first` to `last`.
`define T3_FILL_BITS (2 + WalkWidth + 2 * SlotWidth + CountWidth)
`define T3_FILL_T(name) \
  typedef struct packed { \
    logic                  step; \
    logic [WalkWidth-1:0]  index; \
    logic [SlotWidth-1:0]  first; \
    logic [SlotWidth-1:0]  last; \
    logic [CountWidth-1:0] value; \
    logic                  forced; \
  } name

`endif
