// SPDX-License-Identifier: Apache-2.0
// Method: a small all-reduce, and files with one thing wrong: each is refused with the line that
// says what. Then the files of data/collectives/ with random faults: each mutant is refused with
// one line or, where the check finds nothing, an interpreter of this file runs it on numbers, its
// thread blocks in random order, and the result is what the collective is defined to be.
#include "testbench/collective/collective_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/collective/named_algorithms.h"
#include "testbench/config/config_error.h"
#include "testbench/config/text_file.h"
#include "tests/support/seed.h"
#include "tests/testbench/refused.h"
#include "tlm/collectives/promise.h"

namespace t3::msccl_file_test {
namespace {

// Two GPUs exchange halves, add, and exchange sums.
const std::string kGood =
    R"(<algo name="a" proto="Simple" nchannels="2" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="1">
    <tb id="0" send="1" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="1">
      <step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="-1" chan="1">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="0" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

/// What is said of a text; "" if it is accepted.
std::string refusal(const std::string& text) {
  return test::refusalOf([&] { const CollectiveFile file(text, "f.xml"); });
}

/// `kGood` with the n-th (from 0) occurrence of a text replaced.
std::string with(const std::string& from, const std::string& to, int occurrence = 0) {
  std::size_t position = kGood.find(from);
  for (; occurrence > 0 && position != std::string::npos; --occurrence) {
    position = kGood.find(from, position + 1);
  }
  if (position == std::string::npos) {
    ADD_FAILURE() << "no " << from;
    return kGood;
  }
  std::string text = kGood;
  return text.replace(position, from.size(), to);
}

TEST(MscclFile, IsReadWithAllThatItSays) {
  const CollectiveFile file(kGood, "f.xml");
  const Algorithm& algorithm = file.algorithm();
  EXPECT_EQ(algorithm.name, "a");
  EXPECT_EQ(algorithm.promise, &kAllReducePromise);
  EXPECT_TRUE(algorithm.inPlace);
  EXPECT_EQ(algorithm.steps(), 8U);
  EXPECT_EQ(algorithm.threadBlocks(), 4U);
  const AlgorithmThreadBlock& block = algorithm.gpus[1].threadBlocks[0];
  EXPECT_EQ(block.sendsTo, 0U);
  EXPECT_EQ(block.receivesFrom, std::nullopt);
  EXPECT_EQ(block.channel, 1U);
  const AlgorithmStep& step = block.steps[1];
  EXPECT_EQ(step.kind, &kSend);
  EXPECT_EQ(step.source, 1U);
  ASSERT_TRUE(step.dependency);
  EXPECT_EQ(step.dependency->threadBlock, 1U);
  EXPECT_EQ(step.dependency->step, 0U);
  EXPECT_EQ(step.line, 15U);
}

TEST(MscclFile, FactsFollowFromTheOrderOfSteps) {
  const CollectiveFile file(kGood, "f.xml");
  const AlgorithmMeaning& meaning = file.meaning();
  EXPECT_TRUE(meaning.sourceMayBecomeSum({1, 0})) << "rrc: nobody uses the chunk before";
  EXPECT_TRUE(meaning.targetIsFree({1, 1})) << "r: the chunk has left before its sum is made";
  EXPECT_EQ(meaning.receiverOf({0, 1}), (StepId{3, 1}));
  EXPECT_EQ(meaning.longestSum(), 2U);
}

struct Wrong {
  std::string text, error;
};

TEST(MscclFile, WhatIsWrongIsOneLineWithItsPlace) {
  const std::string step0 = "GPU 0, thread block 0, step 0: ";
  const std::vector<Wrong> all = {
      {"", "f.xml: line 1: expected XML, got nothing"},
      {"<algo",
       "f.xml: line 1: expected XML, got '<' without the name of an element, or an element that "
       "does "
       "not end"},
      {"<a/>", "f.xml: line 1: expected an element <algo>, got <a>"},
      {kGood + kGood, "f.xml: line 23: expected one element <algo> and nothing else"},
      {with("proto=\"Simple\"", "proto=\"simple\""),
       "f.xml: line 1: proto: expected Simple, LL or LL128, got 'simple'"},
      {with("coll=\"allreduce\"", "coll=\"allReduce\""),
       "f.xml: line 1: coll: expected allreduce, reduce_scatter, allgather, alltoall, broadcast, "
       "reduce or custom, got 'allReduce'"},
      {with("ngpus=\"2\"", "ngpus=\"3\""), "f.xml: line 1: expected 3 elements <gpu>, got 2"},
      {with("<gpu id=\"1\"", "<gpu id=\"0\""),
       "f.xml: line 12: id: expected each number from 0 to 1 once, got 0"},
      {with("nchannels=", "nchanels="),
       "f.xml: line 1: <algo> has no attribute 'nchanels'; the nearest is 'nchannels'"},
      {with("nchannels=", "redop=\"max\" nchannels="),
       "f.xml: line 1: redop: expected sum or nop, got 'max'"},
      {with("nchannels=", "redop=\"nop\" nchannels="),
       "f.xml: line 8: GPU 0, thread block 1, step 0: type: expected no step that adds with "
       "redop=\"nop\", got rrc"},
      {with("nchannels=", "maxBytes=\"9223372036854775808\" nchannels="),
       "f.xml: line 1: maxBytes: expected a whole number from 0 to 9223372036854775807, got "
       "'9223372036854775808'"},
      {with("    <tb", "<copy i_off=\"1\" o_off=\"1\"/><tb"),
       "f.xml: line 3: GPU 0: copy: expected only in an all-gather in place, where input chunk i "
       "is "
       "output chunk GPU x i_chunks + i, got i_off=1 and o_off=1"},
      {with(" hasdep=\"0\"", ""),
       "f.xml: line 4: " + step0 + "expected an attribute 'hasdep' in <step>"},
      {with("cnt=\"1\"", "cnt=\"1\" cnt=\"1\""),
       "f.xml: line 4: expected XML, got an element with an attribute that is not NAME=\"VALUE\", "
       "or that "
       "does not end"},
      {with("cnt=\"1\"", "cnt=\"one\""),
       "f.xml: line 4: " + step0 + "cnt: expected a whole number from 0 to 2147483647, got 'one'"},
      {with("cnt=\"1\"", "cnt=\"0\""),
       "f.xml: line 4: " + step0 + "cnt: expected at least 1, got 0"},
      {with("<step s=\"1\"", "<step s=\"2\""),
       "f.xml: line 5: GPU 0, thread block 0: s: expected 1, got 2"},
      {with("type=\"s\"", "type=\"send\""),
       "f.xml: line 4: " + step0 +
           "type: expected s, r, rcs, rrs, rrc, rrcs, cpy, re, ls, sa or nop, got 'send'"},
      {with("type=\"s\"", "type=\"r\""),
       "f.xml: line 4: " + step0 + "a step \"r\" receives, but its thread block has recv=\"-1\""},
      {with("srcbuf=\"i\"", "srcbuf=\"x\""),
       "f.xml: line 4: " + step0 + "srcbuf: expected i, o or s, got 'x'"},
      {with("srcoff=\"1\"", "srcoff=\"2\""),
       "f.xml: line 4: " + step0 +
           "srcoff: expected chunks of the input buffer, which has 2, got chunks 2 to 2"},
      {with("depid=\"-1\"", "depid=\"1\""),
       "f.xml: line 4: " + step0 +
           "expected depid and deps both -1 or neither, got depid='1' and deps='-1'"},
      {with("depid=\"1\" deps=\"0\"", "depid=\"4\" deps=\"0\""),
       "f.xml: line 5: GPU 0, thread block 0, step 1: depid: expected one of the 2 thread blocks "
       "of "
       "this GPU, got 4"},
      {with("depid=\"1\" deps=\"0\"", "depid=\"1\" deps=\"1\""),
       "f.xml: line 5: GPU 0, thread block 0, step 1: deps: expected a step with hasdep=\"1\", got "
       "step 1 of thread block 1, which has not"},
      {with("send=\"1\"", "send=\"0\""),
       "f.xml: line 3: GPU 0, thread block 0: send: expected -1 or another one of GPUs 0 to 1, got "
       "0"},
      {with("chan=\"1\"", "chan=\"2\""),
       "f.xml: line 7: GPU 0, thread block 1: chan: expected a channel below nchannels=\"2\", got "
       "2"},
      {with("chan=\"1\"", "chan=\"0\""),
       "f.xml: line 8: GPU 0, thread block 1, step 0: receives what no thread block of the other "
       "GPU sends on this channel"},
      {with("i_chunks=\"2\"", "i_chunks=\"3\""),
       "f.xml: line 2: GPU 0: i_chunks: expected 2 (or 0 if unused) for nchunksperloop=\"2\", got "
       "3"},
      {with("type=\"rrc\"", "type=\"r\""),
       "f.xml: line 2: GPU 0: output chunk 0 ends as chunk 0 of GPU 1; expected chunk 0 of GPUs "
       "0-1 "
       "for coll=\"allreduce\""},
      {with("depid=\"1\" deps=\"0\"", "depid=\"-1\" deps=\"-1\""),
       "f.xml: line 19: GPU 1, thread block 1, step 1: writes input chunk 0, which GPU 1, thread "
       "block 0, step 0 uses too; expected a dependency that orders the two"},
      {with("srcbuf=\"i\" srcoff=\"1\"", "srcbuf=\"s\" srcoff=\"0\""),
       "f.xml: line 4: " + step0 + "reads scratch chunk 0, which nothing has written"},
  };
  for (const Wrong& wrong : all) EXPECT_EQ(refusal(wrong.text), wrong.error);
}

TEST(MscclFile, TakesWhatOtherSynthesizersWrite) {
  EXPECT_EQ(
      refusal(with("nchannels=", "redop=\"sum\" maxBytes=\"9223372036854775807\" nchannels=")), "");
  // Each GPU sends its chunk to the other; it lies in the output already.
  const std::string gather =
      R"(<algo name="g" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1" redop="nop">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
    <copy i_off="0" o_off="0"/>
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <copy i_off="0" o_off="1"/>
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";
  EXPECT_EQ(refusal(gather), "");
  std::string elsewhere = gather;
  elsewhere.replace(elsewhere.find("o_off=\"1\""), 9, "o_off=\"0\"");
  EXPECT_EQ(refusal(elsewhere),
            "f.xml: line 10: GPU 1: copy: expected only in an all-gather in place, where input "
            "chunk i is output chunk GPU x i_chunks + i, got i_off=0 and o_off=0");
}

TEST(MscclFile, HugeNumbersTakeNoMemory) {
  // The count of a step that has no chunks means nothing.
  std::string nop = kGood;
  const std::string end = "    </tb>";
  nop.insert(
      nop.find(end),
      "      <step s=\"2\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" "
      "cnt=\"2147483647\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n");
  EXPECT_EQ(refusal(nop), "");
  EXPECT_EQ(refusal(with("s_chunks=\"1\"", "s_chunks=\"2147483647\"")),
            "f.xml: line 2: GPU 0: s_chunks: expected at most 1048576, got 2147483647");
  std::string many =
      "<algo name=\"a\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"1048576\" "
      "ngpus=\"8\" coll=\"custom\" inplace=\"1\">\n";
  for (int g = 0; g < 8; ++g) {
    many +=
        "<gpu id=\"" + std::to_string(g) + "\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"0\"/>\n";
  }
  EXPECT_EQ(
      refusal(many + "</algo>"),
      "f.xml: line 1: expected at most 4194304 chunks in the buffers of all GPUs, got 8388608");
}

TEST(MscclFile, WhatARuntimeDoesNotReadIsNoted) {
  const CollectiveFile plain(kGood, "f.xml");
  EXPECT_TRUE(plain.notes().unread.empty());
  const CollectiveFile file(with("<algo ",
                                 "<algo maxcount=\"1\" nthreadblocks=\"4\" nthreads=\"256\" "
                                 "minBytes=\"1024\" maxBytes=\"4096\" "),
                            "f.xml");
  EXPECT_EQ(file.notes().unread,
            (std::vector<std::string>{"nthreads", "maxcount", "nthreadblocks"}));
  EXPECT_EQ(file.notes().minBytes, 1024U);
  EXPECT_EQ(file.notes().maxBytes, 4096U);
  EXPECT_EQ(refusal(with("<algo ", "<algo maxcount=\"many\" ")),
            "f.xml: line 1: maxcount: expected a whole number from 0 to 2147483647, got 'many'");
  EXPECT_EQ(refusal(with("<algo ", "<algo outofplace=\"0\" ")), "");
  std::string never = with("<algo ", "<algo outofplace=\"0\" ");
  never.replace(never.find("inplace=\"1\""), 11, "inplace=\"0\"");
  EXPECT_NE(refusal(never).find("expected inplace or outofplace to be 1"), std::string::npos);
}

TEST(MscclFile, ThreadBlocksThatWaitForOneAnotherAreNamed) {
  // Both GPUs wait for a sum before they send what the other one adds.
  std::string text = with(
      "<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" "
      "cnt=\"1\" depid=\"-1\" deps=\"-1\"",
      "<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" "
      "cnt=\"1\" depid=\"1\" deps=\"0\"");
  const std::string second =
      "<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" "
      "depid=\"-1\" deps=\"-1\"";
  std::string waits = second;
  waits.replace(waits.find("depid=\"-1\" deps=\"-1\""), 20, "depid=\"1\" deps=\"0\"");
  text.replace(text.find(second), second.size(), waits);
  EXPECT_EQ(refusal(text),
            "f.xml: line 4: GPU 0, thread block 0, step 0: waits for ever: for GPU 0, thread block "
            "1, step 0, which waits for GPU 1, thread block 0, step 0, which waits for GPU 1, "
            "thread block 1, step 0, which waits for this step");
}

TEST(MscclFile, AMessageMoreThanTheOtherEndTakesIsFound) {
  const std::string line =
      "      <step s=\"1\" type=\"r\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" "
      "cnt=\"1\" "
      "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
  EXPECT_EQ(
      refusal(with(line, "")),
      "f.xml: line 14: GPU 1, thread block 0, step 1: sends a message more than the other GPU "
      "receives on this channel");
}

// Each GPU loads the sum of its chunk and stores it in all.
const std::string kOfAll =
    R"(<algo name="n" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="-1" recv="-1" chan="0">
      <step s="0" type="ls" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="sa" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="-1" recv="-1" chan="0">
      <step s="0" type="ls" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="sa" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

/// The same with `to` in place of `from`, and one more step of GPU 0.
std::string ofAllWith(const std::string& from, const std::string& to,
                      const std::string& third = "") {
  std::string text = kOfAll;
  text.replace(text.find(from), from.size(), to);
  return text.insert(text.find("    </tb>"), third);
}

TEST(MscclFile, StepsOfAllGpusAreOfWhatNobodyChanges) {
  const std::string places = R"(srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1")",
                    rest = R"( depid="-1" deps="-1" hasdep="0"/>)"
                           "\n";
  const std::string second = "GPU 0, thread block 0, step 1",
                    third = "GPU 0, thread block 0, step 2";
  const std::vector<Wrong> all = {
      {kOfAll, ""},
      {ofAllWith("inplace=", "redop=\"nop\" inplace="),
       "f.xml: line 4: GPU 0, thread block 0, step 0: type: expected no step that adds with "
       "redop=\"nop\", got ls"},
      {ofAllWith("send=\"-1\"", "send=\"1\"", R"(<step s="2" type="s" )" + places + rest),
       "f.xml: line 6: " + third +
           ": type: expected no message from GPU to GPU beside steps of all GPUs (ls, sa), got s"},
      {ofAllWith("n", "n", R"(<step s="2" type="ls" )" + places + rest),
       "f.xml: line 6: " + third + ": loads input chunk 0 of GPU 0, which " + second +
           " has written; expected what is there at the begin"},
      {ofAllWith("n", "n", R"(<step s="2" type="sa" )" + places + rest),
       "f.xml: line 6: " + third + ": writes input chunk 0, which " + second +
           " stores in all GPUs; expected one that stays as it is"},
      {ofAllWith("dstoff=\"0\"", "dstoff=\"1\""),
       "f.xml: line 10: GPU 1, thread block 0, step 0: reads input chunk 1, which GPU 0, thread "
       "block 0, step 0 uses too; expected a dependency that orders the two"},
  };
  for (const Wrong& wrong : all) EXPECT_EQ(refusal(wrong.text), wrong.error);
}

/// Runs an algorithm on numbers, a chunk being one number, its thread blocks in random order.
class Interpreter {
 public:
  Interpreter(const Algorithm& algorithm, std::mt19937& random)
      : algorithm_(algorithm), random_(random), gpus_(algorithm.gpuCount()) {
    for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
      const std::uint32_t share = algorithm.chunks / algorithm.gpuCount();
      const bool gathers = algorithm.promise == &kAllGatherPromise;
      for (std::uint32_t c = 0; c < (gathers ? share : algorithm.chunks); ++c) {
        place(g, AlgorithmBuffer::Input, c) = input(g, c);
      }
    }
  }

