// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "testbench/simulate/crew.h"
#include "testbench/simulate/worker.h"

namespace t3 {

/// Processes on this machine.
class LocalCrew : public Crew {
 public:
  explicit LocalCrew(std::size_t size) : size_(size) {}

  std::size_t size() const override { return size_; }
  bool isFree() const override { return workers_.size() < size_; }
  void start(std::uint64_t number, const std::string& job) override;
  std::vector<JobNews> wait() override { return look(-1); }
  /// The same, for so many milliseconds at most.
  std::vector<JobNews> look(int milliseconds);

 private:
  struct Active {
    std::unique_ptr<Worker> worker;
    double shown = 0;  ///< the fraction that is known
  };

  std::size_t size_;
  std::map<std::uint64_t, Active> workers_;
};

}  // namespace t3
