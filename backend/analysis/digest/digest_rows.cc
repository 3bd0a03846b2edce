#include "analysis/digest/digest_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "analysis/digest/histogram_columns.h"

namespace traced {
namespace {

using Times = std::vector<std::uint64_t>;
using Column = google::protobuf::RepeatedField<std::uint64_t>;

constexpr int kFigures = v1::DIGEST_FIGURE_LATENESS_ARRIVALS;

void addSorted(Times times, Column* column) {
  std::sort(times.begin(), times.end());
  std::uint64_t before = 0;
  for (const std::uint64_t time : times) {
    column->Add(time - before);
    before = time;
  }
}

// The next entries of a column of times.
class TimeColumn {
 public:
  explicit TimeColumn(const Column& column) : column_(column) {}

  bool read(std::uint64_t count, Times& times) {
    const auto left = static_cast<std::uint64_t>(column_.size() - next_);
    if (count > left) return false;
    times.reserve(count);
    std::uint64_t time = 0;
    for (; times.size() < count; ++next_) {
      time += column_.Get(next_);
      times.push_back(time);
    }
    return true;
  }
  bool atEnd() const { return next_ == column_.size(); }

 private:
  const Column& column_;
  int next_ = 0;
};

void addMax(const CertifiedTimes& times, v1::StreamDigest& digest) {
  const CertifiedTime max = times.max();
  for (const std::int64_t ns : {max.ns, max.low_ns, max.high_ns}) {
    digest.add_figure(static_cast<std::uint64_t>(ns));
  }
}

void addFigures(const DigestRow& row, v1::StreamDigest& digest) {
  forEachFigure(row.totals,
                [&](std::uint64_t figure) { digest.add_figure(figure); });
  addMax(row.split.waitForPeers(), digest);
  addMax(row.split.transfer(), digest);
  std::uint64_t arrivals = 0;
  for (const auto& [rank, lateness] : row.split.ranks()) {
    arrivals += lateness.arrivals;
  }
  digest.add_figure(arrivals);
}

void addSizes(const RowSamples& samples, v1::StreamDigest& digest) {
  std::vector<RowSamples::OfOneSize> sizes = samples.ofSizes();
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.size.message_bytes, a.size.bus_factor) <
           std::tie(b.size.message_bytes, b.size.bus_factor);
  });
  digest.add_sizes(static_cast<std::uint32_t>(sizes.size()));
  for (RowSamples::OfOneSize& of_size : sizes) {
    digest.add_message_bytes(of_size.size.message_bytes);
    digest.add_bus_factor(of_size.size.bus_factor);
    digest.add_completions(of_size.completion_ns.size());
    addSorted(std::move(of_size.completion_ns), digest.mutable_completion_ns());
  }
}

// Reads the columns row by row.
class Rows {
 public:
  Rows(const v1::StreamDigest& digest, const DigestMeanings& meanings)
      : digest_(digest),
        meanings_(meanings),
        host_(digest.host_ns()),
        wait_(digest.wait_ns()),
        completion_(digest.completion_ns()),
        histograms_(digest) {}

  std::optional<std::vector<DigestRow>> read() {
    const int count = digest_.op_size();
    for (const int entries : {digest_.dtype_size(), digest_.size_size(),
                              digest_.group_size(), digest_.sizes_size()}) {
      if (entries != count) return std::nullopt;
    }
    if (digest_.figure_size() / kFigures != count ||
        digest_.figure_size() % kFigures != 0) {
      return std::nullopt;
    }
    std::vector<DigestRow> rows(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      if (!readRow(i, rows[static_cast<std::size_t>(i)])) return std::nullopt;
    }
    const bool all_read = host_.atEnd() && wait_.atEnd() &&
                          completion_.atEnd() && histograms_.atEnd();
    return all_read ? std::optional(std::move(rows)) : std::nullopt;
  }

