/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver of the track-and-trigger unit (docs/tracker.md), in C11: one header, no library beyond
 * stdint and stdbool, no memory of its own, no interrupts, no locks.
 *
 * Purpose: software that programs the unit writes down what a kernel looks like (struct t3_window,
 * struct t3_region), and this header turns it into register accesses in the right order.
 *
 * Accesses go through two functions of the caller's. For registers that are mapped into the address
 * space, t3_mmio_read and t3_mmio_write are such functions; their context is the base address:
 *
 *   struct t3_tracker unit;
 *   t3_tracker_init(&unit, t3_mmio_read, t3_mmio_write, (void *)base);
 *
 * One kernel, beside others that run or from reset (docs/tracker.md, "Software"):
 *
 *   t3_tracker_set_window(&unit, 0, &window);
 *   t3_tracker_set_region(&unit, 0, &region);        turns it off, then writes its settings
 *   t3_tracker_stop_region(&unit, 0);                its updates are dropped from here on
 *   t3_tracker_fill(&unit, 0, bytes, polls);         all slots
 *   t3_tracker_arm_slot(&unit, slot, bytes);         those that differ
 *   t3_tracker_arm_row(&unit, row, blocks);          for every row, if the region has rows
 *   t3_tracker_start_region(&unit, 0);               updates count from here on
 *   t3_tracker_start(&unit);                         once
 *
 * One more kernel of the same shape: stop the region, arm as before, t3_tracker_restart_region. An
 * abort of a kernel: t3_tracker_stop_region, t3_tracker_fill with 0, t3_tracker_arm_row with 0.
 *
 * No function here makes an access that the unit would answer with SLVERR: what a bus does with
 * such an answer differs from machine to machine. So each one checks its arguments and what the
 * unit says first. The caller keeps two of these functions from running at once on one unit.
 */
#ifndef T3_TRACKER_H
#define T3_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "t3_tracker_registers.h"

enum t3_result {
  T3_OK = 0,
  T3_WRONG_DEVICE, /* ID is another one, or the major version; or the minor one is too low */
  T3_INVALID,      /* an argument that this unit has no place for; nothing was written */
  T3_LOCKED,       /* LOCK is set; nothing was written */
  T3_BUSY,   /* a region that is not off, a fill or a clear is in the way; nothing was written */
  T3_WAITS,  /* the slot or row counts, or has not been shown yet; nothing was written */
  T3_TIMEOUT /* the unit did not get there within so many polls */
};

typedef uint32_t (*t3_read_function)(void* context, uint32_t offset);
typedef void (*t3_write_function)(void* context, uint32_t offset, uint32_t value);

/* What the unit was built with (CONFIG0 to CONFIG3). */
struct t3_size {
  uint32_t lanes, banks, regions, windows;
  uint32_t slots, rows;
  uint32_t most_bytes;  /* that a slot counts to */
  uint32_t most_weight; /* of an update */
  uint32_t wavefronts;  /* of a workgroup */
  uint32_t workgroups;  /* ids: 0 to one less */
  uint32_t address_bits;
  uint32_t protection; /* 0 none, 1 parity, 2 SECDED */
};

struct t3_tracker {
  t3_read_function read;
  t3_write_function write;
  void* context;
  struct t3_size size;
};

/* A range of addresses of bytes, both inclusive: from page start to page end. */
struct t3_window {
  uint64_t first, last;
};

/* A range of workgroups in a window. */
struct t3_region {
  uint32_t window;
  uint32_t workgroup_first, workgroup_last; /* both inclusive */
  uint32_t shift;                           /* a block is 2^shift wavefronts: 0 to 15 */
  uint32_t first_slot, last_slot;           /* of the first and the last block */
  uint32_t target;                          /* blocks that make the region done: up to 65535 */
  bool trigger;                             /* slots that are done are shown at done_* */
  bool rows;                                /* blocks count for the row that they lie in */
  uint32_t first_row;                       /* row slot of the region's first row */
  uint32_t row_phase;                       /* blocks of that row that lie before the region */
  uint32_t blocks_per_row;                  /* 1 to 8192 */
};

