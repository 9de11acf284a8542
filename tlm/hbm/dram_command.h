// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"

namespace t3 {

/// Whole DRAM clocks. Signed, so that a difference may be negative.
using Cycles = std::int64_t;
/// A clock that never comes.
inline constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

enum class DramCommandKind : std::uint8_t {
  Activate,
  Precharge,
  PrechargeAll,
  Read,
  Write,
  Update,  ///< op-and-store: a write whose data the ALU at the bank combines with the stored burst
  RefreshAll,
  RefreshBank
};
BOOST_DESCRIBE_ENUM(DramCommandKind, Activate, Precharge, PrechargeAll, Read, Write, Update,
                    RefreshAll, RefreshBank)
inline constexpr std::size_t kDramCommandKinds = 8;

constexpr std::size_t indexOf(DramCommandKind kind) { return static_cast<std::size_t>(kind); }
constexpr bool isColumn(DramCommandKind kind) {
  return kind == DramCommandKind::Read || kind == DramCommandKind::Write ||
         kind == DramCommandKind::Update;
}

/// One command on a channel's command bus, as a command trace shows it.
struct DramCommand {
  Picoseconds when = 0;
  ChannelId channel;
  DramCommandKind kind = DramCommandKind::Activate;
  BankGroupId group;         ///< not for PrechargeAll and RefreshAll
  BankId bank;               ///< across bank groups; not for PrechargeAll and RefreshAll
  std::uint32_t row = 0;     ///< Activate and column commands
  std::uint32_t column = 0;  ///< burst within the page; column commands
};

/// Sees every command of a stack. The commands of a channel are announced when they are decided,
/// which is not always the order of their times: a row command may lie behind column commands that
/// are announced later. A command that was announced is never taken back.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void command(const DramCommand& command) = 0;
  /// No command of this channel before `when` will be announced any more.
  virtual void settled(ChannelId channel, Picoseconds when);
};

inline void CommandObserver::settled(ChannelId, Picoseconds) {}

}  // namespace t3
