// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/crew.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <deque>
#include <exception>
#include <iostream>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <utility>

#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/run_store.h"

namespace t3 {

std::vector<JobNews> LocalCrew::look(int milliseconds) {
  std::vector<pollfd> ends;
  for (const Worker& worker : workers_) {
    for (const int end : worker.ends()) {
      if (end >= 0) ends.push_back({end, POLLIN, 0});
    }
  }
  if (poll(ends.data(), ends.size(), milliseconds) < 0 && errno != EINTR) {
    throw std::runtime_error(std::string("poll: ") + std::strerror(errno));
  }
  std::vector<JobNews> all;
  std::erase_if(workers_, [&all](Worker& worker) {
    auto news = worker.news();
    if (!news) return false;
    all.push_back(std::move(*news));
    return all.back().ended;
  });
  return all;
}

namespace {

/// A letter of process 0; an empty one is the last.
struct DealtJob {
  std::uint64_t number = 0;
  std::string job;
};
BOOST_DESCRIBE_STRUCT(DealtJob, (), (number, job))

template <typename T>
std::string letterOf(const T& content) {
  return boost::json::serialize(toJson(content));
}

}  // namespace

DealtCrew::DealtCrew(std::unique_ptr<Post> post)
    : post_(std::move(post)), busy_(post_->count(), false) {}

DealtCrew::~DealtCrew() {
  if (std::uncaught_exceptions() != 0) return;
  for (std::uint32_t p = 1; p < post_->count(); ++p) post_->send(p, "");
}

bool DealtCrew::isFree() const {
  return own_.isFree() || std::find(busy_.begin() + 1, busy_.end(), false) != busy_.end();
}

void DealtCrew::start(std::uint64_t number, const std::string& job) {
  // The others first: this process has more to do.
  const auto other = std::find(busy_.begin() + 1, busy_.end(), false);
  if (other == busy_.end()) {
    own_.start(number, job);
    return;
  }
  *other = true;
  post_->send(static_cast<std::uint32_t>(other - busy_.begin()), letterOf(DealtJob{number, job}));
}

std::vector<JobNews> DealtCrew::wait() {
  constexpr int kLookForLettersMs = 10;
  while (true) {
    std::vector<JobNews> news = own_.look(kLookForLettersMs);
    while (const auto letter = post_->receive()) {
      news.push_back(fromJson<JobNews>(boost::json::parse(letter->text)));
      if (news.back().ended) busy_[letter->from] = false;
    }
    if (!news.empty()) return news;
  }
}

void serveJobs(Post& post) {
  LocalCrew own(1);
  while (true) {
    if (own.isFree()) {
      const std::string text = post.wait().text;
      if (text.empty()) return;
      const auto dealt = fromJson<DealtJob>(boost::json::parse(text));
      own.start(dealt.number, dealt.job);
    }
    for (const JobNews& news : own.wait()) post.send(0, letterOf(news));
  }
}

std::vector<RunRecord> runJobs(const std::vector<WorkerJob>& jobs, Crew& crew,
                               const std::function<void(std::size_t, double)>& progress,
                               const std::function<void(std::size_t, const RunRecord&)>& finished) {
  std::vector<RunRecord> records(jobs.size());
  std::vector<bool> repeated(jobs.size(), false);
  std::deque<std::size_t> waiting;
  for (std::size_t job = 0; job < jobs.size(); ++job) waiting.push_back(job);
  std::size_t ended = 0;
  while (ended < jobs.size()) {
    for (; !waiting.empty() && crew.isFree(); waiting.pop_front()) {
      crew.start(waiting.front(), boost::json::serialize(toJson(jobs[waiting.front()])));
    }
    for (const JobNews& news : crew.wait()) {
      if (!news.ended) {
        progress(news.job, news.fraction);
        continue;
      }
      const std::string mode = spelling(jobs[news.job].mode);
      if (!news.said.empty()) std::cerr << mode << ": " << news.said;
      auto record = fromJson<RunRecord>(boost::json::parse(news.record));
      if (news.died && !repeated[news.job]) {
        std::cerr << "t3sim: " << mode << ": " << record.result.error << "; it is repeated"
                  << std::endl;
        repeated[news.job] = true;
        waiting.push_front(news.job);
        continue;
      }
      records[news.job] = std::move(record);
      ++ended;
      progress(news.job, 1.0);
      if (finished) finished(news.job, records[news.job]);
    }
  }
  return records;
}

std::size_t JobList::add(WorkerJob job) {
  const auto [entry, isNew] = known_.emplace(boost::json::serialize(toJson(job)), jobs_.size());
  if (isNew) jobs_.push_back(std::move(job));
  return entry->second;
}

std::vector<RunRecord> runBatch(const std::vector<WorkerJob>& jobs, Crew& crew,
                                const Batch& batch) {
  std::vector<RunRecord> records(jobs.size());
  std::vector<bool> done(jobs.size(), false);
  std::vector<WorkerJob> missing;
  std::vector<std::size_t> numbers;  // of those
  double total = 0, made = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto stored = batch.store == nullptr ? std::nullopt : batch.store->load(jobs[i]);
    done[i] = stored.has_value();
    if (stored) {
      records[i] = std::move(*stored);
      continue;
    }
    missing.push_back(jobs[i]);
    numbers.push_back(i);
    total += batch.weight(jobs[i]);
  }
  BatchBar bar(batch.complete ? batch.points : jobs.size(), batch.showProgress);
  const auto show = [&] {
    const auto single = static_cast<std::size_t>(std::ranges::count(done, true));
    bar.update(batch.complete ? batch.complete(done) : single, total > 0 ? made / total : 1.0);
  };
  show();
  std::vector<double> fractions(missing.size(), 0.0);
  runJobs(
      missing, crew,
      [&](std::size_t job, double fraction) {
        const double known = std::exchange(fractions[job], fraction);
        if (known == fraction) return;
        made += batch.weight(missing[job]) * (fraction - known);
        show();
      },
      [&](std::size_t job, const RunRecord& record) {
        records[numbers[job]] = record;
        done[numbers[job]] = true;
        if (batch.store != nullptr && !record.failed()) batch.store->save(missing[job], record);
        show();
      });
  return records;
}

