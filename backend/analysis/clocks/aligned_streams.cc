#include "analysis/clocks/aligned_streams.h"

#include <utility>
#include <vector>

#include "analysis/reading/stream_reader.h"

namespace traced {
namespace {

// What is kept of a host until its clock is aligned, in operations: 18 MB.
constexpr std::size_t kMostKept = std::size_t{1} << 17;

// A table without operations takes some KiB, and a call some hundred bytes.
std::size_t costOf(const StreamTable& table) {
  return table.operations.size() + 2 * table.definitions.calls().size() + 64;
}

// Keeps the tables of a host until it is aligned, and shows them then: those of
// the first selected streams, until there is one that it does not have.
class KeptStreams {
 public:
  KeptStreams(const TraceSet& set, const AlignedClocks& clocks,
              const VisitAligned& visit)
      : set_(set), clocks_(clocks), visit_(visit) {}

  void keep(std::size_t stream, StreamTable& table) {
    cost_ += costOf(table);
    const std::size_t place = shown_ + kept_.size();
    if (cost_ > kMostKept || set_.selected[place] != stream) giveUp();
    if (!gave_up_) kept_.push_back(std::move(table));
  }

  void settle(bool is_aligned) {
    if (!is_aligned) giveUp();
    for (StreamTable& table : kept_) {
      const std::size_t stream = set_.selected[shown_++];
      visit_(stream, table, clocks_.models[stream]);
    }
    kept_.clear();
    cost_ = 0;
  }

  // Of the selected streams the first so many.
  std::size_t shown() const { return shown_; }

 private:
  void giveUp() {
    gave_up_ = true;
    kept_.clear();
  }

  const TraceSet& set_;
  const AlignedClocks& clocks_;
  const VisitAligned& visit_;
  std::size_t shown_ = 0;
  bool gave_up_ = false;
  // Of the host that is being read.
  std::vector<StreamTable> kept_;
  std::size_t cost_ = 0;
};

// The selected streams but for the first so many.
std::vector<std::size_t> behind(std::size_t shown, const TraceSet& set) {
  return {set.selected.begin() + static_cast<std::ptrdiff_t>(shown),
          set.selected.end()};
}

}  // namespace

AlignedClocks readAligned(const TraceSet& set, std::size_t threads,
                          const VisitAligned& visit) {
  AlignedClocks clocks;
  KeptStreams kept(set, clocks, visit);
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

AlignedClocks readAndAlign(const TraceSet& set, std::size_t threads,
                           const VisitStream& visit) {
  AlignedClocks clocks;
  // Of the selected streams the first so many were shown.
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
