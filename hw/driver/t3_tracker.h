/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver of the track-and-trigger unit (docs/tracker.md), in C11: one header, no library beyond
 * stdint and stdbool, no memory of its own, no interrupts, no locks.
 *
 * Purpose: software that programs the unit writes down what a kernel looks like (struct
 * t3_geometry, struct t3_region), and this header turns it into register accesses in the right
 * order.
 *
 * Accesses go through two functions of the caller's. For registers that are mapped into the address
 * space, t3_mmio_read and t3_mmio_write are such functions; their context is the base address:
 *
 *   struct t3_tracker unit;
 *   t3_tracker_init(&unit, t3_mmio_read, t3_mmio_write, (void *)base);
 *
 * One kernel, from reset or after another one (docs/tracker-integration.md, "Programming"):
 *
 *   t3_tracker_clear(&unit, polls);                  nothing else may run in the unit
 *   t3_tracker_set_geometry(&unit, 0, &geometry);
 *   t3_tracker_arm_command(&unit, slot, missing);    for every block
 *   t3_tracker_arm_row(&unit, slot, missing);        for every row, if a region releases
 *   t3_tracker_set_region(&unit, 0, &region);
 *   t3_tracker_start(&unit);                         updates count from here on
 *
 * One more kernel of the same shape: t3_tracker_wait_quiet, t3_tracker_regions_done,
 * t3_tracker_set_epoch, the slots once more, t3_tracker_restart_region for every region.
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
  T3_WRONG_DEVICE, /* ID is another one, or the major version */
  T3_INVALID,      /* an argument that this unit has no place for; nothing was written */
  T3_LOCKED,       /* LOCK is set; nothing was written */
  T3_WAITS,        /* the slot's command or row has not been taken yet; nothing was written */
  T3_TIMEOUT       /* the unit did not get there within so many polls */
};

typedef uint32_t (*t3_read_function)(void* context, uint32_t offset);
typedef void (*t3_write_function)(void* context, uint32_t offset, uint32_t value);

/* What the unit was built with (CONFIG0 to CONFIG3). */
struct t3_size {
  uint32_t lanes, banks, sets_per_bank, ways;
  uint32_t command_slots, row_slots, regions, geometries;
  uint32_t parked_most;       /* contributions of a tile that can be parked */
  uint32_t parked_workgroups; /* ids below this can be parked */
  uint32_t protection;        /* 0 none, 1 parity, 2 SECDED */
};

struct t3_tracker {
  t3_read_function read;
  t3_write_function write;
  void* context;
  struct t3_size size;
};

/* The tile grid of one kernel. */
struct t3_geometry {
  uint32_t tiles_across, tiles_down; /* 1 to 65535 */
  uint64_t spill_base;               /* of the table of records: 4 KiB aligned, below 2^48 */
  uint16_t epoch;                    /* another one for every kernel */
  uint32_t wavefronts;               /* of a workgroup: 1 to 8, and what the unit has */
  /* Bytes of each wavefront tile, 0 if it is empty, by class of tile: interior, right edge, lower
   * edge, corner. */
  uint32_t expected[4][8];
};

