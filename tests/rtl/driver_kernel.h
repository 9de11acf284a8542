/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel as firmware would program it, in C. Grid of 4 x 4 tiles of 8 wavefronts at most; the
 * last column is narrow, the last row of tiles has its last wavefront empty. Each element gets two
 * contributions. */
#ifndef T3_TESTS_DRIVER_KERNEL_H
#define T3_TESTS_DRIVER_KERNEL_H

#include "hw/driver/t3_tracker.h"

/* NOLINTBEGIN(readability-identifier-naming): named like the driver, which is C. */
#ifdef __cplusplus
extern "C" {
#endif

struct t3_kernel {
  uint64_t base;       /* of the output: 4 KiB aligned */
  uint32_t wavefronts; /* of the unit */
  uint32_t first_slot;
  uint32_t first_row; /* row slot */
};

/* Bytes of a contribution to a wavefront tile of workgroup `wg`. */
uint32_t t3_kernel_bytes(const struct t3_kernel* kernel, uint32_t wg, uint32_t wf);

/* All sixteen workgroups in region 0, a slot for two of them, two slots in a row. */
enum t3_result t3_kernel_first(const struct t3_tracker* unit, const struct t3_kernel* kernel);
/* The same once more. */
enum t3_result t3_kernel_again(const struct t3_tracker* unit, const struct t3_kernel* kernel);
/* Forgets what has come of it. */
enum t3_result t3_kernel_abort(const struct t3_tracker* unit, const struct t3_kernel* kernel);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif
