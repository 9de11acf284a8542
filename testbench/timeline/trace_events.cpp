// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/trace_events.h"

#include <array>
#include <charconv>

#include "testbench/config/json_text.h"

namespace t3 {
namespace {

constexpr std::size_t kTraceEventsBlock = 1 << 20;

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
    : file_(option, path),
      title_(quotedJson(title)),
      pending_(R"({"displayTimeUnit":"ns","otherData":{"title":)" + title_ +
               R"(},"traceEvents":[)") {}

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
  if (pending_.size() < kTraceEventsBlock) return;
  file_.append(pending_);
  pending_.clear();
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
  begin(pending_, 'M', process, kind);
  field(pending_, "tid", thread);
  pending_ += R"(,"args":{)" + argument + "}";
  end(pending_);
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
  begin(pending_, kind, process, name);
  field(pending_, "tid", thread);
  time(pending_, "ts", when);
  pending_ += more;
  arguments(pending_, list);
  end(pending_);
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
  begin(pending_, 'C', process, name);
  time(pending_, "ts", when);
  arguments(pending_, series);
  end(pending_);
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
  file_.append(pending_);
  pending_ = std::move(arrows_);
  // A comma follows every event, so one more ends them: the run itself.
  metadata(0, 0, "process_name", R"("name":"t3sim")");
  pending_.back() = '\n';
  file_.commit(pending_ + "]}\n");
}

}  // namespace t3
