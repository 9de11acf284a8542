// SPDX-License-Identifier: Apache-2.0
// Method: traces put together byte by byte, without the library that reads them. A good one is read
// with all that it says; one thing wrong is refused with the line that says what. Then mutants of
// good traces: each is refused with one line or read.
#include "testbench/workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/presets/presets.h"
#include "testbench/workload/meetings.h"
#include "testbench/workload/trace_file.h"
#include "tests/testbench/refused.h"
#include "tests/testbench/temporary_directory.h"
#include "tests/testbench/workload_bytes.h"

namespace t3::workload_test {
namespace {

using test::Bytes;
using test::collective;
using test::gemm;
using test::node;
using test::trace;
using testing::ElementsAre;
using testing::HasSubstr;

using Traces = std::vector<std::string>;

Workload workloadOf(const Traces& traces, bool ignoreMissing = false) {
  return {test::filesOf(traces), ignoreMissing};
}

/// What is said of traces; "" if they are accepted.
std::string refusal(const Traces& traces, const GroupTable& groups = {}) {
  return test::refusalOf([&] {
    const Workload workload = workloadOf(traces);
    const Meetings meetings(workload, groups);
  });
}

const Bytes kReduce = collective(2, "sum", 0, 4096, {1});

/// A collective whose `involved_dim` has these values, in group `group`.
Bytes involving(const std::vector<bool>& dimensions, const std::string& group = "") {
  Bytes values;
  for (const bool one : dimensions) values.number(1, one ? 1 : 0);
  Bytes all = collective(1, "sum", 0, 4096)
                  .text(10, Bytes().text(1, "involved_dim").text(28, values.str()).str());
  return group.empty() ? all : all.attribute("pg_name", group);
}

TEST(TraceFile, ACollectiveThatLeavesOutADimensionIsRefused) {
  EXPECT_NO_THROW(readTraceBytes(trace({involving({true, true})}), "t.et"));
  EXPECT_NO_THROW(readTraceBytes(trace({involving({true, false}, "7")}), "t.et"))
      << "a group says which GPUs they are";
  for (const char* group : {"", "0"}) {
    EXPECT_THAT(test::refusalOf([&] {
                  readTraceBytes(trace({involving({true, false}, group)}), "t.et");
                }),
                HasSubstr("involved_dim: expected true for all"));
  }
}

TEST(Trace, IsReadWithAllThatItSays) {
  const Bytes more = node(7, "load", test::kLoad, {2})
                         .number(4, 1)
                         .number(7, 12)
                         .attribute("is_cpu_op", test::kInt32, 0)
                         .attribute("tensor_size", test::kUint64, 4096)
                         .attribute("color", "blue");
  const TraceFile file = readTraceBytes(trace({gemm(1, "fc", 64, 32, 16), kReduce, more}), "t.et");
  EXPECT_EQ(file.version, "0.0.4");
  ASSERT_EQ(file.nodes.size(), 3U);
  EXPECT_EQ(file.nodes[0].name, "fc");
  EXPECT_EQ(file.nodes[0].gemm, (GemmShape{64, 32, 16}));
  EXPECT_EQ(file.nodes[1].type, TraceNodeType::Collective);
  EXPECT_EQ(file.nodes[1].commType, CommType::AllReduce);
  EXPECT_EQ(file.nodes[1].commBytes, 4096U);
  EXPECT_THAT(file.nodes[1].dataDependencies, ElementsAre(1));
  EXPECT_THAT(file.nodes[2].controlDependencies, ElementsAre(1));
  EXPECT_EQ(file.nodes[2].durationMicros, 12U);
  EXPECT_FALSE(file.nodes[2].onHost);
  EXPECT_EQ(file.nodes[2].tensorBytes, 4096U);
  EXPECT_THAT(file.ignoredAttributes, ElementsAre(std::pair("color", 1)));
}

TEST(Trace, TakesAWholeNumberInAnyTypeOfTheFormat) {
  // int32, int64, uint32, uint64, bool; sint32 and sint64 are zigzag.
  for (const auto& [field, value] : std::vector<std::pair<std::uint32_t, std::uint64_t>>{
           {7, 1}, {9, 1}, {11, 1}, {13, 1}, {27, 1}, {15, 2}, {17, 2}}) {
    const TraceFile file = readTraceBytes(
        trace({node(0, "a", test::kCompute).attribute("is_cpu_op", field, value)}), "t.et");
    EXPECT_TRUE(file.nodes[0].onHost) << field;
  }
}

TEST(Trace, FindsGemmsInTheShapesThatRecordersWrite) {
  const auto shape = [](const std::string& name, const std::string& shapes) {
    return gemmOfShapes(name, shapes);
  };
  EXPECT_EQ(shape("sgemm_32x32x32_NN", "[[32, 1000], [1000, 2048]]"), (GemmShape{32, 2048, 1000}));
  EXPECT_EQ(shape("maxwell_sgemm_128x32_tn", "[[1000], [32, 2048], [2048, 1000], [], []]"),
            (GemmShape{32, 1000, 2048}));
  EXPECT_EQ(shape("aten::mm(0)", "[[8, 16], [16, 4]]"), (GemmShape{8, 4, 16}));
  EXPECT_EQ(shape("relu", "[[8, 16], [16, 4]]"), std::nullopt) << "another kernel";
  EXPECT_EQ(shape("sgemm", "[[32, 256, 14, 14], [256, 256, 3, 3]]"), std::nullopt);
  EXPECT_EQ(shape("sgemm", "[[8, 16], [8, 4]]"), std::nullopt) << "they do not fit together";
  EXPECT_EQ(shape("sgemm", "[[8, 16], [16, -4]]"), std::nullopt);
  EXPECT_EQ(shape("sgemm", "[[8, 16], [16, 4"), std::nullopt);
  EXPECT_EQ(gemmTypeOf("['Tensor(c10::Half)', 'Tensor(c10::Half)']"), "fp16");
  EXPECT_EQ(gemmTypeOf("['Tensor(float)', 'Tensor(float)']"), "fp32");
}

struct Wrong {
  Traces traces;
  std::string error;
};

TEST(Trace, WhatIsWrongIsOneLineWithItsPlace) {
  const std::string good = trace({gemm(1, "fc", 64, 32, 16), kReduce});
  const std::string metadata = Bytes().text(1, "0.0.4").message();
  const std::vector<Wrong> all = {
      {{""}, "t.0.et: expected a Chakra trace, got nothing"},
      {{metadata}, "t.0.et: expected at least one node"},
      {{"\x1f\x8b..."}, "t.0.et: expected a Chakra trace, got a compressed file (gunzip it)"},
      {{good.substr(0, good.size() - 1)}, "t.0.et: byte "},
      {{metadata + "\xff\xff\xff\xff\x0f"},
       "t.0.et: byte 8: expected a Node of 4294967295 bytes, but the file has 0 more"},
      {{metadata + "\xff"}, "t.0.et: byte 8: expected the length of a message, but the file ends"},
      {{metadata + std::string(12, '\xff')},
       "t.0.et: byte 8: expected the length of a message, of at most 9 bytes"},
      {{metadata + Bytes().text(2, "\xff\xfe").message()},
       "t.0.et: byte 8: expected a Node of a Chakra trace (protobuf)"},
      {{Bytes().text(9, "x").message()},
       "t.0.et: byte 0: expected a GlobalMetadata of schema 0.0.4, got other fields"},
      {{trace({node(1, "a", test::kCompute).text(12, "x")})},
       "t.0.et: node 1 'a': expected a Node of schema 0.0.4, got other fields"},
      {{trace({node(1, "a", 9)})}, "t.0.et: node 1 'a': type: expected 0 to 7, got 9"},
      {{trace({node(1, "a", test::kCompute).number(7, std::uint64_t{1} << 40)})},
       "t.0.et: node 1 'a': duration_micros: expected at most 10000000000, got 1099511627776"},
      {{trace({gemm(1, "a", 64, 32, 0)})},
       "t.0.et: node 1 'a': gemm_k: expected a whole number from 1 to 4294967296, got 0"},
      {{trace({node(1, "a", test::kCompute).attribute("gemm_m", test::kUint64, 8)})},
       "t.0.et: node 1 'a': expected all or none of the attributes gemm_m, gemm_n and gemm_k"},
      {{trace({node(1, "a", test::kCompute).attribute("num_ops", "many")})},
       "t.0.et: node 1 'a': num_ops: expected a whole number from 0 to 1152921504606846976"},
      {{trace({node(1, "a", test::kCompute)
                   .attribute("num_ops", test::kInt64, 1)
                   .attribute("num_ops", test::kInt64, 2)})},
       "t.0.et: node 1 'a': num_ops: occurs twice among the attributes"},
      {{trace({node(1, "a", test::kCollective)})},
       "t.0.et: node 1 'a': expected an attribute 'comm_type' of a collective"},
      {{trace({collective(1, "a", 10, 64)})},
       "t.0.et: node 1 'a': comm_type: expected a whole number from 0 to 9, got 10"},
      {{trace({node(1, "a", test::kLoad)})},
       "t.0.et: node 1 'a': expected an attribute 'tensor_size' of a memory node"},
      {{trace({node(1, "a", test::kCompute), node(1, "b", test::kCompute)})},
       "t.0.et: node 1 'b': expected an id of its own, but node 1 'a' has the same"},
      {{trace({node(1, "a", test::kCompute, {5})})},
       "t.0.et: node 1 'a': data_deps: expected a node with id 5 in this file, but there is none "
       "(trace.missing_dependency)"},
      {{trace({node(1, "a", test::kCompute, {2}), node(2, "b", test::kCompute, {3}),
               node(3, "c", test::kCompute, {2})})},
       "t.0.et: node 2 'b': expected dependencies without a circle, but it waits for itself: "
       "2 ← 3 ← 2"},
      {{good, trace({gemm(1, "fc", 64, 32, 16), collective(2, "sum", 7, 4096, {1})})},
       "t.1.et: node 2 'sum': expected an all-reduce of 4096 bytes like GPU 0's node 2 'sum', as "
       "collective 0 of all GPUs, got a reduce-scatter of 4096 bytes"},
      {{good, trace({gemm(1, "fc", 64, 32, 16), collective(2, "sum", 0, 4095, {1})})},
       "t.1.et: node 2 'sum': expected an all-reduce of 4096 bytes like GPU 0's node 2 'sum', as "
       "collective 0 of all GPUs, got an all-reduce of 4095 bytes"},
      {{good, trace({gemm(1, "fc", 64, 32, 16)})},
       "t.0.et: node 2 'sum': expected a partner of this all-reduce of 4096 bytes on every GPU of "
       "all GPUs, but GPU 1 has only 0 collectives there"},
      {{trace({node(1, "s", test::kSend).attribute("comm_dst", test::kInt32, 1)}),
        trace({node(1, "x", test::kCompute)})},
       "t.0.et: node 1 's': expected a receive on GPU 1 with tag 0 for this send, but it has only "
       "0"},
      {{trace({node(1, "s", test::kSend).attribute("comm_dst", test::kInt32, 4)})},
       "t.0.et: node 1 's': expected a message between this GPU and another one of 0 to 0, got "
       "one from 0 to 4"},
  };
  for (const Wrong& wrong : all) EXPECT_THAT(refusal(wrong.traces), HasSubstr(wrong.error));
  EXPECT_EQ(refusal({good, good}), "");
}

TEST(Trace, MissingDependenciesAreCountedWhereTheyMayBe) {
  const std::string recorded = trace({node(1, "a", test::kCompute, {5}).number(4, 6)});
  EXPECT_EQ(workloadOf({recorded}, true).gpu(0).missing, 2U);
}

TEST(Trace, GpusThatWouldWaitForOneAnotherForEverAreRefused) {
  // Each waits for the other's message before it sends its own.
  const auto gpu = [](std::uint64_t other) {
    return trace({node(1, "take", test::kReceive).attribute("comm_src", test::kInt32, other),
                  node(2, "give", test::kSend, {1}).attribute("comm_dst", test::kInt32, other)});
  };
  EXPECT_THAT(refusal({gpu(1), gpu(0)}),
              HasSubstr("expected GPUs that do not wait for one another for ever"));
  // Two collectives in the order of the files, but the second first on GPU 1.
  const Bytes first = collective(1, "a", 0, 64), second = collective(2, "b", 0, 64);
  EXPECT_EQ(refusal({trace({first, second}), trace({first, second})}), "");
  EXPECT_THAT(refusal({trace({first, collective(2, "b", 0, 64, {1})}),
                       trace({collective(1, "a", 0, 64, {2}), second})}),
              HasSubstr("for ever"));
}

TEST(Trace, GroupsOfANameAreThoseWhoUseIt) {
  const auto in = [](const std::string& group) {
    return trace({collective(1, "a", 0, 64).attribute("pg_name", group)});
  };
  const Meetings meetings(workloadOf({in("x"), in("y"), in("x"), in("y")}), {});
  ASSERT_EQ(meetings.collectives().size(), 2U);
  EXPECT_THAT(meetings.collectives()[0].members, ElementsAre(NodePlace{0, 0}, NodePlace{2, 0}));
  EXPECT_EQ(refusal({in("1"), in("1")}, {{"1", {0, 2}}}),
            "--workload-groups: 1: expected GPUs from 0 to 1, got 2");
  EXPECT_THAT(refusal({in("1"), in("1")}, {{"1", {0}}}),
              HasSubstr("t.1.et: node 1 'a': expected group '1' to be of GPUs"));
}

TEST(Trace, GroupsMayBeRecordedInItsMetadata) {
  const auto gpu = [](int partner) {
    const std::string groups = R"(['[{"pg_name": "7", "ranks": [)" + std::to_string(partner % 2) +
                               ", " + std::to_string(partner % 2 + 2) + R"(]}]'])";
    return trace({node(1, "groups", 1).text(8, Bytes().text(1, groups).str()),
                  collective(2, "a", 0, 64).attribute("pg_name", "7")});
  };
  // The same name is another group on other GPUs.
  const Meetings meetings(workloadOf({gpu(0), gpu(1), gpu(0), gpu(1)}), {});
  ASSERT_EQ(meetings.collectives().size(), 2U);
  EXPECT_THAT(meetings.collectives()[1].members, ElementsAre(NodePlace{1, 1}, NodePlace{3, 1}));
}

TEST(Trace, FilesOfAllGpusAreFoundByOneOfThem) {
  const test::TemporaryDirectory directory;
  const std::string one = trace({node(1, "a", test::kCompute)});
  // Neither folders nor other names are files of a trace.
  for (const char* name : {"t.0.et", "t.1.et", "t.2.et", "alone.et", "st.7.et", "t.7.et.old"}) {
    directory.write(name, one);
  }
  EXPECT_EQ(Workload(directory.path("t.1.et"), 8, TraceConfig{}).gpus(), 3U);
  EXPECT_EQ(Workload(directory.path("alone.et"), 8, TraceConfig{}).gpus(), 8U)
      << "the same for each";
  EXPECT_THROW(Workload(directory.path("none.0.et"), 8, TraceConfig{}), ConfigError);
  EXPECT_THROW(Workload(directory.path("none.et"), 8, TraceConfig{}), ConfigError);
}

TEST(Trace, AMissingFileIsNoSmallerMachine) {
  const auto refusalOf = [](const std::vector<std::string>& names, const std::string& named) {
    const test::TemporaryDirectory directory;
    for (const std::string& name : names) {
      directory.write(name, trace({node(1, "a", test::kCompute)}));
    }
    std::string text = test::refusalOf([&] { Workload::filesOf(directory.path(named)); });
    for (auto at = text.find(directory.path("")); at != std::string::npos;
         at = text.find(directory.path(""))) {
      text.erase(at, directory.path("").size());
    }
    return text;
  };
  EXPECT_EQ(refusalOf({"t.0.et", "t.1.et", "t.2.et"}, "t.2.et"), "");
  EXPECT_EQ(refusalOf({"t.0.et", "t.2.et"}, "t.0.et"),
            "t.0.et: expected the file of every GPU from 0 on, but there is no t.1.et; the last "
            "one is t.2.et");
  EXPECT_EQ(refusalOf({"t.1.et", "t.2.et"}, "t.1.et"),
            "t.1.et: expected the file of every GPU from 0 on, but there is no t.0.et; the last "
            "one is t.2.et");
  EXPECT_EQ(refusalOf({"t.0.et", "t.9.et", "t.10.et"}, "t.9.et"),
            "t.9.et: expected the file of every GPU from 0 on, but there is no t.1.et; the last "
            "one is t.10.et");
  EXPECT_EQ(refusalOf({"t.0.et", "t.123456789012345678901234567890.et"}, "t.0.et"),
            "t.0.et: expected the file of every GPU from 0 on, but there is no t.1.et; the last "
            "one is t.123456789012345678901234567890.et");
  EXPECT_EQ(refusalOf({"t.0.et", "t.1.et"}, "t.2.et"),
            "t.2.et: expected the file of every GPU from 0 on, but there is no t.2.et");
}

TEST(ShippedIterations, AreTheTracesOfTheFolder) {
  ASSERT_FALSE(shippedIterations().empty());
  for (const ShippedIteration& iteration : shippedIterations()) {
    const std::string prefix = std::string(T3_WORKLOADS "/") + iteration.name + ".";
    for (std::uint32_t gpu = 0; gpu < iteration.gpus; ++gpu) {
      EXPECT_EQ(test::readFile(prefix + std::to_string(gpu) + ".et"), iteration.bytes);
    }
    EXPECT_FALSE(std::filesystem::exists(prefix + std::to_string(iteration.gpus) + ".et"));
    EXPECT_EQ(Workload(iteration.name, 2, TraceConfig{}).gpus(), iteration.gpus);
    const Preset* preset = findPreset(iteration.preset);
    ASSERT_NE(preset, nullptr) << iteration.name;
    EXPECT_EQ(preset->config.gpus, iteration.gpus);
    EXPECT_EQ(findIteration(iteration.name), &iteration);
  }
  EXPECT_EQ(findIteration("tiny-tp4"), nullptr);
}

TEST(WaitingCircle, IsFoundWhereThereIsOneAndOnlyThere) {
  using Waits = std::vector<std::vector<std::uint32_t>>;
  EXPECT_THAT(waitingCircle(Waits{{}, {0}, {0, 1}}), ElementsAre());
  EXPECT_THAT(waitingCircle(Waits{{0}}), ElementsAre(0, 0));
  EXPECT_THAT(waitingCircle(Waits{{}, {0, 2}, {3}, {2}}), ElementsAre(2, 3, 2));
}

}  // namespace
}  // namespace t3::workload_test
