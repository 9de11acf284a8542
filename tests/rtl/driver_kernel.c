/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rtl/driver_kernel.h"

enum { ACROSS = 4, DOWN = 4, TILES = ACROSS * DOWN, BLOCK_LOG2 = 1, POLLS = 20000 };

static uint32_t bytes_of(uint32_t tile_class, uint32_t wf, uint32_t wavefronts) {
  const bool last_row = (tile_class & 2) != 0, last_column = (tile_class & 1) != 0;
  if (last_row && wf == wavefronts - 1) return 0;
  return last_column ? 48 : 160;
}

static uint32_t class_of(uint32_t wg) {
  return (wg / ACROSS == DOWN - 1 ? 2u : 0u) | (wg % ACROSS == ACROSS - 1 ? 1u : 0u);
}

uint32_t t3_kernel_bytes(const struct t3_kernel* kernel, uint32_t wg, uint32_t wf) {
  return bytes_of(class_of(wg), wf, kernel->wavefronts);
}

/* Wavefront tiles with bytes, of `count` workgroups. */
static uint32_t missing_of(const struct t3_kernel* kernel, uint32_t first, uint32_t count) {
  uint32_t missing = 0, wg, wf;
  for (wg = first; wg < first + count; ++wg) {
    for (wf = 0; wf < kernel->wavefronts; ++wf) missing += t3_kernel_bytes(kernel, wg, wf) != 0;
  }
  return missing;
}

static enum t3_result arm(const struct t3_tracker* unit, const struct t3_kernel* kernel) {
  const uint32_t block = 1u << BLOCK_LOG2;
  enum t3_result result = T3_OK;
  uint32_t i;
  for (i = 0; i < TILES / block && result == T3_OK; ++i) {
    result =
        t3_tracker_arm_command(unit, kernel->first_block + i, missing_of(kernel, i * block, block));
  }
  for (i = 0; i < DOWN && result == T3_OK; ++i) {
    result =
        t3_tracker_arm_row(unit, kernel->first_row + i, missing_of(kernel, i * ACROSS, ACROSS));
  }
  return result;
}

enum t3_result t3_kernel_first(const struct t3_tracker* unit, const struct t3_kernel* kernel) {
  struct t3_geometry geometry = {.tiles_across = ACROSS,
                                 .tiles_down = DOWN,
                                 .spill_base = 0x40000000,
                                 .epoch = 1,
                                 .wavefronts = kernel->wavefronts};
  const struct t3_region region = {.geometry = 0,
                                   .workgroup_first = 0,
                                   .workgroup_last = TILES - 1,
                                   .address_first = kernel->base,
                                   .address_last = kernel->base + 0xffff,
                                   .updates = 2,
                                   .block_log2 = BLOCK_LOG2,
                                   .first_command = kernel->first_block,
                                   .target = TILES >> BLOCK_LOG2,
                                   .trigger = true,
                                   .notify = true,
                                   .park = true,
                                   .release = true,
                                   .first_row = kernel->first_row};
  enum t3_result result;
  uint32_t tile_class, wf;
  for (tile_class = 0; tile_class < 4; ++tile_class) {
    for (wf = 0; wf < kernel->wavefronts; ++wf) {
      geometry.expected[tile_class][wf] = bytes_of(tile_class, wf, kernel->wavefronts);
    }
  }
  result = t3_tracker_clear(unit, POLLS);
  if (result == T3_OK) result = t3_tracker_set_geometry(unit, 0, &geometry);
  if (result == T3_OK) result = arm(unit, kernel);
  if (result == T3_OK) result = t3_tracker_set_region(unit, 0, &region);
  if (result == T3_OK) result = t3_tracker_start(unit);
  return result;
}

enum t3_result t3_kernel_again(const struct t3_tracker* unit, const struct t3_kernel* kernel,
                               uint16_t epoch) {
  enum t3_result result = t3_tracker_wait_quiet(unit, POLLS);
  if (result == T3_OK) (void)t3_tracker_regions_done(unit);
  if (result == T3_OK) result = t3_tracker_set_epoch(unit, 0, epoch);
  if (result == T3_OK) result = arm(unit, kernel);
  if (result == T3_OK) result = t3_tracker_restart_region(unit, 0);
  return result;
}
