// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/conclusions.h"

#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/all_gather.h"
#include "testbench/reproduce/pairs.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

constexpr const char* kTimes = " times as fast as sequential";

Sentence beyondAllGather(const AllGatherSummary& ag) {
  std::string after =
      std::string(kTimes) + " in the mean, t3-mca " + fixed(ag.t3_mca, 3) + " times";
  if (!ag.gap_closed) {
    after +=
        "; the bounds with the all-gather at the end and with it hidden are too close together "
        "for a share of their gap.";
  } else if (*ag.gap_closed <= 0) {
    after += "; the bound with the all-gather at the end is as fast.";
  } else {
    after +=
        "; of the gap between the bounds with the all-gather at the end and with it hidden it "
        "closes " +
        fixed(100 * *ag.gap_closed, 0) + " %.";
  }
  return {"With the all-gather hidden as well, t3-ag is ", fixed(ag.t3_ag, 3), after};
}

Sentence beyondPairs(const PairsSummary& pairs) {
  return {"Where a second GEMM follows, t3-ag is ", fixed(pairs.t3_ag, 3),
          std::string(kTimes) + " in the mean of " + std::to_string(pairs.pairs) +
              " pairs, t3-mca " + fixed(pairs.t3_mca, 3) + " times, and software alone (" +
              spelling(kSplitGather) + ") " + fixed(pairs.ag_split, 3) + " times."};
}

}  // namespace

Sentence sentenceOf(const Headline& headline) {
  const bool bytes = headline.part == "data-movement";
  Sentence sentence;
  sentence.before = spelling(headline.mode) + (bytes ? " moves " : " is ") +
                    (headline.isMean ? ""
                     : bytes         ? "at least "
                                     : "at most ");
  sentence.number = bytes ? fixed(100 * *headline.ours, 1) : fixed(*headline.ours, 3);
  sentence.after = bytes ? " % of the DRAM bytes of sequential" : kTimes;
  if (headline.largeModels) sentence.after += " on PALM and MT-NLG";
  if (headline.isMean) sentence.after += " in the mean";
  sentence.after += "; the paper says " +
                    (bytes ? fixed(100 * headline.paper, 0) + " %" : fixed(headline.paper, 2)) +
                    ": " + signedFixed(*headline.difference(), 1) + " points";
  if (const auto usual = headline.onDefaultMachine) {
    sentence.after += "; on the default machine it is " +
                      (bytes ? fixed(100 * *usual, 1) + " %" : fixed(*usual, 3));
  }
  sentence.after += ".";
  return sentence;
}

Conclusions conclusionsOf(const std::vector<PointResult>& points) {
  Conclusions conclusions;
  for (const Headline& headline : headlines(points)) {
    if (headline.ours) conclusions.paper.push_back(sentenceOf(headline));
  }
  if (const auto ag = allGatherSummary(points)) conclusions.beyond.push_back(beyondAllGather(*ag));
  if (const auto pairs = pairsSummary(points)) conclusions.beyond.push_back(beyondPairs(*pairs));
  return conclusions;
}

}  // namespace t3
