// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tlm/node/graph.h"
#include "tlm/node/run_loop.h"
#include "tlm/node/run_result.h"

namespace t3 {

class Machine;

/// How a graph is run.
struct ExecutorOptions {
  std::uint32_t rounds = 1;       ///< the whole graph again and again, in the same memory
  Picoseconds launchLatency = 0;  ///< from the end of a kernel to the begin of the next
  bool tracks = false;            ///< trackers turn to what is tracked next, and to the next round
  bool flags = false;             ///< a GPU sends to others that have to be ready
  bool fences = false;            ///< a round is over when nothing is in the queues of the memory
};

/// Decides what runs next: the rules by which a machine carries out a graph.
///
/// * A node begins a kernel launch after the last of those behind which it stands, on its own GPU;
///   GPUs are not in step.
/// * The nodes of a part that wait for none begin together, when the part before has ended on all
///   GPUs and nothing is under way.
/// * A graph may run in rounds, all of them in the same memory. A GPU begins its next round when it
///   is ready itself:
///
///       round over, its results checked ─┐
///                                        ├─► ready ─► launch latency ─┬─► next round
///       tracker set up again ────────────┘     └─► flag ──────────────┘
///                                                  to those that send here
///
///   Where others send to it without being asked, it also waits until those to which it sends are
///   ready: what came early would meet the memory and the tracker of the round before. The flag
///   takes a link's latency (no traffic is simulated for it). Where GPUs meet only in kernels of
///   collectives, the end of the last kernel says enough: it has received what all others had to
///   add.
/// * A tracker serves one tracking at a time. It is set up for the next one of the graph when all
/// is
///   counted and sent; the GEMM whose stores it will count begins a launch after that, and not
///   before the trackers into which it stores are ready too.
/// * Collectives that hold compute units claim them in one order, the same on all GPUs, which is
///   that of the graph: so no two wait for units that the other one has, each on another GPU.
class Executor {
 public:
  /// A round on a GPU.
  struct Round {
    std::vector<TimeSpan> nodes;
    TimeSpan zeroing;
    Picoseconds waited = 0;  ///< to begin, longer than a launch after the end of the one before
  };

  Executor(const Graph& graph, Machine& machine, const ExecutorOptions& options);

  std::uint32_t rounds() const { return options_.rounds; }

  // ---- told by the machine ----
  void begun(std::uint32_t gpu, NodeId node);
  void ended(std::uint32_t gpu, NodeId node, Picoseconds when);
  /// Something may have changed that is no end of a node: `tracksNoMore`.
  void look(std::uint32_t gpu);
  /// That the tracker of a GPU serves, or has served last.
  std::size_t tracking(std::uint32_t gpu) const { return of(gpu).tracking; }
  TimeSpan& zeroing(std::uint32_t gpu) { return of(gpu).history.back().zeroing; }

  // ---- of the round that a GPU is at ----
  std::uint32_t round(std::uint32_t gpu) const {
    return static_cast<std::uint32_t>(of(gpu).history.size()) - 1;
  }
  bool atLastRound(std::uint32_t gpu) const { return round(gpu) + 1 == options_.rounds; }
  const TimeSpan& span(std::uint32_t gpu, NodeId node) const {
    return of(gpu).history.back().nodes[node];
  }
  bool allEnded(std::uint32_t gpu) const { return of(gpu).nodesLeft == 0; }
  /// It has begun none of its nodes.
  bool waitsToBegin(std::uint32_t gpu) const;
  /// Of all rounds that a GPU has been ready for.
  const std::vector<Round>& history(std::uint32_t gpu) const { return of(gpu).history; }

  // ---- asked by the loop that runs it (run_loop.h) ----
  void start() { startPart(); }
  bool finished() const;
  bool idle() const;  ///< nothing is under way
  /// Asked when nothing is left to happen: starts the next part and returns true, or returns false
  /// if there is none.
  bool resume();
  /// Changes whenever the simulation makes progress.
  std::uint64_t heartbeat() const;
  double fractionDone() const;
  Watchdog watchdog() const;
  /// Of Agenda::goByPlace; 0: its places must not come apart.
  Picoseconds lookahead() const;
  /// Who waits for what in a run that goes on: lines that begin with a line feed.
  std::string whoWaits() const;

 private:
  struct Wait {
    std::uint32_t left = 0;               ///< nodes that have to end, and a tracker to be set up
    Picoseconds last = 0;                 ///< when the last of those did that have
    std::optional<std::size_t> tracking;  ///< of which other GPUs have to be ready, too
    bool planned = false;
    bool holds = false;  ///< compute units, once it is launched; it may be launched now …
    bool due = false;    ///< … but for those that claim before it
  };
  struct Gpu {
    std::vector<Round> history;
    std::vector<Wait> waits;      ///< by node
    std::uint32_t nodesLeft = 0;  ///< of the round, that have not ended
    std::size_t claims = 0;       ///< of `holders_` in the round, that have been launched
    bool over = false;
    bool tracks = false;           ///< its tracker has something to count or to send …
    std::size_t tracking = 0;      ///< … of this one
    std::uint32_t partsReady = 0;  ///< of memory and tracker, for the next round
    std::uint32_t begun = 0;       ///< the last round whose begin is planned
    Picoseconds ended = 0;         ///< its round before
    Picoseconds readySince = 0;    ///< for its round
    /// What the GPUs to which it sends have said last: for which tracking of all rounds they are
    /// ready, and since when it may know.
    struct Flag {
      std::uint32_t number = 0;
      Picoseconds when = 0;
    };
    std::map<std::uint32_t, Flag> flags;  ///< by GPU
  };

  Gpu& of(std::uint32_t gpu) { return gpus_[gpu % gpus_.size()]; }
  const Gpu& of(std::uint32_t gpu) const { return gpus_[gpu % gpus_.size()]; }
  void addRound(Gpu& gpu) const;
  void startPart();
  void startRoots(std::uint32_t gpu);
  void arrive(std::uint32_t gpu, NodeId node, Picoseconds when);
  void tryLaunch(std::uint32_t gpu, NodeId node);
  void launch(std::uint32_t gpu, NodeId node);
  void nextTracking(std::uint32_t gpu);
  void trackingReady(std::uint32_t gpu, std::size_t tracking);
  bool atLastTracking(const Gpu& gpu) const;
  void memoryReady(std::uint32_t gpu);
  void partReady(std::uint32_t gpu);
  void tryBegin(std::uint32_t gpu);
  /// The number that a GPU says when it is ready for a tracking of the round that it is at.
  std::uint32_t flagOf(std::uint32_t gpu, std::size_t tracking) const;
  /// Since when all to which a GPU sends have said that; none: they have not.
  std::optional<Picoseconds> othersReady(std::uint32_t gpu, std::uint32_t number);

  double computed(std::uint32_t gpu) const;
  double stepsDone() const;
  double bytesToSend() const;

  const Graph& graph_;
  Machine& machine_;
  const ExecutorOptions options_;
  std::vector<Wait> allWaits_;   ///< by node, at the begin of a round
  std::vector<NodeId> holders_;  ///< of compute units, in the order in which they claim them
  std::vector<Gpu> gpus_;        ///< those that are simulated
  std::uint32_t part_ = 0;
  double bytesToSend_ = 0;  ///< of an output
};

}  // namespace t3