  /// Where a chunk is, one name for each place in memory.
  double& place(std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk) {
    const std::uint32_t share = algorithm_.chunks / algorithm_.gpuCount();
    if (algorithm_.inPlace && buffer == AlgorithmBuffer::Input &&
        algorithm_.promise == &kAllGatherPromise) {
      return gpus_[gpu][{AlgorithmBuffer::Output, gpu * share + chunk}];
    }
    if (algorithm_.inPlace && buffer == AlgorithmBuffer::Output &&
        algorithm_.promise != &kAllGatherPromise) {
      const std::uint32_t first = algorithm_.promise == &kReduceScatterPromise ? gpu * share : 0;
      return gpus_[gpu][{AlgorithmBuffer::Input, first + chunk}];
    }
    return gpus_[gpu][{buffer, chunk}];
  }
  static double input(std::uint32_t gpu, std::uint32_t chunk) { return 1 + gpu * 1e4 + chunk; }

  bool run() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> next;
    for (;;) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> able;
      bool left = false;
      for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
        for (std::uint32_t b = 0; b < algorithm_.gpus[g].threadBlocks.size(); ++b) {
          const auto& block = algorithm_.gpus[g].threadBlocks[b];
          const std::uint32_t s = next[{g, b}];
          if (s == block.steps.size()) continue;
          left = true;
          const AlgorithmStep& step = block.steps[s];
          if (step.dependency && next[{g, step.dependency->threadBlock}] <= step.dependency->step) {
            continue;
          }
          if (step.kind->receives && queues_[{*block.receivesFrom, g, block.channel}].empty()) {
            continue;
          }
          able.emplace_back(g, b);
        }
      }
      if (!left) return true;
      if (able.empty()) return false;
      const auto [g, b] = able[random_() % able.size()];
      execute(g, algorithm_.gpus[g].threadBlocks[b], next[{g, b}]++);
    }
  }

 private:
  void execute(std::uint32_t g, const AlgorithmThreadBlock& block, std::uint32_t s) {
    const AlgorithmStep& step = block.steps[s];
    const std::string kind = step.kind->name;
    std::vector<double> message(step.count);
    if (step.kind->receives) {
      auto& queue = queues_[{*block.receivesFrom, g, block.channel}];
      message = queue.front();
      queue.pop_front();
    }
    for (std::uint32_t c = 0; c < step.count && kind != "nop"; ++c) {
      if (kind == "ls" || kind == "sa") {
        ofAllGpus(g, step, c);
        continue;
      }
      double& value = message[c];
      const auto source = [&]() -> double& { return place(g, step.sourceBuffer, step.source + c); };
      const auto target = [&]() -> double& { return place(g, step.targetBuffer, step.target + c); };
      if (kind == "s" || kind == "cpy") value = source();
      if (kind == "rrs" || kind == "rrc" || kind == "rrcs") value += source();
      if (kind == "re") value = target() + source();
      if (kind != "s" && kind != "rrs") target() = value;
    }
    if (step.kind->sends) queues_[{g, *block.sendsTo, block.channel}].push_back(message);
  }
  /// ls: a sum of what all have becomes the target; sa: the source becomes the target in all.
  void ofAllGpus(std::uint32_t g, const AlgorithmStep& step, std::uint32_t c) {
    const bool loads = std::string(step.kind->name) == "ls";
    double value = loads ? 0 : place(g, step.sourceBuffer, step.source + c);
    for (std::uint32_t other = 0; other < gpus_.size(); ++other) {
      if (loads) value += place(other, step.sourceBuffer, step.source + c);
    }
    for (std::uint32_t other = 0; other < gpus_.size(); ++other) {
      if (loads && other != g) continue;
      place(other, step.targetBuffer, step.target + c) = value;
    }
  }

  const Algorithm& algorithm_;
  std::mt19937& random_;
  std::vector<std::map<std::pair<AlgorithmBuffer, std::uint32_t>, double>> gpus_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::deque<std::vector<double>>>
      queues_;
};