enum t3_region_state { T3_REGION_OFF = 0, T3_REGION_ON = 1, T3_REGION_STOPPED = 2 };

/* ---- accesses ---------------------------------------------------------------------------------
 */

/* For registers in the address space: `base` is where the unit begins there. */
static inline uint32_t t3_mmio_read(void* base, uint32_t offset) {
  return *(volatile uint32_t*)(void*)((unsigned char*)base + offset);
}

static inline void t3_mmio_write(void* base, uint32_t offset, uint32_t value) {
  *(volatile uint32_t*)(void*)((unsigned char*)base + offset) = value;
}

static inline uint32_t t3_tracker_read(const struct t3_tracker* unit, uint32_t offset) {
  return unit->read(unit->context, offset);
}

static inline void t3_tracker_write(const struct t3_tracker* unit, uint32_t offset,
                                    uint32_t value) {
  unit->write(unit->context, offset, value);
}

/* A counter, T3_UPDATES for example: its low word first, which keeps the high one. */
static inline uint64_t t3_tracker_counter(const struct t3_tracker* unit, uint32_t offset) {
  const uint64_t low = t3_tracker_read(unit, offset);
  return low | (uint64_t)t3_tracker_read(unit, offset + 4) << 32;
}

static inline uint32_t t3_field(uint32_t value, uint32_t mask, uint32_t shift) {
  return (value & mask) >> shift;
}

/* ---- begin ------------------------------------------------------------------------------------
 */

/* Finds out what unit this is. Writes nothing. */
static inline enum t3_result t3_tracker_init(struct t3_tracker* unit, t3_read_function read,
                                             t3_write_function write, void* context) {
  uint32_t config;
  unit->read = read;
  unit->write = write;
  unit->context = context;
  if (t3_tracker_read(unit, T3_ID) != T3_ID_VALUE) return T3_WRONG_DEVICE;
  config = t3_tracker_read(unit, T3_VERSION);
  if (config >> 16 != T3_VERSION_VALUE >> 16 || config < T3_VERSION_VALUE) return T3_WRONG_DEVICE;
  config = t3_tracker_read(unit, T3_CONFIG0);
  unit->size.lanes = t3_field(config, T3_CONFIG0_LANES_MASK, T3_CONFIG0_LANES_SHIFT);
  unit->size.banks = t3_field(config, T3_CONFIG0_BANKS_MASK, T3_CONFIG0_BANKS_SHIFT);
  unit->size.regions = t3_field(config, T3_CONFIG0_REGIONS_MASK, T3_CONFIG0_REGIONS_SHIFT);
  unit->size.windows = t3_field(config, T3_CONFIG0_WINDOWS_MASK, T3_CONFIG0_WINDOWS_SHIFT);
  config = t3_tracker_read(unit, T3_CONFIG1);
  unit->size.slots = t3_field(config, T3_CONFIG1_SLOTS_MASK, T3_CONFIG1_SLOTS_SHIFT);
  unit->size.rows = t3_field(config, T3_CONFIG1_ROWS_MASK, T3_CONFIG1_ROWS_SHIFT);
  config = t3_tracker_read(unit, T3_CONFIG2);
  unit->size.most_bytes =
      UINT32_C(1) << (t3_field(config, T3_CONFIG2_COUNT_WIDTH_MASK, T3_CONFIG2_COUNT_WIDTH_SHIFT) -
                      1);
  unit->size.most_weight = UINT32_C(1) << (t3_field(config, T3_CONFIG2_WEIGHT_WIDTH_MASK,
                                                    T3_CONFIG2_WEIGHT_WIDTH_SHIFT) -
                                           1);
  unit->size.wavefronts = UINT32_C(1)
                          << t3_field(config, T3_CONFIG2_WF_WIDTH_MASK, T3_CONFIG2_WF_WIDTH_SHIFT);
  unit->size.protection = t3_field(config, T3_CONFIG2_PROTECTION_MASK, T3_CONFIG2_PROTECTION_SHIFT);
  config = t3_tracker_read(unit, T3_CONFIG3);
  unit->size.workgroups = UINT32_C(1)
                          << t3_field(config, T3_CONFIG3_WG_WIDTH_MASK, T3_CONFIG3_WG_WIDTH_SHIFT);
  unit->size.address_bits =
      t3_field(config, T3_CONFIG3_ADDR_WIDTH_MASK, T3_CONFIG3_ADDR_WIDTH_SHIFT);
  return T3_OK;
}

