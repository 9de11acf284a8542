// SPDX-License-Identifier: Apache-2.0
#include "testbench/parallel/mpi_peers.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <optional>
#include <sched.h>
#include <thread>

#include "testbench/config/config_error.h"

#ifdef T3_WITH_MPI
#include <mpi.h>
#endif

namespace t3 {
namespace {

/// Of the first of these variables of the environment that is set.
std::optional<std::uint32_t> number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* text = std::getenv(name); text != nullptr) {
      return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
    }
  }
  return std::nullopt;
}

#ifdef T3_WITH_MPI

using Clock = std::chrono::steady_clock;

class MpiPeers : public Peers {
 public:
  MpiPeers() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &self_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  /// Where this process fails alone, the others will not come to an end of MPI. The launcher ends
  /// them when this one is gone.
  ~MpiPeers() override {
    if (std::uncaught_exceptions() == 0) MPI_Finalize();
  }
  MpiPeers(const MpiPeers&) = delete;
  MpiPeers& operator=(const MpiPeers&) = delete;

  std::uint32_t self() const override { return static_cast<std::uint32_t>(self_); }
  std::uint32_t count() const override { return static_cast<std::uint32_t>(count_); }

  std::vector<PeerState> meet(const PeerState& mine, const std::vector<Parcel>& parcels,
                              std::vector<Parcel>& arrived) override {
    // First the states and how many bytes follow, then the bytes, to those that get any.
    std::vector<Head> out(count());
    for (std::uint32_t p = 0; p < count(); ++p) {
      out[p] = {mine, parcels[p].bytes().size()};
      work_.bytes += parcels[p].bytes().size();
    }
    std::vector<Head> in(count());
    std::vector<MPI_Request> requests(1);
    MPI_Ialltoall(out.data(), sizeof(Head), MPI_BYTE, in.data(), sizeof(Head), MPI_BYTE,
                  MPI_COMM_WORLD, requests.data());
    wait(requests);

    std::vector<std::vector<unsigned char>> bytes(count());
    requests.clear();
    for (std::uint32_t p = 0; p < count(); ++p) {
      const int peer = static_cast<int>(p);
      if (in[p].bytes != 0) {
        bytes[p].resize(in[p].bytes);
        MPI_Irecv(bytes[p].data(), static_cast<int>(in[p].bytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                  &requests.emplace_back());
      }
      if (out[p].bytes != 0) {
        MPI_Isend(parcels[p].bytes().data(), static_cast<int>(out[p].bytes), MPI_BYTE, peer, 0,
                  MPI_COMM_WORLD, &requests.emplace_back());
      }
    }
    wait(requests);
    arrived.clear();
    std::vector<PeerState> states;
    for (std::uint32_t p = 0; p < count(); ++p) {
      arrived.emplace_back(std::move(bytes[p]));
      states.push_back(in[p].state);
    }
    ++work_.meetings;
    return states;
  }

  PeerWork work() const override { return work_; }

 private:
  struct Head {
    PeerState state;
    std::uint64_t bytes = 0;
  };

  void wait(std::vector<MPI_Request>& requests) {
    const Clock::time_point start = Clock::now();
    while (true) {
      int done = 0;
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
      const Clock::duration waited = Clock::now() - start;
      if (done != 0) {
        work_.waited_s += std::chrono::duration<double>(waited).count();
        return;
      }
      if (waited < kYields) {
        sched_yield();
        continue;
      }
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / 8, kLongestSleep));
    }
  }

  static constexpr std::chrono::microseconds kYields{100};
  static constexpr std::chrono::milliseconds kLongestSleep{1};

  int self_ = 0, count_ = 1;
  PeerWork work_;
};

#endif

}  // namespace

MpiLaunch mpiLaunch() {
  // Set by the launchers of Open MPI, of MPICH, and by those that speak PMIx.
  const auto self = number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"});
  const auto count = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  return {self.has_value(), self.value_or(0), count.value_or(1)};
}

std::unique_ptr<Peers> mpiPeers() {
  if (!mpiLaunch().launched) return nullptr;
#ifdef T3_WITH_MPI
  return std::make_unique<MpiPeers>();
#else
  throw ConfigError("mpirun", "", "expected a t3sim that was built with MPI (scripts/setup)");
#endif
}

}  // namespace t3
