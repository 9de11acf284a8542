// SPDX-License-Identifier: Apache-2.0
#include "testbench/iteration/iteration_timeline.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace t3 {
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
  switch (thread) {
    case kComputeThread:
      return "compute";
    case kCommunicationThread:
      return "communication";
    case kHostThread:
      return "host";
    default:
      return "arriving " + std::to_string(thread - kFirstArrival);
  }
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