static inline bool t3_tracker_locked(const struct t3_tracker* unit) {
  return (t3_tracker_read(unit, T3_LOCK) & T3_LOCK_LOCKED_MASK) != 0;
}

/* While locked, configuration, slots and rows stay as they are. Whether a write is a privileged and
 * secure one is the caller's bus's affair: with T3_LOCK_PRIVILEGED_MASK, no other one changes
 * anything, so that only those who write so may take interrupts and errors (below), or unlock. */
static inline void t3_tracker_lock(const struct t3_tracker* unit, uint32_t bits) {
  t3_tracker_write(unit, T3_LOCK, bits);
}

/* The walk over the memories after a reset or a clear is over, when CTRL no longer says clear. */
static inline enum t3_result t3_tracker_wait_clear(const struct t3_tracker* unit, uint32_t polls) {
  for (; polls != 0; --polls) {
    if ((t3_tracker_read(unit, T3_CTRL) & T3_CTRL_CLEAR_MASK) == 0) return T3_OK;
  }
  return T3_TIMEOUT;
}

/* Forgets everything but settings and what stands at done_* and rel_*, and stops the unit. Updates
 * that come afterwards are untracked until t3_tracker_start. */
static inline enum t3_result t3_tracker_clear(const struct t3_tracker* unit, uint32_t polls) {
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, T3_CTRL, T3_CTRL_CLEAR_MASK);
  return t3_tracker_wait_clear(unit, polls);
}

static inline enum t3_result t3_tracker_start(const struct t3_tracker* unit) {
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, T3_CTRL, T3_CTRL_ENABLE_MASK);
  return T3_OK;
}

static inline enum t3_result t3_tracker_stop(const struct t3_tracker* unit) {
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, T3_CTRL, 0);
  return T3_OK;
}

/* Looks through all slots and rows for those that wait, as if a hint of one had been lost. */
static inline enum t3_result t3_tracker_look(const struct t3_tracker* unit) {
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, T3_CTRL,
                   (t3_tracker_read(unit, T3_CTRL) & T3_CTRL_ENABLE_MASK) | T3_CTRL_LOOK_MASK);
  return T3_OK;
}

/* ---- configuration ----------------------------------------------------------------------------
 */

static inline enum t3_region_state t3_tracker_region_state(const struct t3_tracker* unit,
                                                           uint32_t number) {
  const uint32_t state = t3_tracker_read(unit, T3_REG(number) + T3_REG_STATE) & 3;
  return state > 1 ? T3_REGION_STOPPED : (enum t3_region_state)state;
}

