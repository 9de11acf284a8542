// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/dealt_crew.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "testbench/config/described_json.h"

namespace t3 {
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

}  // namespace t3
