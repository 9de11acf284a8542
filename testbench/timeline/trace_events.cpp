// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/trace_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "testbench/config/json_text.h"

namespace t3 {
namespace {

void append(std::string& text, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

void field(std::string& text, std::string_view name, std::uint64_t number) {
  text += R"(,")";
  text += name;
  text += R"(":)";
  append(text, number);
}

/// In the format's unit, microseconds.
void time(std::string& text, std::string_view name, TraceTime nanoseconds) {
  field(text, name, nanoseconds / 1000);
  const std::uint64_t rest = nanoseconds % 1000;
  if (rest == 0) return;
  text += '.';
  for (const std::uint64_t digit : {rest / 100, rest / 10 % 10, rest % 10}) {
    text += static_cast<char>('0' + digit);
  }
}

}  // namespace

TraceEvents::TraceEvents(const std::string& option, const std::string& path,
                         const std::string& title)
    : file_(option, path), title_(quotedJson(title)) {
  file_.buffer() =
      R"({"displayTimeUnit":"ns","otherData":{"title":)" + title_ + R"(},"traceEvents":[)";
}

void TraceEvents::begin(std::string& text, char kind, std::uint32_t process,
                        std::string_view name) {
  text += "\n";
  text += R"({"ph":")";
  text += kind;
  text += R"(","name":)";
  text += quotedJson(name);
  field(text, "pid", process);
}

void TraceEvents::end(std::string& text) {
  text += "},";
  file_.writeIfLarge();
}

void TraceEvents::arguments(std::string& text, const Arguments& arguments) {
  if (arguments.empty()) return;
  text += R"(,"args":{)";
  for (const auto& [name, value] : arguments) {
    text += quotedJson(name);
    text += ':';
    append(text, value);
    text += ',';
  }
  text.back() = '}';
}

void TraceEvents::metadata(std::uint32_t process, std::uint32_t thread, std::string_view kind,
                           const std::string& argument) {
  begin(file_.buffer(), 'M', process, kind);
  field(file_.buffer(), "tid", thread);
  file_.buffer() += R"(,"args":{)" + argument + "}";
  end(file_.buffer());
}

void TraceEvents::process(std::uint32_t process, const std::string& name) {
  metadata(process, 0, "process_name", R"("name":)" + quotedJson(name));
  metadata(process, 0, "process_sort_index", R"("sort_index":)" + std::to_string(process));
  metadata(process, 0, "process_labels", R"("labels":)" + title_);
}

void TraceEvents::thread(std::uint32_t process, std::uint32_t thread, const std::string& name) {
  metadata(process, thread, "thread_name", R"("name":)" + quotedJson(name));
  metadata(process, thread, "thread_sort_index", R"("sort_index":)" + std::to_string(thread));
}

void TraceEvents::event(char kind, std::uint32_t process, std::uint32_t thread,
                        std::string_view name, TraceTime when, std::string_view more,
                        const Arguments& list) {
  begin(file_.buffer(), kind, process, name);
  field(file_.buffer(), "tid", thread);
  time(file_.buffer(), "ts", when);
  file_.buffer() += more;
  arguments(file_.buffer(), list);
  end(file_.buffer());
}

void TraceEvents::sliceBegins(std::uint32_t process, std::uint32_t thread, std::string_view name,
                              TraceTime when, const Arguments& list) {
  event('B', process, thread, name, when, "", list);
}

void TraceEvents::sliceEnds(std::uint32_t process, std::uint32_t thread, std::string_view name,
                            TraceTime when, const Arguments& list) {
  event('E', process, thread, name, when, "", list);
}

void TraceEvents::instant(std::uint32_t process, std::uint32_t thread, std::string_view name,
                          TraceTime when, const Arguments& list) {
  event('i', process, thread, name, when, R"(,"s":"t")", list);
}

void TraceEvents::counter(std::uint32_t process, std::string_view name, TraceTime when,
                          const Arguments& series) {
  begin(file_.buffer(), 'C', process, name);
  time(file_.buffer(), "ts", when);
  arguments(file_.buffer(), series);
  end(file_.buffer());
}

void TraceEvents::arrow(std::string_view name, const std::vector<TracePoint>& way) {
  ++arrowCount_;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const bool last = i + 1 == way.size();
    begin(arrows_, i == 0 ? 's' : last ? 'f' : 't', way[i].process, name);
    arrows_ += R"(,"cat":"tile")";
    if (last) arrows_ += R"(,"bp":"e")";
    field(arrows_, "tid", way[i].thread);
    field(arrows_, "id", arrowCount_);
    time(arrows_, "ts", way[i].when);
    end(arrows_);
  }
}

void TraceEvents::finish() {
  file_.append(std::exchange(file_.buffer(), ""));
  file_.append(arrows_);
  // A comma follows every event, so one more ends them: the run itself.
  metadata(0, 0, "process_name", R"("name":"t3sim")");
  file_.buffer().back() = '\n';
  file_.commit("]}\n");
}

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