/* A window that a region which is not off refers to cannot be changed. */
static inline enum t3_result t3_tracker_set_window(const struct t3_tracker* unit, uint32_t number,
                                                   const struct t3_window* window) {
  const uint64_t page_first = window->first / 4096, page_last = window->last / 4096;
  const uint32_t base = T3_WINDOW(number);
  uint32_t region;
  if (number >= unit->size.windows || window->first % 4096 != 0 || window->last % 4096 != 4095 ||
      window->first > window->last || window->last >> unit->size.address_bits != 0) {
    return T3_INVALID;
  }
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  for (region = 0; region < unit->size.regions; ++region) {
    const uint32_t control = t3_tracker_read(unit, T3_REG(region) + T3_REG_CTRL);
    if (t3_field(control, T3_REG_CTRL_WINDOW_MASK, T3_REG_CTRL_WINDOW_SHIFT) == number &&
        t3_tracker_region_state(unit, region) != T3_REGION_OFF) {
      return T3_BUSY;
    }
  }
  t3_tracker_write(unit, base + T3_WINDOW_PAGE_FIRST, (uint32_t)page_first);
  t3_tracker_write(unit, base + T3_WINDOW_PAGE_LAST, (uint32_t)page_last);
  t3_tracker_write(unit, base + T3_WINDOW_PAGE_HIGH,
                   (uint32_t)(page_first >> 32) << T3_WINDOW_PAGE_HIGH_FIRST_SHIFT |
                       (uint32_t)(page_last >> 32) << T3_WINDOW_PAGE_HIGH_LAST_SHIFT);
  return T3_OK;
}

static inline enum t3_result t3_tracker_set_state(const struct t3_tracker* unit, uint32_t number,
                                                  enum t3_region_state state) {
  if (number >= unit->size.regions) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  /* Which slots are filled, the unit does not tell. */
  if (state == T3_REGION_ON && (t3_tracker_read(unit, T3_STATUS) & T3_STATUS_FILLING_MASK) != 0)
    return T3_BUSY;
  t3_tracker_write(unit, T3_REG(number) + T3_REG_STATE, (uint32_t)state);
  return T3_OK;
}

/* Updates count, those that come from now on. All slots of the region are armed before. */
static inline enum t3_result t3_tracker_start_region(const struct t3_tracker* unit,
                                                     uint32_t number) {
  return t3_tracker_set_state(unit, number, T3_REGION_ON);
}

/* Updates are dropped, and do not match a region behind this one. */
static inline enum t3_result t3_tracker_stop_region(const struct t3_tracker* unit,
                                                    uint32_t number) {
  return t3_tracker_set_state(unit, number, T3_REGION_STOPPED);
}

/* Updates find another region, or none. Not while updates of the region are on their way. */
static inline enum t3_result t3_tracker_disable_region(const struct t3_tracker* unit,
                                                       uint32_t number) {
  return t3_tracker_set_state(unit, number, T3_REGION_OFF);
}

/* DONE of a region begins at zero, and what it reached before is forgotten. */
static inline void t3_tracker_renew_done(const struct t3_tracker* unit, uint32_t number) {
  t3_tracker_write(unit, T3_REG(number) + T3_REG_DONE, 0);
  t3_tracker_write(unit, T3_REGION_DONE, UINT32_C(1) << number);
}

/* Turns a region off, writes its settings, and begins its DONE at zero. Slots of it that were done
 * are counted before: when DONE is the target, or after t3_tracker_wait_quiet. Else the unit
 * refuses. */