/* A range of workgroups and addresses whose updates are tracked alike. */
struct t3_region {
  uint32_t geometry;
  uint32_t workgroup_first, workgroup_last; /* both inclusive */
  uint64_t address_first, address_last; /* of bytes, both inclusive: from page start to page end */
  uint32_t updates;                     /* per element: 1 to 127 */
  uint32_t block_log2;                  /* a command stands for 2^block_log2 workgroups */
  uint32_t first_command;               /* slot of the first block */
  uint32_t target;                      /* commands that make the region done */
  bool trigger, notify, park;
  bool release;       /* completed tiles count for the slot of their row */
  uint32_t first_row; /* slot of row 0 of the grid */
};

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
  if (t3_tracker_read(unit, T3_VERSION) >> 16 != T3_VERSION_VALUE >> 16) return T3_WRONG_DEVICE;
  config = t3_tracker_read(unit, T3_CONFIG0);
  unit->size.lanes = t3_field(config, T3_CONFIG0_LANES_MASK, T3_CONFIG0_LANES_SHIFT);
  unit->size.banks = t3_field(config, T3_CONFIG0_BANKS_MASK, T3_CONFIG0_BANKS_SHIFT);
  unit->size.sets_per_bank = t3_field(config, T3_CONFIG0_SETS_MASK, T3_CONFIG0_SETS_SHIFT);
  config = t3_tracker_read(unit, T3_CONFIG1);
  unit->size.command_slots = t3_field(config, T3_CONFIG1_COMMANDS_MASK, T3_CONFIG1_COMMANDS_SHIFT);
  unit->size.regions = t3_field(config, T3_CONFIG1_REGIONS_MASK, T3_CONFIG1_REGIONS_SHIFT);
  unit->size.geometries = t3_field(config, T3_CONFIG1_GEOMETRIES_MASK, T3_CONFIG1_GEOMETRIES_SHIFT);
  config = t3_tracker_read(unit, T3_CONFIG2);
  unit->size.parked_most =
      t3_field(config, T3_CONFIG2_PARKED_MAX_MASK, T3_CONFIG2_PARKED_MAX_SHIFT);
  unit->size.ways = t3_field(config, T3_CONFIG2_WAYS_MASK, T3_CONFIG2_WAYS_SHIFT);
  unit->size.parked_workgroups =
      t3_field(config, T3_CONFIG2_PARKED_WORKGROUPS_MASK, T3_CONFIG2_PARKED_WORKGROUPS_SHIFT);
  config = t3_tracker_read(unit, T3_CONFIG3);
  unit->size.row_slots = t3_field(config, T3_CONFIG3_ROWS_MASK, T3_CONFIG3_ROWS_SHIFT);
  unit->size.protection = t3_field(config, T3_CONFIG3_PROTECTION_MASK, T3_CONFIG3_PROTECTION_SHIFT);
  return T3_OK;
}

static inline bool t3_tracker_locked(const struct t3_tracker* unit) {
  return (t3_tracker_read(unit, T3_LOCK) & T3_LOCK_LOCKED_MASK) != 0;
}

/* While locked, configuration and slots stay as they are. */
static inline void t3_tracker_lock(const struct t3_tracker* unit, bool locked) {
  t3_tracker_write(unit, T3_LOCK, locked ? T3_LOCK_LOCKED_MASK : 0);
}

/* The walk over the memories after a reset or a clear is over, when CTRL no longer says clear. */
static inline enum t3_result t3_tracker_wait_clear(const struct t3_tracker* unit, uint32_t polls) {
  for (; polls != 0; --polls) {
    if ((t3_tracker_read(unit, T3_CTRL) & T3_CTRL_CLEAR_MASK) == 0) return T3_OK;
  }
  return T3_TIMEOUT;
}

/* Forgets everything but commands and rows that wait to be taken, and stops the unit. Updates that
 * come afterwards are untracked until t3_tracker_start. */
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

/* ---- configuration ----------------------------------------------------------------------------
 */

static inline enum t3_result t3_tracker_set_epoch(const struct t3_tracker* unit, uint32_t number,
                                                  uint16_t epoch) {
  if (number >= unit->size.geometries) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, T3_GEO(number) + T3_GEO_EPOCH, epoch);
  return T3_OK;
}

static inline enum t3_result t3_tracker_set_geometry(const struct t3_tracker* unit, uint32_t number,
                                                     const struct t3_geometry* geometry) {
  const uint32_t base = T3_GEO(number);
  uint64_t reciprocal;
  uint32_t tile_class, wavefront;
  if (number >= unit->size.geometries || geometry->wavefronts - 1 > 7 ||
      geometry->tiles_across - 1 > 0xfffe || geometry->tiles_down - 1 > 0xfffe ||
      geometry->spill_base % 4096 != 0 || geometry->spill_base >> 48 != 0) {
    return T3_INVALID;
  }
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  /* The unit multiplies by 2^32 / tiles_across, rounded up, where others would divide. */
  reciprocal = ((UINT64_C(1) << 32) + geometry->tiles_across - 1) / geometry->tiles_across;
  t3_tracker_write(unit, base + T3_GEO_TILES_ACROSS, geometry->tiles_across);
  t3_tracker_write(unit, base + T3_GEO_TILES_DOWN, geometry->tiles_down);
  t3_tracker_write(unit, base + T3_GEO_RECIPROCAL_LO, (uint32_t)reciprocal);
  t3_tracker_write(unit, base + T3_GEO_RECIPROCAL_HI, (uint32_t)(reciprocal >> 32));
  t3_tracker_write(unit, base + T3_GEO_SPILL_BASE_LO, (uint32_t)geometry->spill_base);
  t3_tracker_write(unit, base + T3_GEO_SPILL_BASE_HI, (uint32_t)(geometry->spill_base >> 32));
  t3_tracker_write(unit, base + T3_GEO_EPOCH, geometry->epoch);
  for (tile_class = 0; tile_class < 4; ++tile_class) {
    for (wavefront = 0; wavefront < geometry->wavefronts; ++wavefront) {
      t3_tracker_write(unit, base + T3_GEO_EXPECTED_OF(tile_class, wavefront),
                       geometry->expected[tile_class][wavefront]);
    }
  }
  return T3_OK;
}

