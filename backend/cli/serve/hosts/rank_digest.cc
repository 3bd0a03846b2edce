#include <optional>
#include <string>

#include "cli/serve/hosts/job_digest.h"

namespace traced {
namespace {

double asDouble(std::uint64_t value) { return static_cast<double>(value); }

void addSums(const LiveSums::OfRank& sums, v1::RankDigest& digest) {
  const CallTotals& totals = sums.totals;
  digest.set_operations(totals.calls);
  digest.set_bytes(totals.bytes);
  digest.set_failed(totals.failed);
  digest.set_own_call_ns(totals.host.total_ns);
  digest.set_completion_ns(totals.completion.total_ns);
  digest.set_wait_for_peers_ns(totals.split.wait_for_peers.total_ns);
  digest.set_transfer_ns(totals.split.transfer.total_ns);
  digest.set_exposed_wait_ns(totals.split.exposed.total_ns);
  digest.set_communication_ns(sums.blocked.ns());
  digest.set_waits_unknown(totals.waits_unknown);
  if (!sums.unseen_waits.isOpen()) {
    digest.set_unseen_wait_ns(sums.unseen_waits.ns());
  }
  digest.set_unsplit(totals.split.withheld);
  digest.set_arrivals(sums.lateness.ready_times);
  digest.set_last(sums.lateness.last);
  digest.set_behind_ns(sums.lateness.behind_ns);
  digest.set_caused_wait_ns(sums.lateness.caused_ns);
}

// Adds the counts of dropped and missed records.
void addLosses(const WatchedJobs::Rank& rank, v1::RankDigest& digest) {
  std::uint64_t lost = 0;
  for (const ThreadDropCount& thread : rank.news->tail().drops()) {
    lost += thread.all();
  }
  digest.set_lost_records(lost);
  digest.set_missed_slots(rank.news->tail().missedSlots());
  digest.set_undefined(rank.stream->lost());
}

// Adds the current activity of the rank.
void addNow(const LiveStream& stream, std::int64_t now_ns,
            v1::RankDigest& digest) {
  const Instant now(now_ns);
  if (const auto ns = between(stream.lastIssue(), now)) {
    digest.set_since_operation_ns(*ns);
  }
  Instant oldest;
  stream.forEachInFlight([&](const AssembledOperation& op) {
    digest.set_in_flight(digest.in_flight() + 1);
    if (!oldest.known() || oldest.isAfter(op.issued)) oldest = op.issued;
  });
  digest.set_oldest_in_flight_ns(between(oldest, now).value_or(0));
  digest.set_may_have_more_in_flight(stream.mayHaveMoreInFlight());
  const LiveStream::Steps& steps = stream.steps();
  digest.set_steps(steps.begun);
  digest.set_step(steps.number);
  digest.set_step_took_ns(steps.last_ns);
  if (const auto ns = between(steps.began, now)) {
    digest.set_since_step_ns(*ns);
  }
}

class RankMetrics {
 public:
  RankMetrics(const v1::RankDigest& rank, const MetricLabels& labels,
              MetricFamilies& out)
      : rank_(rank), labels_(labels), out_(out) {}

  void add() {
    gauge("up", "Whether the rank's process is alive", rank_.alive() ? 1 : 0);
    addTotals();
    addLateness();
    counter("lost_records", "Records that the rank dropped",
            asDouble(rank_.lost_records()));
    counter("missed_slots",
            "Ring slots that were overwritten before they were read",
            asDouble(rank_.missed_slots()));
    counter("undefined_operations", "Operations whose call is unknown",
            asDouble(rank_.undefined()));
    if (rank_.alive()) addWhatItDoes();
  }

 private:
  void gauge(const char* name, const char* help, double value) {
    out_.gauge(std::string("traced_rank_") + name, help, labels_, value);
  }
  void counter(const char* name, const char* help, double value) {
    out_.counter(std::string("traced_rank_") + name, help, labels_, value);
  }