/// What output chunk `chunk` of GPU `gpu` is by definition.
double promised(const CollectiveFile& file, std::uint32_t gpu, std::uint32_t chunk) {
  const Algorithm& algorithm = file.algorithm();
  const std::uint32_t gpus = algorithm.gpuCount();
  const std::uint32_t share = algorithm.chunks / gpus;
  const auto sum = [&](std::uint32_t c) {
    double all = 0;
    for (std::uint32_t g = 0; g < gpus; ++g) all += Interpreter::input(g, c);
    return all;
  };
  const std::string coll = algorithm.promise->name;
  if (coll == "allreduce" || coll == "reduce") return sum(chunk);
  if (coll == "reduce_scatter") return sum(gpu * share + chunk);
  if (coll == "allgather") return Interpreter::input(chunk / share, chunk % share);
  if (coll == "alltoall") {
    return Interpreter::input(chunk / share, gpu * share + chunk % share);
  }
  return Interpreter::input(file.meaning().root(), chunk);
}

void expectRight(const CollectiveFile& file, std::mt19937& random, const std::string& what) {
  Interpreter machine(file.algorithm(), random);
  ASSERT_TRUE(machine.run()) << what;
  const std::string coll = file.algorithm().promise->name;
  if (coll == "custom") return;
  const std::uint32_t size = file.meaning().buffers().outputSize();
  for (std::uint32_t g = 0; g < file.algorithm().gpuCount(); ++g) {
    if (coll == "reduce" && g != file.meaning().root()) continue;
    for (std::uint32_t c = 0; c < size; ++c) {
      ASSERT_EQ(machine.place(g, AlgorithmBuffer::Output, c), promised(file, g, c))
          << what << ": GPU " << g << ", chunk " << c;
    }
  }
}