 private:
  bool readRow(int i, DigestRow& row) {
    const std::string* op = meanings_.text(digest_.op(i));
    const std::string* dtype = meanings_.text(digest_.dtype(i));
    const std::string* size = meanings_.text(digest_.size(i));
    if (!op || !dtype || !size) return false;
    row.op = *op;
    row.dtype = *dtype;
    row.size = *size;
    row.group = meanings_.group(digest_.group(i));
    const std::uint64_t arrivals = readFigures(row);
    const bool overlaps =
        i < digest_.held_call_ns_size() && i < digest_.held_wait_ns_size();
    row.totals.held_call_ns =
        overlaps ? digest_.held_call_ns(i) : row.totals.host.total_ns;
    row.totals.held_wait_ns =
        overlaps ? digest_.held_wait_ns(i) : row.totals.wait.total_ns;
    SplitTotals::Parts parts;
    parts.wait_for_peers =
        timesOf(row.totals.split.wait_for_peers.total_ns, wait_max_);
    parts.transfer = timesOf(row.totals.split.transfer.total_ns, transfer_max_);
    Histogram behind;
    if (!readSamples(i, row) ||
        !histograms_.read(static_cast<std::uint32_t>(i), parts, behind)) {
      return false;
    }
    row.split = SplitTotals(std::move(parts));
    if (arrivals > 0) {
      row.split.latenessOf(meanings_.rank) = {arrivals, std::move(behind)};
    }
    return true;
  }

  static CertifiedTimes timesOf(std::uint64_t total_ns, CertifiedTime max) {
    CertifiedTimes::Parts parts;
    parts.total_ns = total_ns;
    parts.max = max;
    return CertifiedTimes(std::move(parts));
  }

  std::uint64_t readFigures(DigestRow& row) {
    const auto next = [this] { return digest_.figure(figure_++); };
    const auto nextMax = [&next] {
      CertifiedTime max;
      for (std::int64_t* ns : {&max.ns, &max.low_ns, &max.high_ns}) {
        *ns = static_cast<std::int64_t>(next());
      }
      return max;
    };
    forEachFigure(row.totals, [&](std::uint64_t& figure) { figure = next(); });
    wait_max_ = nextMax();
    transfer_max_ = nextMax();
    return next();
  }

  bool readSamples(int i, DigestRow& row) {
    Times host, wait;
    if (!host_.read(row.totals.host.count, host) ||
        !wait_.read(row.totals.wait.count, wait)) {
      return false;
    }
    std::vector<RowSamples::OfOneSize> sizes;
    for (std::uint32_t n = 0; n < digest_.sizes(i); ++n, ++size_) {
      if (size_ >= digest_.message_bytes_size() ||
          size_ >= digest_.bus_factor_size() ||
          size_ >= digest_.completions_size()) {
        return false;
      }
      RowSamples::OfOneSize& one = sizes.emplace_back();
      one.size = {digest_.message_bytes(size_), digest_.bus_factor(size_)};
      if (!std::isfinite(one.size.message_bytes) ||
          !std::isfinite(one.size.bus_factor) ||
          !completion_.read(digest_.completions(size_), one.completion_ns)) {
        return false;
      }
    }
    row.samples =
        RowSamples(std::move(host), std::move(wait), std::move(sizes));
    return true;
  }

  const v1::StreamDigest& digest_;
  const DigestMeanings& meanings_;
  TimeColumn host_, wait_, completion_;
  HistogramColumns histograms_;
  int figure_ = 0;
  int size_ = 0;
  CertifiedTime wait_max_, transfer_max_;
};

}  // namespace

void addRows(const std::vector<DigestRow>& rows, const DigestIds& ids,
             v1::StreamDigest& digest) {
  std::uint32_t number = 0;
  const bool overlaps =
      std::any_of(rows.begin(), rows.end(), [](const DigestRow& row) {
        return row.totals.held_call_ns != row.totals.host.total_ns ||
               row.totals.held_wait_ns != row.totals.wait.total_ns;
      });
  for (const DigestRow& row : rows) {
    if (overlaps) {
      digest.add_held_call_ns(row.totals.held_call_ns);
      digest.add_held_wait_ns(row.totals.held_wait_ns);
    }
    digest.add_op(ids.text(row.op));
    digest.add_dtype(ids.text(row.dtype));
    digest.add_size(ids.text(row.size));
    digest.add_group(ids.group(row.group));
    addFigures(row, digest);
    addSorted(row.samples.hostNs(), digest.mutable_host_ns());
    addSorted(row.samples.waitNs(), digest.mutable_wait_ns());
    addSizes(row.samples, digest);
    addHistograms(number++, row.split, digest);
  }
}

std::optional<std::vector<DigestRow>> readRows(const v1::StreamDigest& digest,
                                               const DigestMeanings& meanings) {
  return Rows(digest, meanings).read();
}

}  // namespace traced
