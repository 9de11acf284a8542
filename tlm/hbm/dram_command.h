// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
  RefreshBank,
  ReadClear,  ///< a read after which the bank writes zeros where it has read
  Clear,      ///< an update whose result is zero: no data comes with it
  RowClear    ///< zeros into a whole row of a closed bank, which is closed again at the end
};
BOOST_DESCRIBE_ENUM(DramCommandKind, Activate, Precharge, PrechargeAll, Read, Write, Update,
                    RefreshAll, RefreshBank, ReadClear, Clear, RowClear)
inline constexpr std::size_t kDramCommandKinds = 11;

constexpr std::size_t indexOf(DramCommandKind kind) { return static_cast<std::size_t>(kind); }

/// `comesLike` as a table. Not inside that function: it would be built anew by each call.
inline constexpr std::array<DramCommandKind, kDramCommandKinds> kComesLike = {
    DramCommandKind::Activate,   DramCommandKind::Precharge,   DramCommandKind::PrechargeAll,
    DramCommandKind::Read,       DramCommandKind::Write,       DramCommandKind::Update,
    DramCommandKind::RefreshAll, DramCommandKind::RefreshBank, DramCommandKind::Read,
    DramCommandKind::Update,     DramCommandKind::Activate};
/// The command that a clearing command comes in the place of: what has to be over before it is what
/// has to be over before that one. Any other command stands for itself.
constexpr DramCommandKind comesLike(DramCommandKind kind) { return kComesLike[indexOf(kind)]; }
/// Kinds that come like no other.
inline constexpr std::size_t kRuledKinds = 8;

constexpr bool isColumn(DramCommandKind kind) {
  const DramCommandKind like = comesLike(kind);
  return like == DramCommandKind::Read || like == DramCommandKind::Write ||
         like == DramCommandKind::Update;
}
/// Whether data goes from the memory to the initiator.
constexpr bool isRead(DramCommandKind kind) { return comesLike(kind) == DramCommandKind::Read; }
/// Whether bytes that are zeros afterwards are what a command is for.
constexpr bool isClear(DramCommandKind kind) {
  return kind == DramCommandKind::ReadClear || kind == DramCommandKind::Clear ||
         kind == DramCommandKind::RowClear;
}

/// One command on a channel's command bus, as a command trace shows it.
struct DramCommand {
  Picoseconds when = 0;
  ChannelId channel;
  DramCommandKind kind = DramCommandKind::Activate;
  BankGroupId group;         ///< not for PrechargeAll and RefreshAll
  BankId bank;               ///< across bank groups; not for PrechargeAll and RefreshAll
  std::uint32_t row = 0;     ///< Activate, RowClear and column commands
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