  void addTotals() {
    counter("operations", "Completed operations", asDouble(rank_.operations()));
    counter("bytes", "Bytes of the operations: the larger of input and output",
            asDouble(rank_.bytes()));
    counter("failed_operations", "Failed operations", asDouble(rank_.failed()));
    counter("own_call_seconds",
            "Time from issue to return in the caller's thread",
            metricSeconds(rank_.own_call_ns()));
    counter("completion_seconds", "Time from issue to end",
            metricSeconds(rank_.completion_ns()));
    counter("wait_for_peers_seconds", "Time until the last rank was ready",
            metricSeconds(rank_.wait_for_peers_ns()));
    counter("transfer_seconds",
            "Time from when all ranks were ready to the end",
            metricSeconds(rank_.transfer_ns()));
    counter("exposed_wait_seconds",
            "Time that callers or devices spent in recorded waits",
            metricSeconds(rank_.exposed_wait_ns()));
    counter("communication_seconds",
            "Time in calls and recorded waits, each instant once",
            metricSeconds(rank_.communication_ns()));
    counter("waits_unknown", "Operations without a recorded wait",
            asDouble(rank_.waits_unknown()));
    // A lost record may have been a wait.
    const bool is_whole =
        rank_.lost_records() == 0 && rank_.missed_slots() == 0;
    if (is_whole && rank_.has_unseen_wait_ns()) {
      counter("exposed_wait_at_most_seconds",
              "Recorded waits, and all time in which the program may have "
              "waited for other operations",
              metricSeconds(rank_.exposed_wait_ns() + rank_.unseen_wait_ns()));
    }
    counter("unsplit_operations",
            "Operations without a wait for peers or without a transfer time",
            asDouble(rank_.unsplit()));
  }

  void addLateness() {
    counter("arrivals", "Operations whose last rank is certain",
            asDouble(rank_.arrivals()));
    counter("last", "Operations in which this rank was certainly last",
            asDouble(rank_.last()));
    counter("behind_seconds",
            "How long it then was behind the second-latest rank",
            metricSeconds(rank_.behind_ns()));
    counter("caused_wait_seconds",
            "Time that all other ranks together waited for this rank",
            metricSeconds(rank_.caused_wait_ns()));
  }

  void addWhatItDoes() {
    if (rank_.has_since_operation_ns()) {
      gauge("seconds_since_operation",
            "Time since the rank last issued an operation",
            metricSeconds(rank_.since_operation_ns()));
    }
    const bool is_all = !rank_.may_have_more_in_flight();
    if (is_all) {
      gauge("operations_in_flight", "Unfinished operations",
            asDouble(rank_.in_flight()));
    }
    if (is_all || rank_.in_flight() > 0) {
      gauge("oldest_in_flight_seconds",
            "Age of the oldest unfinished operation",
            metricSeconds(rank_.oldest_in_flight_ns()));
    }
    if (rank_.steps() == 0) return;
    gauge("step", "The rank's current training step", asDouble(rank_.step()));
    if (rank_.has_since_step_ns()) {
      gauge("seconds_since_step", "Time since the current step began",
            metricSeconds(rank_.since_step_ns()));
    }
    if (rank_.steps() < 2) return;
    gauge("step_seconds", "Duration of the previous step",
          metricSeconds(rank_.step_took_ns()));
  }

  const v1::RankDigest& rank_;
  const MetricLabels& labels_;
  MetricFamilies& out_;
};

}  // namespace

v1::RankDigest rankDigest(const WatchedJobs::Rank& rank, const LiveSums& sums,
                          std::int64_t now_ns) {
  const v1::Header& header = rank.stream->table().header;
  v1::RankDigest digest;
  digest.set_rank(header.rank());
  digest.set_alive(rank.alive);
  digest.set_started_ns(header.started().realtime_ns());
  const auto found = sums.ranks.find(header.rank());
  if (found != sums.ranks.end()) {
    addSums(found->second, digest);
  } else {
    digest.set_unseen_wait_ns(0);
  }
  addLosses(rank, digest);
  if (rank.alive) addNow(*rank.stream, now_ns, digest);
  return digest;
}

void addRankMetrics(const v1::RankDigest& rank, const MetricLabels& labels,
                    MetricFamilies& out) {
  RankMetrics(rank, labels, out).add();
}

}  // namespace traced
