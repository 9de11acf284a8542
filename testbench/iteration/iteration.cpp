// SPDX-License-Identifier: Apache-2.0
#include "testbench/iteration/iteration.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "testbench/config/config_error.h"

namespace t3 {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
/// Times stay far below what 64 bits hold.
constexpr Picoseconds kMostTime = std::uint64_t{1} << 62;
/// Of a GPU, that messages of several GPUs share.
constexpr std::uint32_t kLinks = 2;

enum Stream : std::uint32_t { Compute, Communication, Host, Streams };

/// What starts, holds streams and ends as one.
struct Task {
  WorkKind kind = WorkKind::Nothing;
  std::vector<NodePlace> members;
  std::vector<NodePlace> gemms;        ///< of a pair that is one kernel: end at `gemm`
  std::vector<std::uint32_t> streams;  ///< that it holds
  std::vector<std::uint32_t> early;    ///< those of them that it holds only to the end of the GEMM
  Picoseconds gemm = 0, duration = 0;
  bool kernel = false;            ///< starts a launch later
  std::uint32_t arrival = kNone;  ///< a send: the task of the receive …
  Picoseconds arrives = 0;        ///< … which ends so long after this one's start
  std::uint32_t left = 0;         ///< nodes and messages that it waits for
};

class Walk {
 public:
  Walk(const Workload& workload, const WorkPlan& plan, const std::vector<PartTime>& times,
       const SystemConfig& scenario, Mode mode)
      : workload_(workload),
        plan_(plan),
        times_(times),
        launch_(scenario.trace.launch ? picosecondsFromNs(scenario.gpu.kernel_launch_us * 1e3) : 0),
        gap_(picosecondsFromNs(scenario.gpu.kernel_launch_us * 1e3)),
        oneStream_(scenario.trace.overlap == TraceOverlap::None),
        pairIsOne_(mode != Mode::Sequential) {}

  Iteration run() {
    makeTasks();
    countWaits();
    queues_.resize(std::size_t{workload_.gpus()} * (Streams + kLinks));  // links behind streams
    held_.resize(queues_.size(), false);
    used_.resize(queues_.size(), false);
    begin_.resize(tasks_.size());
    readySince_.resize(tasks_.size());
    iteration_.gpus.resize(workload_.gpus());
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
      if (tasks_[t].left == 0) ready(t);
    }
    settle();
    while (!events_.empty()) {
      now_ = events_.top().when;
      if (now_ > kMostTime) {
        throw ConfigError("--workload", "", "expected an iteration of less than 50 days");
      }
      while (!events_.empty() && events_.top().when == now_) {
        const Event event = events_.top();
        events_.pop();
        happen(event);
      }
      settle();
    }
    if (ended_ != tasks_.size()) throw std::logic_error("a node of the workload had no turn");
    for (const GpuIteration& gpu : iteration_.gpus) {
      iteration_.end = std::max(iteration_.end, gpu.end);
    }
    return std::move(iteration_);
  }

 private:
  struct Event {
    Picoseconds when;
    std::uint32_t task;
    bool whole;  ///< the task ends, not only the GEMM of a pair
    bool operator>(const Event& other) const {
      return std::tie(when, task, whole) > std::tie(other.when, other.task, other.whole);
    }
  };

  std::uint32_t stream(std::uint32_t gpu, Stream which) const {
    return gpu * Streams + (which == Communication && oneStream_ ? Compute : which);
  }

  // ---- tasks ------------------------------------------------------------------------------------

  std::uint32_t addTask(Task task) {
    const auto number = static_cast<std::uint32_t>(tasks_.size());
    for (const NodePlace at : task.members) taskOf_[at.gpu][at.node] = number;
    for (const NodePlace at : task.gemms) taskOf_[at.gpu][at.node] = number;
    tasks_.push_back(std::move(task));
    return number;
  }

  void makeTasks() {
    for (std::uint32_t g = 0; g < workload_.gpus(); ++g) {
      taskOf_.emplace_back(workload_.gpu(g).size(), kNone);
    }
    for (const PlannedCollective& collective : plan_.collectives) addCollective(collective);
    for (const PlannedMessage& message : plan_.messages) {
      Task receive;
      receive.kind = WorkKind::Message;
      receive.members = {message.to};
      Task send;
      send.kind = WorkKind::Message;
      send.members = {message.from};
      send.streams = {stream(message.from.gpu, Communication)};
      for (const auto& [gpu, number] : message.links) {
        send.streams.push_back(workload_.gpus() * Streams + gpu * kLinks + number);
      }
      send.duration = message.busy;
      send.kernel = true;
      send.arrival = addTask(std::move(receive));
      send.arrives = message.arrives;
      addTask(std::move(send));
    }
    for (std::uint32_t g = 0; g < workload_.gpus(); ++g) {
      for (std::uint32_t i = 0; i < workload_.gpu(g).size(); ++i) {
        if (taskOf_[g][i] == kNone) addNode({g, i});
      }
    }
  }

