// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tlm/collectives/algorithm_buffers.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/collective.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/fabric.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/node/reference.h"
#include "tlm/node/run_result.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Puts the inputs of a graph into the memories, judges what has come of it, and reports it. It has
/// no say in what happens.
class Judge {
 public:
  virtual ~Judge() = default;

  /// After elaboration, before the run: what software does in no simulated time.
  virtual void prepare() = 0;
  /// At the end of the run: what must be true of the GPUs of this process. Throws
  /// std::runtime_error with one line.
  virtual void check() = 0;
  /// Their elements, and those that differ from the reference.
  virtual Verification compare() = 0;

  /// Of a GPU of this process, at its end.
  virtual GpuFigures figures(std::uint32_t gpu) const = 0;
  /// Adds times of phases to what is said of every run, from those of all GPUs.
  virtual void report(const std::vector<GpuFigures>& gpus, RunResult& result) const = 0;
  /// Bounds, and what the mode makes of the result; `failed`: the run has.
  virtual void finish(RunResult& result, bool failed) const = 0;
};

/// What a run brings over links by closed form, round after round the same.
struct LinkTraffic {
  struct Part {
    CollectiveTraffic bytes;
    bool added = false;   ///< by the switch
    bool copied = false;  ///< by the switch, for all other GPUs
    Codec codec = {};
    bool wholeBlocks = false;  ///< every write has only whole blocks of the codec
  };
  std::vector<Part> parts;
  std::uint32_t rounds = 1;
};

/// Every link carried `traffic`, its far end received it, and nobody holds a request. Throws like
/// the next ones.
void checkConservation(const Machine& machine, const LinkTraffic& traffic);
/// The tracker of every GPU issued each command that was programmed (GpuNode::commands) once, and
/// whatever it sent was due by the paper's count (paper_tracker.h).
void checkTrackers(const Fabric& fabric);

/// Checks what must be true at the end of every run of outputs, whatever its graph:
///
/// * Nothing is left in any queue.
/// * Every link carried exactly what the collectives send, and its far end received it. Through a
///   codec: exactly that in front of it and behind the decoder, and between them what the format
///   makes of it; of a format whose size the data decides, no less than it can.
/// * Where something is tracked: `checkTrackers`.
///
/// Throws std::runtime_error with one line that names the GPU and both figures.
void checkConservation(const Machine& machine);

/// What must be true of a tracking.
struct SumsRule {
  bool gathers = false;  ///< trackers gather, too
  bool ideal = false;    ///< of a bound: the norm stores before anything is tracked
  bool clears = false;   ///< memory clears what is summed there
};
/// Every element of the chunks of an output that are summed on a GPU was updated as often as the
/// route says, elements of other chunks never; where memory clears, each was cleared once. (That
/// no clear came at a wrong time is checked by the memory while it happens.) If the trackers
/// gather, every element of the other GPUs' chunks was stored once by another GPU.
///
/// Of one buffer of one GPU, for the round that it is at. To be checked before its memory begins to
/// count anew.
void checkSums(const Machine& machine, std::uint32_t gpu, const OutputPlan& output,
               OutputBuffer buffer, const SumsRule& rule);

/// What goes into the GPUs' memories with checked data, and what must come out: operands, and the
/// outputs of all GEMMs of a graph. Every round has operands of its own, so a sum that is left over
/// from the one before is wrong in the next.
///
/// Where an output is the operand of a GEMM whose own output is summed, the weights of that GEMM
/// are chosen so that values do not grow from one to the next: each column has one weight that is
/// not zero, 1 or -1, on one GPU. What a GPU has of a given output is the product of operands that
/// are in no memory.
class CheckedData {
 public:
  explicit CheckedData(Machine& machine) : machine_(machine) {}

  /// Of the round that `gpu` is at; without timing. Nothing happens if data is elided.
  void writeOperands(std::uint32_t gpu);
  /// Compares all outputs of `gpu` with those of the round that it is at. Where contributions are
  /// left out, these are the sums of those that memories have admitted.
  void compare(std::uint32_t gpu);

  const Verification& verification() const { return verification_; }

 private:
  using Matrix = std::vector<std::uint16_t>;
  struct Values {
    std::vector<Operands> operands;  ///< by GPU; `a` is empty where it is another output
    Matrix residual;                 ///< where a norm follows, [rows][columns]
    std::vector<Matrix> result;      ///< once it has been asked for: by GPU, or one for all
  };
  using Round = std::vector<Values>;  ///< by output

