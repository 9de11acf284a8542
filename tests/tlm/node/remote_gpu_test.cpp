// SPDX-License-Identifier: Apache-2.0
// Method: the machine of one process of two, without the other one. What is there shows in
// SystemC's list of objects. Whole runs in many processes: tests/system/processes_test.cpp.
#include "tlm/node/fabric.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/tlm/node/small_ring.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"

namespace t3::remote_gpu_test {
namespace {

class SecondOfTwo : public Peers {
 public:
  std::uint32_t self() const override { return 1; }
  std::uint32_t count() const override { return 2; }
  std::vector<PeerState> meet(const PeerState&, const std::vector<Parcel>&,
                              std::vector<Parcel>&) override {
    throw std::logic_error("nobody is there");
  }
  PeerWork work() const override { return {}; }
};

bool exists(const std::string& name) { return sc_core::sc_find_object(name.c_str()) != nullptr; }

SystemConfig small(Topology topology) {
  SystemConfig config = test::smallRing();
  config.fabric.topology = topology;
  return config;
}

TEST(RemoteGpu, HasTheLinksOfARingThatEndHere) {
  const SecondOfTwo peers;
  const SystemConfig config = small(Topology::Ring);
  const Graph graph = Mode::Sequential.graph(config);
  const Machine machine(config, graph, TrackerKind::Model, {}, &peers);
  ASSERT_EQ(machine.own(), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_TRUE(exists("gpu2.hbm"));
  EXPECT_TRUE(exists("gpu3.hbm"));
  EXPECT_FALSE(exists("gpu0.hbm"));
  EXPECT_FALSE(exists("gpu1.hbm"));
  EXPECT_FALSE(exists("gpu0.link"));  // to GPU 3 would be here; a ring leads to GPU 1
  EXPECT_TRUE(exists("gpu1.link"));
  EXPECT_TRUE(machine.fabric().idle());
  EXPECT_EQ(machine.requestsInUse(), 0U);
}

TEST(RemoteGpu, HasTheLinksThatEndHereOfEachOtherOne) {
  const SecondOfTwo peers;
  const SystemConfig config = small(Topology::FullyConnected);
  const Graph graph = Mode::Sequential.graph(config);
  const Machine machine(config, graph, TrackerKind::Model, {}, &peers);
  std::vector<std::string> links;
  for (const std::string gpu : {"gpu0.link", "gpu1.link"}) {
    for (const char* port : {"", "_1", "_2"}) {
      if (exists(gpu + port)) links.push_back(gpu + port);
    }
  }
  EXPECT_EQ(links.size(), 4U);
}

TEST(RemoteGpu, HasNothingToBeWhereRecordersNumberAllModels) {
  SecondOfTwo peers;
  peers.buildAll(true);
  const SystemConfig config = small(Topology::Ring);
  const Graph graph = Mode::Sequential.graph(config);
  const Machine machine(config, graph, TrackerKind::Model, {}, &peers);
  EXPECT_TRUE(exists("gpu0.hbm"));
  EXPECT_TRUE(exists("gpu0.link"));
}

}  // namespace
}  // namespace t3::remote_gpu_test