std::vector<std::string> shipped(const std::string& ending) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(T3_COLLECTIVES)) {
    if (entry.path().string().ends_with(ending)) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(MscclFile, ShippedFilesAreRightInAnyOrder) {
  std::mt19937 random(static_cast<std::uint32_t>(test::seed(1)));
  const auto paths = shipped(".xml");
  EXPECT_EQ(paths.size(), 32U);
  for (const std::string& path : paths) {
    const CollectiveFile file(path);
    for (int repetition = 0; repetition < 3; ++repetition) expectRight(file, random, path);
  }
}

/// A text with a random fault: a number, a word, a line.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  const auto lineAt = [&](std::size_t position) {
    const std::size_t before = text.rfind('\n', position);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', position);
    return std::pair{first, (end == std::string::npos ? text.size() : end + 1) - first};
  };
  const std::size_t position = below(text.size());
  switch (below(6)) {
    case 0: {  // another number
      const std::size_t digit = text.find_first_of("0123456789", position);
      if (digit == std::string::npos) break;
      static const std::vector<std::string> kNumbers = {
          "0", "1", "2", "3", "-1", "-2", "9", "256", "4294967297", "2147483647"};
      text.replace(digit, 1, kNumbers[below(kNumbers.size())]);
      break;
    }
    case 1: {  // another kind of step
      const std::size_t type = text.find("type=\"", position);
      if (type == std::string::npos) break;
      static const std::vector<std::string> kKinds = {"s",   "r",  "rcs", "rrs", "rrc", "rrcs",
                                                      "cpy", "re", "ls",  "sa",  "nop", "x"};
      const std::size_t first = type + 6;
      text.replace(first, text.find('"', first) - first, kKinds[below(kKinds.size())]);
      break;
    }
    case 2: {  // another buffer
      const std::size_t buffer = text.find("buf=\"", position);
      if (buffer != std::string::npos) text[buffer + 5] = "iosx"[below(4)];
      break;
    }
    case 3: {
      const auto [first, size] = lineAt(position);
      text.erase(first, size);
      break;
    }
    case 4: {
      const auto [first, size] = lineAt(position);
      text.insert(first, text.substr(first, size));
      break;
    }
    default:
      text[position] = static_cast<char>(below(256));
      break;
  }
  return text;
}

