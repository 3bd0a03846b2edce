#include "analysis/pictures/picture_builder.h"

#include <algorithm>
#include <utility>

#include "analysis/figures/samples.h"
#include "analysis/stream/clock_models.h"
#include "trace_io/wrapping.h"

namespace traced {
const RankLateness* Pictures::worst() const {
  const auto most =
      std::max_element(lateness.begin(), lateness.end(),
                       [](const RankLateness& a, const RankLateness& b) {
                         return a.caused_ns < b.caused_ns;
                       });
  if (most == lateness.end()) return nullptr;
  // A rank that waited may be late because of it, and delay each of the others
  // by as much.
  const std::uint64_t passed_on_ns = (lateness.size() - 1) * most->suffered_ns;
  const bool leads =
      std::all_of(lateness.begin(), lateness.end(), [&](const auto& rank) {
        return rank.rank == most->rank ||
               rank.caused_ns + passed_on_ns < most->caused_ns;
      });
  return leads && most->caused_ns > passed_on_ns ? &*most : nullptr;
}

void PictureSpan::add(Instant first, Instant last,
                      const v1::ClockModel& clock) {
  if (!between(first, last) || first.ns() < -kLatestNs ||
      last.ns() > kLatestNs) {
    return;
  }
  const std::int64_t begin_ns = commonNs(clock, first.ns());
  const std::int64_t end_ns = commonNs(clock, last.ns());
  if (begin_ns < -kLatestNs || end_ns > kLatestNs || end_ns < begin_ns) return;
  const bool is_first = first_ns == last_ns;
  first_ns = is_first ? begin_ns : std::min(first_ns, begin_ns);
  last_ns = is_first ? end_ns : std::max(last_ns, end_ns);
}

PictureBuilder::PictureBuilder(const std::vector<std::uint32_t>& ranks,
                               const std::vector<RankNode>& nodes,
                               const PictureSpan& span)
    : waits_(ranks, span.first_ns, span.last_ns), links_(ranks, nodes) {}

void PictureBuilder::begin(const ReadyTable::Stream& stream,
                           const TimeWindow& span) {
  stream_ = &stream;
  behind_ns_.clear();
  operation_span_ = span;
  rank_waits_ = {};
  under_way_ns_ = kNotUnderWay;
  lateness_.emplace_back().rank = stream.table.header.rank();
  links_.begin(stream.table);
}

void PictureBuilder::add(std::size_t operation, const OperationSplit& split,
                         const Size& size) {
  const StreamTable& table = stream_->table;
  const AssembledOperation& op = table.operations[operation];
  const v1::Call* call = table.callOf(op);
  if (!call) return;
  links_.add(op, *call, split);
  speeds_.add(call->op(), size.message_bytes, size.bus_factor, split);
  const MatchedCall* matched = stream_->calls.of(op);
  if (!matched) return;
  if (split.ready_ns && !split.wait_for_peers && table.isInFlight(op)) {
    under_way_ns_ = std::min(under_way_ns_, *split.ready_ns);
  }
  waits_.count(table.header.rank(), split);
  rank_waits_.add(*stream_, operation, split, operation_span_);
  if (!split.likely_ready) return;
  ++lateness_.back().ready_times;
  if (!split.likely_ready->is_last) return;
  behind_ns_.push_back(split.likely_ready->behind_ns);
  lateness_.back().last_certain += split.ready.has_value();
}

void PictureBuilder::addHang() {
  const Instant last = stream_->table.last;
  if (under_way_ns_ == kNotUnderWay || !last.known() ||
      last.ns() < -kLatestNs || last.ns() > kLatestNs) {
    return;
  }
  waits_.addInFlight(stream_->table.header.rank(), under_way_ns_,
                     stream_->clock.commonNs(last.ns()));
}

void PictureBuilder::end() {
  links_.end();
  addHang();
  waits_.add(stream_->table.header.rank(), std::move(rank_waits_),
             stream_->clock);
  RankLateness& lateness = lateness_.back();
  lateness.last = behind_ns_.size();
  if (behind_ns_.empty()) return;
  std::sort(behind_ns_.begin(), behind_ns_.end());
  const auto percentile = [this](std::size_t percent) {
    return behind_ns_[nearestRank(behind_ns_.size(), percent)];
  };
  lateness.p25_ns = percentile(25);
  lateness.p50_ns = percentile(50);
  lateness.p75_ns = percentile(75);
  lateness.max_ns = behind_ns_.back();
}

void PictureBuilder::add(PictureBuilder&& other) {
  waits_.add(other.waits_);
  links_.add(other.links_);
  speeds_.add(other.speeds_);
  lateness_.insert(lateness_.end(), other.lateness_.begin(),
                   other.lateness_.end());
}

Pictures PictureBuilder::finish() && {
  Pictures pictures;
  std::sort(lateness_.begin(), lateness_.end(),
            [](const RankLateness& a, const RankLateness& b) {
              return a.rank < b.rank;
            });
  const auto& waiting = waits_.waiting();
  for (std::size_t i = 0; i < lateness_.size() && i < waiting.size(); ++i) {
    lateness_[i].caused_ns = waiting[i].caused_ns;
    lateness_[i].certain_ns = waiting[i].certain_ns;
    lateness_[i].suffered_ns = waiting[i].suffered_ns;
  }
  pictures.lateness = std::move(lateness_);
  pictures.waits = std::move(waits_).finish();
  pictures.links = std::move(links_).finish();
  pictures.speeds = speeds_.finish();
  return pictures;
}

}  // namespace traced