namespace {

/// GPUs that are all as this one, of which one is simulated if it can stand for all. Only the GEMM
/// matters, so its data is elided and nothing follows it.
SystemConfig allLike(const SystemConfig& scenario, std::uint32_t gpu) {
  SystemConfig alike = scenario.ofGpu(gpu);
  alike.overrides = {};
  alike.data = DataMode::Elided;
  alike.algorithm.reset();
  alike.workload.collective.clear();
  alike.workload.repeat = 1;
  alike.workload.contributions = 0;
  alike.workload.between = Between::None;
  alike.workload.consumer = {};
  alike.simulated_gpus = GpuSimulation::Symmetric;
  if (alike.check()) alike.simulated_gpus = GpuSimulation::Explicit;
  return alike;
}

}  // namespace

void measureShares(SystemConfig& scenario, Crew& crew) {
  if (scenario.workload.shares != WorkloadConfig::kMeasuredShares) return;
  std::vector<std::pair<double, std::uint32_t>> kinds;  // all that can differ
  std::vector<std::size_t> kindOf;
  std::vector<WorkerJob> jobs;
  for (std::uint32_t g = 0; g < scenario.gpus; ++g) {
    SystemConfig alike = allLike(scenario, g);
    const std::pair kind{alike.gpu.clock_mhz, alike.gpu.compute_units};
    const auto known = std::ranges::find(kinds, kind);
    kindOf.push_back(static_cast<std::size_t>(known - kinds.begin()));
    if (known != kinds.end()) continue;
    kinds.push_back(kind);
    WorkerJob job;
    job.scenario = std::move(alike);
    job.kind = JobKind::Gemm;
    job.tracker = TrackerKind::Model;
    jobs.push_back(std::move(job));
  }
  std::vector<double> times;
  for (const RunRecord& record : runJobs(jobs, crew, [](std::size_t, double) {})) {
    if (record.failed()) throw std::runtime_error("workload.shares: " + record.result.error);
    times.push_back(static_cast<double>(record.result.time_ps));
  }
  const double least = std::ranges::min(times);
  std::string& shares = scenario.workload.shares;
  shares.clear();
  for (const std::size_t kind : kindOf) {
    if (!shares.empty()) shares += ',';
    shares += formatNumber(std::round(1e4 * least / times[kind]) / 100);
  }
}

}  // namespace t3
