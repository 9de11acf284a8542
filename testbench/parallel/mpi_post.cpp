// SPDX-License-Identifier: Apache-2.0
#include "testbench/parallel/mpi_post.h"

#include "testbench/parallel/mpi_launch.h"
#include "testbench/parallel/mpi_session.h"

#ifdef T3_WITH_MPI
#include <mpi.h>
#endif

namespace t3 {
namespace {

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

#ifdef T3_WITH_MPI

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

#else  // the session refuses

void MpiPost::send(std::uint32_t, const std::string&) {}
std::optional<Letter> MpiPost::receive() { return std::nullopt; }

#endif

}  // namespace

std::unique_ptr<Post> mpiPost() {
  return mpiLaunch().launched ? std::make_unique<MpiPost>() : nullptr;
}

}  // namespace t3
