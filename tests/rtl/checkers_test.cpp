// SPDX-License-Identifier: Apache-2.0
// Method: the checkers of hw/checkers without the unit. The test is both sides of every port. It
// keeps all rules, and no checker fires; then it breaks one rule, and the assertion of that rule
// fires by its name. That the unit keeps the rules is tested with random traffic (random_test.cpp).
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "Vchecker.h"
#include "rtl_test/bits.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::checkers_test {
namespace {

/// The checkers of all ports of a small unit: 2 lanes, addresses of 32 bits.
class Ports {
 public:
  Vchecker& m = model_;

  Ports() {
    context_.fatalOnError(false);  // an assertion that fails is what is looked for
    m.rst_ni = 0;
    ticks(2);
    m.rst_ni = 1;
  }
  ~Ports() {
    Verilated::threadContextp(&context_);
    model_.final();
  }
  Ports(const Ports&) = delete;
  Ports& operator=(const Ports&) = delete;

  void tick() {
    Verilated::threadContextp(&context_);
    m.clk_i = 0;
    m.eval();
    m.clk_i = 1;
    m.eval();
    fired |= context_.gotError();
    context_.gotError(false);
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }

  bool fired = false;

 private:
  VerilatedContext context_;
  Vchecker model_{&context_};
};

void lane(Ports& p, std::uint32_t number, bool valid, bool ready, std::uint32_t weight) {
  setBits(p.m.lane_valid_i, number, 1, valid);
  setBits(p.m.lane_ready_o, number, 1, ready);
  setBits(p.m.lane_weight_i, number * 8, 8, weight);
}

struct Rule {
  std::string name;  ///< of the assertion, of streams behind that of the instance
  std::function<void(Ports&)> breakIt;
};

/// A stream: how it is shown and refused, how its word changes, how it is withdrawn.
struct Stream {
  const char* name;
  std::function<void(Vchecker&)> show, change, withdraw;
};

const std::vector<Stream> kStreams{
    {"u_done", [](Vchecker& m) { m.done_valid_o = 1; }, [](Vchecker& m) { m.done_slot_o ^= 1; },
     [](Vchecker& m) { m.done_valid_o = 0; }},
    {"u_done", [](Vchecker& m) { m.done_valid_o = 1; }, [](Vchecker& m) { m.done_spoiled_o ^= 1; },
     [](Vchecker& m) { m.done_valid_o = 0; }},
    {"u_rel", [](Vchecker& m) { m.rel_valid_o = 1; }, [](Vchecker& m) { m.rel_row_o ^= 8; },
     [](Vchecker& m) { m.rel_valid_o = 0; }},
    {"u_aw", [](Vchecker& m) { m.s_axil_awvalid_i = 1; },
     [](Vchecker& m) { m.s_axil_awaddr_i ^= 4; }, [](Vchecker& m) { m.s_axil_awvalid_i = 0; }},
    {"u_w", [](Vchecker& m) { m.s_axil_wvalid_i = 1; },
     [](Vchecker& m) { m.s_axil_wdata_i ^= 1u << 31; }, [](Vchecker& m) { m.s_axil_wvalid_i = 0; }},
    {"u_ar", [](Vchecker& m) { m.s_axil_arvalid_i = 1; },
     [](Vchecker& m) { m.s_axil_arprot_i ^= 4; }, [](Vchecker& m) { m.s_axil_arvalid_i = 0; }},
    {"u_b", [](Vchecker& m) { m.s_axil_bvalid_o = 1; }, [](Vchecker& m) { m.s_axil_bresp_o ^= 2; },
     [](Vchecker& m) { m.s_axil_bvalid_o = 0; }},
    {"u_r", [](Vchecker& m) { m.s_axil_rvalid_o = 1; }, [](Vchecker& m) { m.s_axil_rdata_o ^= 1; },
     [](Vchecker& m) { m.s_axil_rvalid_o = 0; }},
};

/// One write address, one write word and one read address are taken.
void takeAccesses(Ports& p) {
  Vchecker& m = p.m;
  m.s_axil_awvalid_i = m.s_axil_awready_o = 1;
  m.s_axil_wvalid_i = m.s_axil_wready_o = 1;
  m.s_axil_arvalid_i = m.s_axil_arready_o = 1;
  p.tick();
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 0;
  m.s_axil_awready_o = m.s_axil_wready_o = m.s_axil_arready_o = 0;
}

std::vector<Rule> rules() {
  std::vector<Rule> all{
      {"weight_is_not_zero_nor_too_large",
       [](Ports& p) {
         lane(p, 1, true, true, 0);
         p.tick();
       }},
      {"weight_is_not_zero_nor_too_large",
       [](Ports& p) {
         lane(p, 0, true, true, 129);
         p.tick();
       }},
      {"write_is_answered_in_time",
       [](Ports& p) {
         takeAccesses(p);
         p.m.s_axil_rvalid_o = 1;
         p.ticks(15);
         EXPECT_FALSE(p.fired) << "the last cycle is not over";
         p.ticks(2);
       }},
      {"write_is_answered_in_time",
       [](Ports& p) {
         p.m.s_axil_awvalid_i = 1;  // the unit never takes it
         p.m.s_axil_wvalid_i = 1;
         p.ticks(18);
       }},
      {"read_is_answered_in_time",
       [](Ports& p) {
         takeAccesses(p);
         p.m.s_axil_bvalid_o = 1;
         p.ticks(15);
         EXPECT_FALSE(p.fired) << "the last cycle is not over";
         p.ticks(2);
       }},
      {"write_response_after_address_and_data",
       [](Ports& p) {
         p.m.s_axil_awvalid_i = p.m.s_axil_awready_o = 1;
         p.tick();
         p.m.s_axil_awvalid_i = 0;
         p.m.s_axil_bvalid_o = p.m.s_axil_bready_i = 1;
         p.tick();
       }},
      {"read_response_after_address",
       [](Ports& p) {
         takeAccesses(p);
         p.m.s_axil_rvalid_o = p.m.s_axil_rready_i = 1;
         p.ticks(2);  // the second one has no address
       }},
      {"write_response_is_okay_or_slverr",
       [](Ports& p) {
         takeAccesses(p);
         p.m.s_axil_bvalid_o = p.m.s_axil_bready_i = 1;
         p.m.s_axil_bresp_o = 3;
         p.tick();
       }},
      {"read_response_is_okay_or_slverr",
       [](Ports& p) {
         takeAccesses(p);
         p.m.s_axil_rvalid_o = p.m.s_axil_rready_i = 1;
         p.m.s_axil_rresp_o = 1;
         p.tick();
       }},
      {"two_accesses_of_a_kind_at_most",
       [](Ports& p) {
         for (int i = 0; i < 4; ++i) takeAccesses(p);
       }},
  };
  for (const Stream& stream : kStreams) {
    const auto shown = [&stream](Ports& p) {
      takeAccesses(p);
      stream.show(p.m);
      p.ticks(3);
      EXPECT_FALSE(p.fired) << stream.name << " may wait";
    };
    all.push_back({stream.name + std::string(".gen_holds.valid_stays"), [&stream, shown](Ports& p) {
                     shown(p);
                     stream.withdraw(p.m);
                     p.tick();
                   }});
    all.push_back({stream.name + std::string(".gen_holds.word_stays"), [&stream, shown](Ports& p) {
                     shown(p);
                     stream.change(p.m);
                     p.tick();
                   }});
  }
  return all;
}

/// What a run printed if a checker fired, else nothing.
std::string firedBy(const std::function<void(Ports&)>& run) {
  Ports ports;
  testing::internal::CaptureStdout();
  run(ports);
  const std::string said = testing::internal::GetCapturedStdout();
  return ports.fired ? said : "";
}

TEST(Checkers, EveryRuleThatIsBrokenIsNamed) {
  for (const Rule& rule : rules()) {
    SCOPED_TRACE(rule.name);
    const std::string said = firedBy(rule.breakIt);
    EXPECT_NE(said.find("." + rule.name), std::string::npos) << "said: " << said;
    EXPECT_EQ(said.find("Assertion", said.find("Assertion") + 1), std::string::npos)
        << "another one, too: " << said;
  }
}

TEST(Checkers, NothingFiresWhileTheRulesAreKept) {
  EXPECT_EQ(firedBy([](Ports& p) {
              Vchecker& m = p.m;
              // A lane may change and withdraw what was not taken, and the weight of nobody does
              // not count.
              lane(p, 0, true, false, 0);
              p.tick();
              lane(p, 0, true, true, 1);
              p.tick();
              lane(p, 0, true, true, 128);
              p.tick();
              lane(p, 0, false, true, 0);
              // Slots and rows in successive cycles.
              m.done_valid_o = m.done_ready_i = m.rel_valid_o = m.rel_ready_i = 1;
              for (int i = 0; i < 3; ++i) {
                m.done_slot_o ^= 3;
                m.rel_row_o ^= 1;
                p.tick();
              }
              m.done_valid_o = m.rel_valid_o = 0;
              // Two accesses of each kind, the second before the first one's answer.
              takeAccesses(p);
              takeAccesses(p);
              m.s_axil_bvalid_o = m.s_axil_rvalid_o = 1;
              p.ticks(3);
              m.s_axil_bready_i = m.s_axil_rready_i = 1;
              p.tick();
              m.s_axil_bresp_o = m.s_axil_rresp_o = 2;
              p.tick();
              m.s_axil_bvalid_o = m.s_axil_rvalid_o = 0;
              p.tick();
            }),
            "");
}

TEST(Checkers, AnAddressWithoutDataMayWaitForEver) {
  EXPECT_EQ(firedBy([](Ports& p) {
              p.m.s_axil_awvalid_i = 1;
              p.ticks(40);
              p.m.s_axil_awready_o = 1;
              p.tick();
              p.m.s_axil_awvalid_i = 0;
              p.ticks(40);
            }),
            "");
}

TEST(Checkers, AreBoundToTheUnitsPorts) {
  Bench<kCheckedUnit> bench;
  bench.waitOpen();
  bench.lanes[1].push_back({0, 0, 0, 0});
  testing::internal::CaptureStdout();
  EXPECT_NONFATAL_FAILURE(bench.ticks(3), "an assertion of the RTL failed");
  EXPECT_NE(testing::internal::GetCapturedStdout().find(
                "u_ports_checker.u_lanes.gen_lane[1].weight_is_not_zero_nor_too_large"),
            std::string::npos);
}

TEST(Checkers, ResetForgetsWhatWasUnderWay) {
  EXPECT_EQ(firedBy([](Ports& p) {
              takeAccesses(p);
              p.m.done_valid_o = 1;
              p.ticks(8);
              p.m.rst_ni = 0;
              p.m.done_valid_o = 0;
              p.ticks(2);
              p.m.rst_ni = 1;
              for (int i = 0; i < 2; ++i) takeAccesses(p);
              p.ticks(10);
            }),
            "");
}

}  // namespace
}  // namespace t3::rtl_test::checkers_test
