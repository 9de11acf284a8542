// SPDX-License-Identifier: Apache-2.0
#include "testbench/parallel/mpi_session.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <thread>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/parallel/mpi_launch.h"

#ifdef T3_WITH_MPI
#include <mpi.h>
#endif

namespace t3 {
namespace {

bool made = false;

}  // namespace

bool MpiSession::wasMade() { return made; }

std::chrono::steady_clock::duration MpiSession::wait(const std::function<bool()>& done) {
  using Time = std::chrono::steady_clock;
  // No sched_yield: on a busy core it costs a time slice of all others, milliseconds.
  constexpr std::chrono::microseconds kAwake{100};
  constexpr std::chrono::milliseconds kLongestSleep{1};
  const Time::time_point start = Time::now();
  while (true) {
    const bool isDone = done();
    const Time::duration waited = Time::now() - start;
    if (isDone) return waited;
    if (waited < kAwake) continue;
    std::this_thread::sleep_for(std::min<Time::duration>(waited / 8, kLongestSleep));
  }
}

#ifdef T3_WITH_MPI

namespace {

/// Of all processes, by their numbers.
std::vector<std::string> problemsOfAll(const std::string& mine, std::size_t processes) {
  const int bytes = static_cast<int>(mine.size());
  std::vector<int> sizes(processes), starts(processes);
  MPI_Allgather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int all = 0;
  for (std::size_t p = 0; p < processes; ++p) {
    starts[p] = all;
    all += sizes[p];
  }
  std::string texts(static_cast<std::size_t>(all), '\0');
  MPI_Allgatherv(mine.data(), bytes, MPI_CHAR, texts.data(), sizes.data(), starts.data(), MPI_CHAR,
                 MPI_COMM_WORLD);
  std::vector<std::string> list;
  for (std::size_t p = 0; p < processes; ++p) {
    list.push_back(
        texts.substr(static_cast<std::size_t>(starts[p]), static_cast<std::size_t>(sizes[p])));
  }
  return list;
}

/// A problem that all have is one line, as of one process.
void say(const std::vector<std::string>& problems) {
  if (std::ranges::count(problems, problems.front()) ==
      static_cast<std::ptrdiff_t>(problems.size())) {
    std::cerr << "t3sim: " << problems.front() << std::endl;
    return;
  }
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (problems[p].empty()) continue;
    std::cerr << "t3sim: process " << p << ": " << problems[p] << std::endl;
  }
}

class MpiPeers : public Peers {
 public:
  std::uint32_t self() const override { return session_.self(); }
  std::uint32_t count() const override { return session_.count(); }

  std::vector<PeerState> meet(const PeerState& mine, const std::vector<Parcel>& parcels,
                              std::vector<Parcel>& arrived) override;

  PeerWork work() const override { return work_; }

 private:
  MpiSession session_;
  PeerWork work_;
};

struct Head {
  PeerState state;
  std::uint64_t bytes = 0;
};

/// Returns how many seconds that took.
double complete(std::vector<MPI_Request>& requests) {
  const auto waited = MpiSession::wait([&requests] {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
  return std::chrono::duration<double>(waited).count();
}

std::vector<PeerState> MpiPeers::meet(const PeerState& mine, const std::vector<Parcel>& parcels,
                                      std::vector<Parcel>& arrived) {
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
  work_.waited_s += complete(requests);

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
  work_.waited_s += complete(requests);
  arrived.clear();
  std::vector<PeerState> states;
  for (std::uint32_t p = 0; p < count(); ++p) {
    arrived.emplace_back(std::move(bytes[p]));
    states.push_back(in[p].state);
  }
  ++work_.meetings;
  return states;
}

class MpiPost : public Post {
 public:
  std::uint32_t self() const override { return session_.self(); }
  std::uint32_t count() const override { return session_.count(); }

  void send(std::uint32_t to, const std::string& text) override;
  std::optional<Letter> receive() override;
  Letter wait() override {
    std::optional<Letter> letter;
    MpiSession::wait([&] {
      letter = receive();
      return letter.has_value();
    });
    return *letter;
  }

 private:
  MpiSession session_;
};

void MpiPost::send(std::uint32_t to, const std::string& text) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, static_cast<int>(to), 0,
           MPI_COMM_WORLD);
}

std::optional<Letter> MpiPost::receive() {
  int isThere = 0, size = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &isThere, &status);
  if (isThere == 0) return std::nullopt;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Letter letter{static_cast<std::uint32_t>(status.MPI_SOURCE),
                std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Recv(letter.text.data(), size, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return letter;
}

}  // namespace

MpiSession::MpiSession(const std::string& problem) {
  made = true;
  int self = 0, count = 1;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  self_ = static_cast<std::uint32_t>(self);
  count_ = static_cast<std::uint32_t>(count);
  const std::vector<std::string> problems = problemsOfAll(problem, count_);
  if (std::ranges::all_of(problems, &std::string::empty)) return;
  if (self_ == 0) say(problems);
  MPI_Barrier(MPI_COMM_WORLD);  // the end of one process is the end of the job
  MPI_Finalize();
  throw NobodyBegins{};
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == 0) MPI_Finalize();
}

std::unique_ptr<Peers> mpiPeers() {
  return mpiLaunch().launched ? std::make_unique<MpiPeers>() : nullptr;
}

std::unique_ptr<Post> mpiPost() {
  return mpiLaunch().launched ? std::make_unique<MpiPost>() : nullptr;
}

#else

MpiSession::MpiSession(const std::string& /*problem*/) {
  made = true;
  throw ConfigError(
      "mpirun", "",
      "expected a t3sim that was built with MPI: scripts/setup run, then cmake --fresh "
      "--preset program && cmake --build --preset program");
}

MpiSession::~MpiSession() = default;

std::unique_ptr<Peers> mpiPeers() {
  if (mpiLaunch().launched) const MpiSession refuses;
  return nullptr;
}

std::unique_ptr<Post> mpiPost() {
  if (mpiLaunch().launched) const MpiSession refuses;
  return nullptr;
}

#endif

}  // namespace t3
