// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/rtl/unit_model.h"

namespace t3::rtl_test {

// The parameters of the sizes in tests/rtl/CMakeLists.txt, for the bench around them.

constexpr UnitSize tinySize(std::uint32_t protection) {
  return {.lanes = 4,
          .banks = 4,
          .wgWidth = 8,
          .wfWidth = 2,
          .slots = 64,
          .rows = 32,
          .laneDepth = 2,
          .queueDepth = 16,
          .protection = protection};
}
inline constexpr UnitSize kTinySize = tinySize(0);

inline constexpr UnitSize kRowlessSize = [] {
  UnitSize size = kTinySize;
  size.rows = 0;
  return size;
}();

inline constexpr UnitSize kNarrowSize{.lanes = 1,
                                      .banks = 16,
                                      .wgWidth = 12,
                                      .addrWidth = 40,
                                      .weightWidth = 14,
                                      .countWidth = 27,
                                      .windows = 3,
                                      .regions = 3,
                                      .slots = 256,
                                      .rows = 64,
                                      .laneDepth = 3,
                                      .queueDepth = 32};

inline constexpr UnitSize kWideSize{.lanes = 16,
                                    .banks = 2,
                                    .wgWidth = 14,
                                    .addrWidth = 44,
                                    .weightWidth = 11,
                                    .countWidth = 17,
                                    .windows = 8,
                                    .regions = 16,
                                    .slots = 512,
                                    .rows = 512,
                                    .laneDepth = 5,
                                    .queueDepth = 128};

inline constexpr UnitSize kSmallestSize{.lanes = 1,
                                        .banks = 2,
                                        .wgWidth = 8,
                                        .wfWidth = 1,
                                        .addrWidth = 32,
                                        .countWidth = 17,
                                        .windows = 1,
                                        .regions = 1,
                                        .slots = 16,
                                        .rows = 16,
                                        .laneDepth = 2,
                                        .queueDepth = 16};

inline constexpr UnitSize kLargestSize{.lanes = 16,
                                       .banks = 16,
                                       .weightWidth = 14,
                                       .countWidth = 27,
                                       .windows = 8,
                                       .regions = 16,
                                       .slots = 8192,
                                       .rows = 4096,
                                       .laneDepth = 64,
                                       .queueDepth = 1024};

}  // namespace t3::rtl_test
