// The actions that help a job, and the rules by which one follows from a
// verdict. docs/reference/diagnosis.md lists them.

#pragma once

#include <cstdint>

#include "analysis/diagnosis/verdicts/verdict_kinds.h"

namespace traced {

enum class Action : std::uint8_t { kNone, kRestart, kReplaceHost, kFixProgram };

const char* nameOf(Action action);

// Why an action follows. `phrasing` has a sentence for each.
enum class ActionRule : std::uint8_t {
  // The program would do it again.
  kGroupsDiffer,
  kCallCycle,
  kCallsDiffer,
  kArgumentsDiffer,
  kMessagesDiffer,
  kCallOrder,
  kEndedInOrder,
  kException,
  kExitCode,
  kCallThrew,
  kNeverWaited,
  kBufferInUse,
  kGradientsApart,
  // A restart helps.
  kAbsentRank,
  kHungTogether,
  kOperationFailed,
  kKilled,
  kOutOfMemory,
  kCrashed,
  kDied,
  // Another host helps.
  kHardwareError,
  // Nothing is known to help.
  kHealthy,
  kEndUnknown,
  kUndecided,
  kEndedFromOutside,
  kProgramAborted,
  kDataChanged,
  kNanComputed,
  kRangeTooSmall,
  kCopiesDiffer,
  kSlowLink,
  kSlowRank,
  kLateOnce,
  kOnlyObserved,
};

struct ActionTraits {
  ActionRule rule;
  // The name in JSON. Scripts depend on it.
  const char* name;
  Action action = Action::kNone;
  // The strongest certainty with which the action follows.
  Confidence strongest = Confidence::kCertain;
};

const ActionTraits& traitsOf(ActionRule rule);

}  // namespace traced
