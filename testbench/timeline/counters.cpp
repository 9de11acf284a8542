// SPDX-License-Identifier: Apache-2.0
#include "testbench/timeline/counters.h"

#include <algorithm>
#include <array>

namespace t3 {
namespace {

/// Values of models that make one series of a counter.
struct CounterRule {
  const char* part;   ///< of a GPU; "link" is any link
  const char* value;  ///< without the number of a channel or lane: those are added up
  const char* counter;
  const char* series;
};
constexpr std::array<CounterRule, 34> kCounters = {
    {{"hbm", "gemm_read", "HBM MB/s", "gemm read"},
     {"hbm", "gemm_write", "HBM MB/s", "gemm write"},
     {"hbm", "rs_read", "HBM MB/s", "rs read"},
     {"hbm", "rs_write", "HBM MB/s", "rs write"},
     {"hbm", "ag_read", "HBM MB/s", "ag read"},
     {"hbm", "ag_write", "HBM MB/s", "ag write"},
     {"hbm", "norm_read", "HBM MB/s", "norm read"},
     {"hbm", "norm_write", "HBM MB/s", "norm write"},
     {"hbm", "consumer_read", "HBM MB/s", "consumer read"},
     {"hbm", "consumer_write", "HBM MB/s", "consumer write"},
     {"hbm", "collective_read", "HBM MB/s", "read"},
     {"hbm", "collective_write", "HBM MB/s", "write"},
     {"hbm", "ch.compute_queue", "HBM stream queues (pieces)", "compute"},
     {"hbm", "ch.communication_queue", "HBM stream queues (pieces)", "communication"},
     {"hbm", "ch.dram_queue", "HBM DRAM queues (bursts)", "waiting"},
     {"link", "sent", "link MB/s", "sent"},
     {"link", "on_wire", "link wire MB/s", "with flags and headers"},
     {"link", "queued", "link queue (requests)", "queued"},
     {"link", "undelivered", "link queue (requests)", "undelivered"},
     {"link", "without_credit", "link bytes without credit", "bytes"},
     {"merge", "updates", "merge MB/s", "updates"},
     {"merge", "sums", "merge MB/s", "sums"},
     {"merge", "entries", "merge table (sums)", "in use"},
     {"merge", "partial", "merge partial sums", "left"},
     {"gpu.dma", "queued_commands", "DMA", "commands queued"},
     {"gpu.dma", "outstanding_reads", "DMA", "reads outstanding"},
     {"gpu.kernel", "in_work", "kernel requests", "in work"},
     {"gpu.kernel", "outstanding", "kernel loads (bytes)", "outstanding"},
     {"gpu.gemm", "tiles_in_flight", "GEMM", "workgroups in flight"},
     {"gpu.consumer", "tiles_in_flight", "consumer", "workgroups in flight"},
     {"gpu.gemm", "stores_waiting", "GEMM", "stores waiting"},
     {"tracker", "lane.queued", "tracker lanes", "updates queued"},
     {"tracker", "lane.channels_held", "tracker lanes", "channels held"},
     {"tracker", "stalls", "tracker stall cycles", "sum"}}};

/// "ch17.dram_queue" is "ch.dram_queue", "link_1" is "link".
std::string withoutNumber(const std::string& name) {
  const std::size_t stop = std::min(name.find_first_of("._"), name.size());
  const std::size_t digits = name.substr(0, stop).find_last_not_of("0123456789") + 1;
  const bool several = stop < name.size() && name[stop] == '_' &&
                       name.find_first_not_of("0123456789", stop + 1) == std::string::npos;
  return several ? name.substr(0, stop) : name.substr(0, digits) + name.substr(stop);
}

}  // namespace

void Counters::add(const ModelPlace& place, Listeners& listeners, std::size_t model) {
  ValueList list;
  listeners.models()[model].model->publish(list);
  // Links, the merge units of a switch and the stacks of a tracker have numbers.
  const std::string part = place.isLink()           ? "link"
                           : place.isMerge()        ? "merge"
                           : !place.stack().empty() ? "tracker"
                                                    : place.part;
  for (std::size_t v = 0; v < list.values().size(); ++v) {
    const PublishedValue& value = list.values()[v];
    const std::string name = withoutNumber(value.name);
    for (const CounterRule& rule : kCounters) {
      if (part != rule.part || name != rule.value) continue;
      std::string counter = rule.counter;
      if (part == "link" || part == "merge") counter.replace(0, part.size(), place.part);
      seriesOf(place.process, counter, rule.series)
          .values.push_back(listeners.watch(model, v, value, Listeners::Watch::AtSamples));
    }
  }
}

Counters::Series& Counters::seriesOf(std::uint32_t process, const std::string& counter,
                                     const char* series) {
  auto found = std::ranges::find_if(
      counters_, [&](const Counter& one) { return one.process == process && one.name == counter; });
  if (found == counters_.end()) {
    counters_.push_back({process, counter, counter.ends_with("MB/s")});
    found = std::prev(counters_.end());
  }
  const auto entry = std::ranges::find(found->series, series, &Series::name);
  if (entry != found->series.end()) return *entry;
  found->series.push_back({series, {}, 0});
  return found->series.back();
}

void Counters::sample(Picoseconds when) {
  for (Counter& counter : counters_) {
    TraceEvents::Arguments present;
    for (Series& series : counter.series) {
      std::uint64_t sum = 0;
      for (const PublishedValue& value : series.values) sum += value.read();
      if (counter.rate) {
        const std::uint64_t bytes = sum - std::exchange(series.last, sum);
        sum = when > sampledAt_ ? bytes * 1'000'000 / (when - sampledAt_) : 0;
      }
      present.emplace_back(series.name, sum);
    }
    if (!counter.rate || when > sampledAt_) {
      write(counter, present, counter.rate ? sampledAt_ : when);
    }
  }
  sampledAt_ = when;
}

void Counters::show(std::uint32_t process, const char* name, std::string_view series,
                    std::uint64_t value, Picoseconds when) {
  Counter& counter =
      shown_.try_emplace(std::pair(process, std::string(name)), Counter{process, name})
          .first->second;
  write(counter, {{series, value}}, when);
}

void Counters::write(Counter& counter, const TraceEvents::Arguments& present, Picoseconds when) {
  if (!window_.contains(when) || present == counter.written) return;
  counter.written = present;
  file_.counter(counter.process, counter.name, traceTime(when), present);
}

void Counters::finish(Picoseconds when) {
  for (Counter& counter : counters_) {
    if (!counter.rate) continue;
    TraceEvents::Arguments nothing;
    for (const Series& series : counter.series) nothing.emplace_back(series.name, 0);
    write(counter, nothing, when);
  }
}

}  // namespace t3
