// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/timeline_options.h"

namespace t3 {

void addTimelineOptions(Options& options) {
  options.add("timeline", "FILE", "write a trace of what runs when, for ui.perfetto.dev");
  options.add("timeline-scope", "LIST", "only of these places, e.g. gpu3,gpu4; default all");
  options.add("timeline-window", "FROM:TO",
              "only of this time, e.g. 1.2ms:1.4ms; a number without a unit is ns");
  options.add("timeline-sample", "TIME", "how often counters are read; default 1us");
  options.offer("timeline-scope", usualScopes());
}

std::optional<TimelineOptions> timelineOptionsOf(const Options& options) {
  if (!options.hasWithItsCompanions("timeline")) return std::nullopt;
  TimelineOptions timeline;
  timeline.path = *options.value("timeline");
  timeline.scopes = options.value("timeline-scope", listOf);
  timeline.window = options.value("timeline-window", windowOf).value_or(timeline.window);
  timeline.samplePeriod =
      options.value("timeline-sample", durationOf).value_or(timeline.samplePeriod);
  return timeline;
}

}  // namespace t3
