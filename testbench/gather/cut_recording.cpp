// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/cut_recording.h"

#include <vector>

namespace t3 {

void buildAllIfRecorded(Peers& peers, bool recorded) {
  std::vector<Parcel> parcels(peers.count()), arrived;
  if (peers.self() == 0) {
    for (Parcel& parcel : parcels) parcel.put(recorded);
  }
  peers.meet({}, parcels, arrived);
  peers.buildAll(arrived[0].take<bool>());
}

void CutRecording::begin(RunWatch& watch, bool commands) {
  std::vector<Parcel> parcels(peers_.count()), arrived;
  if (peers_.self() == 0) {
    wishes_ = replayed_.wishes();
    wishes_.samplePeriod = watch.samplePeriod;
    wishes_.commands = commands;
    wishes_.cycles = tapes_.any();
    for (Parcel& parcel : parcels) parcel.put(wishes_);
  }
  peers_.meet({}, parcels, arrived);
  wishes_ = arrived[0].take<Wishes>();
  if (!wishes_.any()) return;
  part_.emplace(wishes_, live_);
  if (wishes_.cycles) tapes_.noteIn(*part_);
  watch.round = [this] { part_->beginRound(); };
  watch.samplePeriod = wishes_.samplePeriod;
  watch.sample = {};
  if (wishes_.samplePeriod != 0) watch.sample = [this] { part_->sample(); };
}

void CutRecording::replay(const std::function<void()>& sample, CommandTrace* commands) {
  if (!part_) return;
  PartFile& own = part_->finish();
  if (peers_.self() != 0) return serveBlocks(peers_, own);
  PartBlocks blocks(peers_, own);
  try {
    replayed_.replay(peers_.count(), blocks, sample, commands, tapes_);
  } catch (...) {
    if (commands != nullptr) commands->abandon();
    throw;
  }
}

}  // namespace t3
