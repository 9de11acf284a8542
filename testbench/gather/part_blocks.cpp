// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/part_blocks.h"

#include <stdexcept>
#include <string>

namespace t3 {
namespace {

// What process 0 asks of the others whenever they meet.
enum class Ask : std::uint8_t { Nothing, Block, End };

/// An error, or an empty text and a block.
Parcel nextOf(PartFile& own) {
  Parcel answer;
  try {
    const std::vector<unsigned char> block = own.next();
    answer.put(std::string());
    answer.put(block);
  } catch (const std::runtime_error& failure) {
    answer.put(std::string(failure.what()));
  }
  return answer;
}

}  // namespace

PartBlocks::~PartBlocks() {
  std::vector<Parcel> parcels(peers_.count()), arrived;
  for (std::uint32_t p = 1; p < peers_.count(); ++p) parcels[p].put(Ask::End);
  peers_.meet({}, parcels, arrived);
}

std::vector<unsigned char> PartBlocks::next(std::uint32_t process) {
  if (process == 0) return own_.next();
  std::vector<Parcel> parcels(peers_.count()), arrived;
  for (std::uint32_t p = 1; p < peers_.count(); ++p) {
    parcels[p].put(p == process ? Ask::Block : Ask::Nothing);
  }
  peers_.meet({}, parcels, arrived);
  for (Parcel& parcel : parcels) parcel.clear();
  peers_.meet({}, parcels, arrived);
  if (auto error = arrived[process].take<std::string>(); !error.empty()) {
    throw std::runtime_error(error);
  }
  return arrived[process].take<std::vector<unsigned char>>();
}

void serveBlocks(Peers& peers, PartFile& own) {
  while (true) {
    std::vector<Parcel> parcels(peers.count()), arrived;
    peers.meet({}, parcels, arrived);
    const auto asked = arrived[0].take<Ask>();
    if (asked == Ask::End) return;
    if (asked == Ask::Block) parcels[0] = nextOf(own);
    peers.meet({}, parcels, arrived);
  }
}

}  // namespace t3
