/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rtl/driver_kernel.h"

enum {
  ACROSS = 4,
  DOWN = 4,
  TILES = ACROSS * DOWN,
  BLOCK = 2, /* workgroups */
  BLOCKS = TILES / BLOCK,
  PER_ROW = ACROSS / BLOCK,
  CONTRIBUTIONS = 2,
  POLLS = 20000
};

uint32_t t3_kernel_bytes(const struct t3_kernel* kernel, uint32_t wg, uint32_t wf) {
  const bool last_row = wg / ACROSS == DOWN - 1, last_column = wg % ACROSS == ACROSS - 1;
  if (last_row && wf == kernel->wavefronts - 1) return 0;
  return last_column ? 48 : 160;
}

static uint32_t bytes_of_block(const struct t3_kernel* kernel, uint32_t block) {
  uint32_t bytes = 0, wg, wf;
  for (wg = block * BLOCK; wg < (block + 1) * BLOCK; ++wg) {
    for (wf = 0; wf < kernel->wavefronts; ++wf) bytes += t3_kernel_bytes(kernel, wg, wf);
  }
  return bytes * CONTRIBUTIONS;
}

static uint32_t log2_of(uint32_t power) {
  uint32_t log = 0;
  while (power >> log > 1) ++log;
  return log;
}

/* All slots as block 0, then those that differ, and the rows. */
static enum t3_result arm(const struct t3_tracker* unit, const struct t3_kernel* kernel) {
  const uint32_t usual = bytes_of_block(kernel, 0);
  enum t3_result result = t3_tracker_fill(unit, 0, usual, POLLS);
  uint32_t i;
  for (i = 0; i < BLOCKS && result == T3_OK; ++i) {
    const uint32_t bytes = bytes_of_block(kernel, i);
    if (bytes != usual) result = t3_tracker_arm_slot(unit, kernel->first_slot + i, bytes);
  }
  for (i = 0; i < DOWN && result == T3_OK; ++i) {
    result = t3_tracker_arm_row(unit, kernel->first_row + i, PER_ROW);
  }
  return result;
}

enum t3_result t3_kernel_first(const struct t3_tracker* unit, const struct t3_kernel* kernel) {
  const struct t3_window window = {.first = kernel->base, .last = kernel->base + 0xffff};
  const struct t3_region region = {.window = 1,
                                   .workgroup_first = 0,
                                   .workgroup_last = TILES - 1,
                                   .shift = log2_of(BLOCK * kernel->wavefronts),
                                   .first_slot = kernel->first_slot,
                                   .last_slot = kernel->first_slot + BLOCKS - 1,
                                   .target = BLOCKS,
                                   .trigger = true,
                                   .rows = true,
                                   .first_row = kernel->first_row,
                                   .row_phase = 0,
                                   .blocks_per_row = PER_ROW};
  enum t3_result result = t3_tracker_clear(unit, POLLS);
  if (result == T3_OK) result = t3_tracker_set_window(unit, 1, &window);
  if (result == T3_OK) result = t3_tracker_set_region(unit, 0, &region);
  if (result == T3_OK) result = t3_tracker_stop_region(unit, 0);
  if (result == T3_OK) result = arm(unit, kernel);
  if (result == T3_OK) result = t3_tracker_start_region(unit, 0);
  if (result == T3_OK) result = t3_tracker_start(unit);
  return result;
}

enum t3_result t3_kernel_again(const struct t3_tracker* unit, const struct t3_kernel* kernel) {
  enum t3_result result = t3_tracker_wait_quiet(unit, POLLS);
  if (result == T3_OK) result = t3_tracker_stop_region(unit, 0);
  if (result == T3_OK) result = arm(unit, kernel);
  if (result == T3_OK) result = t3_tracker_restart_region(unit, 0);
  return result;
}

enum t3_result t3_kernel_abort(const struct t3_tracker* unit, const struct t3_kernel* kernel) {
  enum t3_result result = t3_tracker_stop_region(unit, 0);
  uint32_t i;
  if (result == T3_OK) result = t3_tracker_fill(unit, 0, 0, POLLS);
  for (i = 0; i < DOWN && result == T3_OK; ++i) {
    result = t3_tracker_arm_row(unit, kernel->first_row + i, 0);
  }
  return result;
}
