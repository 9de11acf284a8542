// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/tracks.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace t3 {

std::uint32_t Track::take(TraceTime begin) {
  std::uint32_t lane = 0;
  while (lane < freeFrom_.size() && freeFrom_[lane] > begin) ++lane;
  hold(lane);
  return lane;
}

void Track::hold(std::uint32_t lane) {
  while (freeFrom_.size() <= lane) {
    const std::size_t number = freeFrom_.size();
    file_.thread(process_, first_ + static_cast<std::uint32_t>(number),
                 name_ + (number == 0 && !numbered_ ? "" : " " + std::to_string(number)));
    freeFrom_.push_back(0);
    latest_.push_back(0);
  }
  freeFrom_[lane] = ~TraceTime{0};
}

Track& Tracks::track(std::uint32_t process, const std::string& name) {
  constexpr std::uint32_t kMostLanes = 4096;
  const auto [entry, isNew] = tracks_.try_emplace({process, name}, nullptr);
  if (isNew) {
    const std::uint32_t first = 1 + kMostLanes * trackCount_[process]++;
    entry->second = std::make_unique<Track>(file_, process, first, name);
  }
  return *entry->second;
}

void Tracks::open(Track& in, std::uint32_t lane, std::uint64_t key, std::string name,
                  Picoseconds when, TraceEvents::Arguments arguments) {
  in.hold(lane);
  const auto entry = open_.emplace(
      std::pair(&in, key),
      Slice{&in, lane, std::move(name), traceTime(when), std::move(arguments), ++opened_});
  Slice& slice = entry->second;
  // Whether a slice that opens before the window reaches into it is known when it ends.
  if (slice.begin >= traceTime(window_.first) && slice.begin < traceTime(window_.last))
    begin(slice);
}

void Tracks::openNext(Track& in, std::uint64_t key, std::string name, Picoseconds when,
                      TraceEvents::Arguments arguments) {
  const std::uint32_t lane = in.take(traceTime(when));
  open(in, lane, key, std::move(name), when, std::move(arguments));
}

void Tracks::close(Track& in, std::uint64_t key, Picoseconds when) {
  const auto found = open_.find({&in, key});
  if (found == open_.end()) return;
  finish(found->second, traceTime(when));
  open_.erase(found);
}

void Tracks::closeAll(Picoseconds when) {
  std::vector<Slice*> slices;
  for (auto& [key, slice] : open_) slices.push_back(&slice);
  std::ranges::sort(slices, std::ranges::greater{}, &Slice::number);
  for (Slice* slice : slices) {
    finish(*slice, std::max({traceTime(when), slice->begin, slice->track->latest(slice->lane)}));
  }
  open_.clear();
}

void Tracks::begin(Slice& slice) {
  file_.sliceBegins(slice.track->process(), slice.track->thread(slice.lane), slice.name,
                    slice.begin, slice.arguments);
  slice.begun = true;
}

void Tracks::beginLate(const Slice& inner) {
  std::vector<Slice*> around;
  const auto end = open_.upper_bound({inner.track, ~std::uint64_t{0}});
  for (auto entry = open_.lower_bound({inner.track, 0}); entry != end; ++entry) {
    Slice& slice = entry->second;
    if (slice.lane == inner.lane && slice.number <= inner.number && !slice.begun) {
      around.push_back(&slice);
    }
  }
  std::ranges::sort(around, {}, &Slice::number);
  for (Slice* slice : around) begin(*slice);
}

void Tracks::finish(Slice& slice, TraceTime end) {
  if (slice.begin < traceTime(window_.first) && end >= traceTime(window_.first)) beginLate(slice);
  if (slice.begun) {
    file_.sliceEnds(slice.track->process(), slice.track->thread(slice.lane), slice.name, end,
                    slice.arguments);
  }
  slice.track->release(slice.lane, end);
}

void Tracks::draw(const Track& in, std::uint32_t lane, std::string_view name, TraceTime begin,
                  TraceTime end, const TraceEvents::Arguments& arguments) {
  if (begin >= traceTime(window_.last) || end < traceTime(window_.first)) return;
  file_.sliceBegins(in.process(), in.thread(lane), name, begin, arguments);
  file_.sliceEnds(in.process(), in.thread(lane), name, end, arguments);
}

}  // namespace t3
