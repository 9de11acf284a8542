// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/follow/tile_record.h"

namespace t3 {

/// The life of the recorded tile as a text for people: from its store in the GPU that computed it,
/// by way of every GPU that adds to it, to the last addition in the one that keeps it. Each line
/// has its time, how long after the line before it that is, and what was waited for meanwhile.
/// Where the way leads through many requests, it is told of the last of them to arrive. A life that
/// did not end says where it stands.
std::string tileStory(const TileRecord& record);

}  // namespace t3
