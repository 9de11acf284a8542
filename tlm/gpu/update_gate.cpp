// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/update_gate.h"

#include <utility>

namespace t3 {

bool UpdateGate::ask(const Payload& write) {
  const TrafficExtension& extension = traffic(write);
  const std::uint64_t address = localAddress(write.get_address());
  const bool passed = rule_->ready(address, write.get_data_length());
  if (!passed && !since_) {
    since_ = now();
    owner_.announce(
        {.kind = EventKind::ZeroWaitBegin, .workgroup = extension.workgroup, .address = address});
    if (onWait_) onWait_(true);
  }
  if (passed && since_) {
    waited_ += now() - *std::exchange(since_, {});
    owner_.announce(
        {.kind = EventKind::ZeroWaitEnd, .workgroup = extension.workgroup, .address = address});
    if (onWait_) onWait_(false);
  }
  return passed;
}

}  // namespace t3
