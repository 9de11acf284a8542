// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/tile_values.h"

#include <cstddef>

#include "tlm/gpu/partial_product.h"

namespace t3 {

void TileValues::compute(WorkgroupId wg, std::vector<unsigned char>& values) const {
  const Rectangle tile = context_.tiling.tile(wg);
  partialProduct(context_.dataType, readRows(context_.layout.operandA, tile.row, tile.rows),
                 readRows(context_.layout.operandB, tile.column, tile.columns), tile.rows,
                 tile.columns, context_.depth, values);
}

void TileValues::write(WorkgroupId wg, std::vector<unsigned char>& values) const {
  const GemmBlocks::Place at = context_.blocks.place(context_.blocks.output(wg));
  for (std::uint32_t row = 0; row < at.rows; ++row) {
    access(tlm::TLM_WRITE_COMMAND, at.address + row * at.pitch,
           values.data() + std::size_t{row} * at.bytes, at.bytes);
  }
}

std::vector<unsigned char> TileValues::readRows(std::uint64_t operand, std::uint32_t first,
                                                std::uint32_t rows) const {
  const std::uint32_t rowBytes = context_.blocks.rowBytes();
  std::vector<unsigned char> values(std::size_t{rows} * rowBytes);
  for (std::uint32_t row = 0; row < rows; ++row) {
    access(tlm::TLM_READ_COMMAND,
           operand + (std::uint64_t{first} + row) * context_.layout.operandPitchBytes,
           values.data() + std::size_t{row} * rowBytes, rowBytes);
  }
  return values;
}

void TileValues::access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                        std::uint32_t bytes) const {
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (context_.memory.socket->transport_dbg(payload) != bytes) {
    SC_REPORT_ERROR("t3/gemm", "operand or output outside the memory");
  }
}

}  // namespace t3
