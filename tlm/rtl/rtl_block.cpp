// SPDX-License-Identifier: Apache-2.0
#include "tlm/rtl/rtl_block.h"

#include <verilated.h>

namespace t3 {

std::shared_ptr<VerilatedContext> makeRtlContext(bool traced) {
  auto context = std::make_shared<VerilatedContext>();
  if (traced) context->traceEverOn(true);
  context->fatalOnError(false);
  return context;
}

}  // namespace t3
