// StepPictureBuilder makes a StepPicture: how the time of steps was spent. Not
// thread safe.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/pictures/pictures.h"
#include "analysis/time_split/ready_table.h"
#include "analysis/time_split/time_split.h"

namespace traced {

class StepPictureBuilder {
 public:
  static constexpr std::size_t kMaxEntries = 200;
  // Number of intervals of a run without steps.
  static constexpr std::size_t kStretches = 60;

  // Without steps, the interval from `first_ns` to `last_ns` of common time is
  // divided evenly.
  StepPictureBuilder(bool by_step, std::int64_t first_ns, std::int64_t last_ns);

  // For each stream, call begin(), add() for each operation, then end().
  void begin(const ReadyTable::Stream& stream);
  void add(std::size_t operation, const OperationSplit& split, bool unseen);
  void end();
  // Adds the result of another builder with the same arguments.
  void add(const StepPictureBuilder& other);

  StepPicture finish() &&;

 private:
  // States of a rank at an instant. If several hold, the first one counts.
  enum Kind {
    kWaitForPeers,
    kTransfer,
    kUndecided,
    kCall,
    kMayWait,
    kHidden,
    kKinds
  };
  struct Change {
    std::int64_t ns;
    Kind kind;
    int by;
  };
  struct Stretch {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::uint64_t number;
    bool ended = true;
    std::uint64_t waits_unknown = 0;
    std::uint64_t uncertain_ns = 0;
  };

  // Returns the stretch that contains an instant, or nullptr.
  Stretch* stretchAt(std::int64_t ns);
  void cutBySteps();
  void cutByTime();
  // Adds an interval, on the stream's clock, in which the rank is in a state.
  void keep(std::int64_t from_ns, std::int64_t until_ns, Kind kind);
  // If the program is blocked at the end of the stream, marks that time as
  // undecided.
  void keepWhatIsUnderWay();
  // Marks time that the trace may lack records of as kMayWait: until the last
  // loss, and while tracing was switched off.
  void keepUnrecorded();
  // Returns whether the stream ends inside an operation.
  bool endsInOperation() const;
  void keepWait(const AssembledOperation& op, std::int64_t ready_ns,
                const OperationSplit& split);
  void sweep(std::size_t& next, const Stretch& stretch, int (&open)[kKinds]);
  StepTimes& entryOf(std::uint64_t number);
  void halveEntries();

  StepPicture picture_;
  const std::int64_t first_ns_;
  const ReadyTable::Stream* stream_ = nullptr;
  std::vector<Stretch> stretches_;
  std::vector<Change> changes_;
  // By step number shifted right by `shift_`.
  unsigned shift_ = 0;
  std::map<std::uint64_t, StepTimes> entries_;
};

}  // namespace traced