TEST(MscclFile, ShippedFilesAreWhatTheProgramWrites) {
  std::size_t files = 0;
  for (const std::uint32_t gpus : {4U, 8U}) {
    for (const std::string& name : algorithmNames()) {
      const std::string file = name + "-" + std::to_string(gpus) + ".xml";
      EXPECT_EQ(mscclText(algorithmNamed(name, gpus)),
                readTextFile(std::string(T3_COLLECTIVES) + "/" + file))
          << file;
      ++files;
    }
  }
  EXPECT_EQ(shipped(".xml").size(), files);
}

TEST(MscclFile, AProtocolIsReadAsItIsWritten) {
  for (const char* name : {"ag_ring_simple_1_1", "ag_ring_ll_1_1", "ag_ring_LL128_1_1"}) {
    const Algorithm algorithm = algorithmNamed(name, 2);
    EXPECT_EQ(CollectiveFile(mscclText(algorithm), name).algorithm().protocol, algorithm.protocol);
  }
  EXPECT_EQ(algorithmNamed("ag_ring_LL128_1_1", 2).protocol, Protocol::Ll128);
}

TEST(MscclFile, EveryAlgorithmIsRightForOtherNumbersOfGpus) {
  for (const std::string& name : algorithmNames()) {
    for (const std::uint32_t gpus : {2U, 3U, 6U, 16U}) {
      SCOPED_TRACE(name + " of " + std::to_string(gpus));
      std::string text;
      try {
        text = mscclText(algorithmNamed(name, gpus));
      } catch (const ConfigError&) {
        EXPECT_TRUE(name.starts_with("halving") || name.starts_with("hier"));
        continue;
      }
      const CollectiveFile file(text, name);  // throws if the result is not what it promises
      EXPECT_EQ(file.algorithm().gpuCount(), gpus);
    }
  }
}