static inline enum t3_result t3_tracker_set_region(const struct t3_tracker* unit, uint32_t number,
                                                   const struct t3_region* region) {
  const uint32_t base = T3_REG(number);
  const uint32_t per_row = region->blocks_per_row;
  if (number >= unit->size.regions || region->window >= unit->size.windows ||
      region->workgroup_first > region->workgroup_last ||
      region->workgroup_last >= unit->size.workgroups || region->shift > 15 ||
      region->first_slot > region->last_slot || region->last_slot >= unit->size.slots ||
      region->target > 0xffff ||
      (region->rows && (region->first_row >= unit->size.rows || per_row - 1 > 8191 ||
                        region->row_phase >= per_row || region->row_phase >= unit->size.slots ||
                        region->last_slot - region->first_slot + region->row_phase > 8191))) {
    return T3_INVALID;
  }
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, base + T3_REG_STATE, T3_REGION_OFF);
  t3_tracker_write(unit, base + T3_REG_CTRL,
                   (region->trigger ? T3_REG_CTRL_TRIGGER_MASK : 0) |
                       (region->rows ? T3_REG_CTRL_ROWS_MASK : 0) |
                       region->shift << T3_REG_CTRL_SHIFT_SHIFT |
                       region->window << T3_REG_CTRL_WINDOW_SHIFT);
  t3_tracker_write(unit, base + T3_REG_WG_FIRST, region->workgroup_first);
  t3_tracker_write(unit, base + T3_REG_WG_LAST, region->workgroup_last);
  t3_tracker_write(unit, base + T3_REG_SLOT_FIRST, region->first_slot);
  t3_tracker_write(unit, base + T3_REG_SLOT_LAST, region->last_slot);
  if (region->rows) {
    /* The unit multiplies by 2^26 / blocks_per_row, rounded up, where others would divide. */
    t3_tracker_write(unit, base + T3_REG_ROW_FIRST, region->first_row);
    t3_tracker_write(unit, base + T3_REG_ROW_PHASE, region->row_phase);
    t3_tracker_write(unit, base + T3_REG_ROW_RECIPROCAL,
                     ((UINT32_C(1) << 26) + per_row - 1) / per_row);
  }
  t3_tracker_renew_done(unit, number);
  t3_tracker_write(unit, base + T3_REG_TARGET, region->target);
  return T3_OK;
}

/* The region stays as it is, and is on; its DONE begins at zero. */
static inline enum t3_result t3_tracker_restart_region(const struct t3_tracker* unit,
                                                       uint32_t number) {
  if (number >= unit->size.regions) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  if ((t3_tracker_read(unit, T3_STATUS) & T3_STATUS_FILLING_MASK) != 0) return T3_BUSY;
  t3_tracker_renew_done(unit, number);
  return t3_tracker_start_region(unit, number);
}

/* Nothing can be armed while the unit fills or clears. */
static inline bool t3_tracker_walks(const struct t3_tracker* unit) {
  return (t3_tracker_read(unit, T3_STATUS) & T3_STATUS_FILLING_MASK) != 0 ||
         (t3_tracker_read(unit, T3_CTRL) & T3_CTRL_CLEAR_MASK) != 0;
}

/* Whether a region in this state has one of these slots. */
static inline bool t3_tracker_slots_are(const struct t3_tracker* unit, enum t3_region_state state,
                                        uint32_t first, uint32_t last) {
  uint32_t region;
  for (region = 0; region < unit->size.regions; ++region) {
    if (t3_tracker_region_state(unit, region) == state &&
        last >= t3_tracker_read(unit, T3_REG(region) + T3_REG_SLOT_FIRST) &&
        first <= t3_tracker_read(unit, T3_REG(region) + T3_REG_SLOT_LAST)) {
      return true;
    }
  }
  return false;
}

/* Arms all slots of a region with so many bytes, and waits until that is done. Slots of a region
 * that is off and count or wait stay as they are, and are reported in ERRORS. Busy, too, if a slot
 * is one of a region that is on. */
static inline enum t3_result t3_tracker_fill(const struct t3_tracker* unit, uint32_t number,
                                             uint32_t bytes, uint32_t polls) {
  if (number >= unit->size.regions || bytes > unit->size.most_bytes) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  if (t3_tracker_region_state(unit, number) == T3_REGION_ON || t3_tracker_walks(unit) ||
      t3_tracker_slots_are(unit, T3_REGION_ON,
                           t3_tracker_read(unit, T3_REG(number) + T3_REG_SLOT_FIRST),
                           t3_tracker_read(unit, T3_REG(number) + T3_REG_SLOT_LAST))) {
    return T3_BUSY;
  }
  t3_tracker_write(unit, T3_FILL, number << T3_FILL_REGION_SHIFT | bytes);
  for (; polls != 0; --polls) {
    if ((t3_tracker_read(unit, T3_STATUS) & T3_STATUS_FILLING_MASK) == 0) return T3_OK;
  }
  return T3_TIMEOUT;
}

