// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <boost/describe/enum.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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

/// Sees every command of a stack. A channel announces its commands when it decides them, so not
/// always in order of time: a row command may be later than column commands announced after it. A
/// command that was announced is never taken back.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void command(const DramCommand& command) = 0;
  /// This channel announces no more commands before `when`.
  virtual void settled(ChannelId /*channel*/, Picoseconds /*when*/) {}
};

/// Passes on the commands of each channel in order of time. A command waits here until its channel
/// has settled; `finish` passes on the rest.
class OrderedCommands : public CommandObserver {
 public:
  OrderedCommands(std::uint32_t channels, CommandObserver& sink)
      : sink_(sink), channels_(channels) {}

  void command(const DramCommand& command) override {
    auto& heap = channels_[command.channel.value];
    heap.push_back({command, order_++});
    std::push_heap(heap.begin(), heap.end(), later);
  }
  void settled(ChannelId channel, Picoseconds when) override {
    passBefore(channels_[channel.value], when);
  }
  void finish() {
    for (auto& heap : channels_) passBefore(heap, std::numeric_limits<Picoseconds>::max());
  }

 private:
  struct Item {
    DramCommand command;
    std::uint64_t order;
  };
  static bool later(const Item& a, const Item& b) {
    return a.command.when != b.command.when ? a.command.when > b.command.when : a.order > b.order;
  }
  void passBefore(std::vector<Item>& heap, Picoseconds when) {
    while (!heap.empty() && heap.front().command.when < when) {
      std::pop_heap(heap.begin(), heap.end(), later);
      sink_.command(heap.back().command);
      heap.pop_back();
    }
  }

  CommandObserver& sink_;
  std::vector<std::vector<Item>> channels_;  ///< heaps, earliest on top
  std::uint64_t order_ = 0;
};

}  // namespace t3
