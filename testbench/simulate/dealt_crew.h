// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "testbench/parallel/post.h"
#include "testbench/simulate/local_crew.h"

namespace t3 {

/// The processes that a launcher started, in process 0, which deals: whoever is free gets the next
/// job and simulates it in a child of its own, process 0 as well. The others call `serveJobs`; they
/// end when this object does, unless an exception ends it: then the launcher ends them.
class DealtCrew : public Crew {
 public:
  explicit DealtCrew(std::unique_ptr<Post> post);
  ~DealtCrew() override;
  DealtCrew(const DealtCrew&) = delete;
  DealtCrew& operator=(const DealtCrew&) = delete;

  std::size_t size() const override { return post_->count(); }
  bool isFree() const override;
  void start(std::uint64_t number, const std::string& job) override;
  std::vector<JobNews> wait() override;

 private:
  std::unique_ptr<Post> post_;
  LocalCrew own_{1};
  std::vector<bool> busy_;  ///< of the others, [process]
};

/// In every other process: simulates what process 0 deals, until it ends.
void serveJobs(Post& post);

}  // namespace t3
