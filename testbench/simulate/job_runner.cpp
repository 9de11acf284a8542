// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/job_runner.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <iostream>
#include <string>
#include <utility>

#include "testbench/config/described_json.h"
#include "testbench/config/mode_spelling.h"

namespace t3 {

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

}  // namespace t3
