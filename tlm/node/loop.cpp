// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/loop.h"

#include <algorithm>
#include <utility>

namespace t3 {

SymmetricLoop::SymmetricLoop(const sc_core::sc_module_name& name,
                             const std::vector<OutputPlan>& outputs, const Route& route,
                             PayloadPool& pool)
    : Loop(name), pool_(pool), route_(route) {
  for (const OutputPlan& plan : outputs) {
    Output output{plan.tiling, plan.layout, {}};
    for (std::uint32_t c = 0; c < plan.tiling.chunks(); ++c) {
      output.segments.push_back(segmentsOf(plan.tiling, plan.tiling.chunk(ChunkId{c})));
    }
    outputs_.push_back(std::move(output));
  }
}

/// Outputs lie one behind the other.
const SymmetricLoop::Output& SymmetricLoop::outputAt(std::uint64_t address) const {
  return *std::ranges::upper_bound(outputs_, address, {},
                                   [](const Output& output) { return output.layout.end; });
}

bool SymmetricLoop::chunksAreAlike(const Tiling& tiling) {
  if (!tiling.chunksHaveEqualTiles()) return false;
  const std::uint32_t perChunk = tiling.tiles() / tiling.chunks();
  for (std::uint32_t wg = perChunk; wg < tiling.tiles(); ++wg) {
    const Rectangle tile = tiling.tile(WorkgroupId{wg});
    const Rectangle before = tiling.tile(WorkgroupId{wg - perChunk});
    if (tile.rows != before.rows || tile.columns != before.columns) return false;
  }
  return true;
}

bool SymmetricLoop::Output::isIn(std::uint64_t address, std::uint64_t buffer) const {
  return address >= buffer && address < buffer + tiling.outputBytes();
}

WorkgroupId SymmetricLoop::turned(const Output& output, WorkgroupId wg, GpuId destination) const {
  const ChunkId chunk = output.tiling.chunkOf(wg);
  const ChunkId there = route_.asOfGpu0(chunk, destination);
  return WorkgroupId{output.tiling.chunk(there).first + wg.value -
                     output.tiling.chunk(chunk).first};
}

void SymmetricLoop::turnUpdate(const Output& output, Payload& payload) const {
  TrafficExtension& extension = traffic(payload);
  const WorkgroupId there = turned(output, extension.workgroup, gpuOf(payload.get_address()));
  const std::uint64_t from = output.tiling.offset(output.tiling.tile(extension.workgroup), 0);
  const std::uint64_t to = output.tiling.offset(output.tiling.tile(there), 0);
  extension.workgroup = there;
  payload.set_address(payload.get_address() - from + to);
}

std::vector<Segment> SymmetricLoop::turnGathered(const Output& output,
                                                 const Payload& payload) const {
  return turned(output,
                {localAddress(payload.get_address()) - output.layout.gathered(),
                 std::uint64_t{payload.get_data_length()}},
                gpuOf(payload.get_address()));
}

std::vector<Segment> SymmetricLoop::turned(const Output& output, const Segment& part,
                                           GpuId destination) const {
  const std::uint64_t offset = part.offset;
  std::uint64_t bytes = part.bytes;
  const auto row = static_cast<std::uint32_t>(offset / output.tiling.pitchBytes());
  const auto column = static_cast<std::uint32_t>(offset % output.tiling.pitchBytes() /
                                                 output.tiling.elementBytes());
  const WorkgroupId wg{row / output.tiling.tileRows() * output.tiling.tilesAcross() +
                       column / output.tiling.tileColumns()};
  std::uint64_t position = 0;  // in the chunk
  for (const Segment& segment : output.segments[output.tiling.chunkOf(wg).value]) {
    if (offset < segment.offset + segment.bytes) {
      position += offset - segment.offset;
      break;
    }
    position += segment.bytes;
  }
  std::vector<Segment> pieces;
  for (const Segment& segment :
       output.segments[output.tiling.chunkOf(turned(output, wg, destination)).value]) {
    if (bytes == 0) break;
    if (position >= segment.bytes) {
      position -= segment.bytes;
      continue;
    }
    const std::uint64_t count = std::min(bytes, segment.bytes - position);
    pieces.push_back({segment.offset + position, count});
    bytes -= count;
    position = 0;
  }
  return pieces;
}

tlm::tlm_sync_enum SymmetricLoop::forward(Payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return out->nb_transport_fw(payload, phase, delay);
  if (traffic(std::as_const(payload)).multicast) {
    addMulticast(payload);
    return forwardPieces(payload, delay);
  }
  const Output& output = outputAt(localAddress(payload.get_address()));
  if (traffic(std::as_const(payload)).tracked) {
    turnUpdate(output, payload);
  } else if (output.isGathered(localAddress(payload.get_address()))) {
    const std::vector<Segment> pieces = turnGathered(output, payload);
    if (pieces.size() > 1) {
      for (const Segment& piece : pieces) {
        Payload& part =
            pool_.allocate(tlm::TLM_WRITE_COMMAND, output.layout.gathered() + piece.offset,
                           static_cast<std::uint32_t>(piece.bytes), false);
        traffic(part).copy_from(traffic(std::as_const(payload)));
        pieces_.push_back(&part);
      }
      return forwardPieces(payload, delay);
    }
    payload.set_address(output.layout.gathered() + pieces.front().offset);
  }
  return out->nb_transport_fw(payload, phase, delay);
}

/// What each other GPU would send to GPU 0 in its place.
void SymmetricLoop::addMulticast(const Payload& payload) {
  const TrafficExtension& from = traffic(payload);
  const std::uint64_t local = localAddress(payload.get_address());
  const Output& output = outputAt(local);
  const auto add = [&](std::uint64_t address, std::uint64_t bytes) -> Payload& {
    Payload& part =
        pool_.allocate(tlm::TLM_WRITE_COMMAND, address, static_cast<std::uint32_t>(bytes), false);
    traffic(part).copy_from(from);
    traffic(part).multicast = false;
    pieces_.push_back(&part);
    return part;
  };
  if (from.toSource) add(payload.get_address(), payload.get_data_length());
  for (std::uint32_t g = 1; g < route_.gpus(); ++g) {
    const GpuId gpu{g};
    if (from.tracked) {
      turnUpdate(output, add(globalAddress(gpu, local), payload.get_data_length()));
    } else if (from.sumLoad == SumLoad::Request) {
      const std::uint64_t buffer = output.isIn(local, output.layout.output)
                                       ? output.layout.output
                                       : output.layout.gathered();
      const Segment first = turned(output, {local - buffer, from.asked}, gpu).front();
      add(buffer + first.offset, payload.get_data_length());
    } else if (from.sumLoad == SumLoad::Flag) {
      add(payload.get_address(), payload.get_data_length());
    } else {
      for (const Segment& piece :
           turned(output, {local - output.layout.gathered(), payload.get_data_length()}, gpu)) {
        Payload& part = add(output.layout.gathered() + piece.offset, piece.bytes);
        traffic(part).step = route_.asOfGpu0(ChunkId{from.step}, gpu).value;
      }
    }
  }
}

/// They come when the original does, and it is taken when all of them are.
tlm::tlm_sync_enum SymmetricLoop::forwardPieces(Payload& payload, sc_core::sc_time& delay) {
  original_ = &payload;
  taken_ = now();
  if (!sendPieces(delay)) return tlm::TLM_ACCEPTED;
  original_ = nullptr;
  delay = fromPicoseconds(taken_ - now());
  return tlm::TLM_COMPLETED;
}

/// False if one was refused: the rest follows when it is taken.
bool SymmetricLoop::sendPieces(const sc_core::sc_time& delay) {
  while (!pieces_.empty()) {
    Payload& piece = *pieces_.front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time annotated = delay;
    if (out->nb_transport_fw(piece, phase, annotated) == tlm::TLM_ACCEPTED) return false;
    pieceDone(annotated);
  }
  return true;
}

void SymmetricLoop::pieceDone(const sc_core::sc_time& delay) {
  taken_ = std::max(taken_, now() + toPicoseconds(delay));
  Payload& piece = *pieces_.front();
  pieces_.pop_front();
  if (hasFailed(piece)) original_->set_response_status(piece.get_response_status());
  piece.release();
}

tlm::tlm_sync_enum SymmetricLoop::backward(Payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  if (original_ == nullptr) return in->nb_transport_bw(payload, phase, delay);
  pieceDone(delay);
  phase = tlm::END_RESP;
  if (!sendPieces(delay)) return tlm::TLM_COMPLETED;
  tlm::tlm_phase answer = tlm::BEGIN_RESP;
  delay = fromPicoseconds(std::max(taken_, now()) - now());
  in->nb_transport_bw(*std::exchange(original_, nullptr), answer, delay);
  return tlm::TLM_COMPLETED;
}

}  // namespace t3