  void addNode(NodePlace at) {
    const PlannedNode& planned = plan_.nodes[at.gpu][at.node];
    Task task;
    task.kind = planned.kind;
    task.members = {at};
    task.duration = planned.part ? times_[*planned.part].total : planned.duration;
    if (planned.kind == WorkKind::Host) {
      task.streams = {stream(at.gpu, Host)};
    } else if (task.duration > 0) {
      task.streams = {stream(at.gpu, Compute)};
      task.kernel = true;
    }
    addTask(std::move(task));
  }

  void addCollective(const PlannedCollective& collective) {
    Task task;
    task.kind = WorkKind::Collective;
    task.members = collective.members;
    task.duration = collective.part ? times_[*collective.part].total : collective.duration;
    const bool pair = !collective.gemms.empty();
    if (pair) {
      task.kind = WorkKind::PairCollective;
      const Picoseconds gemm = times_[*collective.part].gemm;
      if (pairIsOne_) {
        task.gemms = collective.gemms;
        task.gemm = std::min(gemm, task.duration);
      } else {
        // What the run of the pair says of its two halves; the launch between them is its own.
        task.duration -= std::min(task.duration, gemm + gap_);
        for (const NodePlace at : collective.gemms) {
          Task alone;
          alone.kind = WorkKind::PairGemm;
          alone.members = {at};
          alone.streams = {stream(at.gpu, Compute)};
          alone.duration = gemm;
          alone.kernel = true;
          addTask(std::move(alone));
        }
      }
    }
    task.kernel = !collective.takesNoTime;
    if (task.kernel) {
      for (const NodePlace at : collective.members) {
        task.streams.push_back(stream(at.gpu, Communication));
        if (task.gemms.empty() || oneStream_) continue;
        task.early.push_back(stream(at.gpu, Compute));
        task.streams.push_back(task.early.back());
      }
    }
    addTask(std::move(task));
  }

  void countWaits() {
    waiting_.resize(workload_.gpus());
    for (std::uint32_t g = 0; g < workload_.gpus(); ++g) {
      waiting_[g].resize(workload_.gpu(g).size());
      for (std::uint32_t i = 0; i < workload_.gpu(g).size(); ++i) {
        for (const std::uint32_t earlier : workload_.gpu(g).dependencies[i]) {
          if (taskOf_[g][i] == taskOf_[g][earlier]) continue;  // the two halves of a pair
          waiting_[g][earlier].push_back(taskOf_[g][i]);
          ++tasks_[taskOf_[g][i]].left;
        }
      }
    }
    for (const Task& task : tasks_) {
      if (task.arrival != kNone) ++tasks_[task.arrival].left;
    }
  }

  // ---- what happens -----------------------------------------------------------------------------

  void ready(std::uint32_t number) {
    const Task& task = tasks_[number];
    if (task.streams.empty()) {
      events_.push({now_ + task.duration, number, true});
      begin_[number] = now_;
      return;
    }
    for (const std::uint32_t s : task.streams) {
      queues_[s].insert({now_, number});
      touched_.insert(s);
    }
    readySince_[number] = now_;
  }

  /// Starts all that can start now.
  void settle() {
    while (!touched_.empty()) {
      const std::uint32_t s = *touched_.begin();
      touched_.erase(touched_.begin());
      if (held_[s]) continue;
      for (const auto& [since, number] : queues_[s]) {
        const Task& task = tasks_[number];
        if (std::ranges::any_of(task.streams, [this](std::uint32_t one) { return held_[one]; })) {
          continue;
        }
        start(number);
        break;
      }
    }
  }

  void start(std::uint32_t number) {
    const Task& task = tasks_[number];
    bool first = now_ == 0;
    for (const std::uint32_t s : task.streams) {
      queues_[s].erase({readySince_[number], number});
      held_[s] = true;
      first = first && !used_[s];
      used_[s] = true;
    }
    const Picoseconds begin = now_ + (task.kernel && !first ? launch_ : 0);
    begin_[number] = begin;
    if (!task.gemms.empty()) events_.push({begin + task.gemm, number, false});
    if (task.arrival != kNone) arrive(number, begin);
    events_.push({begin + task.duration, number, true});
  }

  /// The message of a send is there some time after its start; until then the receive waits.
  void arrive(std::uint32_t number, Picoseconds begin) {
    arrivals_.emplace(tasks_[number].arrival, begin + tasks_[number].arrives);
    if (--tasks_[tasks_[number].arrival].left == 0) received(tasks_[number].arrival);
  }

  void received(std::uint32_t number) {
    begin_[number] = now_;
    events_.push({std::max(now_, arrivals_.at(number)), number, true});
  }