TEST(MscclFile, MutantsAreRefusedWithOneLineOrRight) {
  std::mt19937 random(static_cast<std::uint32_t>(test::seed(1)));
  const auto paths = shipped("-4.xml");
  std::vector<std::string> texts;
  for (const std::string& path : paths) texts.push_back(readTextFile(path));
  const char* count = std::getenv("T3_MUTANTS");
  const int mutants = count != nullptr ? std::stoi(count) : 4000;
  int refused = 0, accepted = 0;
  for (int m = 0; m < mutants; ++m) {
    std::string text = texts[random() % texts.size()];
    for (std::uint32_t faults = 1 + random() % 2; faults > 0; --faults) {
      text = mutated(std::move(text), random);
    }
    try {
      const CollectiveFile file(text, "mutant");
      ++accepted;
      expectRight(file, random, "mutant " + std::to_string(m) + ":\n" + text);
      if (HasFatalFailure()) return;
    } catch (const ConfigError& error) {
      ++refused;
      const std::string line = error.what();
      ASSERT_TRUE(line.starts_with("mutant: line ")) << line;
      ASSERT_EQ(line.find('\n'), std::string::npos) << line;
      ASSERT_LT(line.size(), 500U) << line;
    }
  }
  EXPECT_GT(refused, mutants / 3);
  EXPECT_GT(accepted, mutants / 20) << "some faults change nothing that matters";
  std::printf("%d mutants refused, %d right\n", refused, accepted);
}

TEST(MscclFile, AllPairsOf64GpusAreChecked) {
  const CollectiveFile file(mscclText(algorithmNamed("direct-all-reduce", 64)), "all pairs");
  EXPECT_EQ(file.algorithm().steps(), 64U * (4 * 63 + 62 + 63));
}

}  // namespace
}  // namespace t3::msccl_file_test
