// SPDX-License-Identifier: Apache-2.0
#include "testbench/parallel/mpi_peers.h"

#include <chrono>

#include "testbench/parallel/mpi_launch.h"
#include "testbench/parallel/mpi_session.h"

#ifdef T3_WITH_MPI
#include <mpi.h>
#endif

namespace t3 {
namespace {

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

#ifdef T3_WITH_MPI

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

#else  // the session refuses

std::vector<PeerState> MpiPeers::meet(const PeerState&, const std::vector<Parcel>&,
                                      std::vector<Parcel>&) {
  return {};
}

#endif

}  // namespace

std::unique_ptr<Peers> mpiPeers() {
  return mpiLaunch().launched ? std::make_unique<MpiPeers>() : nullptr;
}

}  // namespace t3