/* Programs a region and enables it with its last access: from then on, updates match it. Not while
 * a command of the region waits to be taken: its workgroup is looked up as it leaves. */
static inline enum t3_result t3_tracker_set_region(const struct t3_tracker* unit, uint32_t number,
                                                   const struct t3_region* region) {
  const uint32_t base = T3_REG(number);
  const uint64_t page_first = region->address_first / 4096, page_last = region->address_last / 4096;
  if (number >= unit->size.regions || region->geometry >= unit->size.geometries ||
      region->workgroup_first > region->workgroup_last || region->workgroup_last > 0xffff ||
      region->address_first % 4096 != 0 || region->address_last % 4096 != 4095 ||
      region->address_first > region->address_last || region->address_last >> 48 != 0 ||
      region->updates - 1 > 126 || region->block_log2 > 15 ||
      region->first_command >= unit->size.command_slots || region->first_row > 0xffff ||
      (region->release && region->first_row >= unit->size.row_slots)) {
    return T3_INVALID;
  }
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, base + T3_REG_WG_FIRST, region->workgroup_first);
  t3_tracker_write(unit, base + T3_REG_WG_LAST, region->workgroup_last);
  t3_tracker_write(unit, base + T3_REG_PAGE_FIRST, (uint32_t)page_first);
  t3_tracker_write(unit, base + T3_REG_PAGE_LAST, (uint32_t)page_last);
  t3_tracker_write(unit, base + T3_REG_PAGE_HIGH,
                   (uint32_t)(page_first >> 32) << T3_REG_PAGE_HIGH_FIRST_SHIFT |
                       (uint32_t)(page_last >> 32) << T3_REG_PAGE_HIGH_LAST_SHIFT);
  t3_tracker_write(unit, base + T3_REG_CMD_BASE, region->first_command);
  t3_tracker_write(unit, base + T3_REG_TARGET, region->target);
  t3_tracker_write(unit, base + T3_REG_RELEASE,
                   region->release ? T3_REG_RELEASE_ENABLE_MASK | region->first_row : 0);
  t3_tracker_write(unit, base + T3_REG_CTRL,
                   T3_REG_CTRL_ENABLE_MASK | (region->trigger ? T3_REG_CTRL_TRIGGER_MASK : 0) |
                       (region->notify ? T3_REG_CTRL_NOTIFY_MASK : 0) |
                       (region->park ? T3_REG_CTRL_PARK_MASK : 0) |
                       region->geometry << T3_REG_CTRL_GEOMETRY_SHIFT |
                       region->updates << T3_REG_CTRL_UPDATES_SHIFT |
                       region->block_log2 << T3_REG_CTRL_BLOCK_LOG2_SHIFT);
  return T3_OK;
}

/* The region stays as it is; its DONE begins at zero. */
static inline enum t3_result t3_tracker_restart_region(const struct t3_tracker* unit,
                                                       uint32_t number) {
  if (number >= unit->size.regions) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, T3_REG(number) + T3_REG_CTRL,
                   t3_tracker_read(unit, T3_REG(number) + T3_REG_CTRL));
  return T3_OK;
}

/* Later updates of the region find the next one that matches, or none. Its DONE becomes zero. */
static inline enum t3_result t3_tracker_disable_region(const struct t3_tracker* unit,
                                                       uint32_t number) {
  const uint32_t control = T3_REG(number) + T3_REG_CTRL;
  if (number >= unit->size.regions) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  t3_tracker_write(unit, control, t3_tracker_read(unit, control) & ~T3_REG_CTRL_ENABLE_MASK);
  return T3_OK;
}

static inline enum t3_result t3_tracker_arm(const struct t3_tracker* unit, uint32_t offset,
                                            uint32_t waits, uint32_t missing) {
  if (missing > 0xffff) return T3_INVALID;
  if (t3_tracker_locked(unit)) return T3_LOCKED;
  /* Zero arms nothing, so it may be written at any time. */
  if (missing != 0 && (t3_tracker_read(unit, offset) & waits) != 0) return T3_WAITS;
  t3_tracker_write(unit, offset, missing);
  return T3_OK;
}

