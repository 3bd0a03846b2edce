#include "analysis/clocks/align_clocks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/clocks/clock_fit.h"
#include "analysis/clocks/groups_across.h"
#include "analysis/clocks/host_evidence.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/clock_models.h"

namespace traced {
namespace {

// Sweeps alternate in direction, so a chain of hosts in any order takes few
// sweeps.
constexpr int kMaxSweeps = 16;
// A merged file stores all clocks in one chunk, so their total size is limited.
constexpr std::size_t kMaxKnots = 16'384;
constexpr std::size_t kMaxKnotsOfAll = 2'000'000;

class Aligner {
 public:
  Aligner(const TraceSet& set, std::uint64_t max_drift_ppb,
          const ShowStreams& show, const AlignmentObserver& observer,
          AlignedClocks& out)
      : set_(set),
        max_drift_ppb_(max_drift_ppb),
        show_(show),
        observer_(observer),
        out_(out) {}

  void run() {
    findHosts();
    bool more = alignAll();
    for (int sweep = 1; sweep < kMaxSweeps && more; ++sweep) {
      std::reverse(waiting_.begin(), waiting_.end());
      more = alignSome();
    }
    for (const Host* host : waiting_) {
      out_.warnings.push_back({host->name, host->rank});
    }
  }

 private:
  struct Host {
    std::string name;
    std::uint32_t rank = 0;  // the first one
    // selected streams, as indices into set_.streams
    std::vector<std::size_t> streams;
    std::vector<std::size_t> others;  // unselected streams of this clock
  };

  void findHosts() {
    absl::flat_hash_map<std::string, std::size_t> by_clock;
    for (const std::size_t i : set_.selected) {
      // A dump has no clock that could be bounded.
      if (set_.streams[i].dump_file) return;
      const v1::Header& header = set_.streams[i].header;
      const auto [place, is_new] =
          by_clock.try_emplace(clockNameOf(header), hosts_.size());
      if (is_new) {
        hosts_.push_back({header.host(), header.rank(), {}, {}});
      }
      hosts_[place->second].streams.push_back(i);
    }
    if (hosts_.size() < 2) return;
    findOthers(by_clock);
    for (Host& host : hosts_) waiting_.push_back(&host);
    across_ = GroupsAcross(clocksOfRanks());
  }

  std::vector<GroupsAcross::RankClock> clocksOfRanks() const {
    std::vector<GroupsAcross::RankClock> clocks;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      for (const std::size_t stream : hosts_[i].streams) {
        clocks.emplace_back(set_.streams[stream].header.rank(), i);
      }
    }
    return clocks;
  }

  void findOthers(const absl::flat_hash_map<std::string, std::size_t>& hosts) {
    std::vector<bool> is_selected(set_.streams.size());
    for (const std::size_t i : set_.selected) is_selected[i] = true;
    for (std::size_t i = 0; i < set_.streams.size(); ++i) {
      if (is_selected[i]) continue;
      const auto host = hosts.find(clockNameOf(set_.streams[i].header));
      if (host != hosts.end()) hosts_[host->second].others.push_back(i);
    }
  }

  // Reads all hosts once, in order. Returns whether another sweep may align
  // more.
  bool alignAll() {
    const std::vector<Host*> hosts = std::move(waiting_);
    waiting_.clear();
    std::vector<std::size_t> streams;
    for (const Host* host : hosts) {
      streams.insert(streams.end(), host->streams.begin(), host->streams.end());
    }
    HostEvidence evidence;
    auto host = hosts.begin();
    std::size_t read = 0;
    show_(streams, [&](std::size_t i, StreamTable& table) {
      gather(table, evidence);
      if (observer_.read) observer_.read(i, table);
      if (++read < (*host)->streams.size()) return;
      const bool is_aligned = align(**host, evidence);
      if (!is_aligned) waiting_.push_back(*host);
      if (observer_.settled) observer_.settled(is_aligned);
      evidence.clear();
      read = 0;
      ++host;
    });
    return !waiting_.empty() && waiting_.size() < hosts.size();
  }

  // Reads the remaining hosts again. Returns whether another sweep may align
  // more.
  bool alignSome() {
    const std::size_t before = waiting_.size();
    std::erase_if(waiting_, [this](Host* host) {
      HostEvidence evidence;
      show_(host->streams,
            [&](std::size_t, StreamTable& table) { gather(table, evidence); });
      return align(*host, evidence);
    });
    return !waiting_.empty() && waiting_.size() < before;
  }

