// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tlm/interconnect/link.h"
#include "tlm/transport/parcel.h"

namespace t3 {

/// Links whose two ends work in different processes. Both have the whole link, and each uses its
/// own end. What the ends tell each other is collected in a parcel for each other process until the
/// processes meet.
///
/// No message or credit arrives earlier than `lookahead` after it was sent. So processes that meet
/// that often simulate what one process would.
class CutLinks {
 public:
  /// What a GPU writes into a flag of another one, for its software. It stands for a small write
  /// over the link between them.
  struct Flag {
    std::uint32_t to = 0, from = 0;
    std::uint32_t value = 0;
    Picoseconds arrival = 0;
  };

  CutLinks(std::uint32_t self, std::uint32_t processes);
  ~CutLinks();

  /// `link`, which has this number in every process, is sent on by process `from` and ends in `to`.
  /// Links that do not concern this process, or are not cut, are ignored, and may be null.
  void add(std::uint32_t number, Link* link, const LinkConfig& config, std::uint32_t from,
           std::uint32_t to);

  /// Flags arrive this long after they are sent, or later; in every process the same calls.
  void flagsTake(Picoseconds latency) { lookahead_ = std::min(lookahead_, latency); }
  void send(std::uint32_t process, const Flag& flag);
  void onFlag(std::function<void(const Flag&)> action) { flagged_ = std::move(action); }

  /// The least time from sending to arrival over any cut link, and of any flag, of all processes.
  Picoseconds lookahead() const { return lookahead_; }
  /// What there is to say to each process since the last `clear`.
  const std::vector<Parcel>& parcels() const { return parcels_; }
  /// When the first of it arrives; the end of time if there is nothing.
  Picoseconds firstArrival() const { return firstArrival_; }
  void clear();
  /// What another process had to say.
  void deliver(Parcel& parcel);

 private:
  class OtherEnd;

  Parcel& record(std::uint32_t process, Picoseconds arrival);

  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  const std::uint32_t self_;
  std::vector<Parcel> parcels_;
  std::unordered_map<std::uint32_t, Link*> links_;
  std::vector<std::unique_ptr<OtherEnd>> otherEnds_;
  std::function<void(const Flag&)> flagged_;
  Picoseconds lookahead_ = kNever;
  Picoseconds firstArrival_ = kNever;
};

}  // namespace t3