/* What a slot or row counts, and its bits T3_SLOT_…_MASK or T3_ROW_…_MASK. */
static inline uint32_t t3_tracker_slot(const struct t3_tracker* unit, uint32_t slot) {
  return t3_tracker_read(unit, T3_SLOT(slot));
}

static inline uint32_t t3_tracker_row(const struct t3_tracker* unit, uint32_t row) {
  return t3_tracker_read(unit, T3_ROW(row));
}

/* Whether a region that is stopped has the slot, and none that is on: then it may be armed whatever
 * is in it. */
static inline bool t3_tracker_slot_is_stopped(const struct t3_tracker* unit, uint32_t slot) {
  return t3_tracker_slots_are(unit, T3_REGION_STOPPED, slot, slot) &&
         !t3_tracker_slots_are(unit, T3_REGION_ON, slot, slot);
}

/* The slot is done when so many bytes have come; 0 makes it idle. One that counts or waits is armed
 * only while a region that has it is stopped, and none is on. */
static inline enum t3_result t3_tracker_arm_slot(const struct t3_tracker* unit, uint32_t slot,
                                                 uint32_t bytes) {
  uint32_t word;
  if (slot >= unit->size.slots || bytes > unit->size.most_bytes) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  if (t3_tracker_walks(unit)) return T3_BUSY;
  word = t3_tracker_slot(unit, slot);
  if ((word & ~T3_SLOT_SPOILED_MASK) != 0 && !t3_tracker_slot_is_stopped(unit, slot))
    return T3_WAITS;
  t3_tracker_write(unit, T3_SLOT(slot), bytes);
  return T3_OK;
}

/* Whether a region in this state has the row: from its first one to that of its last slot. */
static inline bool t3_tracker_row_is(const struct t3_tracker* unit, enum t3_region_state state,
                                     uint32_t row) {
  uint32_t region;
  for (region = 0; region < unit->size.regions; ++region) {
    const uint32_t base = T3_REG(region);
    uint32_t first, last;
    uint64_t blocks;
    if (t3_tracker_region_state(unit, region) != state ||
        (t3_tracker_read(unit, base + T3_REG_CTRL) & T3_REG_CTRL_ROWS_MASK) == 0) {
      continue;
    }
    first = t3_tracker_read(unit, base + T3_REG_SLOT_FIRST);
    last = t3_tracker_read(unit, base + T3_REG_SLOT_LAST);
    if (last < first) continue;
    blocks = last - first + t3_tracker_read(unit, base + T3_REG_ROW_PHASE);
    first = t3_tracker_read(unit, base + T3_REG_ROW_FIRST);
    if (row >= first &&
        row - first <= blocks * t3_tracker_read(unit, base + T3_REG_ROW_RECIPROCAL) >> 26) {
      return true;
    }
  }
  return false;
}

/* The row is complete when so many blocks are done; 0 makes it idle. One that counts or waits is
 * armed only while a region that has it is stopped, and none is on. */
static inline enum t3_result t3_tracker_arm_row(const struct t3_tracker* unit, uint32_t row,
                                                uint32_t blocks) {
  if (row >= unit->size.rows || blocks > 8192) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  if (t3_tracker_walks(unit)) return T3_BUSY;
  if ((t3_tracker_row(unit, row) & ~T3_ROW_SPOILED_MASK) != 0 &&
      !(t3_tracker_row_is(unit, T3_REGION_STOPPED, row) &&
        !t3_tracker_row_is(unit, T3_REGION_ON, row))) {
    return T3_WAITS;
  }
  t3_tracker_write(unit, T3_ROW(row), blocks);
  return T3_OK;
}

/* ---- state ------------------------------------------------------------------------------------
 */

/* STATUS: bits T3_STATUS_…_MASK. */
static inline uint32_t t3_tracker_status(const struct t3_tracker* unit) {
  return t3_tracker_read(unit, T3_STATUS);
}