  void gather(const StreamTable& table, HostEvidence& evidence) {
    std::vector<std::uint32_t> groups =
        groups_.add(table.header.attempt(), table.definitions.groups());
    for (std::uint32_t& group : groups) {
      const RankList& members = groups_.groups()[group].members;
      if (!across_.contains(group, members)) group = GroupCatalog::kNone;
    }
    evidence.add(table, groups, rows_);
  }

  bool align(const Host& host, const HostEvidence& evidence) {
    if (&host == &hosts_[0]) {
      evidence.contribute(out_.models[host.streams[0]], rows_);
      return true;
    }
    const std::vector<ClockBound> bounds =
        evidence.bounds(rows_, max_drift_ppb_);
    const std::vector<ClockSegment> segments =
        segmentBounds(bounds, max_drift_ppb_);
    const bool bounded = std::any_of(
        segments.begin(), segments.end(),
        [](const ClockSegment& segment) { return !segment.certified.empty(); });
    if (!bounded) return false;
    v1::ClockModel model;
    model.set_source(v1::CLOCK_SOURCE_COLLECTIVES);
    const std::size_t share = kMaxKnotsOfAll / set_.streams.size();
    fitClock(segments, max_drift_ppb_,
             std::clamp<std::size_t>(share, 16, kMaxKnots), model);
    evidence.contribute(model, rows_);
    reportOfSteps(host, model);
    setModel(host, model);
    return true;
  }

  void reportOfSteps(const Host& host, const v1::ClockModel& model) {
    for (int i = 1; i < model.knot_size(); ++i) {
      const v1::ClockKnot& knot = model.knot(i);
      if (!knot.starts_segment()) continue;
      const v1::ClockKnot& before = model.knot(i - 1);
      out_.warnings.push_back({host.name, host.rank, true,
                               before.offset_ns() - knot.offset_ns(),
                               knot.monotonic_ns() - before.monotonic_ns()});
    }
  }

  // Applies to all streams of the clock, selected or not.
  void setModel(const Host& host, v1::ClockModel& model) {
    for (const auto* streams : {&host.streams, &host.others}) {
      for (const std::size_t i : *streams) {
        model.set_stream_id(set_.streams[i].header.stream_id());
        out_.models[i] = model;
      }
    }
  }

  const TraceSet& set_;
  const std::uint64_t max_drift_ppb_;
  const ShowStreams& show_;
  const AlignmentObserver& observer_;
  AlignedClocks& out_;
  GroupCatalog groups_;
  GroupsAcross across_;
  EvidenceTable rows_;
  std::vector<Host> hosts_;
  std::vector<Host*> waiting_;
};

ShowStreams showIn(std::size_t threads, const TraceSet& set) {
  return [&set, threads](const std::vector<std::size_t>& streams,
                         const VisitStream& visit) {
    readStreams(set, streams, threads, visit);
  };
}

void align(const TraceSet& set, const ShowStreams& show,
           std::uint64_t max_drift_ppb, const AlignmentObserver& observer,
           AlignedClocks& aligned) {
  std::vector<const v1::Header*> headers;
  for (const TraceStream& stream : set.streams) {
    headers.push_back(&stream.header);
  }
  const std::size_t reference = set.selected.empty() ? 0 : set.selected[0];
  aligned.models = knownClocks(headers, set.clocks);
  if (!aligned.models.empty()) return;
  aligned.models = modelClocks(headers, reference);
  Aligner(set, max_drift_ppb, show, observer, aligned).run();
}

}  // namespace

AlignedClocks alignClocks(const TraceSet& set, std::uint64_t max_drift_ppb) {
  return alignClocks(set, showIn(readingThreads(set), set), max_drift_ppb);
}

AlignedClocks alignClocks(const TraceSet& set, const ShowStreams& show,
                          std::uint64_t max_drift_ppb) {
  AlignedClocks aligned;
  align(set, show, max_drift_ppb, {}, aligned);
  return aligned;
}

void alignClocks(const TraceSet& set, std::size_t threads,
                 const AlignmentObserver& observer, AlignedClocks& aligned) {
  align(set, showIn(threads, set), kDefaultMaxDriftPpb, observer, aligned);
}

}  // namespace traced
