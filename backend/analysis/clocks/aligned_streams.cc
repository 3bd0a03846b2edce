#include "analysis/clocks/aligned_streams.h"

#include <memory>
#include <utility>
#include <vector>

#include "analysis/reading/stream_reader.h"

namespace traced {
namespace {

// Maximum size of the tables kept for a host until its clock is aligned: 18 MB.
constexpr std::size_t kMaxTableBytes =
    sizeof(AssembledOperation) * (std::size_t{1} << 17);

// Estimates memory. An empty table takes some KiB, and a call some hundred
// bytes.
std::size_t bytesOf(const StreamTable& table) {
  return sizeof(AssembledOperation) *
         (table.operations.size() + 2 * table.definitions.calls().size() + 64);
}

using KeepStream = std::function<KeptOfStream(std::size_t, StreamTable&)>;

// KeptStreams keeps what the caller wants of a host's streams until the host is
// aligned, and then shows it. It stops for good at the first selected stream
// that is out of order, does not fit, or belongs to a host that is not aligned.
class KeptStreams {
 public:
  KeptStreams(const TraceSet& set, const AlignedClocks& clocks,
              std::size_t most_bytes, const KeepStream& keep)
      : set_(set), clocks_(clocks), most_bytes_(most_bytes), keep_(keep) {}

  void keep(std::size_t stream, StreamTable& table) {
    const std::size_t place = shown_ + kept_.size();
    if (set_.selected[place] != stream) giveUp();
    if (gave_up_) return;
    kept_.push_back(keep_(stream, table));
    bytes_ += kept_.back().bytes;
    if (bytes_ > most_bytes_) giveUp();
  }

  void settle(bool is_aligned) {
    if (!is_aligned) giveUp();
    for (const KeptOfStream& kept : kept_) {
      kept.show(clocks_.models[set_.selected[shown_++]]);
    }
    kept_.clear();
    bytes_ = 0;
  }

  // Returns how many selected streams were shown, counted from the first.
  std::size_t shown() const { return shown_; }

 private:
  void giveUp() {
    gave_up_ = true;
    kept_.clear();
  }

  const TraceSet& set_;
  const AlignedClocks& clocks_;
  const std::size_t most_bytes_;
  const KeepStream& keep_;
  std::size_t shown_ = 0;
  bool gave_up_ = false;
  // Kept streams of the current host.
  std::vector<KeptOfStream> kept_;
  std::size_t bytes_ = 0;
};

// Returns the selected streams after the first `shown`.
std::vector<std::size_t> behind(std::size_t shown, const TraceSet& set) {
  return {set.selected.begin() + static_cast<std::ptrdiff_t>(shown),
          set.selected.end()};
}

// `visit` is called for the streams of which nothing was kept.
AlignedClocks readKeeping(const TraceSet& set, std::size_t threads,
                          std::size_t most_bytes, const KeepStream& keep,
                          const VisitAligned& visit) {
  AlignedClocks clocks;
  KeptStreams kept(set, clocks, most_bytes, keep);
  const AlignmentObserver observer{
      [&](std::size_t i, StreamTable& table) { kept.keep(i, table); },
      [&](bool is_aligned) { kept.settle(is_aligned); }};
  alignClocks(set, threads, observer, clocks);
  readStreams(set, behind(kept.shown(), set), threads,
              [&](std::size_t i, StreamTable& table) {
                visit(i, table, clocks.models[i]);
              });
  return clocks;
}

}  // namespace

AlignedClocks readAligned(const TraceSet& set, std::size_t threads,
                          const VisitAligned& visit) {
  const auto keep = [&visit](std::size_t stream, StreamTable& table) {
    const std::size_t bytes = bytesOf(table);
    const auto kept = std::make_shared<StreamTable>(std::move(table));
    return KeptOfStream{bytes, [&visit, stream, kept](const auto& clock) {
                          visit(stream, *kept, clock);
                        }};
  };
  return readKeeping(set, threads, kMaxTableBytes, keep, visit);
}

AlignedClocks readAligned(const TraceSet& set, std::size_t threads,
                          std::size_t most_bytes, const KeepOfStream& keep) {
  return readKeeping(
      set, threads, most_bytes, keep,
      [&keep](std::size_t i, StreamTable& table, const v1::ClockModel& clock) {
        keep(i, table).show(clock);
      });
}

AlignedClocks readAndAlign(const TraceSet& set, std::size_t threads,
                           const VisitStream& visit) {
  AlignedClocks clocks;
  // Number of selected streams shown, counted from the first.
  std::size_t shown = 0;
  bool in_order = true;
  const auto show = [&](std::size_t i, StreamTable& table) {
    in_order &= set.selected[shown] == i;
    if (!in_order) return;
    visit(i, table);
    ++shown;
  };
  alignClocks(set, threads, {.read = show, .settled = {}}, clocks);
  readStreams(set, behind(shown, set), threads, visit);
  return clocks;
}

}  // namespace traced