/* The slot's command is issued when so many wavefront tiles more are complete. Not while they are
 * being completed: the command may be issued between the look at the slot and the write. */
static inline enum t3_result t3_tracker_arm_command(const struct t3_tracker* unit, uint32_t slot,
                                                    uint32_t missing) {
  if (slot >= unit->size.command_slots) return T3_INVALID;
  return t3_tracker_arm(unit, T3_COMMAND(slot), T3_COMMAND_WAITS_MASK, missing);
}

/* The slot's row is released when so many wavefront tiles more are complete. */
static inline enum t3_result t3_tracker_arm_row(const struct t3_tracker* unit, uint32_t slot,
                                                uint32_t missing) {
  if (slot >= unit->size.row_slots) return T3_INVALID;
  return t3_tracker_arm(unit, T3_ROW(slot), T3_ROW_WAITS_MASK, missing);
}

/* ---- state ------------------------------------------------------------------------------------
 */

/* STATUS: bits T3_STATUS_…_MASK. */
static inline uint32_t t3_tracker_status(const struct t3_tracker* unit) {
  return t3_tracker_read(unit, T3_STATUS);
}

/* Nothing is inside, and all commands and rows are taken. Entries may be live: a tile that is not
 * complete (T3_STATUS_LIVE_MASK). */
static inline enum t3_result t3_tracker_wait_quiet(const struct t3_tracker* unit, uint32_t polls) {
  const uint32_t inside = T3_STATUS_BUSY_MASK | T3_STATUS_QUEUED_MASK | T3_STATUS_RELEASES_MASK;
  for (; polls != 0; --polls) {
    if ((t3_tracker_status(unit) & inside) == 0) return T3_OK;
  }
  return T3_TIMEOUT;
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

/* ---- errors -----------------------------------------------------------------------------------
 */

/* Of the first error since reset or t3_tracker_forget_errors. What `address` is depends on the
 * cause (docs/tracker.md, "Errors"). */
struct t3_error {
  uint32_t cause, region, workgroup, wavefront;
  uint64_t address;
};

/* ERRORS: bits T3_ERRORS_…_MASK, one for each cause. */
static inline uint32_t t3_tracker_errors(const struct t3_tracker* unit) {
  return t3_tracker_read(unit, T3_ERRORS);
}

/* How many errors of a cause, which is the number of its bit in ERRORS; 255 may be more. */
static inline uint32_t t3_tracker_error_count(const struct t3_tracker* unit, uint32_t cause) {
  if (cause == T3_ERRORS_DAMAGED_SHIFT) return t3_tracker_read(unit, T3_DAMAGED);
  return cause < T3_ERRORS_DAMAGED_SHIFT ? t3_tracker_read(unit, T3_ERROR_COUNT(cause)) : 0;
}

/* False if there was none. */
static inline bool t3_tracker_first_error(const struct t3_tracker* unit, struct t3_error* error) {
  const uint32_t first = t3_tracker_read(unit, T3_ERROR_FIRST);
  if ((first & T3_ERROR_FIRST_VALID_MASK) == 0) return false;
  error->cause = t3_field(first, T3_ERROR_FIRST_CAUSE_MASK, T3_ERROR_FIRST_CAUSE_SHIFT);
  error->region = t3_field(first, T3_ERROR_FIRST_REGION_MASK, T3_ERROR_FIRST_REGION_SHIFT);
  error->workgroup = t3_field(first, T3_ERROR_FIRST_WG_MASK, T3_ERROR_FIRST_WG_SHIFT);
  error->wavefront = t3_field(first, T3_ERROR_FIRST_WF_MASK, T3_ERROR_FIRST_WF_SHIFT);
  error->address = t3_tracker_read(unit, T3_ERROR_ADDRESS_LO) |
                   (uint64_t)t3_tracker_read(unit, T3_ERROR_ADDRESS_HI) << 32;
  return true;
}

/* Forgets the errors that are there, and makes room for another first one. The counts stay. */
static inline void t3_tracker_forget_errors(const struct t3_tracker* unit) {
  t3_tracker_write(unit, T3_ERRORS, t3_tracker_errors(unit));
  t3_tracker_write(unit, T3_ERROR_FIRST, T3_ERROR_FIRST_VALID_MASK);
}

#endif
