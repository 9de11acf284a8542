// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

namespace t3 {

/// On the payload of a register access: it is not a privileged one (bit 0 of `*prot` is low), and
/// does not change a LOCK that is for privileged ones only (docs/tracker.md, "LOCK").
struct UnprivilegedAccess : tlm::tlm_extension<UnprivilegedAccess> {
  tlm::tlm_extension_base* clone() const override { return new UnprivilegedAccess(*this); }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

inline bool isPrivileged(const tlm::tlm_generic_payload& payload) {
  return payload.get_extension<UnprivilegedAccess>() == nullptr;
}

}  // namespace t3