/* Nothing is inside, and all slots and rows that were done are taken. */
static inline enum t3_result t3_tracker_wait_quiet(const struct t3_tracker* unit, uint32_t polls) {
  const uint32_t inside = T3_STATUS_BUSY_MASK | T3_STATUS_COMMANDS_MASK | T3_STATUS_ROWS_MASK;
  for (; polls != 0; --polls) {
    if ((t3_tracker_status(unit) & inside) == 0) return T3_OK;
  }
  return T3_TIMEOUT;
}

/* Blocks of a region that were done, modulo 2^16. */
static inline uint32_t t3_tracker_region_done(const struct t3_tracker* unit, uint32_t number) {
  return t3_tracker_read(unit, T3_REG(number) + T3_REG_DONE);
}

/* Which regions have reached their target (bit r: region r), and forgets that. */
static inline uint32_t t3_tracker_regions_done(const struct t3_tracker* unit) {
  const uint32_t done = t3_tracker_read(unit, T3_REGION_DONE);
  if (done != 0) t3_tracker_write(unit, T3_REGION_DONE, done);
  return done;
}

/* ---- interrupts -------------------------------------------------------------------------------
 */

/* `events`: T3_IRQ_STATUS_…_MASK. */
static inline void t3_tracker_enable_interrupts(const struct t3_tracker* unit, uint32_t events) {
  t3_tracker_write(unit, T3_IRQ_ENABLE, events);
}

/* What has happened since the last call. What happens between its two accesses is in the next one.
 */
static inline uint32_t t3_tracker_take_interrupts(const struct t3_tracker* unit) {
  const uint32_t events = t3_tracker_read(unit, T3_IRQ_STATUS);
  if (events != 0) t3_tracker_write(unit, T3_IRQ_STATUS, events);
  return events;
}

/* Sets bits of IRQ_STATUS as if their events had happened. */
static inline void t3_tracker_test_interrupts(const struct t3_tracker* unit, uint32_t events) {
  t3_tracker_write(unit, T3_IRQ_TEST, events);
}

/* ---- errors -----------------------------------------------------------------------------------
 */

/* What `info` is depends on the cause (docs/tracker.md, "Errors"). */
struct t3_error {
  uint32_t cause, region, info;
};

/* ERRORS: bits T3_ERRORS_…_MASK, one for each cause. */
static inline uint32_t t3_tracker_errors(const struct t3_tracker* unit) {
  return t3_tracker_read(unit, T3_ERRORS);
}

/* How many errors of a cause, which is the number of its bit in ERRORS; 255 may be more. */
static inline uint32_t t3_tracker_error_count(const struct t3_tracker* unit, uint32_t cause) {
  return cause <= T3_ERRORS_DAMAGED_SHIFT ? t3_tracker_read(unit, T3_ERROR_COUNT(cause)) : 0;
}

/* The errors since the last call, and forgets that they were; their counts stay. */
static inline uint32_t t3_tracker_take_errors(const struct t3_tracker* unit) {
  const uint32_t errors = t3_tracker_errors(unit);
  if (errors != 0) t3_tracker_write(unit, T3_ERRORS, errors);
  return errors;
}

/* The first error since the last call, and makes room for another one. False if there was none. */
static inline bool t3_tracker_take_first_error(const struct t3_tracker* unit,
                                               struct t3_error* error) {
  const uint32_t first = t3_tracker_read(unit, T3_ERROR_FIRST);
  if ((first & T3_ERROR_FIRST_VALID_MASK) == 0) return false;
  error->cause = t3_field(first, T3_ERROR_FIRST_CAUSE_MASK, T3_ERROR_FIRST_CAUSE_SHIFT);
  error->region = t3_field(first, T3_ERROR_FIRST_REGION_MASK, T3_ERROR_FIRST_REGION_SHIFT);
  error->info = t3_tracker_read(unit, T3_ERROR_INFO);
  t3_tracker_write(unit, T3_ERROR_FIRST, T3_ERROR_FIRST_VALID_MASK);
  return true;
}

#endif