  Round& round(std::uint32_t number);
  bool gathersOnly(std::uint32_t output) const;
  Matrix ownChunks(const std::vector<Operands>& operands, const OutputPlan& output) const;
  /// Of the output's reduce-scatter, or of what gathers it.
  Codec codecOf(std::uint32_t output, bool gathers) const;
  void codeGathered(Values& values, std::uint32_t output) const;
  Values operandsOf(std::uint32_t output, std::uint32_t round) const;
  Matrix chainedWeights(std::uint32_t output, std::uint32_t gpu, std::uint64_t seed) const;
  const std::vector<Matrix>& resultOf(Round& data, std::uint32_t output);
  Matrix sumOf(const std::vector<Operands>& operands, std::uint32_t output);
  Matrix codedSumOf(const std::vector<Operands>& operands, std::uint32_t output);
  /// What a GPU has in the end: all, its own chunks, or nothing that can be told.
  enum class Holds : std::uint8_t { All, OwnChunks, Nothing };
  Holds holds(std::uint32_t output) const;
  /// Of a GEMM that reads another output: whether that is there when it computes. It is not in a
  /// bound that runs early.
  bool readsWhenThere(NodeId gemm) const;
  bool elided() const { return machine_.config().data != DataMode::Checked; }
  std::uint32_t roundOf(std::uint32_t gpu) const { return machine_.executor().round(gpu); }

  Machine& machine_;
  std::map<std::uint32_t, Round> rounds_;  ///< those that a GPU is at
  Verification verification_{};
};

/// Judges the outputs of GEMMs.
class OutputJudge : public Judge {
 public:
  /// After its executor.
  OutputJudge(Mode mode, Machine& machine);

  void prepare() override;
  void check() override;
  Verification compare() override;
  GpuFigures figures(std::uint32_t gpu) const override;
  void report(const std::vector<GpuFigures>& gpus, RunResult& result) const override;
  void finish(RunResult& result, bool failed) const override;

 private:
  void watch(std::uint32_t gpu, const OutputPlan& output, OutputBuffer buffer);
  void over(std::uint32_t gpu);
  void checkThenWatch(std::uint32_t gpu, const OutputPlan& output, OutputBuffer buffer);
  std::vector<const OutputPlan*> trackedOutputs() const;
  SumsRule ruleOf(const OutputPlan& output) const;
  bool clears() const;
  void checkBufferIsZero();

  const Mode mode_;
  const ModeKind& kind_;  ///< that is simulated
  Machine& machine_;
  CheckedData data_;
};

/// What goes into the GPUs' memories before a collective from a file, and what must come out, by
/// the definition of the collective and not by the algorithm. (Of a custom collective, by what the
/// check of the algorithm has found.)
///
/// Values are whole numbers so small that every sum is exact, in whatever order it is added: a
/// hash of seed, GPU, chunk and element. All other bytes begin as NaNs (of int32: -1).
class CollectiveData {
 public:
  using MemoryOf = std::function<DebugAccess(std::uint32_t gpu)>;

  CollectiveData(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout, DataType type,
                 std::uint64_t seed, MemoryOf memory);

  /// `poisoned`: bytes from address 0 on that begin as NaNs where no input is.
  void write(std::uint32_t gpu, std::uint64_t poisoned);
  /// Compares all output chunks of a GPU of which something is promised.
  void compare(std::uint32_t gpu, Verification& verification);

 private:
  std::int32_t value(std::uint32_t gpu, std::uint32_t chunk, std::uint64_t element) const;
  template <typename Format>
  void write(std::uint32_t gpu, std::uint64_t poisoned);
  template <typename Format>
  void compare(std::uint32_t gpu, Verification& verification);

  const AlgorithmMeaning& meaning_;
  const AlgorithmLayout& layout_;
  const DataType type_;
  const std::uint64_t seed_;
  const std::uint32_t most_;  ///< largest magnitude of an input
  MemoryOf memory_;
};

/// Judges a collective that runs alone, by its definition.
class AlgorithmJudge : public Judge {
 public:
  /// After its executor. `meaning` and `plan` outlive it.
  AlgorithmJudge(const AlgorithmMeaning& meaning, const CollectivePlan& plan, Machine& machine);

  void prepare() override;
  void check() override;
  Verification compare() override;
  GpuFigures figures(std::uint32_t gpu) const override;
  void report(const std::vector<GpuFigures>& gpus, RunResult& result) const override;
  void finish(RunResult& /*result*/, bool /*failed*/) const override {}

 private:
  void fillMemory(std::uint32_t gpu);
  void compare(std::uint32_t gpu);
  double boundNs() const;

  const AlgorithmMeaning& meaning_;
  const CollectivePlan& plan_;
  Machine& machine_;
  const SystemConfig& config_;
  CollectiveData data_;
  Verification verification_;
};

}  // namespace t3
