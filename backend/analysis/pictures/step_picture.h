// Makes a StepPicture: what the time of steps went into.

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
  // Of a run without steps.
  static constexpr std::size_t kStretches = 60;

  // Without steps time is cut, from first to last on the common time line.
  StepPictureBuilder(bool by_step, std::int64_t first_ns, std::int64_t last_ns);

  // A stream, then each of its operations, then its end.
  void begin(const ReadyTable::Stream& stream);
  void add(std::size_t operation, const OperationSplit& split, bool unseen);
  void end();
  // What was shown to another one, which began as this one did.
  void add(const StepPictureBuilder& other);

  StepPicture finish() &&;

 private:
  // What an instant of a rank is told as: the first of those that hold.
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

  // The one that an instant is in; nullptr if it is in none.
  Stretch* stretchAt(std::int64_t ns);
  void cutBySteps();
  void cutByTime();
  void keep(std::int64_t from_ns, std::int64_t until_ns, Kind kind);
  // Of a program that stands in something, nobody knows what it is.
  void keepWhatIsUnderWay();
  // Whether the stream ends inside of an operation.
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
  // By step shifted by shift_ bits.
  unsigned shift_ = 0;
  std::map<std::uint64_t, StepTimes> entries_;
};

}  // namespace traced
