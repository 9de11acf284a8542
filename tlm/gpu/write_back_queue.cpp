// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/write_back_queue.h"

#include <utility>

namespace t3 {

void WriteBackQueue::add(const L2Model::Part& part, std::uint32_t waiter) {
  const GemmBlocks::Place at = blocks_.place(part.block);
  parts_.emplace(at.address + part.firstRow * at.pitch + part.offset, Waiting{part, waiter});
}

WriteBackQueue::Row WriteBackQueue::next() {
  auto first = parts_.upper_bound(lastAddress_);
  if (first == parts_.end()) first = parts_.begin();
  lastAddress_ = first->first;
  auto node = parts_.extract(first);
  L2Model::Part& part = node.mapped().rows;
  const Row row{lastAddress_, part.bytes, blocks_.tileOf(part.block), node.mapped().waiter};
  ++part.firstRow;
  if (--part.rows != 0) {  // the part goes back in, under the address of its next row
    node.key() += blocks_.outputPitch();
    parts_.insert(std::move(node));
  }
  return row;
}

}  // namespace t3