  void happen(const Event& event) {
    Task& task = tasks_[event.task];
    if (!event.whole) {
      release(task.early);
      std::erase_if(task.streams, [&](std::uint32_t one) {
        return std::ranges::find(task.early, one) != task.early.end();
      });
      for (const NodePlace at : task.gemms) over(at, WorkKind::PairGemm, begin_[event.task]);
      return;
    }
    ++ended_;
    release(task.streams);
    const Picoseconds since =
        task.gemms.empty() ? begin_[event.task] : begin_[event.task] + task.gemm;
    for (const NodePlace at : task.members) over(at, task.kind, since);
  }

  void release(const std::vector<std::uint32_t>& streams) {
    for (const std::uint32_t s : streams) {
      held_[s] = false;
      touched_.insert(s);
    }
  }

  void over(NodePlace at, WorkKind kind, Picoseconds since) {
    GpuIteration& gpu = iteration_.gpus[at.gpu];
    gpu.end = std::max(gpu.end, now_);
    if (now_ > since) gpu.spans.push_back({at.node, kind, since, now_});
    for (const std::uint32_t number : waiting_[at.gpu][at.node]) {
      if (--tasks_[number].left != 0) continue;
      if (arrivals_.contains(number)) {
        received(number);
      } else {
        ready(number);
      }
    }
  }

  const Workload& workload_;
  const WorkPlan& plan_;
  const std::vector<PartTime>& times_;
  const Picoseconds launch_, gap_;
  const bool oneStream_, pairIsOne_;

  std::vector<Task> tasks_;
  std::vector<std::vector<std::uint32_t>> taskOf_;                       ///< [GPU][node]
  std::vector<std::vector<std::vector<std::uint32_t>>> waiting_;         ///< [GPU][node]: tasks
  std::vector<std::set<std::pair<Picoseconds, std::uint32_t>>> queues_;  ///< [stream], since when
  std::vector<bool> held_, used_;                                        ///< [stream]
  std::set<std::uint32_t> touched_;              ///< streams whose queue or state has changed
  std::vector<Picoseconds> begin_, readySince_;  ///< [task]
  std::map<std::uint32_t, Picoseconds>
      arrivals_;  ///< of messages that are on their way, by receive
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Picoseconds now_ = 0;
  std::size_t ended_ = 0;
  Iteration iteration_;
};

}  // namespace

Iteration walk(const Workload& workload, const WorkPlan& plan, const std::vector<PartTime>& times,
               const SystemConfig& scenario, Mode mode) {
  return Walk(workload, plan, times, scenario, mode).run();
}

namespace {

/// Numbers of the threads of a GPU; messages on their way take numbers from the last one on.
constexpr std::uint32_t kComputeThread = 1, kCommunicationThread = 2, kHostThread = 3,
                        kFirstArrival = 4;

std::uint32_t threadOf(const WorkSpan& span, const TraceNode& node) {
  switch (span.kind) {
    case WorkKind::Host:
      return kHostThread;
    case WorkKind::Collective:
    case WorkKind::PairCollective:
      return kCommunicationThread;
    case WorkKind::Message:
      return node.type == TraceNodeType::Receive ? kFirstArrival : kCommunicationThread;
    default:
      return kComputeThread;
  }
}

std::string nameOf(std::uint32_t thread) {
  constexpr std::array kNames = {"", "compute", "communication", "host"};
  return thread < kFirstArrival ? kNames[thread]
                                : "arriving " + std::to_string(thread - kFirstArrival);
}

void draw(TraceEvents& file, std::uint32_t process, const GpuTrace& trace,
          const GpuIteration& gpu) {
  std::vector<WorkSpan> spans = gpu.spans;
  std::ranges::sort(spans, {},
                    [](const WorkSpan& span) { return std::pair(span.start, span.end); });
  std::map<std::uint32_t, std::vector<WorkSpan>> threads;
  for (const WorkSpan& span : spans) {
    std::uint32_t thread = threadOf(span, trace.node(span.node));
    // Any number of messages are on their way at the same time.
    while (thread >= kFirstArrival && threads.contains(thread) &&
           threads[thread].back().end > span.start) {
      ++thread;
    }
    threads[thread].push_back(span);
  }
  for (const auto& [thread, list] : threads) {
    file.thread(process, thread, nameOf(thread));
    for (const WorkSpan& span : list) {
      const TraceNode& node = trace.node(span.node);
      const TraceEvents::Arguments arguments = {{"node", node.id}};
      file.sliceBegins(process, thread, node.name, traceTime(span.start), arguments);
      file.sliceEnds(process, thread, node.name, traceTime(span.end), arguments);
    }
  }
}

}  // namespace

void drawIteration(TraceEvents& file, const Workload& workload, const Iteration& iteration) {
  for (std::uint32_t g = 0; g < iteration.gpus.size(); ++g) {
    file.process(g + 1, "gpu" + std::to_string(g));
    draw(file, g + 1, workload.gpu(g), iteration.gpus[g]);
  }
  file.finish();
}

}  // namespace t3
